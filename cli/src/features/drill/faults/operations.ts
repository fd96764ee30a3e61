/** What operators and callers do: an upgrade, fewer workers, a node that is drained, more load, a schedule across a crash. */
import { Failure } from '../../../ui/exit';
import { type InsideFault, NEEDS_PODS, NEEDS_PROCESSES, SURVIVED, UNNOTICED } from '../fault';
import {
  allOf,
  atRiskOn,
  first,
  lasting,
  needsNewer,
  needsNothing,
  needsPostgresql,
  needsQueue,
  needsTwoWorkers,
  seconds,
} from '../make-fault';

/** Restarts all roles at once, like `helm upgrade` with another version. The load goes on meanwhile, and may end first. */
export const rollingUpgrade: InsideFault = {
  name: 'rolling-upgrade',
  title: 'every n8n pod is replaced by a new pod, all roles at the same time',
  kind: 'planned',
  defaultSeconds: 60,
  promise: UNNOTICED,
  notOn: NEEDS_PODS,
  lacks: needsNothing,
  make: async ({ access, tell, signal }) => {
    if (access.rollOut === undefined)
      throw new Failure('the pods of n8n cannot be replaced with this target');
    tell('a rollout of main, webhook processors and workers');
    await access.rollOut(signal);
    if (!signal.aborted) tell('the rollout has finished, and no old pod is left');
  },
};

/**
 * Who may still connect has the new passwords alone; open connections stay, as both stores let them. The load goes on
 * meanwhile, and may end first.
 */
export const rotateSecrets: InsideFault = {
  name: 'rotate-secrets',
  title: 'PostgreSQL and Redis get new passwords, and then every n8n process restarts',
  kind: 'planned',
  defaultSeconds: 60,
  isNoSoak: true,
  promise: UNNOTICED,
  notOn: NEEDS_PROCESSES,
  lacks: (topology) => needsQueue(topology) ?? needsPostgresql(topology),
  make: async ({ access, tell, signal }) => {
    if (access.rotateSecrets === undefined)
      throw new Failure('the passwords cannot be changed with this target');
    const roll = await access.rotateSecrets();
    tell('PostgreSQL and Redis have new passwords, and reject the old ones');
    const rolled = await roll(signal);
    if (!signal.aborted) tell(`${rolled.join(', ')} were restarted with the new passwords`);
  },
};

/** It has as long to end as it is deployed with, and stays down for the rest of the drill. */
export const scaleIn: InsideFault = {
  name: 'scale-in',
  title: 'one worker shuts down cleanly (SIGTERM), and is not started again',
  kind: 'planned',
  defaultSeconds: 0,
  isNoSoak: true,
  promise: UNNOTICED,
  lacks: needsTwoWorkers,
  make: async (scene) => {
    const instance = first(scene, 'worker');
    const atRisk = await atRiskOn(scene, instance, 'worker');
    scene.hit({ name: instance, ...atRisk });
    scene.tell(`SIGTERM of ${instance}`);
    await scene.access.keepDown(instance);
    scene.tell(`${instance} has ended`);
  },
};

/** Evicts the pods of n8n, like `kubectl drain`; the node stays open to pods, and the stores stay where they are. */
export const drainNode: InsideFault = {
  name: 'drain-node',
  title: "every n8n pod on main's node is evicted",
  kind: 'planned',
  defaultSeconds: 60,
  promise: UNNOTICED,
  notOn: NEEDS_PODS,
  lacks: needsNothing,
  make: async (scene) => {
    const { access, tell, signal } = scene;
    if (access.drainNode === undefined) throw new Failure('there are no pods to evict');
    const main = first(scene, 'main');
    tell(`eviction of the n8n pods on the node that runs ${main}`);
    const { node, evicted } = await access.drainNode(main, signal);
    tell(`${evicted.join(', ')} were evicted from ${node}`);
  },
};

const BURST_FACTOR = 10;

export const burst: InsideFault = {
  name: 'burst',
  title: `a burst of requests at ${String(BURST_FACTOR)} times the rate`,
  kind: 'accident',
  defaultSeconds: 10,
  rateFactor: BURST_FACTOR,
  promise: SURVIVED,
  lacks: needsNothing,
  make: async (scene) => {
    scene.tell(`${String(BURST_FACTOR)} times the rate for ${seconds(scene.lastsMs)}`);
    await lasting(scene);
    scene.tell('the rate is as before');
  },
};

/** Main makes schedules due, and without N8N_SCHEDULER_ENABLED keeps them in memory. */
export const crashAcrossASchedule: InsideFault = {
  name: 'crash-across-a-schedule',
  title: 'SIGKILL of main, which stays down while several scheduled runs are due',
  kind: 'accident',
  defaultSeconds: 20,
  promise: `${SURVIVED},due-never=0,due-repeated=0`,
  schedule: { file: 'schedule.json', everySeconds: 2 },
  lacks: needsNewer,
  make: async (scene) => {
    const { access, tell, lastsMs } = scene;
    const mains = allOf(scene, 'main');
    tell(`SIGKILL of ${mains.join(', ')}, down for ${seconds(lastsMs)}`);
    const startAgain = await Promise.all(mains.map((main) => access.keepDown(main, 0)));
    await lasting(scene);
    for (const start of startAgain) await start();
    tell(`${mains.join(', ')} started again`);
  },
};
