/** What a drill does to a release in a cluster: through exec, the workloads' own objects and the Eviction API. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure, messageOf } from '../../../ui/exit';
import type { DrillAccess, FailedOver, StoreLink } from '../../target';
import { callsIn } from '../../../stand-in/analysis/counts';
import type { Cluster } from '../api/api';
import type { V1Deployment, V1Pod } from '../api/api-types';
import { refusalOf } from '../api/failure-causes';
import { PROMOTE, STAND_BY } from '../../process/connections';
import { PRIMARY, REPLICA } from '../../process/redis';
import { NO_SERVICE } from '../../process/upstream';
import type { UpstreamPod } from '../release/upstream';
import { killRunners, runOutOfMemory, seatOfRole, signalAll } from './in-container';
import { recoveryReach } from './recovery';
import { releaseSelector } from '../objects/labels';
import { nameOf } from '../pods/pod-trouble';
import { roleOf, seatsOf, type ContainerSeat } from '../pods/pods';
import { REDIS_CLI } from '../pods/stores';
import { takeConnections } from './connections';
import type { PodProgram } from './program';
import { isRolledOut } from '../release/rollout';
import { storeLinksOf } from './store-links';

/** Fills the volume of the release's PostgreSQL, from within its container. */
const FILLING_FILE = '"${PGDATA%/*}/n8n-tuned-full-disk"';

/**
 * Only a file system of the volume's own: the kubelet keeps /etc/hosts on the disk of the node. The file is made as large as
 * what is free, and by small writes until none is left. Says how many KiB were used before.
 */
export const FILL_SCRIPT = `set -eu
if [ "$(stat -c %d "$PGDATA")" = "$(stat -c %d /etc/hosts)" ]; then
  echo "its volume lies on the disk of its node, which would be filled: give PostgreSQL a volume with a file system of its own" >&2
  exit 1
fi
set -- $(df -Pk "$PGDATA" | awk 'NR == 2 { print $3, $4 }')
fallocate -l "\${2}k" ${FILLING_FILE} 2>/dev/null || true
dd if=/dev/zero bs=65536 >> ${FILLING_FILE} 2>/dev/null || true
dd if=/dev/zero bs=4096 >> ${FILLING_FILE} 2>/dev/null || true
echo "$1"`;

export const FREE_SCRIPT = `rm -f ${FILLING_FILE}`;

/** A large volume takes its time where its file system has no quick way. */
const FILLED_WITHIN_MS = 120_000;

async function fillVolume(
  { cluster, namespace }: { cluster: Pick<Cluster, 'output'>; namespace: string },
  { pod, container }: ContainerSeat,
): ReturnType<NonNullable<DrillAccess['fillDisk']>> {
  const at = { namespace, pod, container };
  const freeUp = async (): Promise<void> => {
    await cluster.output(at, ['sh', '-c', FREE_SCRIPT]);
  };
  try {
    const used = await cluster.output(at, ['sh', '-c', FILL_SCRIPT], FILLED_WITHIN_MS);
    return { what: 'PostgreSQL', usedMiB: Number(used.trim()) / 1024, freeUp };
  } catch (error) {
    await freeUp().catch(() => undefined); // The first error tells more.
    throw new Failure(`the disk of PostgreSQL could not be filled: ${messageOf(error)}`);
  }
}

/** Its superuser is reached through the socket within the container. */
const POSTGRESQL_SCRIPT = `for sql; do psql -X -q -v ON_ERROR_STOP=1 -U "\${POSTGRES_USER:-postgres}" -d "\${POSTGRES_DB:-postgres}" -c "$sql"; done`;
const REDIS_SCRIPT = `${REDIS_CLI}
for words; do "$cli" $words; done`;

