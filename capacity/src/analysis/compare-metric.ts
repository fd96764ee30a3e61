import { isN8n } from '../plan/roles';
import type { CompareMetric } from '../record/compare-record';
import type { RunRecord } from '../record/record';

interface Metric {
  title: string;
  unit: string;
  moreIsBetter: boolean;
  /** Read from a run, null where that does not tell; left out where it takes a search. */
  of?(record: RunRecord): number | null;
}

/** What topologies are compared by. */
export const METRICS: Record<CompareMetric, Metric> = {
  capacity: {
    title: 'capacity under the SLO',
    unit: '/s',
    moreIsBetter: true,
  },
  throughput: {
    title: 'right replies a second',
    unit: '/s',
    moreIsBetter: true,
    of: ({ summary }) => summary.achieved.ratePerSecond || null,
  },
  p95: {
    title: '95th percentile of the latency',
    unit: 'ms',
    moreIsBetter: false,
    of: ({ summary }) => summary.latencyMs?.p95 ?? null,
  },
  memory: {
    title: 'peak memory of all n8n processes',
    unit: 'MiB',
    moreIsBetter: false,
    of: ({ summary }) =>
      sum(summary.roles.filter(({ role }) => isN8n(role)).map(({ rssPeakMiB }) => rssPeakMiB)),
  },
  'cpu-per-request': {
    title: 'CPU time a request',
    unit: 'ms',
    moreIsBetter: false,
    of: ({ summary }) => summary.cpuMillisecondsPerRequest,
  },
};

export function isMetric(name: string): name is CompareMetric {
  return Object.hasOwn(METRICS, name);
}

function sum(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length > 0 ? known.reduce((a, b) => a + b, 0) : null;
}
