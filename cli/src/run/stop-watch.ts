/** Looks once a second, while there is a load, at what is to end it. */
import { holds } from '../../../loadtests/lib/condition';
import { setTimeout as sleep } from 'node:timers/promises';
import { metricIn, StopRule, type StopLook } from './analysis/stop-rule';
import { parseStopIf, type StopCondition } from '../plan/stop-if';
import type { MetricsEndpoint } from '../targets/target';
import { messageOf, Mistake } from '../ui/exit';
import { within } from '../ui/within';

const EVERY_MS = 1000;
const ANSWER_WITHIN_MS = 3000;
/** One that is bad before any load is looked at again: it may have been chance. */
const LOOKS_BEFORE = 3;

export interface Watched {
  conditions: readonly StopCondition[];
  metrics: readonly MetricsEndpoint[];
}

/** n8n's own health check; null, and said, where it does not work before the load. */
export async function healthCondition(
  baseUrl: string,
  unhealthySeconds: number,
  warn: (text: string) => void,
  signal: AbortSignal,
): Promise<StopCondition | null> {
  const url = `${baseUrl}/healthz`;
  const condition = parseStopIf(`${url} fails for ${String(unhealthySeconds)}s`);
  const bad = await lookBefore({ condition, metrics: [] }, signal);
  if (bad === null) return condition;
  warn(
    `${url} fails already before the load (${bad}), so it cannot show that n8n fails during the load: add --stop-if with another condition, or --stop-if never.`,
  );
  return null;
}

/** Rejects where one of the user's is true before there is any load, or cannot be looked at. */
export async function refuseAlreadyTrue(
  { conditions, metrics }: Watched,
  signal: AbortSignal,
): Promise<void> {
  for (const condition of conditions) {
    const bad = await lookBefore({ condition, metrics }, signal);
    if (bad === null) continue;
    signal.throwIfAborted();
    throw new Mistake(
      `--stop-if '${condition.text}' would end the load before it begins: ${bad}; no load was generated.`,
    );
  }
}

/** Calls `stop` once, with the reason; what it returns ends the looks. */
export function watchFor(
  { conditions, metrics }: Watched,
  stop: (why: string) => void,
): () => void {
  const ending = new AbortController();
  const watch = async (condition: StopCondition): Promise<void> => {
    const rule = new StopRule(condition);
    while (!ending.signal.aborted) {
      const beganMs = performance.now();
      const bad = await look({ condition, metrics }, ending.signal);
      if (ending.signal.aborted) return;
      const seen: StopLook = {
        beganMs,
        endedMs: performance.now(),
        bad: bad === UNKNOWN ? null : bad,
      };
      const why = bad === UNKNOWN ? null : rule.see(seen);
      if (why !== null) {
        ending.abort();
        stop(why);
        return;
      }
      const restMs = Math.max(0, beganMs + EVERY_MS - performance.now());
      await sleep(restMs, undefined, { signal: ending.signal }).catch(() => undefined);
    }
  };
  for (const condition of conditions) void watch(condition);
  return () => {
    ending.abort();
  };
}

/** The value of a metric that was not served, which is neither within nor beyond its bound. */
const UNKNOWN = Symbol('unknown');

interface Looked {
  condition: StopCondition;
  metrics: readonly MetricsEndpoint[];
}

async function lookBefore(looked: Looked, signal: AbortSignal): Promise<string | null> {
  for (let left = LOOKS_BEFORE; ; left -= 1) {
    const bad = await look(looked, signal);
    if (bad === null || signal.aborted) return null;
    const { condition } = looked;
    if (left > 1) await sleep(EVERY_MS, undefined, { signal }).catch(() => undefined);
    else if (bad !== UNKNOWN) return bad;
    else
      return `the metric ${condition.kind === 'metric' ? condition.metric : ''} is not available`;
  }
}

function look(
  { condition, metrics }: Looked,
  signal: AbortSignal,
): Promise<string | null | typeof UNKNOWN> {
  return condition.kind === 'metric'
    ? lookAtMetric(condition, metrics, signal)
    : lookAtUrl(condition, signal);
}

async function lookAtUrl(
  { method, url }: { method: string; url: string },
  signal: AbortSignal,
): Promise<string | null> {
  try {
    const status = await within(ANSWER_WITHIN_MS, signal, async (patience) => {
      const reply = await fetch(url, { method, redirect: 'manual', signal: patience });
      await reply.body?.cancel();
      return reply.status;
    });
    return status < 400 ? null : `status ${String(status)}`;
  } catch (error) {
    const { cause } = error as Error;
    return messageOf(cause instanceof Error ? cause : error);
  }
}

async function lookAtMetric(
  condition: StopCondition & { kind: 'metric' },
  metrics: readonly MetricsEndpoint[],
  signal: AbortSignal,
): Promise<string | null | typeof UNKNOWN> {
  const texts = await Promise.all(
    metrics.map(({ url, read }) =>
      within(ANSWER_WITHIN_MS, signal, async (patience) =>
        read === undefined ? (await fetch(url, { signal: patience })).text() : read(),
      ).catch(() => ''),
    ),
  );
  const which = condition.operator.startsWith('>') ? 'highest' : 'lowest';
  const value = metricIn(texts, condition.metric, which);
  if (value === null) return UNKNOWN;
  return holds(value, condition) ? `it is ${String(value)}` : null;
}
