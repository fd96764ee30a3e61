// What the alerts of one namespace did within a stretch of time, from Prometheus's own series of them.
import { asked, SCRAPE_SECONDS } from './prometheus.mjs';

/** Metrics in an expression, of which ours all have braces, each with the labels that it must not be without. */
const metricsIn = (expr) =>
  [...expr.matchAll(/(\w+)\{([^}]*)\}/g)].map(([, name, matchers]) => ({
    name,
    wanted: [...matchers.matchAll(/\w+!~?"[^"]*"/g)].map(([matcher]) => matcher),
  }));

const between = ({ fromMs, toMs }) => ({ start: fromMs / 1000, end: toMs / 1000 });

/**
 * Each alert that was rendered: whether it was pending and firing within this time, from when on (seconds since `fromMs`)
 * and for how long, the highest value of its expression, and metrics of it that Prometheus has no series of.
 */
export async function alertsWithin(url, { namespace, groups, ...time }) {
  const range = { ...between(time), step: SCRAPE_SECONDS };
  const states = await asked(url, 'query_range', {
    query: `ALERTS{namespace="${namespace}"}`,
    ...range,
  });
  const isThere = async ({ name, wanted }) => {
    const matchers = [`namespace="${namespace}"`, ...wanted].join(',');
    const match = { 'match[]': `${name}{${matchers}}`, ...between(time) };
    return (await asked(url, 'series', match)).length > 0;
  };
  const alerts = [];
  for (const { alert, expr } of groups.flatMap(({ rules }) => rules)) {
    const series = states.result.filter(({ metric }) => metric.alertname === alert);
    const stretch = (state) => stretchOf(series, state, time.fromMs);
    const missing = new Set();
    for (const metric of metricsIn(expr)) if (!(await isThere(metric))) missing.add(metric.name);
    const wasActive = series.length > 0;
    alerts.push({
      ...{ alert, pending: stretch('pending'), firing: stretch('firing'), missing: [...missing] },
      ...(wasActive ? { highest: await highest(url, expr, range) } : {}),
      ...(wasActive ? { labels: labelsOf(series) } : {}),
    });
  }
  return alerts;
}

/** Of all series of an alert in one state. Null: never. */
function stretchOf(series, state, fromMs) {
  const times = new Set(
    series
      .filter(({ metric }) => metric.alertstate === state)
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
const labelsOf = (series) => [
  ...new Set(series.map(({ metric }) => metric.role ?? metric.store ?? metric.container ?? '')),
];

async function highest(url, query, range) {
  const { result } = await asked(url, 'query_range', { query, ...range });
  const values = result.flatMap(({ values: points }) => points.map(([, value]) => Number(value)));
  return values.length === 0 ? null : Math.max(...values);
}

/** Whether cAdvisor tells of containers, not of pods alone. */
export async function namesContainers(url, namespace, time) {
  const match = `container_memory_working_set_bytes{namespace="${namespace}",container!~"|POD"}`;
  return (await asked(url, 'series', { 'match[]': match, ...between(time) })).length > 0;
}

/** Targets that Prometheus reached within this time, by job. */
export async function scraped(url, namespace, time) {
  const { result } = await asked(url, 'query_range', {
    query: `count by (role, component) (up{namespace="${namespace}"} == 1)`,
    ...{ ...between(time), step: SCRAPE_SECONDS },
  });
  return Object.fromEntries(
    result.map(({ metric, values }) => [
      metric.role ?? metric.component ?? '',
      Math.max(...values.map(([, value]) => Number(value))),
    ]),
  );
}
