/** Panels of the dashboards as plots of a report, on its time axis. */
import type { RecordedPanel } from '../../record/panels';
import type { LineChart } from '../../report/plot/chart';

interface Shown {
  unit: string;
  /** How many of Grafana's unit are one of ours. */
  per: number;
}

/** Grafana's names of units, which it scales itself. */
const UNITS: Record<string, Shown> = {
  short: { unit: '', per: 1 },
  s: { unit: 's', per: 1 },
  bytes: { unit: 'MiB', per: 1024 * 1024 },
  percentunit: { unit: '%', per: 0.01 },
  reqps: { unit: 'per second', per: 1 },
  ops: { unit: 'per second', per: 1 },
  cps: { unit: 'per second', per: 1 },
};

export function panelChart({ title, unit, series }: RecordedPanel): LineChart {
  const shown = shownUnit(unit, series);
  return {
    kind: 'line',
    id: `prometheus-${slug(title)}`,
    title,
    x: { label: 'time since the load began', unit: 's', min: 0 },
    y: { label: labelOf[unit] ?? 'value', unit: shown.unit, min: 0 },
    series: series.map(({ label, points }) => ({
      label,
      points: points.map(([seconds, value]) => [
        seconds,
        value === null ? null : value / shown.per,
      ]),
    })),
  };
}

const labelOf: Record<string, string> = {
  s: 'time',
  bytes: 'memory',
  percentunit: 'share',
  reqps: 'requests',
  ops: 'rate',
  cps: 'rate',
};

/** Fractions of a second read better in milliseconds. */
function shownUnit(unit: string, series: RecordedPanel['series']): Shown {
  const max = series
    .flatMap(({ points }) => points)
    .reduce((high, [, value]) => Math.max(high, value ?? 0), 0);
  if (unit === 's' && max < 2) return { unit: 'ms', per: 0.001 };
  return UNITS[unit] ?? { unit, per: 1 };
}

export const slug = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