async function failOver(
  { cluster, namespace }: Pick<DrillPlace, 'cluster' | 'namespace'>,
  { pod, container }: ContainerSeat,
  store: StoreLink['store'],
): Promise<FailedOver> {
  const say = (script: string, words: readonly string[]): Promise<string> =>
    cluster.output({ namespace, pod, container }, ['sh', '-ec', script, 'sh', ...words]);
  const asWords = (commands: readonly (readonly string[])[]): string[] =>
    commands.map((words) => words.join(' '));
  if (store === 'postgresql') {
    // psql counts the rows of each statement below it.
    const shown = await say(POSTGRESQL_SCRIPT, STAND_BY);
    const ended = Number([...shown.matchAll(/\((\d+) rows?\)/g)].at(-1)?.[1] ?? 0);
    return { ended, promote: async () => void (await say(POSTGRESQL_SCRIPT, PROMOTE)) };
  }
  const shown = await say(REDIS_SCRIPT, asWords(REPLICA));
  const ended = Number(/(\d+)\s*$/.exec(shown)?.[1] ?? 0);
  return { ended, promote: async () => void (await say(REDIS_SCRIPT, asWords(PRIMARY))) };
}

const LOOK_EVERY_MS = 500;
/** Over what a pod was given to end. */
const SPARE_MS = 15_000;
/** Between two asks for an eviction that a disruption budget refuses. */
const ASK_AGAIN_MS = 2_000;

export interface DrillPlace {
  cluster: Pick<Cluster, 'exec' | 'output' | 'doing' | 'found' | 'core' | 'apps'>;
  namespace: string;
  release: string;
  /** Pods as last seen. */
  pods(): readonly V1Pod[];
  /** Null: there is none, and nothing counts what workflows do outside n8n. */
  standIn: UpstreamPod | null;
  program(name: PodProgram): string;
}

export function drillAccessOf(place: DrillPlace): DrillAccess {
  const { standIn } = place;
  return {
    instances: () =>
      seatsOf(place.pods())
        .filter(({ role }) => role !== 'runner')
        .map(({ role, pod }) => ({ role, instance: pod })),
    signal: async (instance, signal) => {
      await signalAll(place, seatOf(place, instance), signal);
    },
    keepDown: (instance, withinMs) => keepDown(place, instance, withinMs === 0),
    rollOut: (signal) => rollOut(place, signal),
    recovery: (scopes) => recoveryReach(place, scopes),
    drainNode: (instance, signal) => drainNode(place, instance, signal),
    effects: () => (standIn === null ? Promise.resolve(null) : standIn.effects()),
    trouble: async (trouble) => {
      if (standIn === null) throw new Failure(NO_SERVICE);
      await standIn.trouble(trouble);
    },
    calls: async () => (standIn === null ? null : callsIn(await standIn.services())),
    // A pod that is replaced has another name; without links in it an order finds none.
    get links() {
      return storeLinksOf(place, seatsOf(place.pods()));
    },
    loseStore: (instance) => loseStore(place, instance),
    killRunner: (instance) =>
      killRunners(
        place,
        seatsOf(place.pods()).filter(({ pod }) => pod === instance),
      ),
    runOutOfMemory: async (instance, signal) => {
      await runOutOfMemory(place, seatOf(place, instance), signal);
    },
    useUpConnections: async () => {
      // If the server is not part of the release, others would lose their connections as well.
      seatOfRole(place, 'postgresql');
      return takeConnections(place, seatOfRole(place, 'main'), place.program('pod-connections'));
    },
    failOver: (store) => failOver(place, seatOfRole(place, store), store),
    fillDisk: async () => fillVolume(place, seatOfRole(place, 'postgresql')),
  };
}

/** Its StatefulSet makes a new pod, with an empty folder where it has no volume. */
async function loseStore({ cluster, namespace }: DrillPlace, name: string): Promise<void> {
  await cluster.doing(`deleting ${name}`, () =>
    cluster.core.deleteNamespacedPod({ name, namespace, gracePeriodSeconds: 0 }),
  );
}

/**
 * A store's StatefulSet, with one pod, is set to none; of a Deployment this very pod is taken out. The grace is the
 * pod's own. `isKilled`: n8n has no time to end, nor to start again in this pod.
 */
