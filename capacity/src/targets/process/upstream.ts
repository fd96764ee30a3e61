import { join } from 'node:path';
import { repositoryRoot } from '../../lab/paths';
import type { ProcessSpec } from './supervisor';

/** The service that workloads call, as a process beside n8n. */
export function upstream(
  node: string,
  port: number,
  place: Pick<ProcessSpec, 'folder' | 'log'>,
): ProcessSpec {
  return {
    ...place,
    role: 'upstream',
    instance: 'upstream',
    command: [node, join(repositoryRoot(), 'lab', 'upstream', 'server.mjs')],
    env: { HOST: '127.0.0.1', PORT: String(port) },
    limits: {},
    stopSignal: 'TERM',
    kind: 'service',
  };
}

export const upstreamUrl = (port: number): string => `http://127.0.0.1:${String(port)}`;
