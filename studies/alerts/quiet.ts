// An idle release and a healthy one under load, watched at the same time: no alert may fire on either.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Measuring } from '../../cli/src/features/study/study';
import type { RunRecord } from '../../cli/src/record/run-record';
import { alertsWithin, namesContainers, scraped } from './alerts';
import { startWatching } from './prometheus';
import {
  deploy,
  emptyNamespace,
  existing,
  figuresOf,
  monitorsOf,
  removeNamespace,
  type More,
} from './release';

const SIDES = ['idle', 'loaded'] as const;
const namespaceOf = (side: (typeof SIDES)[number]): string => `n8n-watch-${side}`;
/** Prometheus writes down what its alerts do from its third evaluation on. */
const SETTLE_MS = 60_000;
const WORKLOAD = 'last-node';
const RATE_PER_SECOND = 4;
/** What else runs on the node may not take the CPU of a release that is to be healthy. */
const FIRST = { resources: { requests: { cpu: '200m', memory: '256Mi' } } };
const MORE: Record<(typeof SIDES)[number], More> = {
  idle: {},
  loaded: { main: FIRST, worker: FIRST, webhook: FIRST },
};

/** Its callers would not complain: else an alert that fires is right, and the part says nothing of false ones. */
export const isHealthy = ({
  p95Ms,
  wrong,
  unanswered,
  requests,
}: Pick<ReturnType<typeof figuresOf>, 'p95Ms' | 'wrong' | 'unanswered' | 'requests'>): boolean =>
  p95Ms !== null && p95Ms < 1000 && wrong + unanswered < 0.01 * requests;

export async function quiet(seconds: number, { call, scratch, signal, tell }: Measuring) {
  try {
    for (const side of SIDES) {
      tell(`deploying into ${namespaceOf(side)}`);
      await emptyNamespace(namespaceOf(side));
      await deploy(namespaceOf(side), MORE[side]);
    }
    const monitors = {
      idle: await monitorsOf(namespaceOf('idle')),
      loaded: await monitorsOf(namespaceOf('loaded')),
    };
    const watched = Object.fromEntries(SIDES.map((side) => [namespaceOf(side), monitors[side]]));
    const prometheus = await startWatching(watched);
    try {
      await sleep(SETTLE_MS, undefined, { signal });
      tell(`watching for ${String(seconds)} s, with load on one of the two`);
      const fromMs = Date.now();
      const { record: run } = await call<RunRecord>(
        existing(
          namespaceOf('loaded'),
          ...['--workload', WORKLOAD, '--rate', String(RATE_PER_SECOND), '--warmup', '10s'],
          ...['--duration', `${String(seconds)}s`, '--out', scratch],
        ),
      );
      const time = { fromMs, toMs: Date.now() };
      const seen = async (side: (typeof SIDES)[number]) => {
        const namespace = namespaceOf(side);
        const { groups } = monitors[side];
        return {
          scraped: await scraped(prometheus.url, namespace, time),
          alerts: await alertsWithin(prometheus.url, { namespace, groups, ...time }),
        };
      };
      const figures = figuresOf(run);
      return {
        startedAt: new Date(fromMs).toISOString(),
        watchedSeconds: Math.round((time.toMs - fromMs) / 1000),
        machine: run.machine,
        versions: { ...run.versions, prometheus: prometheus.version },
        healthy: isHealthy(figures),
        namesContainers: await namesContainers(prometheus.url, namespaceOf('loaded'), time),
        load: { workload: WORKLOAD, plannedPerSecond: RATE_PER_SECOND, ...figures },
        idle: await seen('idle'),
        loaded: await seen('loaded'),
      };
    } finally {
      await prometheus.stop();
    }
  } finally {
    await Promise.all(SIDES.map((side) => removeNamespace(namespaceOf(side))));
  }
}
