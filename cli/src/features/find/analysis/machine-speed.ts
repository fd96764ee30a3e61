/**
 * What a request costs n8n in CPU, probe by probe: of the same work at about the same rate it tells how fast
 * the machine was. Steal time does not show it: a core that clocks lower, or whose caches and sibling thread
 * somebody else uses, is all ours and slow.
 */
import { LOADED_ROLES, type SampledRole } from '../../../plan/roles';
import type { CpuPerRequest, FindProbe } from '../record';
import type { Summary } from '../../../record/run-record';
import { donePerSecond } from '../../../analysis/cost';
import { slope } from '../../../analysis/statistics/trend';

/**
 * Rates this near (the higher over the lower) are compared. What n8n does without requests makes a request
 * look dearer at a low rate: with one core 17.0 ms at 30/s, 16.1 ms at 67/s (studies/proof, studies/modes).
 * So within this ratio the rate itself accounts for less than 2%.
 */
const NEAR = 1.25;
/**
 * Probes that differ by less are called equal. The same run four times over six minutes took 16.0 to 16.2 ms on a machine
 * of steady speed, within 1.1%, and 11.3 to 17.0 ms, within 51%, on one whose speed drifts (control cells of
 * studies/modes and studies/heap/results/memory-floor). One major collection in a probe of 6 s is 4%.
 */
const EQUAL = 1.08;

const LOADED: readonly SampledRole[] = LOADED_ROLES;

type Costly = Pick<Summary, 'achieved' | 'completions' | 'roles'>;

/** CPU per request of each loaded role and of all together; null without CPU figures or if no request was done. */
export function cpuPerRequest(summary: Costly): CpuPerRequest | null {
  const ratePerSecond = donePerSecond(summary);
  if (!(ratePerSecond > 0)) return null;
  const seen = summary.roles.flatMap(({ role, instances, cpuCoresMean }) =>
    cpuCoresMean === null || !LOADED.includes(role)
      ? []
      : [{ role, instances, ms: (1_000 * cpuCoresMean) / ratePerSecond }],
  );
  return seen.length === 0
    ? null
    : { allMs: seen.reduce((sum, { ms }) => sum + ms, 0), roles: seen };
}

/** The role whose instances are each the busiest: its thread is the first to be used up. */
export function busiestRole(all: readonly CpuPerRequest[]): SampledRole | null {
  const ofEach = new Map<SampledRole, number>();
  for (const { role, instances, ms } of all.flatMap(({ roles }) => roles)) {
    ofEach.set(role, (ofEach.get(role) ?? 0) + ms / Math.max(1, instances));
  }
  const [busiest] = [...ofEach].sort(([, a], [, b]) => b - a);
  return busiest?.[0] ?? null;
}

/** Milliseconds of CPU per request of that role; null where no CPU was seen. */
export const busiestCost = (summary: Costly): number | null =>
  costOfBusiest(cpuPerRequest(summary));

export function costOfBusiest(cpu: CpuPerRequest | null): number | null {
  const role = busiestRole(cpu === null ? [] : [cpu]);
  const ms = cpu?.roles.find((one) => one.role === role)?.ms ?? 0;
  return ms > 0 ? ms : null;
}

export interface SpeedSpread {
  role: SampledRole;
  /** CPU per request of the cheapest and of the dearest of the probes that differ most. */
  lowMs: number;
  highMs: number;
  /** The rates of these two probes, the lower first. */
  ratesPerSecond: [number, number];
}

interface ProbeCost {
  ratePerSecond: number;
  achievedPerSecond: number;
  /** CPU per request that was done. */
  ms: number;
  /** Length of the probe. */
  seconds: number;
}

/**
 * A probe got this share of responses, or its CPU went into requests to which no response came in its
 * time: 31.9 ms in 10 s with responses to half of them, where 18.7 ms are usual (studies/kubernetes).
 */
const KEPT_UP = 0.9;

export const keptUp = ({
  achievedPerSecond,
  ratePerSecond,
}: Pick<ProbeCost, 'achievedPerSecond' | 'ratePerSecond'>): boolean =>
  achievedPerSecond >= KEPT_UP * ratePerSecond;

const isNear = (one: number, other: number): boolean =>
  Math.abs(Math.log(one / other)) <= Math.log(NEAR);

/** With fewer probes a trend and chance look the same. */
const MIN_FOR_TREND = 4;
/** Confidence of the trend's two-sided interval; a trend below it is negative with 95% confidence. */
const CONFIDENCE = 0.9;

/**
 * How CPU per request falls while the rate rises: 0 for not at all, 1 where twice the rate halves it. Under a CPU limit
 * it does so even within NEAR: 19.3 ms at 40.7/s and 17.3 ms at 51.8/s, and in nine probes in turns above and below it
 * followed the rate (main with 1 CPU, studies/kubernetes). A machine that changes its speed does not follow the rate.
 */
