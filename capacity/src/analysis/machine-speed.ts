/**
 * What a request costs n8n in CPU, probe by probe: of the same work at about the same rate it tells how fast
 * the machine was. Steal time does not show it: a core that clocks lower, or whose caches and sibling thread
 * somebody else uses, is all ours and slow.
 */
import { LOADED_ROLES, type SampledRole } from '../plan/roles';
import type { CpuPerRequest, FindProbe } from '../record/find-record';
import type { Summary } from '../record/record';

/**
 * Rates this near (the higher over the lower) are compared. What n8n does without requests makes a request
 * look dearer at a low rate: with one core 17.0 ms at 30/s, 16.1 ms at 67/s (studies/proof, studies/modes).
 * So within this ratio the rate itself accounts for less than 2 %.
 */
const NEAR = 1.25;
/**
 * Probes that differ by less are called equal. The same run four times over five minutes took 16.0 to 16.2 ms on
 * a machine of steady speed, within 1.1 %, and 8.5 to 10.1 ms, within 19 %, on one whose speed drifts
 * (control cells of studies/modes and studies/memory-floor). One major collection in a probe of 6 s is 4 %.
 */
const EQUAL = 1.08;

const LOADED: readonly SampledRole[] = LOADED_ROLES;

/** Of each role that is loaded, and of all together; null where no CPU was seen or nothing was answered. */
export function cpuPerRequest({
  achieved,
  roles,
}: Pick<Summary, 'achieved' | 'roles'>): CpuPerRequest | null {
  if (!(achieved.ratePerSecond > 0)) return null;
  const seen = roles.flatMap(({ role, instances, cpuCoresMean }) =>
    cpuCoresMean === null || !LOADED.includes(role)
      ? []
      : [{ role, instances, ms: (1_000 * cpuCoresMean) / achieved.ratePerSecond }],
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
  const [most] = [...ofEach].sort(([, a], [, b]) => b - a);
  return most?.[0] ?? null;
}

/** Milliseconds of CPU per request of that role; null where no CPU was seen. */
export function busiestCost(summary: Pick<Summary, 'achieved' | 'roles'>): number | null {
  const cpu = cpuPerRequest(summary);
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

interface Cost {
  ratePerSecond: number;
  ms: number;
}

const isNear = (one: number, other: number): boolean =>
  Math.abs(Math.log(one / other)) <= Math.log(NEAR);

/** The two of all whose rates are near and whose cost differs most; null where no two differ by more than noise. */
function mostApart(costs: readonly Cost[]): { cheap: Cost; dear: Cost } | null {
  let most: { cheap: Cost; dear: Cost } | null = null;
  for (const cheap of costs) {
    for (const dear of costs) {
      const ratio = dear.ms / cheap.ms;
      if (!isNear(dear.ratePerSecond, cheap.ratePerSecond) || ratio <= EQUAL) continue;
      if (most === null || ratio > most.dear.ms / most.cheap.ms) most = { cheap, dear };
    }
  }
  return most;
}

/**
 * Standard errors of the mean speed that an interval leaves to each side. Two would do if the speed of each probe were
 * drawn anew; probes one after the other share it, so that they count as a quarter of their number.
 */
const SPEED_ERRORS = 4;

/**
 * How far the mean speed over the probes near this rate may lie from that of the machine at any time, as a logarithm; 0
 * where it did not change. A search looks at a few minutes of a machine: that it was fast in those it cannot know.
 * Probes far from the rate do not count: a system that is offered much more than it sustains spends more CPU on each
 * response, however fast the machine is.
 */
export function speedError(
  all: readonly (Cost & { seconds: number })[],
  ratePerSecond: number,
): number {
  const costs = all.filter((cost) => isNear(cost.ratePerSecond, ratePerSecond));
  if (mostApart(costs) === null) return 0;
  const total = costs.reduce((sum, { seconds }) => sum + seconds, 0);
  const mean = costs.reduce((sum, { seconds, ms }) => sum + seconds * Math.log(ms), 0) / total;
  const variance =
    costs.reduce((sum, { seconds, ms }) => sum + seconds * (Math.log(ms) - mean) ** 2, 0) / total;
  // Kish: as many probes of equal length would say as much.
  const count = total ** 2 / costs.reduce((sum, { seconds }) => sum + seconds ** 2, 0);
  return SPEED_ERRORS * Math.sqrt(variance / Math.max(1, count - 1));
}

/** The two probes at near rates whose CPU per request differs most; null where no two differ by more than noise. */
export function speedSpread(probes: readonly FindProbe[]): SpeedSpread | null {
  const told = probes.flatMap(({ ratePerSecond, result, cpuPerRequest: cpu }) =>
    ratePerSecond === undefined || result === 'invalid' || !cpu ? [] : [{ ratePerSecond, cpu }],
  );
  const role = busiestRole(told.map(({ cpu }) => cpu));
  if (role === null) return null;
  const costs = told.flatMap(({ ratePerSecond, cpu }): Cost[] => {
    const own = cpu.roles.find((one) => one.role === role);
    return own === undefined || !(own.ms > 0) ? [] : [{ ratePerSecond, ms: own.ms }];
  });
  const apart = mostApart(costs);
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
