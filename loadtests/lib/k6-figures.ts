/** All metrics of k6, in the way in which k6 itself writes them at its end: a summary of one's own takes that away. */
import type { K6Metric } from './k6-summary.ts';

const WIDTH = 42;
/** Of k6, in its order. */
const ORDER = ['count', 'rate', 'avg', 'min', 'med', 'p(90)', 'p(95)', 'p(99)', 'p(99.9)', 'max'];

export function figuresOfK6(metrics: ReadonlyMap<string, K6Metric>): string {
  const lines = [...metrics]
    .filter(([name, metric]) => !isEmptyPart(name, metric))
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, metric]) => `  ${`${name} `.padEnd(WIDTH, '.')}: ${figures(metric)}`);
  return lines.length === 0 ? '' : `${lines.join('\n')}\n\n`;
}

/** Each kind of error and each protocol is there, most of them without a request. */
const isEmptyPart = (name: string, { values }: K6Metric): boolean =>
  name.includes('{') && values['count'] === 0;

function figures({ type, contains, values, thresholds }: K6Metric): string {
  const text =
    type === 'rate'
      ? `${(100 * (values['rate'] ?? 0)).toFixed(2)}% ${String(values['passes'] ?? 0)} out of ${String((values['passes'] ?? 0) + (values['fails'] ?? 0))}`
      : ORDER.filter(
          (name) => values[name] !== undefined && !(type === 'trend' && name === 'count'),
        )
          .map((name) => `${name}=${valueText(values[name] ?? 0, name, contains)}`)
          .join(' ');
  const failed = Object.entries(thresholds)
    .filter(([, ok]) => !ok)
    .map(([expression]) => ` (threshold '${expression}' failed)`);
  return text + failed.join('');
}

function valueText(value: number, name: string, contains: string): string {
  if (name === 'rate') return `${value.toFixed(2)}/s`;
  if (contains === 'time') return `${value.toFixed(2)}ms`;
  return contains === 'data' ? `${String(Math.round(value))}B` : String(value);
}
