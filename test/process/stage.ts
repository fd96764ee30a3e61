import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { repositoryRoot } from '../../cli/src/lab/paths';
import { chooseWorkload, type ChosenWorkload } from '../../cli/src/plan/chosen-workload';
import { topologySchema, type Topology } from '../../cli/src/plan/topology';
import { findControl, groupFolders } from '../../cli/src/linux/cgroup';
import { processTarget } from '../../cli/src/targets/process/process-target';
import type { Running } from '../../cli/src/targets/target';
import { readStat, uptimeMs } from '../../cli/src/linux/proc';
import { ProcessTree } from '../../cli/src/linux/process-tree';
import type { SampleSink } from '../../cli/src/samplers/sampler';
import { N8N_VERSION } from '../support/versions';

/** Real topologies for the tests, and what they leave behind. */

export const bringUpMs = 300_000;

/** Names the n8n that tests run, unless another is given. */
export function topology(given: Record<string, unknown>): Topology {
  return topologySchema.parse({ n8n: N8N_VERSION, ...given });
}

export function workload(name: string, n8n: string | null = null): ChosenWorkload {
  return chooseWorkload({ workload: name }, join(repositoryRoot(), 'workflows'), n8n);
}

export async function bringUp(
  given: Record<string, unknown>,
  { workflows }: ChosenWorkload,
  ownTemplates: { templates?: string } = {},
): Promise<Running> {
  const order = { topology: topology(given), workflows, readyTimeoutMs: 240_000 };
  const target = processTarget({ ...order, ...ownTemplates });
  return target.up(() => undefined, AbortSignal.timeout(bringUpMs));
}

export const quiet = (): void => undefined;

export const never = (): AbortSignal => new AbortController().signal;

/** Kills the first process of a role, which has to be there: process 0 would be the test's own group. */
export function killed(running: Running, role: string): number {
  const found = running.processes().find((process) => process.role === role);
  if (found === undefined) throw new Error(`no ${role} runs`);
  process.kill(found.pid, 'SIGKILL');
  return found.pid;
}

/** Everything of a running target that must be gone when it is down. */
export interface Traces {
  processes: { pid: number; startedAtMs: number }[];
  ports: number[];
  groups: string[];
  folders: string[];
}

export function tracesOf(running: Running): Traces {
  const control = findControl();
  const roots = running.processes();
  const members = new ProcessTree<{ pid: number }>().look(roots, uptimeMs());
  const urls = [running.baseUrl, running.redis?.url, running.postgresql?.url];
  return {
    processes: members.map(({ pid, stat }) => ({ pid, startedAtMs: stat.startedAtMs })),
    ports: [...urls, ...running.metrics.map(({ url }) => url)].flatMap((url) =>
      url === undefined ? [] : [Number(new URL(url).port)],
    ),
    groups: roots.flatMap(({ cgroup }) =>
      cgroup === undefined ? [] : groupFolders(control, cgroup),
    ),
    folders: [join(running.logs[0] ?? '/nowhere', '..', '..')],
  };
}

/** What of it is still there, in words. */
export async function left({ processes, ports, groups, folders }: Traces): Promise<string[]> {
  const open = await Promise.all(ports.map(isOpen));
  return [
    ...processes
      .filter(({ pid, startedAtMs }) => readStat(pid)?.startedAtMs === startedAtMs)
      .map(({ pid }) => `process ${String(pid)}`),
    ...ports.filter((_, index) => open[index]).map((port) => `port ${String(port)}`),
    ...[...groups, ...folders].filter((folder) => existsSync(folder)),
  ];
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => {
      resolve(false);
    });
  });
}

/** Keeps what samplers say. */
export class Collected implements SampleSink {
  readonly samples: { role: string; instance: string; metric: string; value: number }[] = [];
  readonly events: string[] = [];

  sample(role: string, instance: string, metric: string, value: number): void {
    this.samples.push({ role, instance, metric, value });
  }

  event({ text }: { text: string }): void {
    this.events.push(text);
  }

  values(metric: string, role?: string): number[] {
    return this.samples
      .filter((sample) => sample.metric === metric && (role === undefined || sample.role === role))
      .map(({ value }) => value);
  }

  roles(metric: string): string[] {
    const found = this.samples.filter((sample) => sample.metric === metric).map(({ role }) => role);
    return [...new Set(found)].sort();
  }
}

export async function ask(
  running: Running,
  { requests: [request] }: ChosenWorkload,
): Promise<number> {
  const reply = await fetch(`${running.baseUrl}${request?.path ?? ''}`);
  await reply.arrayBuffer();
  return reply.status;
}
