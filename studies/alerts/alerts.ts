// What the alerts of one namespace did within a stretch of time, from Prometheus's own series of them.
import { asked, SCRAPE_SECONDS, type Series } from './prometheus';
import type { Group } from './release';

export interface Time {
  fromMs: number;
  toMs: number;
}

/** Seconds since the beginning, and for how long altogether. */
interface Stretch {
  afterSeconds: number;
  seconds: number;
}

export interface AlertSeen {
  alert: string;
  pending: Stretch | null;
  firing: Stretch | null;
  /** Metrics of its expression that Prometheus has no series of. */
  missing: string[];
  /** The highest value of its expression, and the roles that it was about, where it was active. */
  highest?: number | null;
  labels?: string[];
}

/** Metrics in an expression, of which ours all have braces, each with the labels that it must not be without. */
const metricsIn = (expr: string) =>
  [...expr.matchAll(/(\w+)\{([^}]*)\}/g)].map(([, name = '', matchers = '']) => ({
    name,
    wanted: [...matchers.matchAll(/\w+!~?"[^"]*"/g)].map(([matcher]) => matcher),
  }));

const between = ({ fromMs, toMs }: Time) => ({
  start: String(fromMs / 1000),
  end: String(toMs / 1000),
});
const rangeOf = (time: Time) => ({ ...between(time), step: String(SCRAPE_SECONDS) });
const seriesIn = async (url: string, query: string, time: Time): Promise<Series[]> =>
  (await asked<{ result: Series[] }>(url, 'query_range', { query, ...rangeOf(time) })).result;

/** Each alert that was rendered. */
export async function alertsWithin(
  url: string,
  { namespace, groups, ...time }: Time & { namespace: string; groups: readonly Group[] },
): Promise<AlertSeen[]> {
  const states = await seriesIn(url, `ALERTS{namespace="${namespace}"}`, time);
  const isThere = async ({ name, wanted }: { name: string; wanted: string[] }) => {
    const matchers = [`namespace="${namespace}"`, ...wanted].join(',');
    const match = { 'match[]': `${name}{${matchers}}`, ...between(time) };
    return (await asked<unknown[]>(url, 'series', match)).length > 0;
  };
  const alerts: AlertSeen[] = [];
  for (const { alert, expr } of groups.flatMap(({ rules }) => rules)) {
    const series = states.filter(({ metric }) => metric['alertname'] === alert);
    const stretch = (state: string) => stretchOf(series, state, time.fromMs);
    const missing = new Set<string>();
    for (const metric of metricsIn(expr)) if (!(await isThere(metric))) missing.add(metric.name);
    alerts.push({
      ...{ alert, pending: stretch('pending'), firing: stretch('firing'), missing: [...missing] },
      ...(series.length === 0
        ? {}
        : { highest: await highest(url, expr, time), labels: labelsOf(series) }),
    });
  }
  return alerts;
}

/** From when to when any series of an alert was in one state; null: never. */
function stretchOf(series: readonly Series[], state: string, fromMs: number): Stretch | null {
  const times = new Set(
    series
      .filter(({ metric }) => metric['alertstate'] === state)
      .flatMap(({ values }) => values.map(([seconds]) => seconds)),
  );
  if (times.size === 0) return null;
  const first = Math.min(...times);
  return {
    afterSeconds: Math.round(first - fromMs / 1000),
    seconds: times.size * SCRAPE_SECONDS,
  };
}

/** Which processes, by role: names of pods are no use later. */
const labelsOf = (series: readonly Series[]): string[] => [
  ...new Set(
    series.map(({ metric }) => metric['role'] ?? metric['store'] ?? metric['container'] ?? ''),
  ),
];

async function highest(url: string, query: string, time: Time): Promise<number | null> {
  const series = await seriesIn(url, query, time);
  const values = series.flatMap((one) => one.values.map(([, value]) => Number(value)));
  return values.length === 0 ? null : Math.max(...values);
}

/** Whether cAdvisor tells of containers, not of pods alone. */
export async function namesContainers(url: string, namespace: string, time: Time) {
  const match = `container_memory_working_set_bytes{namespace="${namespace}",container!~"|POD"}`;
  const series = await asked<unknown[]>(url, 'series', { 'match[]': match, ...between(time) });
  return series.length > 0;
}

/** Targets that Prometheus reached within this time, by job. */
export async function scraped(url: string, namespace: string, time: Time) {
  const query = `count by (role, component) (up{namespace="${namespace}"} == 1)`;
  return Object.fromEntries(
    (await seriesIn(url, query, time)).map(({ metric, values }) => [
      metric['role'] ?? metric['component'] ?? '',
      Math.max(...values.map(([, value]) => Number(value))),
    ]),
  );
}
