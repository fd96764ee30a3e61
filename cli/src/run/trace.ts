import { setTimeout as sleep } from 'node:timers/promises';
import type { TracedExecutions } from '../analysis/traced-execution';
import type { ExecutionCounts } from '../record/run-record';
import type { ExecutionTrace } from '../targets/target';
import type { Progress } from '../ui/progress';
import { messageOf } from '../ui/exit';

/** The rest of a run must not wait longer for it, unless it is told to. */
const READ_WITHIN_MS = 30_000;
const LOOK_EVERY_MS = 1000;
/** A database under load refuses one reading and takes the next; a whole drill hangs on it. */
const TRIES = 3;
const TRY_AGAIN_MS = 5000;

export interface TraceOrder {
  runId: string;
  requests: number;
  /** Requests that got the expected response. */
  expected: number;
  /** Whether each request is still at hand to be matched. */
  areKept: boolean;
  /** Executions that n8n counted for this run; null if they could not be read or awaited. */
  executions: ExecutionCounts | null;
  /** Null where it is not known. */
  executionsPerRequest: number | null;
  /** For executions that have not ended, where nobody has waited for them. */
  drainMs: number;
  /** For one reading of them all, for which a failed one is tried again; left out: one reading of 30 s. */
  readWithinMs?: number;
  /** After a reading that failed; left out: 5 s. */
  tryAgainMs?: number;
}

/** The executions of a run one by one, at a bounded cost. */
export async function readTrace(
  trace: ExecutionTrace | null,
  order: TraceOrder,
  progress: Progress,
  signal: AbortSignal,
): Promise<TracedExecutions> {
  if (trace === null) return { skipped: 'the executions of n8n could not be read' };
  if (signal.aborted) return { skipped: 'the run was interrupted' };
  const { requests: count, areKept } = order;
  const withinMs = Math.max(READ_WITHIN_MS, order.readWithinMs ?? 0);
  if (count > trace.affordable && countsAgree(order)) {
    return {
      skipped: `there were ${String(count)} requests, which is more than ${String(trace.affordable)}, and n8n counted the expected number of executions`,
    };
  }
  if (!areKept) {
    return {
      skipped: `there were ${String(count)} requests, which is too many to match one by one`,
    };
  }
  progress('matching requests and executions');
  const giveUpMs = performance.now() + order.drainMs;
  for (let failures = 0; ;) {
    const readSinceMs = performance.now();
    try {
      const seen = await trace.read(order.runId, withinMs);
      const open = seen.executions.some(
        ({ loadId, retryFor, outcome }) =>
          (loadId !== null || retryFor !== undefined) && outcome === 'unfinished',
      );
      const waits = order.executions === null && open && performance.now() < giveUpMs;
      if (!waits || signal.aborted) return { source: trace.source, ...seen };
      await sleep(LOOK_EVERY_MS);
    } catch (error) {
      failures += 1;
      const tries = order.readWithinMs === undefined ? 1 : TRIES;
      if (failures < tries && !signal.aborted) {
        await sleep(order.tryAgainMs ?? TRY_AGAIN_MS);
        continue;
      }
      // A database that is cut short says so in words of its own.
      const why =
        performance.now() - readSinceMs >= withinMs
          ? `it would have taken more than ${String(withinMs / 1000)} s`
          : messageOf(error);
      return { skipped: `the executions could not be read: ${why}` };
    }
  }
}

function countsAgree({
  requests,
  expected,
  executions,
  executionsPerRequest,
}: TraceOrder): boolean {
  if (executions === null || executionsPerRequest === null) return false;
  const { succeeded, failed, unfinished } = executions;
  return (
    succeeded === expected * executionsPerRequest &&
    succeeded + failed + unfinished === requests * executionsPerRequest
  );
}