function fallOf(costs: readonly ProbeCost[]): number {
  if (costs.length < MIN_FOR_TREND) return 0;
  const points = costs.map(({ ratePerSecond, ms }) => {
    return { x: Math.log(ratePerSecond), y: Math.log(ms) };
  });
  const { value, high } = slope(points, CONFIDENCE);
  return high < 0 ? Math.min(1, -value) : 0;
}

/** What the CPU of a request is compared by: what it would be at a rate of 1, if it falls like that. */
const comparable = ({ ms, ratePerSecond }: ProbeCost, fall: number): number =>
  ms * ratePerSecond ** fall;

/** The two of all whose rates are near and whose cost differs most; null where no two differ by more than noise. */
function maxApart(
  costs: readonly ProbeCost[],
  fall: number,
): { cheap: ProbeCost; dear: ProbeCost } | null {
  let farthest: { cheap: ProbeCost; dear: ProbeCost } | null = null;
  let highest = EQUAL;
  for (const cheap of costs) {
    for (const dear of costs) {
      const ratio = comparable(dear, fall) / comparable(cheap, fall);
      if (!isNear(dear.ratePerSecond, cheap.ratePerSecond) || ratio <= highest) continue;
      highest = ratio;
      farthest = { cheap, dear };
    }
  }
  return farthest;
}

/**
 * Standard errors of the mean speed that an interval leaves to each side. Two would do if the speed of each probe were
 * drawn anew; probes one after the other share it, so that they count as a quarter of their number.
 */
const SPEED_ERRORS = 4;

/**
 * How far the mean speed over the probes near this rate may lie from that of the machine at any time, as a logarithm; 0
 * where it did not change. A search looks at a few minutes of a machine: that it was fast in those it cannot know.
 * Probes far from the rate and probes that did not keep up do not count: they spend more CPU on each response, however fast
 * the machine is.
 */
export function speedError(all: readonly ProbeCost[], ratePerSecond: number): number {
  const costs = all.filter((cost) => keptUp(cost) && isNear(cost.ratePerSecond, ratePerSecond));
  const fall = fallOf(costs);
  if (maxApart(costs, fall) === null) return 0;
  const logs = costs.map((cost) => {
    return { log: Math.log(comparable(cost, fall)), seconds: cost.seconds };
  });
  const total = logs.reduce((sum, { seconds }) => sum + seconds, 0);
  const mean = logs.reduce((sum, { seconds, log }) => sum + seconds * log, 0) / total;
  const variance =
    logs.reduce((sum, { seconds, log }) => sum + seconds * (log - mean) ** 2, 0) / total;
  // Kish: as many probes of equal length would say as much.
  const count = total ** 2 / logs.reduce((sum, { seconds }) => sum + seconds ** 2, 0);
  const fitted = fall > 0 ? 2 : 1;
  return SPEED_ERRORS * Math.sqrt(variance / Math.max(1, count - fitted));
}

/**
 * The two probes near this rate whose CPU per request differs most by more than their rates explain; null where no two
 * differ by more than noise.
 */
export function speedSpread(probes: readonly FindProbe[], nearRate: number): SpeedSpread | null {
  const told = probes.flatMap(
    ({
      ratePerSecond,
      achievedPerSecond,
      durationSeconds: seconds,
      result,
      cpuPerRequest: cpu,
    }) => {
      if (ratePerSecond === undefined || result === 'invalid' || !cpu) return [];
      const isLike =
        isNear(ratePerSecond, nearRate) && keptUp({ ratePerSecond, achievedPerSecond });
      return isLike ? [{ ratePerSecond, achievedPerSecond, seconds, cpu }] : [];
    },
  );
  const role = busiestRole(told.map(({ cpu }) => cpu));
  if (role === null) return null;
  const costs = told.flatMap(({ cpu, ...rest }): ProbeCost[] => {
    const own = cpu.roles.find((one) => one.role === role);
    return own === undefined || !(own.ms > 0) ? [] : [{ ...rest, ms: own.ms }];
  });
  const apart = maxApart(costs, fallOf(costs));
  if (apart === null) return null;
  const { cheap, dear } = apart;
  const [low = 0, high = 0] = [cheap.ratePerSecond, dear.ratePerSecond].sort((a, b) => a - b);
  return { role, lowMs: cheap.ms, highMs: dear.ms, ratesPerSecond: [low, high] };
}

/** Whether a rate was sustained that is not below one that was not. */
export function contradictEachOther(probes: readonly FindProbe[]): boolean {
  const ratesOf = (result: FindProbe['result']): number[] =>
    probes.flatMap((probe) =>
      probe.result === result && probe.ratePerSecond !== undefined ? [probe.ratePerSecond] : [],
    );
  return Math.max(...ratesOf('sustained')) >= Math.min(...ratesOf('not sustained'));
}
