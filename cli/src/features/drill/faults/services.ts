/** What happens to the services outside n8n that workflows call; the stand-in is all of them. */
import type { ServiceTrouble } from '../../../stand-in/plan';
import { whyNoMount } from '../../../linux/small-disk';
import { Failure } from '../../../ui/exit';
import { type FaultContext, type InsideFault, NEEDS_PROCESSES, SURVIVED } from '../fault';
import { counted } from '../../../ui/numbers';
import { lasting, needsNewer, seconds } from '../make-fault';

/** `what` is what every service does for a while. */
async function trouble(scene: FaultContext, what: string, how: ServiceTrouble): Promise<void> {
  const { access, tell, lastsMs } = scene;
  const before = await access.calls();
  await access.trouble(how);
  tell(`every service ${what} for ${seconds(lastsMs)}`);
  await lasting(scene);
  const after = await access.calls();
  await access.trouble({});
  const calls = before === null || after === null ? null : after - before;
  if (calls === 0) throw new Failure('no workflow called a service during the fault');
  const told = calls === null ? '' : `, after ${counted(calls, 'call')}`;
  tell(`every service responds as before${told}`);
}

/** An execution fails where the service does, unless the workflow tries again. n8n loses none of them. */
const ONLY_FAILED = 'lost=0,repeated=0,running=0,recover<60s';

const SLOWER_MS = 5_000;

export const slowUpstream: InsideFault = {
  name: 'slow-upstream',
  title: `every service that workflows call takes ${seconds(SLOWER_MS)} longer to respond`,
  kind: 'accident',
  defaultSeconds: 30,
  isNoSoak: true,
  promise: SURVIVED,
  lacks: needsNewer,
  make: (scene) => trouble(scene, `answers ${seconds(SLOWER_MS)} later`, { addedMs: SLOWER_MS }),
};

export const failingUpstream: InsideFault = {
  name: 'failing-upstream',
  title: 'every service that workflows call responds with status 503',
  kind: 'accident',
  defaultSeconds: 30,
  isNoSoak: true,
  promise: ONLY_FAILED,
  lacks: needsNewer,
  make: (scene) => trouble(scene, 'responds with status 503', { status: 503 }),
};

/** It accepts calls and never answers, so that executions wait until their own time is up or the connection is cut. */
export const hangingUpstream: InsideFault = {
  name: 'hanging-upstream',
  title: 'every service that workflows call accepts calls and does not respond',
  kind: 'accident',
  defaultSeconds: 30,
  isNoSoak: true,
  promise: ONLY_FAILED,
  lacks: needsNewer,
  make: (scene) => trouble(scene, 'does not respond', { hangs: true }),
};

const CALLS_PER_SECOND = 1;

export const throttlingUpstream: InsideFault = {
  name: 'throttling-upstream',
  title:
    'the services that workflows call allow one call per second, and reject all other calls with 429',
  kind: 'accident',
  defaultSeconds: 30,
  isNoSoak: true,
  promise: ONLY_FAILED,
  lacks: needsNewer,
  make: (scene) => trouble(scene, 'allows one call per second', { perSecond: CALLS_PER_SECOND }),
};

/** The resolver is silent, as when it is down or cannot be reached: who asks waits until its own time is up. */
export const dnsFailure: InsideFault = {
  name: 'dns-failure',
  title: 'DNS lookups of stores and services get no response',
  kind: 'accident',
  defaultSeconds: 30,
  isOnNames: true,
  promise: ONLY_FAILED,
  notOn: NEEDS_PROCESSES,
  notHere: whyNoMount,
  lacks: needsNewer,
  make: async (scene) => {
    const { access, tell, lastsMs } = scene;
    if (access.silenceNames === undefined)
      throw new Failure('n8n does not use the resolver of the drill');
    const speakAgain = access.silenceNames();
    let asked: ReadonlyMap<string, number> = new Map();
    try {
      tell(`no names can be resolved for ${seconds(lastsMs)}`);
      await lasting(scene);
    } finally {
      asked = speakAgain();
    }
    if (asked.size === 0) throw new Failure('n8n looked up no names during the fault');
    const questions = [...asked].map(([name, times]) => `${name} (${String(times)})`).join(', ');
    tell(`names are resolved again; unanswered lookups: ${questions}`);
  },
};
