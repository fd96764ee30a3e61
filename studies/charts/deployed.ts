// This chart on the cluster: installed into a namespace of its own with workloads in it, asked for what its pods use, and
// put under load. Reached from inside, by `lab/cluster/cluster exec`.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Measuring } from '../../cli/src/features/study/study';
import type { RunRecord } from '../../cli/src/record/run-record';
import { onceRouted } from '../../cli/src/targets/url/owner';

export const WORKLOAD = 'last-node';
const root = join(import.meta.dirname, '../..');
export const CHART = join(root, 'charts/n8n-tuned');
/** Everything that our chart puts into a namespace whose release is called n8n. */
const PODS = ['get', 'pods', '-l', 'app.kubernetes.io/instance=n8n', '-o', 'json'];

export async function run(command: string, args: readonly string[]): Promise<string> {
  const maxBuffer = 64 * 2 ** 20;
  return (await promisify(execFile)(command, args, { encoding: 'utf8', maxBuffer })).stdout.trim();
}

interface Deployment {
  name: string;
  mode: string;
  /** A file of values. */
  values: string;
  /** Workloads that are active, and those that are put in and left inactive. */
  active?: readonly string[];
  inactive?: readonly string[];
}

export interface Deployed {
  name: string;
  space: string;
  url: string;
  kubectl(...args: string[]): Promise<string>;
  /** POST to n8n's public API. */
  api(route: string, body?: object): Promise<{ id: string }>;
  /** Ids of the workflows, by the name of their workload. */
  ids: Record<string, string>;
}

/** Takes all of them down again whatever happens. */
export async function withDeployed<Result>(
  deployments: readonly Deployment[],
  use: (deployed: Deployed[]) => Promise<Result>,
): Promise<Result> {
  const spaces = deployments.map(spaceOf);
  try {
    const deployed: Deployed[] = [];
    for (const one of deployments) deployed.push(await install(one));
    return await use(deployed);
  } finally {
    await run('kubectl', ['delete', 'namespace', '--ignore-not-found', ...spaces]);
  }
}

const spaceOf = ({ name, mode }: Deployment): string => `study-${mode}-${name}`;

async function install(deployment: Deployment): Promise<Deployed> {
  const { name, mode, values, active = [WORKLOAD], inactive = [] } = deployment;
  const space = spaceOf(deployment);
  const kubectl = (...args: string[]): Promise<string> => run('kubectl', ['-n', space, ...args]);
  const url = `http://n8n.${space}.svc.cluster.local`;
  await run('kubectl', ['create', 'namespace', space]);
  if (mode === 'queue') {
    await kubectl('apply', '-f', join(import.meta.dirname, 'stores.yaml'));
    await kubectl('rollout', 'status', 'deployment/postgres', '--timeout=5m');
    await kubectl('rollout', 'status', 'deployment/redis', '--timeout=5m');
  }
  await run('helm3', [
    ...['install', 'n8n', CHART, '-n', space, '--set', 'fullnameOverride=n8n'],
    ...['--values', values, '--wait', '--timeout', '15m'],
  ]);
  const headers = { 'x-n8n-api-key': await newApiKey(url) };
  const api: Deployed['api'] = async (route, body) =>
    (await (await post(`${url}/api/v1${route}`, headers, body)).json()) as { id: string };
  const ids: Record<string, string> = {};
  for (const workload of [...active, ...inactive]) {
    const { id } = await api('/workflows', workflowOf(workload));
    ids[workload] = id;
    if (active.includes(workload)) await api(`/workflows/${id}/activate`);
  }
  return { name, space, url, kubectl, api, ids };
}

const REFUSED = new Response(null, { status: 404 });

/** A pod is ready before every node sends to it, and n8n before it has the routes of its editor. */
async function post(url: string, headers: Record<string, string>, body?: object) {
  const reply = await onceRouted(() =>
    fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }).catch(() => REFUSED),
  );
  if (reply.ok) return reply;
  throw new Error(`${url} responded with ${String(reply.status)}: ${await reply.text()}`);
}

/** A key for the owner of a fresh n8n, so that workloads are put in through the API. */
async function newApiKey(url: string): Promise<string> {
  const person = { email: 'owner@example.com', firstName: 'Owner', lastName: 'Example' };
  const owner = await post(`${url}/rest/owner/setup`, {}, { ...person, password: 'Load-test-1' });
  const cookie = owner.headers.getSetCookie().map((line) => line.split(';')[0] ?? '');
  const actions = ['create', 'list', 'read', 'delete', 'activate', 'deactivate'];
  const scopes = actions.map((action) => `workflow:${action}`);
  const label = { label: 'study', expiresAt: null, scopes };
  const key = await post(`${url}/rest/api-keys`, { cookie: cookie.join('; ') }, label);
  return ((await key.json()) as { data: { rawApiKey: string } }).data.rawApiKey;
}

