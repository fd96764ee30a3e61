/** One pass over an n8n, with or without its queue. */
import { setTimeout as sleep } from 'node:timers/promises';
import { N8nApi } from '../../targets/url/api';
import { Failure, messageOf, Mistake } from '../../ui/errors';
import { formatNumber } from '../../ui/numbers';
import { versionToldIn } from '../../ui/versions';
import { within } from '../../ui/within';
import { RecoveryApi, refuseOlder } from './n8n';
import { BrokenPass, pass, type PassOrder, type PassReport, type Tell } from './pass';
import type { RecoveryQueue } from './queue';
import { keptStalled, lagIn, saidAtStart, type SeenMetrics } from './saves';

export interface OnceOrder extends Omit<PassOrder, 'workflows' | 'sinceMs'> {
  url: string;
  apiKey: string;
  /** That allows a workflow to run twice. */
  tag: string;
  /** Executions that began longer ago are left alone. */
  withinMs: number;
  /** So long a retry is waited for. */
  patienceMs: number;
  /** Processes of n8n that show their metrics, besides the one at `url`. */
  metrics: readonly { url: string; isWorker: boolean }[];
}

const METRICS_WITHIN_MS = 5000;

/** What they show, asked at once. */
async function metricsOf(
  { url, metrics }: Pick<OnceOrder, 'url' | 'metrics'>,
  signal: AbortSignal,
): Promise<SeenMetrics[]> {
  const all = [{ url: `${url}/metrics`, isWorker: false }, ...metrics];
  return Promise.all(
    all.map(async (each) => {
      const text = await within(METRICS_WITHIN_MS, signal, async (ending) => {
        const response = await fetch(each.url, { signal: ending });
        return response.ok ? response.text() : null;
      }).catch(() => null);
      // A page of a proxy says nothing of n8n.
      return { ...each, text: text !== null && /^# HELP \w/m.test(text) ? text : null };
    }),
  );
}

/** How long a mark of a finished execution stays in Redis (running-work.cjs). */
const MARKED_MS = 7 * 24 * 3_600_000;

/** How old an execution is, is told by both clocks. */
const MAX_AHEAD_MS = 10_000;

function refuseWrongClock(aheadMs: number | null): void {
  if (aheadMs === null || Math.abs(aheadMs) <= MAX_AHEAD_MS) return;
  const seconds = formatNumber(Math.abs(aheadMs) / 1000);
  throw new Failure(
    `the clock of n8n is ${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} the clock of this machine, so the age of executions is unknown: correct both clocks.`,
  );
}

/**
 * Null: another recovery works. `openQueue` is given what is to be called when the lead is lost. `signal` ends it at once:
 * n8n goes on with the retries under way, and the next pass sees what became of them.
 */
export async function recoverOnce(
  order: OnceOrder,
  openQueue: ((onLost: () => void) => Promise<RecoveryQueue>) | null,
  tell: Tell,
  signal: AbortSignal,
): Promise<PassReport | null> {
  if (openQueue !== null && order.withinMs > MARKED_MS) {
    throw new Mistake(
      `recovery in queue mode looks back at most ${formatNumber(MARKED_MS / 3_600_000)} hours, because workers mark finished executions for as long: set a shorter --since (recovery.sinceHours).`,
    );
  }
  const n8n = new N8nApi(order.url, order.apiKey, signal);
  const api = new RecoveryApi(n8n);
  let seen = await metricsOf(order, signal);
  const [version] = seen.flatMap(({ text }) => versionToldIn(text ?? '') ?? []);
  if (version !== undefined) refuseOlder(version);
  const leading = new AbortController();
  const onLost = (): void => {
    leading.abort(new Failure('another recovery took over, or Redis could not be reached'));
  };
  const queue = openQueue === null ? null : await openQueue(onLost);
  try {
    if (order.retries && queue !== null && !(await queue.lead())) return null;
    for (const text of saidAtStart(order.saves, queue !== null)) tell(text);
    // In regular mode there is no job that stalls.
    const kept = queue === null ? null : keptStalled(seen);
    if (kept !== null) tell(kept.text);
    const ending = AbortSignal.any([signal, leading.signal]);
    const workflows = await api.workflowsTagged(order.tag);
    refuseWrongClock(n8n.clockAheadMs);
    if (workflows.length === 0) {
      tell(
        `no workflow visible to this API key has the tag '${order.tag}': nothing may be retried`,
      );
    }
    const count = async (report: PassReport): Promise<void> => {
      if (!order.retries) return;
      await queue?.count(report, Date.now()).catch((error: unknown) => {
        tell(`the counts of this pass could not be stored for the exporter: ${messageOf(error)}`);
      });
    };
    const report = await pass(
      {
        nowMs: () => Date.now(),
        executionsOf: api.executionsOf.bind(api),
        execution: api.execution.bind(api),
        newestOf: api.newestOf.bind(api),
        stored: api.stored.bind(api),
        retry: (id) => api.retry(id, order.patienceMs),
        queued: queue === null ? null : () => queue.queued(),
        work: queue,
        settled:
          queue === null
            ? null
            : {
                known: () => queue.settled(),
                keep: (keys) => queue.keepSettled(keys, Date.now()),
              },
        // A worker may have been started since without it.
        isWorkTold: () => keptStalled(seen).state === 'in force',
        lagSeconds: async () => {
          seen = await metricsOf(order, ending);
          return lagIn(seen);
        },
        wait: (ms) => sleep(ms, undefined, { signal: ending }).catch(() => undefined),
      },
      { ...order, workflows, sinceMs: Date.now() - order.withinMs },
      tell,
      ending,
    ).catch(async (error: unknown) => {
      if (!(error instanceof BrokenPass)) throw error;
      await count(error.report);
      throw error.cause;
    });
    await count(report);
    return { ...report, keptStalled: kept };
  } finally {
    await queue?.end();
  }
}