async function keepDown(
  place: DrillPlace,
  instance: string,
  isKilled: boolean,
): Promise<() => Promise<void>> {
  const { cluster, namespace } = place;
  const pod = podOf(place, instance);
  const role = roleOf(pod);
  const withinMs = 1000 * (pod.spec?.terminationGracePeriodSeconds ?? 30) + SPARE_MS;
  const isStore = role === 'redis' || role === 'postgresql';
  if (isStore) {
    const name = ownerOf(pod, 'StatefulSet');
    const scale = (replicas: number): Promise<unknown> =>
      cluster.doing(`scaling ${name} to ${String(replicas)}`, () =>
        cluster.apps.patchNamespacedStatefulSet({ namespace, name, body: replicasPatch(replicas) }),
      );
    const { spec } = await cluster.doing(`reading ${name}`, () =>
      cluster.apps.readNamespacedStatefulSet({ namespace, name }),
    );
    await scale(0);
    await gone(place, [pod], withinMs);
    return () => scale(spec?.replicas ?? 1).then(() => undefined);
  }
  const deployment = deploymentOf(await n8nDeployments(place), pod);
  const name = deployment.metadata?.name ?? '';
  const replicas = deployment.spec?.replicas ?? 1;
  await cluster.doing(`marking ${instance} for removal`, () =>
    cluster.core.patchNamespacedPod({
      ...{ namespace, name: instance },
      body: annotationPatch(pod.metadata?.annotations, '/metadata/annotations', DELETION_COST),
    }),
  );
  const scale = (to: number): Promise<unknown> =>
    cluster.doing(`scaling ${name} to ${String(to)}`, () =>
      cluster.apps.patchNamespacedDeployment({ namespace, name, body: replicasPatch(to) }),
    );
  const seat = seatOf(place, instance);
  if (isKilled) await signalAll(place, seat, 'SIGKILL');
  await scale(replicas - 1);
  const over = gone(place, [pod], withinMs);
  if (isKilled) await killUntil(over, place, seat);
  await over;
  return () => scale(replicas).then(() => undefined);
}

/** The kubelet starts a container again until the pod has been told to go. */
async function killUntil(
  over: Promise<void>,
  place: DrillPlace,
  seat: ContainerSeat,
): Promise<void> {
  let isOver = false;
  const end = (): void => {
    isOver = true;
  };
  over.then(end, end);
  while (!isOver) {
    // Between two starts there is nothing to kill.
    await signalAll(place, seat, 'SIGKILL').catch(() => undefined);
    await pause();
  }
}

async function rollOut(place: DrillPlace, signal: AbortSignal): Promise<void> {
  const { cluster, namespace } = place;
  const old = n8nPods(place);
  const restarted: Annotation = [RESTARTED_AT, new Date().toISOString()];
  for (const { metadata, spec } of await n8nDeployments(place)) {
    const name = metadata?.name ?? '';
    const there = spec?.template.metadata?.annotations;
    const path = '/spec/template/metadata/annotations';
    await cluster.doing(`rolling out ${name}`, () =>
      cluster.apps.patchNamespacedDeployment({
        ...{ namespace, name, body: annotationPatch(there, path, restarted) },
      }),
    );
  }
  while (!signal.aborted) {
    const deployments = await n8nDeployments(place);
    if (deployments.every(isRolledOut)) break;
    await pause(signal);
  }
  await gone(place, old, longestGraceMs(old), signal);
}

async function drainNode(
  place: DrillPlace,
  instance: string,
  signal: AbortSignal,
): Promise<{ node: string; evicted: string[] }> {
  const node = podOf(place, instance).spec?.nodeName ?? '';
  const leaving = n8nPods(place).filter(({ spec }) => spec?.nodeName === node);
  const evicted: string[] = [];
  await Promise.all(
    leaving.map(async (pod) => {
      const name = nameOf(pod);
      if (await evict(place, name, signal)) evicted.push(name);
    }),
  );
  const asked = leaving.filter((pod) => evicted.includes(nameOf(pod)));
  await gone(place, asked, longestGraceMs(asked), signal);
  return { node, evicted };
}

/** Whether it was let go before `signal` fired: a disruption budget may make it wait for others. */
async function evict(place: DrillPlace, name: string, signal: AbortSignal): Promise<boolean> {
  const { cluster, namespace } = place;
  const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace } };
  while (!signal.aborted) {
    try {
      await cluster.core.createNamespacedPodEviction({ name, namespace, body });
      return true;
    } catch (error) {
      const { code } = refusalOf(error) ?? {};
      // It has left by itself.
      if (code === 404) return true;
      if (code !== 429) {
        await cluster.doing(`evicting ${name}`, () => Promise.reject(error as Error));
      }
    }
    await pause(signal, ASK_AGAIN_MS);
  }
  return false;
}

