/** What happens to a process of n8n. */
import { Failure } from '../../../ui/exit';
import { counted, formatNumber } from '../../../ui/numbers';
import type { Role } from '../../../plan/topology';
import type { StoreLink } from '../../../targets/target';
import {
  type FaultContext,
  type InsideFault,
  NEEDS_PROCESSES,
  SURVIVED,
  SURVIVED_A_MINUTE,
} from '../fault';
import {
  atRiskOn,
  countsOf,
  first,
  kill,
  lasting,
  linksOf,
  needsMainToAnswer,
  needsNothing,
  needsQueue,
  needsRunners,
  needsWebhooks,
  needsWorkers,
  next,
  seconds,
} from '../make-fault';

/** The worker has no time to hand anything over, as when the kernel kills it for lack of memory. */
export const killWorker: InsideFault = {
  name: 'kill-worker',
  title: 'SIGKILL of one worker',
  kind: 'accident',
  defaultSeconds: 0,
  promise: SURVIVED,
  lacks: needsWorkers,
  make: (scene) => kill(scene, 'worker'),
};

/** Main answers the webhooks, unless webhook processors do; in regular mode it executes too. */
export const killMain: InsideFault = {
  name: 'kill-main',
  title: 'SIGKILL of main',
  kind: 'accident',
  defaultSeconds: 0,
  promise: SURVIVED,
  lacks: needsNothing,
  make: (scene) => kill(scene, 'main'),
};

export const killWebhook: InsideFault = {
  name: 'kill-webhook',
  title: 'SIGKILL of one webhook processor',
  kind: 'accident',
  defaultSeconds: 0,
  promise: SURVIVED,
  lacks: needsWebhooks,
  make: (scene) => kill(scene, 'webhook'),
};

/** A task that takes all memory ends its runner like this; n8n starts another one. */
export const killRunner: InsideFault = {
  name: 'kill-runner',
  title: 'SIGKILL of the task runner of one worker',
  kind: 'accident',
  defaultSeconds: 0,
  promise: SURVIVED,
  lacks: needsRunners,
  make: async (scene) => {
    const instance = next(scene, 'worker');
    const atRisk = await atRiskOn(scene, instance, 'worker');
    if ((await scene.access.killRunner(instance)) === 0) {
      throw new Failure(`${instance} has no task runner`);
    }
    scene.hit({ name: instance, ...atRisk });
    scene.tell(`SIGKILL of the task runner of ${instance}`);
  },
};

/** The process is there, keeps its connections, and does nothing. */
async function stall(scene: FaultContext, role: Role): Promise<void> {
  const { access, lastsMs, tell } = scene;
  const instance = next(scene, role);
  const atRisk = await atRiskOn(scene, instance, role);
  await access.signal(instance, 'SIGSTOP');
  scene.hit({ name: instance, ...atRisk });
  tell(`SIGSTOP of ${instance} for ${seconds(lastsMs)}`);
  await lasting(scene);
  await access.signal(instance, 'SIGCONT');
  tell(`SIGCONT of ${instance}`);
}

/** Longer than the lock of a job (60 s by default), so that the others take the worker for dead: does work run twice? */
export const stallWorker: InsideFault = {
  name: 'stall-worker',
  title: 'one worker stops (SIGSTOP), and then continues (SIGCONT)',
  kind: 'accident',
  defaultSeconds: 75,
  promise: SURVIVED,
  lacks: needsWorkers,
  make: (scene) => stall(scene, 'worker'),
};

/** Main accepts connections and answers none; in queue mode it does not hear what workers have done either. */
export const stallMain: InsideFault = {
  name: 'stall-main',
  title: 'main stops (SIGSTOP), and then continues (SIGCONT)',
  kind: 'accident',
  defaultSeconds: 30,
  promise: SURVIVED,
  lacks: needsNothing,
  make: (scene) => stall(scene, 'main'),
};

export const stallWebhook: InsideFault = {
  name: 'stall-webhook',
  title: 'one webhook processor stops (SIGSTOP), and then continues (SIGCONT)',
  kind: 'accident',
  defaultSeconds: 30,
  promise: SURVIVED,
  lacks: needsWebhooks,
  make: (scene) => stall(scene, 'webhook'),
};

