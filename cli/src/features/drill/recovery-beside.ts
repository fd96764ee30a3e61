/** Recovery beside a drill, as the chart runs it beside n8n: one pass after the other, until nothing is left to retry. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { DrillRecovery } from './record';
import { recoverOnce, type OnceOrder } from '../recover/once';
import type { PassReport } from '../recover/pass';
import { LAZY, openQueue } from '../recover/queue';
import { NOTHING_KNOWN } from '../recover/saves';
import type { Running } from '../../targets/target';
import { N8nApi, type N8nRequests } from '../../targets/url/api';
import { newOwnersKey } from '../../targets/url/owner';
import { Failure } from '../../ui/exit';

const TAG = 'recover';
const SCOPES = [
  ...['execution:list', 'execution:read', 'execution:retry', 'workflow:list'],
  ...['tag:create', 'workflowTags:update'],
];
/**
 * Default age. It exceeds the time for which a drill stops a store: accepted work is queued once the store is back,
 * and must not be taken for lost. The chart's default of 180 s would only make a drill longer.
 */
export const AGE_SECONDS = 60;
export const EVERY_SECONDS = 10;
const PATIENCE_SECONDS = 120;
const ATTEMPTS = 3;
const AT_ONCE = 2;
const STOP_AFTER = 3;
const SINCE_HOURS = 24;

/** Variables that the chart gives its own job. */
const variablesOf = (ageSeconds: number): Record<string, string> =>
  Object.fromEntries(
    Object.entries({
      ...{ RECOVERY_RETRY: true, RECOVERY_TAG: TAG, RECOVERY_ATTEMPTS: ATTEMPTS },
      ...{ RECOVERY_AT_ONCE: AT_ONCE, RECOVERY_STOP_AFTER: STOP_AFTER },
      ...{ RECOVERY_AGE_SECONDS: ageSeconds, RECOVERY_BACK_OFF_SECONDS: EVERY_SECONDS },
      ...{ RECOVERY_SINCE_HOURS: SINCE_HOURS, RECOVERY_PATIENCE_SECONDS: PATIENCE_SECONDS },
    }).map(([name, value]) => [name, String(value)]),
  );

/** What can be asked of a pass, so that a test needs no n8n. */
export type OnePass = (signal: AbortSignal) => Promise<PassReport | null>;

/** Null: nobody counts the executions that have not ended. */
export type Unfinished = () => Promise<number | null>;

/** Passes from now on, and after the load until nothing is left that a pass would retry, or its time is over. */
export class RecoveryBeside {
  private readonly seen = { passes: 0, failedPasses: 0, attempts: {} as Record<string, number> };
  private left: PassReport['left'] = [];
  private loadOverMs: number | null = null;
  private isDone = false;
  private readonly ending = new AbortController();
  private readonly going: Promise<void>;

  constructor(
    private readonly onePass: OnePass,
    private readonly unfinished: Unfinished,
    private readonly everyMs = 1000 * EVERY_SECONDS,
    private readonly ageMs = 1000 * AGE_SECONDS,
  ) {
    this.going = this.go();
  }

  /** Waits as long as `withinMs` for what is left, and no longer than until `signal` fires. */
  async end(withinMs: number, signal?: AbortSignal): Promise<DrillRecovery> {
    const fromMs = performance.now();
    this.loadOverMs = fromMs;
    const isOver = (): boolean =>
      this.isDone ||
      this.ending.signal.aborted ||
      signal?.aborted === true ||
      performance.now() - fromMs >= withinMs;
    while (!isOver()) await sleep(Math.min(1000, this.everyMs));
    await this.stop();
    const { failedPasses, attempts } = this.seen;
    return {
      ...{ ageSeconds: this.ageMs / 1000, everySeconds: this.everyMs / 1000 },
      ...{ passes: this.seen.passes, failedPasses, attempts },
      left: countsOf(this.left.map(({ reason }) => reason)),
    };
  }

  /** At once, also where a drill was broken off. Safe to call twice. */
  async stop(): Promise<void> {
    this.ending.abort();
    await this.going;
  }

