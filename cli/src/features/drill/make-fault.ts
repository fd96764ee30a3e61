/** What several faults share. */
import { setTimeout as sleep } from 'node:timers/promises';
import { chartVersion } from '../../plan/environment';
import { databaseOf, type Topology } from '../../plan/topology';
import type { Instance, LinkCounts, Running, StoreLink } from '../../targets/target';
import { Failure } from '../../ui/exit';
import { NODES, parseMetrics, parseWebhooks, scrape } from '../../samplers/n8n-metrics';
import type { FaultContext, FaultScene, Hit } from './fault';

/** The first of a role that runs. */
export function first(scene: FaultContext, role: Instance['role']): string {
  const found = scene.instances().find((one) => one.role === role);
  if (found === undefined) throw new Failure(`no ${role} runs`);
  return found.instance;
}

/** The one of a role whose turn it is, of those that run. */
export function next(scene: FaultContext, role: Instance['role']): string {
  const found = allOf(scene, role);
  return found[scene.turn % found.length] ?? first(scene, role);
}

/** Every one of a role that runs; at least one. */
export function allOf(scene: FaultContext, role: Instance['role']): string[] {
  first(scene, role);
  return scene
    .instances()
    .filter((one) => one.role === role)
    .map(({ instance }) => instance);
}

export async function kill(scene: FaultContext, role: Instance['role']): Promise<void> {
  const instance = next(scene, role);
  const atRisk = await atRiskOn(scene, instance, role);
  await scene.access.signal(instance, 'SIGKILL');
  scene.hit({ name: instance, ...atRisk });
  scene.tell(`SIGKILL of ${instance}`);
}

/**
 * What of the load is on a victim: executions where its role executes, and requests where webhook processors take them. Main takes
 * all of them where there are none, so that what is open is open there.
 */
export async function atRiskOn(
  scene: FaultContext,
  instance: string,
  role: Instance['role'],
): Promise<Pick<Hit, 'executions' | 'requests' | 'takes'>> {
  const has = (wanted: Instance['role']): boolean =>
    scene.instances().some((one) => one.role === wanted);
  const executes = has('worker') ? 'worker' : 'main';
  return {
    ...(role === executes ? { executions: await scene.executionsOn(instance) } : {}),
    ...(role === 'webhook' ? { requests: await scene.requestsOn(instance), takes: 'some' } : {}),
    ...(role === 'main' && has('webhook') ? { requests: 0 } : {}),
    // Its own executions are those requests.
    ...(role === 'main' && !has('webhook') && executes === 'worker' ? { takes: 'all' } : {}),
  };
}

/** What links have carried, all together. */
export async function countsOf(links: readonly StoreLink[]): Promise<LinkCounts> {
  const counts = await Promise.all(links.map((link) => link.counts()));
  return {
    connections: counts.reduce((sum, one) => sum + one.connections, 0),
    bytes: counts.reduce((sum, one) => sum + one.bytes, 0),
  };
}

/** A database has finished what it was doing by then. */
const STORE_GRACE_MS = 20_000;

/** Down in its orderly way and up again, with `lastsMs` in between. */
export async function restart(scene: FaultContext, store: StoreLink['store']): Promise<void> {
  const { access, lastsMs, tell } = scene;
  const instance = first(scene, store);
  tell(lastsMs === 0 ? `restart of ${instance}` : `stop of ${instance} for ${seconds(lastsMs)}`);
  const startAgain = await access.keepDown(instance, STORE_GRACE_MS);
  await lasting(scene);
  await startAgain();
  tell(`${instance} was started again`);
}

/** Until it has lasted, or the drill is broken off. */
export const lasting = ({
  lastsMs,
  signal,
}: Pick<FaultScene, 'lastsMs' | 'signal'>): Promise<unknown> =>
  sleep(lastsMs, undefined, { signal }).catch(() => undefined);

/** Links that match, of those that the drill asked for; at least one. */
export function linksOf(
  { access }: FaultContext,
  wanted: Partial<Pick<StoreLink, 'instance' | 'role' | 'store'>>,
): StoreLink[] {
  const found = access.links.filter((link) =>
    Object.entries(wanted).every(([key, value]) => link[key as keyof typeof wanted] === value),
  );
  if (found.length === 0) throw new Failure('no link leads to the store that the fault affects');
  return found;
}