/** The kernel kills it after memory pressure, as when an execution or a request takes more than the container has. */
async function runOutOfMemory(scene: FaultContext, role: Role): Promise<void> {
  const { access, tell, signal } = scene;
  const instance = next(scene, role);
  const atRisk = await atRiskOn(scene, instance, role);
  tell(`${instance} runs out of memory`);
  await access.runOutOfMemory(instance, signal);
  scene.hit({ name: instance, ...atRisk });
  if (!signal.aborted) tell(`${instance} was killed by the kernel for lack of memory`);
}

export const oomWorker: InsideFault = {
  name: 'oom-worker',
  title: 'one worker reaches its memory limit, and the kernel kills it',
  kind: 'accident',
  defaultSeconds: 0,
  promise: SURVIVED,
  lacks: needsWorkers,
  make: (scene) => runOutOfMemory(scene, 'worker'),
};

/** Main reads the whole body of a request, unless webhook processors do; in regular mode it executes too. */
export const oomMain: InsideFault = {
  name: 'oom-main',
  title: 'main reaches its memory limit, and the kernel kills it',
  kind: 'accident',
  defaultSeconds: 0,
  promise: SURVIVED,
  lacks: needsNothing,
  make: (scene) => runOutOfMemory(scene, 'main'),
};

/** It parses the bodies and stores them with the executions, each of which takes many times the memory of its body. */
export const oomMainPayload: InsideFault = {
  name: 'oom-main-payload',
  title: 'main runs out of memory on requests with bodies as large as n8n accepts',
  kind: 'accident',
  defaultSeconds: 0,
  isNoSoak: true,
  promise: SURVIVED,
  notOn: {
    kubernetes: 'it sends requests past the Service, which works only with n8n on this machine',
  },
  lacks: needsMainToAnswer,
  make: async (scene) => {
    const { access, tell, signal } = scene;
    if (access.sendLargeRequests === undefined)
      throw new Failure('large requests cannot be sent with this target');
    const main = first(scene, 'main');
    const atRisk = await atRiskOn(scene, main, 'main');
    tell(`large requests to ${main}`);
    const { sent, mebibytes, exhausted } = await access.sendLargeRequests(main, signal);
    if (signal.aborted) return;
    const what = `${counted(sent, 'request')} of ${formatNumber(mebibytes)} MiB`;
    if (exhausted === null) {
      throw new Failure(
        `${main} did not run out of memory after ${what}: lower its memory limit, for example with --memory 1Gi`,
      );
    }
    scene.hit({ name: main, ...atRisk });
    tell(`${exhausted}, after ${what}`);
  },
};

/** It runs on, and neither hears of its stores nor is told that it does not. */
async function cut(scene: FaultContext, role: Role, store?: StoreLink['store']): Promise<void> {
  const instance = next(scene, role);
  const links = linksOf(scene, { instance, ...(store === undefined ? {} : { store }) });
  const what = store ?? 'its stores';
  const atRisk = await atRiskOn(scene, instance, role);
  const { connections, bytes } = await countsOf(links);
  await Promise.all(links.map((link) => link.freeze()));
  scene.tell(`${instance} is cut off from ${what} for ${seconds(scene.lastsMs)}`);
  await lasting(scene);
  const after = await countsOf(links);
  await Promise.all(links.map((link) => link.thaw()));
  scene.hit({ name: instance, ...atRisk, connections, bytes: after.bytes - bytes });
  scene.tell(`${instance} reaches ${what} again`);
}

/** Longer than the lock of a job, as `stall-worker`; but this worker works on, and tells of it when it is back. */
export const cutWorker: InsideFault = {
  name: 'cut-worker',
  title:
    'one worker loses contact with Redis and PostgreSQL, still runs its jobs, and then reconnects',
  kind: 'accident',
  defaultSeconds: 75,
  isOnLinks: true,
  promise: SURVIVED,
  lacks: needsWorkers,
  make: (scene) => cut(scene, 'worker'),
};

export const cutMain: InsideFault = {
  name: 'cut-main',
  title: 'main loses contact with Redis and PostgreSQL, and then reconnects',
  kind: 'accident',
  defaultSeconds: 30,
  isOnLinks: true,
  promise: SURVIVED,
  lacks: needsQueue,
  make: (scene) => cut(scene, 'main'),
};