/** Until none of these very pods is there: one of a StatefulSet comes back under its name. */
async function gone(
  { cluster, namespace, release }: DrillPlace,
  pods: readonly V1Pod[],
  withinMs: number,
  signal?: AbortSignal,
): Promise<void> {
  const giveUpMs = performance.now() + withinMs;
  const uids = new Set(pods.map(({ metadata }) => metadata?.uid));
  for (;;) {
    const { items } = await cluster.doing('reading the pods', () =>
      cluster.core.listNamespacedPod({ namespace, labelSelector: releaseSelector(release) }),
    );
    const left = items.filter(({ metadata }) => uids.has(metadata?.uid));
    if (left.length === 0 || signal?.aborted === true) return;
    if (performance.now() > giveUpMs) {
      throw new Failure(
        `${left.map(nameOf).join(', ')} did not end within ${String(withinMs / 1000)} s`,
      );
    }
    await pause(signal);
  }
}

const pause = (signal?: AbortSignal, ms = LOOK_EVERY_MS): Promise<unknown> =>
  sleep(ms, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);

const isN8n = (role: string | null): boolean =>
  role === 'main' || role === 'worker' || role === 'webhook';

const n8nPods = ({ pods }: DrillPlace): V1Pod[] =>
  pods().filter((pod) => isN8n(roleOf(pod)) && pod.metadata?.deletionTimestamp === undefined);

async function n8nDeployments({
  cluster,
  namespace,
  release,
}: DrillPlace): Promise<V1Deployment[]> {
  const { items } = await cluster.doing('reading the Deployments', () =>
    cluster.apps.listNamespacedDeployment({ namespace, labelSelector: releaseSelector(release) }),
  );
  return items.filter(({ spec }) => isN8n(roleOf({ metadata: spec?.template.metadata ?? {} })));
}

/** A Deployment has its pods through a ReplicaSet, whose name begins with its own. */
function deploymentOf(deployments: readonly V1Deployment[], pod: V1Pod): V1Deployment {
  const set = ownerOf(pod, 'ReplicaSet');
  const found = deployments.find(
    ({ metadata }) => set.slice(0, set.lastIndexOf('-')) === metadata?.name,
  );
  if (found === undefined) throw new Failure(`${nameOf(pod)} belongs to no Deployment of n8n`);
  return found;
}

function ownerOf(pod: V1Pod, kind: string): string {
  const owner = pod.metadata?.ownerReferences?.find((one) => one.kind === kind);
  if (owner === undefined) throw new Failure(`${nameOf(pod)} belongs to no ${kind}`);
  return owner.name;
}

function podOf(place: DrillPlace, instance: string): V1Pod {
  const found = place.pods().find((pod) => nameOf(pod) === instance);
  if (found === undefined) throw new Failure(`the pod ${instance} does not exist`);
  return found;
}

function seatOf(place: DrillPlace, instance: string): ContainerSeat {
  const found = seatsOf(place.pods()).find(
    ({ pod, role }) => pod === instance && role !== 'runner',
  );
  if (found === undefined) throw new Failure(`${instance} is not running`);
  return found;
}

const longestGraceMs = (pods: readonly V1Pod[]): number =>
  1000 * Math.max(30, ...pods.map(({ spec }) => spec?.terminationGracePeriodSeconds ?? 30)) +
  SPARE_MS;

type Annotation = readonly [name: string, value: string];

/** Annotation that `kubectl rollout restart` sets. */
const RESTARTED_AT = 'kubectl.kubernetes.io/restartedAt';
/** Least of all, so that a Deployment takes this pod first. */
const DELETION_COST: Annotation = ['controller.kubernetes.io/pod-deletion-cost', '-2147483648'];

const replicasPatch = (replicas: number): object[] => [
  { op: 'replace', path: '/spec/replicas', value: replicas },
];

/** A JSON Patch; such a patch does not create the map for a new entry. */
function annotationPatch(
  there: Readonly<Record<string, string>> | undefined,
  path: string,
  [name, value]: Annotation,
): object[] {
  return there === undefined
    ? [{ op: 'add', path, value: { [name]: value } }]
    : [{ op: 'add', path: `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`, value }];
}
