/** Queries of the dashboards, and what a Prometheus answers to them. Pure. */
import type { PanelSpec } from '../../../monitoring/dashboards/spec';
import type { Matrix } from '../prometheus/query';
import type { Labels } from '../prometheus/series';
import type { RecordedPanel } from '../record/panels';

/** What Grafana would put in place of the variables of a dashboard. */
export interface PanelVariables {
  /** Regular expressions that choose what is watched. */
  namespace: string;
  release: string;
  scrapeSeconds: number;
  stepSeconds: number;
  rangeSeconds: number;
}

export function filled(expr: string, variables: PanelVariables): string {
  const { namespace, release, scrapeSeconds, stepSeconds, rangeSeconds } = variables;
  // Four scrapes, as in Grafana, so that one may be missed.
  const rate = Math.max(stepSeconds + scrapeSeconds, 4 * scrapeSeconds);
  return expr
    .replaceAll('$namespace', namespace)
    .replaceAll('$release', release)
    .replaceAll('$__rate_interval', `${String(Math.ceil(rate))}s`)
    .replaceAll('$__range', `${String(Math.ceil(rangeSeconds))}s`);
}

/** A name as the value of a matcher `=~"..."`: in a regular expression, in a string of PromQL. */
export const exactly = (name: string): string =>
  name.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`).replaceAll(/["\\]/g, String.raw`\$&`);

/** The middle of the gaps between samples: how often a target is scraped. Null with fewer than two samples. */
export function scrapeSecondsOf(scraped: readonly Matrix[]): number | null {
  const gaps = scraped
    .flatMap(({ values }) => values.slice(1).map(({ atMs }, at) => atMs - (values[at]?.atMs ?? 0)))
    .sort((a, b) => a - b);
  const middle = gaps[Math.floor(gaps.length / 2)];
  return middle === undefined ? null : Math.max(1, Math.round(middle / 1000));
}

/** Points of a plot: more are not told apart. */
const MAX_POINTS = 240;

export const stepSecondsOf = (rangeSeconds: number): number =>
  Math.max(1, Math.ceil(rangeSeconds / MAX_POINTS));

/** Lines that share a plot; more cannot be told apart. */
const MAX_LINES = 8;

export function recordedPanel(
  { title, kind, unit, meaning, queries }: PanelSpec,
  board: string,
  answers: readonly (readonly Matrix[])[],
  { zeroMs, toMs, stepSeconds }: { zeroMs: number; toMs: number; stepSeconds: number },
): RecordedPanel | null {
  const series = answers.flatMap((matrices, query) =>
    matrices.map(({ labels, values }) => ({
      label: legendOf(queries[query]?.legend ?? '', labels) || title,
      points: onGrid(values, { zeroMs, toMs, stepSeconds }),
    })),
  );
  const filledOnes = series.filter(({ points }) => points.some(([, value]) => value !== null));
  if (filledOnes.length === 0) return null;
  const shown = [...filledOnes]
    .sort((a, b) => highest(b.points) - highest(a.points))
    .slice(0, MAX_LINES);
  return {
    board,
    title,
    kind,
    unit,
    meaning,
    series: filledOnes.filter((one) => shown.includes(one)),
  };
}

type Points = RecordedPanel['series'][number]['points'];

const highest = (points: Points): number =>
  points.reduce((max, [, value]) => Math.max(max, value ?? -Infinity), -Infinity);

/** A time without a sample is a gap, not a line across it. */
function onGrid(
  values: Matrix['values'],
  { zeroMs, toMs, stepSeconds }: { zeroMs: number; toMs: number; stepSeconds: number },
): Points {
  const byStep = new Map(
    values.map(({ atMs, value }) => [Math.round((atMs - zeroMs) / 1000 / stepSeconds), value]),
  );
  const steps = Math.floor((toMs - zeroMs) / 1000 / stepSeconds);
  return Array.from({ length: steps + 1 }, (_, step) => {
    const value = byStep.get(step);
    return [step * stepSeconds, value === undefined || !Number.isFinite(value) ? null : value];
  });
}

function legendOf(legend: string, labels: Labels): string {
  if (legend === '') {
    return Object.entries(labels)
      .filter(([name]) => name !== '__name__')
      .map(([name, value]) => `${name}=${value}`)
      .join(' ');
  }
  return legend
    .replaceAll(/\{\{\s*(\w+)\s*\}\}/g, (_, name: string) => labels[name] ?? '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