  /**
   * Whether a pass that begins now sees all that n8n fails: nothing is at work any more, or has been for longer than the
   * age that a pass waits for. An earlier pass may have seen what n8n failed while it was under way.
   */
  private async hasAllFailed(): Promise<boolean> {
    if (this.loadOverMs === null) return false;
    if (performance.now() - this.loadOverMs >= this.ageMs) return true;
    return (await this.unfinished().catch(() => null)) === 0;
  }

  private async go(): Promise<void> {
    const { signal } = this.ending;
    while (!signal.aborted) {
      await sleep(this.everyMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      try {
        const seesAll = await this.hasAllFailed();
        const report = await this.onePass(signal);
        this.isDone = seesAll && isQuiet(report);
        this.seen.passes += 1;
        this.left = report?.left ?? [];
        for (const { outcome } of report?.attempts ?? []) {
          this.seen.attempts[outcome] = (this.seen.attempts[outcome] ?? 0) + 1;
        }
      } catch {
        // n8n or Redis may be what the drill has taken away; the next pass is the next try.
        this.seen.failedPasses += 1;
      }
    }
  }
}

const isQuiet = (report: PassReport | null): boolean =>
  report !== null &&
  report.due.length === 0 &&
  report.attempts.length === 0 &&
  report.left.every(({ isFinal }) => isFinal);

const countsOf = (texts: readonly string[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const text of texts) counts[text] = (counts[text] ?? 0) + 1;
  return counts;
};

/**
 * Recovers an n8n in queue mode that the command has started; its workflows may run twice from now on. Executions younger than `ageSeconds` are left alone.
 */
export async function recoveryBeside(
  running: Running,
  ageSeconds = AGE_SECONDS,
): Promise<RecoveryBeside> {
  const inside = await running.drillAccess?.recovery?.(SCOPES);
  const unfinished = async (): Promise<number | null> =>
    (await running.executions())?.unfinished ?? null;
  if (inside !== undefined) {
    await tagAll(inside.api);
    return new RecoveryBeside(
      async (signal) => (await inside.pass(variablesOf(ageSeconds), signal)) as PassReport,
      unfinished,
      1000 * EVERY_SECONDS,
      1000 * ageSeconds,
    );
  }
  const { baseUrl, redis, owner } = running;
  if (redis === null) throw new Failure('recovery requires access to the Redis of the queue');
  if (owner === undefined) throw new Failure('recovery requires the owner account of n8n');
  const apiKey = await newOwnersKey(baseUrl, owner, SCOPES);
  await tagAll(new N8nApi(baseUrl, apiKey));
  const order: Omit<OnceOrder, 'metrics'> = {
    ...{ url: baseUrl, apiKey, tag: TAG, retries: true, withinMs: SINCE_HOURS * 3_600_000 },
    rules: {
      ...{ maxAttempts: ATTEMPTS, minAgeMs: 1000 * ageSeconds, backOffMs: 1000 * EVERY_SECONDS },
    },
    saves: NOTHING_KNOWN,
    ...{ patienceMs: 1000 * PATIENCE_SECONDS, atOnce: AT_ONCE, stopAfterLost: STOP_AFTER },
  };
  return new RecoveryBeside(
    (signal) =>
      recoverOnce(
        // Asked anew: what was killed meanwhile has been replaced.
        { ...order, metrics: metricsIn(running) },
        (onLost) => openQueue(new Redis(redis.url, LAZY), redis.prefix, onLost),
        () => undefined,
        signal,
      ),
    unfinished,
    1000 * EVERY_SECONDS,
    1000 * ageSeconds,
  );
}

/** Processes of n8n that run now, besides main, which is asked at its own URL. One that was killed tells nothing. */
export function metricsIn({
  metrics,
  processes,
}: Pick<Running, 'metrics' | 'processes'>): OnceOrder['metrics'] {
  const running = new Set(processes().map(({ instance }) => instance));
  return metrics
    .filter(({ role, instance }) => role !== 'main' && running.has(instance))
    .map(({ role, url }) => ({ url, isWorker: role === 'worker' }));
}

async function tagAll(api: N8nRequests): Promise<void> {
  const { id } = await api.ask<{ id: string }>('POST', '/tags', { body: { name: TAG } });
  const { data } = await api.ask<{ data: { id: string }[] }>('GET', '/workflows');
  for (const workflow of data) {
    await api.ask('PUT', `/workflows/${workflow.id}/tags`, { body: [{ id }] });
  }
}
