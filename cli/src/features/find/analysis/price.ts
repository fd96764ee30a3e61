/** What a request costs where a capacity was found: with it, capacities of machines of different speed compare. */
import { median } from '../../../analysis/statistics/statistics';
import type { SampledRole } from '../../../plan/roles';
import type { CpuPerRequest, FindProbe, FindRecord } from '../record';
import { busiestRole, keptUp } from './machine-speed';

/** Milliseconds of CPU per request. */
export interface KnownPrice {
  /** At which the answer holds. */
  cpuMs: number;
  /** Over the probes near it. */
  fastestMs: number;
  slowestMs: number;
  of: SampledRole;
}

/** Probes at rates this near to the answer do about the same work per request. */
const NEAR = 1.25;

/** Null where no CPU was seen, as of an n8n at a URL without metrics. */
export function priceOf({
  capacity,
  probes,
}: Pick<FindRecord, 'capacity' | 'probes'>): KnownPrice | null {
  const { ratePerSecond: answer, at, speeds = [] } = capacity;
  if (at !== undefined) {
    const { cpuMs, slowestMs, of } = at;
    const fastestMs = Math.min(cpuMs, ...speeds.map((speed) => speed.cpuMs));
    return { cpuMs, fastestMs, slowestMs, of: of.role };
  }
  const told = toldNear(answer, probes);
  const role = busiestRole(told);
  if (role === null) return null;
  const costs = told.flatMap(({ roles }) =>
    roles.flatMap((one) => (one.role === role && one.ms > 0 ? [one.ms] : [])),
  );
  if (costs.length === 0) return null;
  return {
    ...{ cpuMs: median(costs), of: role },
    ...{ fastestMs: Math.min(...costs), slowestMs: Math.max(...costs) },
  };
}

/**
 * The same over all roles of n8n together, as a run has it. If the answer holds at a known price of one role, all roles are
 * scaled to that price: the probes that kept up near the answer are those of the machine's faster minutes.
 */
export function wholePriceOf({
  capacity,
  probes,
}: Pick<FindRecord, 'capacity' | 'probes'>): number | null {
  const { ratePerSecond, at } = capacity;
  const told = toldNear(ratePerSecond, probes);
  if (told.length === 0) return null;
  const shares = told.flatMap(({ allMs, roles }) =>
    roles.flatMap(({ role, ms }) => (role === at?.of.role && ms > 0 ? [allMs / ms] : [])),
  );
  return at === undefined || shares.length === 0
    ? median(told.map(({ allMs }) => allMs))
    : at.cpuMs * median(shares);
}

/** What requests cost in the probes that kept up with a rate near this one. */
function toldNear(answer: number, probes: readonly FindProbe[]): CpuPerRequest[] {
  return probes.flatMap(({ ratePerSecond = 0, achievedPerSecond, result, cpuPerRequest }) => {
    const isNear = Math.max(ratePerSecond / answer, answer / ratePerSecond) <= NEAR;
    const isTold = isNear && result !== 'invalid' && keptUp({ ratePerSecond, achievedPerSecond });
    return isTold && cpuPerRequest !== null ? [cpuPerRequest] : [];
  });
}