function workflowOf(workload: string): object {
  const text = readFileSync(join(root, 'workflows', `${workload}.json`), 'utf8');
  const { name, nodes, connections, settings = {} } = JSON.parse(text) as Record<string, unknown>;
  return { name, nodes, connections, settings };
}

interface Container {
  pod: string;
  name: string;
  restartCount: number;
  state: { running?: object };
  lastState: { terminated?: { reason: string } };
}

/** All containers of n8n; a native sidecar is an init container that runs. */
async function containersOf({ kubectl }: Deployed): Promise<Container[]> {
  const { items } = JSON.parse(await kubectl(...PODS)) as {
    items: {
      metadata: { name: string };
      status: Partial<Record<'containerStatuses' | 'initContainerStatuses', Container[]>>;
    }[];
  };
  return items.flatMap(({ metadata, status }) =>
    [...(status.containerStatuses ?? []), ...(status.initContainerStatuses ?? [])].map(
      (container) => ({ ...container, pod: metadata.name }),
    ),
  );
}

/** How often containers were started again, and which of them the kernel ended for want of memory. */
export async function endsOf(deployed: Deployed) {
  const containers = await containersOf(deployed);
  return {
    restarts: containers.reduce((sum, { restartCount }) => sum + restartCount, 0),
    outOfMemory: containers
      .filter(({ lastState }) => lastState.terminated?.reason === 'OOMKilled')
      .map(({ name }) => name),
  };
}

/** All containers of n8n together. */
async function usageOf(deployed: Deployed) {
  const containers = await containersOf(deployed);
  let [cpuSeconds, memoryMiB] = [0, 0];
  for (const { pod, name, state } of containers) {
    if (state.running === undefined) continue;
    const read = (file: string): Promise<string> =>
      deployed.kubectl('exec', pod, '-c', name, '--', 'cat', `/sys/fs/cgroup/${file}`);
    cpuSeconds += Number(await read('cpuacct/cpuacct.usage')) / 1e9;
    const rss = /^total_rss (\d+)$/m.exec(await read('memory/memory.stat'))?.[1];
    memoryMiB += Number(rss) / 2 ** 20;
  }
  const restarts = containers.reduce((sum, { restartCount }) => sum + restartCount, 0);
  return { cpuSeconds, memoryMiB, restarts };
}

interface Load {
  clients: number;
  seconds: number;
  workload?: string;
  parameters?: readonly string[];
}

/** What clients got that each wait for their response. A run that misses an SLO counts: its figures show that. */
export async function load(
  { url }: Deployed,
  { clients, seconds, workload = WORKLOAD, parameters = [] }: Load,
  { call, scratch }: Pick<Measuring, 'call' | 'scratch'>,
) {
  const { record } = await call<RunRecord>([
    ...['run', '--target', 'url', '--url', url, '--workload', workload],
    ...parameters.flatMap((given) => ['--param', given]),
    ...['--profile', 'closed', '--vus', String(clients), '--warmup', '0s'],
    ...['--duration', `${String(seconds)}s`, '--timeout', '60s', '--out', scratch],
  ]);
  const { offered, achieved, errors, unanswered, latencyMs } = record.summary;
  return {
    requests: offered.requests,
    // What was under way at the end is answered after it, and belongs to no rate.
    rightInTime: achieved.requests,
    wrong: errors.requests,
    errors: errors.byKind,
    unanswered: unanswered.requests,
    ratePerSecond: achieved.ratePerSecond,
    p50Ms: latencyMs?.p50 ?? null,
    p95Ms: latencyMs?.p95 ?? null,
    maxMs: latencyMs?.max ?? null,
  };
}

/** The same with what it cost the pods of n8n. A container that was started again has counted nothing. */
export async function loadWithCosts(
  deployed: Deployed,
  order: Load,
  measuring: Pick<Measuring, 'call' | 'scratch'>,
) {
  const before = await usageOf(deployed);
  const figures = await load(deployed, order, measuring);
  const { cpuSeconds, memoryMiB, restarts } = await usageOf(deployed);
  const cpuMillisecondsPerRequest = (1000 * (cpuSeconds - before.cpuSeconds)) / figures.requests;
  return { ...figures, cpuMillisecondsPerRequest, memoryMiB, restarts };
}
