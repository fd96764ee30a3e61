import { join } from 'node:path';
import { readEffects, type Effect } from '../../analysis/effects';
import { findBundled } from '../../lab/kit';
import type { HostCount, StandInReport } from '../../stand-in/analysis/counts';
import type { ServiceTrouble } from '../../stand-in/plan';
import { Failure } from '../../ui/exit';
import type { ProcessSpec } from './supervisor';

const READ_WITHIN_MS = 30_000;

/** The stand-in that workloads call, as a process beside n8n. */
export function upstream(
  node: string,
  port: number,
  place: Pick<ProcessSpec, 'folder' | 'log'>,
  {
    planFile,
    host = '127.0.0.1',
  }: {
    /** The plan of its answers; left out: what bundled workflows call. */
    planFile?: string | undefined;
    host?: string;
  } = {},
): ProcessSpec {
  return {
    ...place,
    role: 'upstream',
    instance: 'upstream',
    command: [node, join(findBundled('dist', 'stand-in.cjs'), 'stand-in.cjs')],
    env: {
      HOST: host,
      PORT: String(port),
      EFFECTS_FILE: join(place.folder, 'effects.log'),
      ...(planFile === undefined ? {} : { PLAN_FILE: planFile }),
    },
    limits: {},
    stopSignal: 'TERM',
    kind: 'service',
  };
}

/** What workflows have told it so far. */
export async function effectsAt(url: string): Promise<Effect[]> {
  const reply = await fetch(`${url}/effects`, { signal: AbortSignal.timeout(READ_WITHIN_MS) });
  if (!reply.ok) throw new Failure(`${url}/effects answered ${String(reply.status)}`);
  return readEffects(await reply.text());
}

/** Calls by host so far. */
export async function servicesAt(url: string): Promise<HostCount[]> {
  const reply = await fetch(`${url}/stand-in/report`, {
    signal: AbortSignal.timeout(READ_WITHIN_MS),
  });
  if (!reply.ok) throw new Failure(`${url}/stand-in/report answered ${String(reply.status)}`);
  return ((await reply.json()) as StandInReport).hosts;
}

export const NO_SERVICE = 'no load-tested workflow calls a service outside n8n';

export async function makeTrouble(url: string, trouble: ServiceTrouble): Promise<void> {
  const reply = await fetch(`${url}/stand-in/trouble`, {
    ...{ method: 'PUT', body: JSON.stringify(trouble) },
    signal: AbortSignal.timeout(READ_WITHIN_MS),
  });
  if (!reply.ok) throw new Failure(`${url}/stand-in/trouble answered ${String(reply.status)}`);
}

export const upstreamUrl = (port: number, host = '127.0.0.1'): string =>
  `http://${host}:${String(port)}`;
