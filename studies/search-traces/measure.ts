// How a real n8n answers around its capacity, request by request: what the search is tuned on.
// A cold closed loop (warm-up, and about how much it does), a staircase of an open loop, a closed loop again (drift).
import type { Part, Study } from '../../cli/src/features/study/study';
import { withN8n } from '../up';
import { baseline, closedLoop, openLoop, untilIdle, type Target } from './generator';

const CLIENTS = 8;
const COLD_SECONDS = 40;
const STEP_SECONDS = 25;
const LAST_SECONDS = 15;
/** Steps of the staircase as shares of what the closed loop did when warm. */
const STEPS = [0.5, 0.7, 0.8, 0.85, 0.9, 0.95, 1, 1.05];

const WORKLOADS = {
  'last-node': {
    path: '/webhook/load-last-node',
    isExpected: (body: unknown) => 'headers' in (body as object),
  },
  items: {
    path: '/webhook/load-items',
    isExpected: (body: unknown) => (body as unknown[]).length === 100,
  },
  expressions: {
    path: '/webhook/load-expressions',
    isExpected: (body: unknown) => (body as { sum: number }).sum === 15,
  },
};
const MODES = { regular: [], queue: ['--mode', 'queue', '--workers', '1'] };

interface Trace extends Part {
  workload: keyof typeof WORKLOADS;
  mode: keyof typeof MODES;
}

const parts: Trace[] = (
  [
    ['last-node', 'regular'],
    ['items', 'regular'],
    ['items', 'queue'],
  ] as const
).map(([workload, mode]) => ({ name: `${workload}-${mode}`, seconds: 360, workload, mode }));

function targetOf(baseUrl: string, { workload }: Trace): Target {
  const { path, isExpected } = WORKLOADS[workload];
  return {
    url: `${baseUrl}${path}`,
    isExpected: (body) => {
      try {
        return isExpected(JSON.parse(body));
      } catch {
        return false;
      }
    },
  };
}

export default {
  parts,
  async measured(part, measuring) {
    const { isShort, signal, tell } = measuring;
    const seconds = (whole: number): number => (isShort ? whole / 10 : whole);
    const words = ['--workload', part.workload, ...MODES[part.mode]];
    return withN8n(measuring, { name: `search-trace-${part.name}`, words }, async (up) => {
      const target = targetOf(up.baseUrl, part);
      const coldSeconds = seconds(COLD_SECONDS);
      const cold = await closedLoop(target, { clients: CLIENTS, seconds: coldSeconds });
      const warm = cold.answeredAtMs.filter((at) => at >= 500 * coldSeconds).length;
      const perSecond = warm / (coldSeconds / 2);
      const baselineMs = await baseline(target);
      tell(
        `${perSecond.toFixed(1)}/s with ${String(CLIENTS)} clients, ${baselineMs.toFixed(1)} ms alone`,
      );
      const steps: object[] = [];
      for (const share of isShort ? STEPS.slice(0, 2) : STEPS) {
        signal.throwIfAborted();
        const rested = await untilIdle(target, baselineMs);
        const ratePerSecond = Number((share * perSecond).toPrecision(3));
        const step = await openLoop(target, { ratePerSecond, seconds: seconds(STEP_SECONDS) });
        steps.push({ rested, ...step });
        const inOrder = step.latencyMs.filter((ms) => ms !== null).sort((a, b) => a - b);
        const p95 = inOrder[Math.ceil(0.95 * inOrder.length) - 1] ?? NaN;
        const missing = step.latencyMs.length - inOrder.length;
        tell(
          `${String(ratePerSecond)}/s: p95 ${String(p95)} ms, ${String(missing)} without the expected response`,
        );
      }
      await untilIdle(target, baselineMs);
      const last = await closedLoop(target, { clients: CLIENTS, seconds: seconds(LAST_SECONDS) });
      return {
        record: { versions: up.versions, baselineMs, cold, steps, last },
        sentence: `${String(steps.length)} steps around ${perSecond.toFixed(1)}/s`,
      };
    });
  },
} satisfies Study<Trace>;