/** It accepts requests all the while, and can neither store nor queue them. */
export const cutWebhook: InsideFault = {
  name: 'cut-webhook',
  title: 'one webhook processor loses contact with Redis and PostgreSQL, and then reconnects',
  kind: 'accident',
  defaultSeconds: 30,
  isOnLinks: true,
  promise: SURVIVED,
  lacks: needsWebhooks,
  make: (scene) => cut(scene, 'webhook'),
};

/** A network policy or a route to one store is wrong, while the other store tells that the process lives. */
const cutFrom = (
  { name, lacks }: InsideFault,
  role: 'main' | 'webhook',
  [word, store]: readonly [string, StoreLink['store']],
): InsideFault => ({
  name: `${name}-${word}`,
  title: `${role === 'main' ? 'main' : 'one webhook processor'} loses contact with ${store === 'redis' ? 'Redis' : 'PostgreSQL'} only, and then reconnects`,
  kind: 'accident',
  defaultSeconds: 30,
  isOnLinks: true,
  promise: SURVIVED,
  lacks,
  make: (scene) => cut(scene, role, store),
});
const REDIS = ['redis', 'redis'] as const;
const POSTGRES = ['postgres', 'postgresql'] as const;

export const cutMainRedis = cutFrom(cutMain, 'main', REDIS);
export const cutMainPostgres = cutFrom(cutMain, 'main', POSTGRES);
export const cutWebhookRedis = cutFrom(cutWebhook, 'webhook', REDIS);
export const cutWebhookPostgres = cutFrom(cutWebhook, 'webhook', POSTGRES);

/** Thousandths of a core that are left to each process of n8n. */
const LEFT_MILLICORES = 100;

/** Others on the same machine may take its CPU for a while, and a quota may run out. */
export const takeCpu: InsideFault = {
  name: 'take-cpu',
  title: `every n8n process gets only ${String(LEFT_MILLICORES / 1000)} CPU cores`,
  kind: 'accident',
  defaultSeconds: 60,
  promise: SURVIVED_A_MINUTE,
  notOn: {
    kubernetes: 'it lowers the CPU limits of control groups, which works only on this machine',
  },
  lacks: needsNothing,
  make: async ({ access, tell, ...scene }) => {
    if (access.takeCpu === undefined)
      throw new Failure('the CPU of n8n cannot be limited with this target');
    const { instances, heldMs, giveBack } = await access.takeCpu(LEFT_MILLICORES);
    let held = 0;
    try {
      tell(
        `each of ${instances.join(', ')} gets only ${String(LEFT_MILLICORES / 1000)} of a core for ${seconds(scene.lastsMs)}`,
      );
      await lasting(scene);
    } finally {
      held = heldMs();
      giveBack();
    }
    if (held === 0) throw new Failure('no n8n process needed more CPU than the fault left it');
    tell(`n8n has its CPU back after ${formatNumber(held / 1000)} s of waiting for CPU time`);
  },
};

const JUMP_HOURS = 1;

/** The clock is set wrong and then corrected, so it also goes backwards. Clocks that only count go on as they were. */
export const clockJump: InsideFault = {
  name: 'clock-jump',
  title: `the clock of one worker is ${String(JUMP_HOURS)} hour ahead`,
  kind: 'accident',
  defaultSeconds: 60,
  isOnClock: true,
  promise: SURVIVED_A_MINUTE,
  notOn: NEEDS_PROCESSES,
  lacks: needsWorkers,
  make: async (scene) => {
    const { access, tell, lastsMs } = scene;
    const worker = first(scene, 'worker');
    if (access.jumpClock === undefined) throw new Failure('the clock of n8n cannot be shifted');
    const setRight = await access.jumpClock(worker, JUMP_HOURS * 3_600_000);
    let reads = 0;
    try {
      tell(`the clock of ${worker} is ${String(JUMP_HOURS)} hour ahead for ${seconds(lastsMs)}`);
      await lasting(scene);
    } finally {
      reads = await setRight();
    }
    if (reads === 0) throw new Failure(`${worker} never read the time while its clock was wrong`);
    tell(
      `the clock of ${worker} is correct again, after ${counted(reads, 'read')} of the wrong time`,
    );
  },
};
