// What the steps of a staircase say, and how to compare them with what find says. Pure.
import { mean } from '../../cli/src/analysis/statistics/statistics';
import type { FindRecord } from '../../cli/src/features/find/record';

export interface Step {
  ratePerSecond: number;
  sustained: boolean;
  /** CPU that an expected response takes. */
  cpuMs: number | null;
}

interface Compared {
  workload: string;
  mode: string;
  round: number;
}
export interface Search extends Compared {
  kind: 'find';
  capacity: Pick<FindRecord['capacity'], 'ratePerSecond'>;
  probes: {
    ratePerSecond?: number | undefined;
    clients?: number | undefined;
    cpuPerRequest?: { allMs: number | null } | null | undefined;
  }[];
}
export interface Staircase extends Compared {
  kind: 'staircase';
  answer: number | null;
  steps: Step[];
}

/** Steps around the answer of find, as shares of it, from below. If all are on one side, more of them follow there. */
const SHARES = [0.8, 0.9, 1, 1.1, 1.2];
const FURTHER = 1.15;

/** The rate of the next step; null where the steps have a boundary, or there are enough of them. */
export function nextRate(steps: readonly Step[], around: number, max: number): number | null {
  const round = (rate: number): number => Number(rate.toPrecision(3));
  if (steps.length >= max) return null;
  const share = SHARES[steps.length];
  if (share !== undefined) return round(share * around);
  if (betweenSteps(steps) !== null) return null;
  const rates = steps.map(({ ratePerSecond }) => ratePerSecond);
  const isAllSustained = steps.filter(({ sustained }) => sustained).length > steps.length / 2;
  return round(isAllSustained ? Math.max(...rates) * FURTHER : Math.min(...rates) / FURTHER);
}

/**
 * Between the two neighbours that contradict the fewest steps, and in the middle of these places where there are several; null
 * where all steps are on one side.
 */
export function betweenSteps(given: readonly Step[]): number | null {
  const steps = [...given].sort((a, b) => a.ratePerSecond - b.ratePerSecond);
  const places = [...steps.keys(), steps.length].map((split) => ({
    contradicted: steps.filter(({ sustained }, at) => sustained !== at < split).length,
    ends: [steps[split - 1]?.ratePerSecond, steps[split]?.ratePerSecond] as const,
  }));
  const fewest = Math.min(...places.map(({ contradicted }) => contradicted));
  const logs = places
    .filter(({ contradicted }) => contradicted === fewest)
    .flatMap(({ ends: [below, above] }) =>
      below === undefined || above === undefined ? [] : [Math.log(below * above) / 2],
    );
  return logs.length === 0 ? null : Math.exp(mean(logs));
}

type Counts = Record<string, number>;
interface OhaPrinted {
  summary: { requestsPerSec: number };
  latencyPercentiles: { p95: number };
  statusCodeDistribution: Counts;
  errorDistribution?: Counts;
}

/** The figures of one run of oha, whose own `successRate` counts any status as a success. */
export function ohaFigures(
  { summary, latencyPercentiles, statusCodeDistribution, errorDistribution }: OhaPrinted,
  p95LimitMs: number,
) {
  const sum = (counts: Counts = {}): number => Object.values(counts).reduce((all, n) => all + n, 0);
  const expected = statusCodeDistribution['200'] ?? 0;
  const all = sum(statusCodeDistribution) + sum(errorDistribution);
  const p95Ms = 1_000 * latencyPercentiles.p95;
  const errorShare = all === 0 ? 1 : 1 - expected / all;
  return {
    p95Ms,
    expected,
    errorShare,
    achievedPerSecond: summary.requestsPerSec,
    sustained: p95Ms < p95LimitMs && errorShare < 0.01,
  };
}

interface Answer {
  rate: number;
  cpuMs: number | null;
}

/** The answer of a part, and the CPU per request of the steps or probes nearest to it; null without an answer. */
export function answerOf(
  part: Pick<Search, 'kind' | 'capacity' | 'probes'> | Pick<Staircase, 'kind' | 'answer' | 'steps'>,
): Answer | null {
  const rate = part.kind === 'find' ? part.capacity.ratePerSecond : part.answer;
  if (rate === null || !(rate > 0)) return null;
  const costs =
    part.kind === 'find'
      ? part.probes.map((probe) => ({ ...probe, ms: probe.cpuPerRequest?.allMs ?? null }))
      : part.steps.map(({ ratePerSecond, cpuMs }) => ({ ratePerSecond, ms: cpuMs }));
  const near = costs.flatMap(({ ratePerSecond = Infinity, ms }) =>
    ms !== null && Math.abs(Math.log(ratePerSecond / rate)) < Math.log(1.25) ? [ms] : [],
  );
  const cpuMs = near.length === 0 ? null : near.reduce((sum, ms) => sum + ms, 0) / near.length;
  return { rate, cpuMs };
}

/**
 * How far find is from the staircase, as a share. At equal speed: CPU is what limits these workloads, so a rate is
 * worth the cores that it takes, and those do not depend on how fast they were.
 */
export function atEqualSpeed(find: Answer, stair: Answer) {
  return {
    find: find.rate,
    staircase: stair.rate,
    cpuMs: { find: find.cpuMs, staircase: stair.cpuMs },
    error: find.rate / stair.rate - 1,
    errorAtEqualSpeed:
      find.cpuMs === null || stair.cpuMs === null
        ? null
        : (find.rate * find.cpuMs) / (stair.rate * stair.cpuMs) - 1,
  };
}

/**
 * Pairs of the records of parts: each search with the staircase around its answer, null while there is none. `compared` is null
 * where one of the two has no answer.
 */
export function pairsOf<Find extends Search, Stair extends Staircase>(
  records: readonly (Find | Stair)[],
) {
  const isFind = (record: Find | Stair): record is Find => record.kind === 'find';
  const isStair = (record: Find | Stair): record is Stair => record.kind === 'staircase';
  return records.filter(isFind).map((find) => {
    const isAround = (stair: Stair): boolean =>
      (['workload', 'mode', 'round'] as const).every((name) => stair[name] === find[name]);
    const staircase = records.filter(isStair).find(isAround) ?? null;
    const [ours, theirs] = [answerOf(find), staircase === null ? null : answerOf(staircase)];
    const compared = ours === null || theirs === null ? null : atEqualSpeed(ours, theirs);
    return { find, staircase, compared };
  });
}
