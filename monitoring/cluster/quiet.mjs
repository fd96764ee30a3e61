// An idle release and a healthy one under load, watched at the same time: no alert may fire on either.
import { setTimeout as sleep } from 'node:timers/promises';
import { alertsWithin, namesContainers, scraped } from './alerts.mjs';
import { existing, figuresOf, tuned } from './load.mjs';
import { watchLoadAverage } from './load-average.mjs';
import { startWatching } from './prometheus.mjs';
import { deploy, emptyNamespace, isDeployed, monitorsOf, removeNamespace } from './release.mjs';

const NAMESPACES = { idle: 'n8n-watch-idle', loaded: 'n8n-watch-loaded' };
/** Prometheus writes down what its alerts do from its third evaluation on. */
const SETTLE_MS = 60_000;
const WORKLOAD = 'last-node';
/** What else runs on the node may not take the CPU of a release that is to be healthy. */
const FIRST = { resources: { requests: { cpu: '200m', memory: '256Mi' } } };
const MORE = { loaded: { main: FIRST, worker: FIRST, webhook: FIRST }, idle: {} };

/** Its callers would not complain: else an alert that fires is right, and the part says nothing of false ones. */
export const isHealthy = ({ p95Ms, wrong, unanswered, requests }) =>
  p95Ms !== null && p95Ms < 1000 && wrong + unanswered < 0.01 * requests;

/** Both releases; what is there stays. */
export async function quietUp(tell) {
  for (const [side, namespace] of Object.entries(NAMESPACES)) {
    if (await isDeployed(namespace).catch(() => false)) continue;
    tell(`deploying into ${namespace}`);
    await emptyNamespace(namespace);
    await deploy(namespace, MORE[side]);
  }
}

export async function quietDown() {
  await Promise.all(Object.values(NAMESPACES).map(removeNamespace));
}

export async function quiet({ seconds, ratePerSecond, scratch, signal, tell }) {
  await quietUp(tell);
  const watched = Object.fromEntries(
    await Promise.all(
      Object.values(NAMESPACES).map(async (namespace) => [namespace, await monitorsOf(namespace)]),
    ),
  );
  const prometheus = await startWatching(watched);
  const loadAverage = watchLoadAverage();
  try {
    await sleep(SETTLE_MS, undefined, { signal });
    tell(`watching for ${seconds} s, ${ratePerSecond} requests per second on one of the two`);
    const fromMs = Date.now();
    const run = await tuned(
      existing(
        NAMESPACES.loaded,
        ...['--workload', WORKLOAD, '--rate', String(ratePerSecond), '--warmup', '10s'],
        ...['--duration', `${seconds}s`, '--out', scratch],
      ),
      signal,
    );
    const time = { fromMs, toMs: Date.now() };
    const seen = {};
    for (const [name, namespace] of Object.entries(NAMESPACES)) {
      const { groups } = watched[namespace];
      seen[name] = {
        scraped: await scraped(prometheus.url, namespace, time),
        alerts: await alertsWithin(prometheus.url, { namespace, groups, ...time }),
      };
    }
    return {
      startedAt: new Date(fromMs).toISOString(),
      watchedSeconds: Math.round((time.toMs - fromMs) / 1000),
      machine: run.machine,
      versions: { ...run.versions, prometheus: prometheus.version },
      loadAverage: loadAverage.figures(),
      healthy: isHealthy(figuresOf(run)),
      namesContainers: await namesContainers(prometheus.url, NAMESPACES.loaded, time),
      load: { workload: WORKLOAD, plannedPerSecond: ratePerSecond, ...figuresOf(run) },
      ...seen,
    };
  } finally {
    loadAverage.stop();
    await prometheus.stop();
  }
}
