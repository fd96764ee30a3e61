import { donePerSecond } from '../../../analysis/cost';
import { rankAt } from '../../../analysis/statistics/statistics';
import { isLoaded } from '../../../plan/roles';
import { resultOf } from '../../find/analysis/outcome';
import type { CompareMetric } from '../record';
import type { RunRecord, Summary } from '../../../record/run-record';

interface ComparableMetric {
  title: string;
  unit: string;
  moreIsBetter: boolean;
  /** Read from a run, null where that does not tell; left out where it takes a search. */
  of?(record: RunRecord): number | null;
  /** Why it is null of a run; left out where that needs no word. */
  missing?(record: RunRecord): string;
}

/** Instead of infinity, which JSON does not know: what was waited for never came. */
export const NEVER = Number.MAX_VALUE;

/** The value of a run; null where it does not tell, or where the load was not what was asked for. */
export const valueOfRun = (record: RunRecord, metric: CompareMetric): number | null =>
  resultOf(record) === 'invalid' ? null : (COMPARE_METRICS[metric].of?.(record) ?? null);

/** What topologies are compared by. */
export const COMPARE_METRICS: Record<CompareMetric, ComparableMetric> = {
  capacity: {
    title: 'capacity under the SLO',
    unit: '/s',
    moreIsBetter: true,
  },
  throughput: {
    title: 'expected responses per second',
    unit: '/s',
    moreIsBetter: true,
    of: ({ summary }) => donePerSecond(summary),
  },
  p95: {
    title: '95th percentile of the latency',
    unit: 'ms',
    moreIsBetter: false,
    of: ({ summary }) => p95OfAll(summary),
    missing: ({ summary }) =>
      summary.offered.requests === 0
        ? 'no request was due'
        : 'some of its requests have no latency, and the version that wrote it recorded no percentile of all requests',
  },
  memory: {
    title: 'peak memory of all loaded processes',
    unit: 'MiB',
    moreIsBetter: false,
    of: ({ summary }) =>
      sum(summary.roles.filter(({ role }) => isLoaded(role)).map(({ rssPeakMiB }) => rssPeakMiB)),
  },
  'cpu-per-request': {
    title: 'CPU time per request',
    unit: 'ms',
    moreIsBetter: false,
    of: ({ summary }) =>
      summary.cpuMillisecondsPerRequest ?? (donePerSecond(summary) === 0 ? NEVER : null),
  },
};

/** Over all requests: one that is rejected never gets its response, however fast the rejection is. */
function p95OfAll({ p95OfAllMs, latencyMs, offered }: Summary): number | null {
  if (offered.requests === 0) return null;
  if (p95OfAllMs !== undefined) return p95OfAllMs ?? NEVER;
  // Older records have only percentiles of the requests with a latency: it may be one of those.
  const rank = rankAt(0.95, offered.requests);
  if (latencyMs === null || rank > latencyMs.count) return NEVER;
  const { count, p95, p99, p999, max } = latencyMs;
  const known: [number, number][] = [
    [0.95, p95],
    [0.99, p99],
    [0.999, p999],
    [1, max],
  ];
  return known.find(([p]) => rankAt(p, count) === rank)?.[1] ?? null;
}

function sum(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length > 0 ? known.reduce((a, b) => a + b, 0) : null;
}
