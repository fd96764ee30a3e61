// The alerts of the chart on a real cluster, as a real Prometheus there evaluates them: none may fire on an idle and on a
// healthy loaded release, and faults must make theirs fire.
//
//   make build cluster-up && lab/install.sh watchers
//   lab/cluster/cluster exec ./n8n-tuned study alerts --keep
//
// `npm run generate` writes monitoring/alerts/README.md from the records.
import { loadavg } from 'node:os';
import type { Part, PartMeasured, Study } from '../../cli/src/features/study/study';
import { whyNoCluster } from '../up';
import type { AlertSeen } from './alerts';
import { watchFault } from './fault';
import { FAULTS, type FaultPart } from './faults';
import { quiet } from './quiet';

type AlertsPart = FaultPart | (Part & { kind: 'quiet' });

const QUIET = 'quiet';
const QUIET_SECONDS = 1800;
const QUIET_SECONDS_SHORT = 120;
const LOOK_EVERY_MS = 15_000;

/** What is seen, with how much the machine had to do meanwhile. */
async function withLoadAverage<Seen extends object>(watch: () => Promise<Seen>) {
  const now = (): number => loadavg()[0] ?? 0;
  const averages = [now()];
  const timer = setInterval(() => averages.push(now()), LOOK_EVERY_MS).unref();
  try {
    const seen = await watch();
    const sorted = averages.toSorted((a, b) => a - b);
    const loadAverage = { median: sorted[Math.floor(sorted.length / 2)], max: sorted.at(-1) };
    return { ...seen, loadAverage };
  } finally {
    clearInterval(timer);
  }
}

const told = ({ alerts }: { alerts: readonly AlertSeen[] }): string =>
  alerts
    .flatMap(({ alert, pending, firing }) => {
      if (firing !== null) return [`${alert} fires after ${String(firing.afterSeconds)} s`];
      if (pending === null) return [];
      return [`${alert} pending after ${String(pending.afterSeconds)} s`];
    })
    .join(', ') || 'none pending, none fires';

export default {
  parts: [{ kind: 'quiet', name: QUIET, seconds: QUIET_SECONDS + 300 }, ...FAULTS],
  whyNot: whyNoCluster,
  isDone({ name }, records) {
    const seen = records.read(name) as { healthy?: boolean; namesContainers?: boolean } | undefined;
    // A release that was not healthy, or without a sight of containers, is watched again.
    if (name === QUIET) return seen?.healthy === true && seen.namesContainers === true;
    return seen !== undefined;
  },
  async measured(part, measuring): Promise<PartMeasured> {
    if (part.kind === 'fault') {
      const record = await withLoadAverage(() => watchFault(part, measuring));
      return { record, sentence: told(record) };
    }
    const seconds = measuring.isShort ? QUIET_SECONDS_SHORT : QUIET_SECONDS;
    const record = await withLoadAverage(() => quiet(seconds, measuring));
    const state = record.healthy ? '' : '; the loaded release was not healthy: measure it again';
    return {
      record,
      sentence: `idle: ${told(record.idle)}; loaded: ${told(record.loaded)}${state}`,
    };
  },
} satisfies Study<AlertsPart>;
