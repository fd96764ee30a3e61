// The boundary between the steps of another generator, and what one of its runs says. Pure.
import { mean } from '../../cli/src/analysis/statistics/statistics';

interface Step {
  ratePerSecond: number;
  sustained: boolean;
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
