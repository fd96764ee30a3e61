import { ONE_THREADED } from '../../plan/roles';
import type { SampledRole } from '../metrics';
import { mean, median } from '../statistics/statistics';
import { USED_UP, roleName, type Reading, type LimitRow, type Seen } from './row';
import { duration, percent } from '../../ui/numbers';

/** An idle loop is late by a few milliseconds. */
const BUSY_LOOP_LAG_MS = 50;
/** With a late loop: work that comes in bursts leaves gaps that no request can use. */
const USED_UP_WHEN_LATE = 0.75;
/** Share of the time; below it, waiting for a CPU explains nothing. */
const WAITED_SHARE = 0.05;

const ADVICE: Record<(typeof ONE_THREADED)[number], LimitRow['advice']> = {
  main: {
    regular: 'use queue mode with workers: main runs every execution in one thread',
    queue: 'add webhook processors, which take requests from main',
  },
  webhook: 'add a webhook processor',
  worker: 'add a worker, if the machine has a free core',
  runner: 'add a worker: each worker has its own task runner',
  server: 'run the server as several processes, or reduce the work per request',
  redis: 'divide the traffic among several releases, each with its own Redis',
  upstream: 'measure against a faster service: n8n was not the limit',
};

/** What runs in one thread can use one core, however many there are. */
export const threadRows = ONE_THREADED.map((role): LimitRow => {
  const resource = role === 'redis' ? 'thread' : 'event loop';
  const owner = role === 'runner' ? role : roleName(role);
  return {
    role,
    resource,
    name: `${owner} ${resource}`,
    advice: ADVICE[role],
    kind: 'work',
    read: (seen) => readThread(role, seen),
  };
});

function readThread(role: SampledRole, { sampled }: Seen): Reading | null {
  // If the thread itself was not seen, its process stands for it, at most one core of it.
  const own = sampled.instances(role, 'loopCores');
  const seen = own.size > 0 ? own : sampled.instances(role, 'cpuCores');
  const busiest = [...seen]
    .map(([instance, cores]) => ({ instance, used: Math.min(1, mean(cores)) }))
    .sort((a, b) => b.used - a.used)[0];
  if (busiest === undefined) return null;
  const { instance, used } = busiest;
  const at = (metric: 'eventLoopLagMs' | 'loopWaitShare' | 'gcShare'): number | null => {
    const values = sampled.instances(role, metric).get(instance) ?? [];
    return values.length > 0 ? median(values) : null;
  };
  const [lagMs, waited, collected] = [at('eventLoopLagMs'), at('loopWaitShare'), at('gcShare')];
  const isLate = lagMs !== null && lagMs >= BUSY_LOOP_LAG_MS;
  const more = [
    ...(lagMs === null ? [] : [`its event loop was late by ${duration(lagMs)}`]),
    ...(waited === null || waited < WAITED_SHARE
      ? []
      : [`it waited for a CPU ${percent(waited)} of the time`]),
    ...(collected === null || collected < 0.1
      ? []
      : [`${percent(collected)} of the time went into garbage collection`]),
  ];
  const which =
    role === 'runner'
      ? `the task runner of ${instance}`
      : instance === '' || instance === role
        ? roleName(role)
        : instance;
  return {
    utilisation: used,
    isUsedUp: used >= (isLate ? USED_UP_WHEN_LATE : USED_UP),
    evidence: [`${which} used ${percent(used)} of its single thread`, ...more].join(', '),
  };
}
