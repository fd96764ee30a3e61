import type { MetricSample, SampledRole } from '../../record/run-record';
import { select, totals, type Window } from '../../analysis/metrics';
import { mean } from '../../analysis/statistics/statistics';

/**
 * Cores that a role used on average; null where it was not seen. A control group counts every process of
 * its instance, however short it lived; the task runner within it is a role of its own, and taken out.
 */
export function meanCores(
  samples: readonly MetricSample[],
  role: SampledRole,
  window: Window,
): number | null {
  const seen = meanTotal(samples, role, window);
  const groups = select(samples, { metric: 'groupCpuCores', role }, window);
  if (groups.length === 0) return seen;
  const exact = mean(totals(groups, { metric: 'groupCpuCores' }).map(({ value }) => value));
  const instances = new Set(groups.map(({ instance }) => instance));
  const inside =
    role === 'main' || role === 'worker'
      ? (meanTotal(
          samples.filter(({ instance }) => instances.has(instance)),
          'runner',
          window,
        ) ?? 0)
      : 0;
  return Math.max(0, exact - inside);
}

function meanTotal(
  samples: readonly MetricSample[],
  role: SampledRole,
  window: Window,
): number | null {
  const use = totals(samples, { metric: 'cpuCores', role }, window);
  return use.length > 0 ? mean(use.map(({ value }) => value)) : null;
}
