import { ONE_THREADED } from '../../plan/roles';
import { figures } from '../figures';
import type { SampledRole } from '../metrics';
import { mean, median } from '../statistics';
import { USED_UP, roleName, type Reading, type LimitRow, type Seen } from './row';

/** An idle loop is late by a few milliseconds. */
const BUSY_LOOP_LAG_MS = 50;
/** With a late loop: work that comes in bursts leaves gaps that no request can use. */
const USED_UP_WHEN_LATE = 0.75;
/** Of the time; below it, waiting for a CPU explains nothing. */
const WAITED_SHARE = 0.05;

/** What runs in one thread can use one core, however many there are. */
export const threadRows = ONE_THREADED.map((role): LimitRow => {
  const resource = role === 'redis' ? 'thread' : 'event loop';
  const owner = role === 'runner' ? role : roleName(role);
  const name = `${owner} ${resource}`;
  return { role, resource, name, kind: 'work', read: (seen) => readThread(role, seen) };
});

function readThread(role: SampledRole, { sampled }: Seen): Reading | null {
  // Where the thread itself was not seen, its process stands for it, at most one core of it.
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
    ...(lagMs === null ? [] : [`its event loop was late by ${figures(lagMs)} ms`]),
    ...(waited === null || waited < WAITED_SHARE
      ? []
      : [`it waited for a CPU in ${figures(100 * waited)} % of the time`]),
    ...(collected === null || collected < 0.1
      ? []
      : [`${figures(100 * collected)} % of the time went into garbage collection`]),
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
    evidence: [`${which} used ${figures(used)} of its one thread`, ...more].join(', '),
  };
}
