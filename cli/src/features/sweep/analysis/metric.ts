import type { Step } from '../plan/cells';
import { PROFILES, isProfileName } from '../../../../../loadtests/lib/profile';
import type { SweepPlan } from '../plan/plan';
import { profileOf } from '../plan/plan-cells';
import type { CellFigures } from '../record';

export interface SweepMetric {
  id: keyof CellFigures;
  title: string;
  /** Short, for an axis. */
  axis: string;
  unit: string;
  of(figures: CellFigures): number | null;
}

const metric = (id: keyof CellFigures, title: string, axis: string, unit: string): SweepMetric => ({
  id,
  title,
  axis,
  unit,
  of: (figures) => figures[id] ?? null,
});

export const CAPACITY = metric('capacityPerSecond', 'Capacity', 'capacity', 'requests per second');
const ACHIEVED = metric(
  'achievedPerSecond',
  'Expected responses',
  'expected responses',
  'per second',
);
const P99 = metric('p99Ms', '99th percentile of the latency', 'p99', 'ms');
const MEMORY = metric(
  'memoryMiBPerRequestPerSecond',
  'Peak memory per request per second',
  'memory',
  'MiB per request/s',
);
const CPU = metric('cpuMillisecondsPerRequest', 'CPU per request', 'CPU', 'ms');

const profilesOf = (plan: SweepPlan, steps: readonly Step[]): string[] => [
  ...new Set(steps.map(({ cell }) => profileOf(cell, plan))),
];

/** What is plotted over whatever changed. */
export function metricsOf(plan: SweepPlan, steps: readonly Step[]): SweepMetric[] {
  const profiles = profilesOf(plan, steps);
  return [
    ...(profiles.includes('find') ? [CAPACITY] : []),
    ...(profiles.some((profile) => profile !== 'find') ? [ACHIEVED] : []),
    P99,
    MEMORY,
    CPU,
  ];
}

/** What the control cell is judged by: what the sweep ranks its cells by. An open loop's rate is given, not found. */
export function mainMetric(plan: SweepPlan, steps: readonly Step[]): SweepMetric {
  const profile =
    profilesOf(
      plan,
      steps.filter(({ isControl }) => isControl),
    )[0] ?? 'find';
  if (!isProfileName(profile)) return CAPACITY;
  return PROFILES[profile].loop === 'closed' ? ACHIEVED : P99;
}
