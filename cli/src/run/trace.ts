import { setTimeout as sleep } from 'node:timers/promises';
import type { TracedExecutions } from '../analysis/traced-execution';
import type { ExecutionCounts } from '../record/run-record';
import type { ExecutionTrace } from '../targets/target';
import type { Progress } from '../ui/progress';
import { messageOf } from '../ui/exit';

/** The rest of a run must not wait longer for it, unless it is told to. */
const READ_WITHIN_MS = 30_000;
const LOOK_EVERY_MS = 1000;

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
  /** For one reading of them all; at least as long as usual. */
  readWithinMs?: number;
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
  let readSinceMs = 0;
  try {
    const giveUpMs = performance.now() + order.drainMs;
    for (;;) {
      readSinceMs = performance.now();
      const seen = await trace.read(order.runId, withinMs);
      const open = seen.executions.some(
        ({ loadId, retryFor, outcome }) =>
          (loadId !== null || retryFor !== undefined) && outcome === 'unfinished',
      );
      const waits = order.executions === null && open && performance.now() < giveUpMs;
      if (!waits || signal.aborted) return { source: trace.source, ...seen };
      await sleep(LOOK_EVERY_MS);
    }
  } catch (error) {
    // A database that is cut short says so in words of its own.
    const why =
      performance.now() - readSinceMs >= withinMs
        ? `it would have taken more than ${String(withinMs / 1000)} s`
        : messageOf(error);
    return { skipped: `the executions could not be read: ${why}` };
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