/** Every byte between n8n and a store comes later for a while; `addedMs` to a question and its answer. */
export async function slow(
  scene: FaultContext,
  store: StoreLink['store'],
  addedMs: number,
): Promise<void> {
  const links = linksOf(scene, { store });
  const { connections, bytes } = await countsOf(links);
  await Promise.all(links.map((link) => link.slow(addedMs / 2)));
  scene.tell(`${store} responds ${String(addedMs)} ms later for ${seconds(scene.lastsMs)}`);
  await lasting(scene);
  const after = await countsOf(links);
  await Promise.all(links.map((link) => link.slow(0)));
  scene.hit({ name: store, connections, bytes: after.bytes - bytes });
  scene.tell(`${store} responds as before`);
}

export const seconds = (ms: number): string => `${String(ms / 1000)} s`;

export const needsQueue = ({ mode }: Topology): string | null =>
  mode === 'queue' ? null : '--mode queue --workers 2';

export const needsWorkers = (topology: Topology): string | null =>
  needsQueue(topology) ?? (topology.workers.count > 0 ? null : '--workers 2');

/** Needs workers with runners as children; only versions above 1.0 have them. */
export const needsRunners = (topology: Topology): string | null =>
  needsNewer(topology) ?? needsWorkers(topology);

export const needsTwoWorkers = (topology: Topology): string | null =>
  needsQueue(topology) ?? (topology.workers.count > 1 ? null : '--workers 2');

export const needsWebhooks = ({ webhooks }: Topology): string | null =>
  webhooks.count > 0 ? null : '--mode queue --workers 1 --webhooks 2';

/** Main takes the requests where no webhook processor does. */
export const needsMainToAnswer = ({ webhooks }: Topology): string | null =>
  webhooks.count === 0 ? null : '--webhooks 0';

export const needsPostgresql = (topology: Topology): string | null =>
  databaseOf(topology) === 'postgresql' ? null : '--database postgresql';

/** Whose workflows call the service outside n8n. */
export const needsNewer = ({ n8n }: Topology): string | null =>
  n8n.startsWith('0.') ? `--n8n ${chartVersion()}` : null;

export const needsNothing = (): null => null;

/**
 * Those that are at a node, by what it counts since it started: each is at one node at a time. Workers do not count the executions
 * themselves. Null: it does not tell.
 */
export async function executionsOn(
  { metrics = [] }: Pick<Running, 'metrics'>,
  instance: string,
): Promise<number | null> {
  const endpoint = metrics.find((one) => one.instance === instance);
  const text = endpoint === undefined ? '' : await scrape(endpoint).catch(() => '');
  if (text === '') return null;
  const counts = parseMetrics(text);
  const begun = counts.get(NODES.begun);
  if (begun === undefined) return (await isCounted(metrics)) ? 0 : null;
  return Math.max(0, begun - (counts.get(NODES.ended) ?? 0));
}

/** Requests to webhooks that an instance has answered since it started. Null: it does not tell. */
export async function requestsOn(
  { metrics = [] }: Pick<Running, 'metrics'>,
  instance: string,
): Promise<number | null> {
  const textOf = (one: Running['metrics'][number]): Promise<string> => scrape(one).catch(() => '');
  const texts = await Promise.all(
    metrics.map(async (one) => [one.instance, await textOf(one)] as const),
  );
  const own = texts.find(([name]) => name === instance)?.[1] ?? '';
  if (own === '') return null;
  const isAnyCounted = texts.some(([, text]) => parseWebhooks(text) !== null);
  return parseWebhooks(own)?.requests ?? (isAnyCounted ? 0 : null);
}

/** A process of n8n shows a count only from the first event on: then others tell whether n8n counts at all. */
async function isCounted(metrics: Running['metrics']): Promise<boolean> {
  const texts = await Promise.all(metrics.map((one) => scrape(one).catch(() => '')));
  return texts.some((text) => parseMetrics(text).has(NODES.begun));
}
