/** The executions that n8n counts: before the load, and after it until none is left. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ExecutionCounts } from '../record/run-record';
import type { Running } from '../targets/target';
import { messageOf } from '../ui/exit';
import { counted } from '../ui/numbers';
import type { Progress } from '../ui/progress';
import { steadyClock } from '../ui/within';
import type { Observations } from './samples';

const LOOK_EVERY_MS = 500;
/** A question that failed is asked again: one of a busy machine would cost the run all its counts. */
const TRIES = 3;
/** n8n counts an execution a moment after it has ended. */
const COUNTED_WITHIN_MS = 5_000;

export type Count = () => Promise<ExecutionCounts | null>;

/** A database that is away costs the run its counts, not its record; each failure is told once. */
export function counter(running: Running, seen: Observations): Count {
  const told = new Set<string>();
  const count = (triesLeft: number): Promise<ExecutionCounts | null> =>
    running.executions().catch(async (error: unknown) => {
      if (triesLeft > 1) {
        await sleep(LOOK_EVERY_MS);
        return count(triesLeft - 1);
      }
      const text = `executions cannot be counted: ${messageOf(error)}`;
      if (!told.has(text)) seen.event({ kind: 'executions', text });
      told.add(text);
      return null;
    });
  return () => count(TRIES);
}

/** What ready() asked must not be counted as the load's, and may still run where the response comes at once. */
export async function settledExecutions(
  count: Count,
  withinMs: number,
  signal: AbortSignal,
): Promise<ExecutionCounts | null> {
  const giveUpMs = performance.now() + withinMs;
  for (;;) {
    const counts = await count();
    if (counts === null || counts.unfinished === 0) return counts;
    if (signal.aborted || performance.now() >= giveUpMs) return counts;
    await sleep(LOOK_EVERY_MS);
  }
}

export interface Draining {
  /** Executions, as the responses promise them. */
  expected: number;
  loadEndedAtMs: number;
  drainMs: number;
}

export interface Drained {
  seconds: number | null;
  executions: ExecutionCounts | null;
}

/** Waits until n8n has finished what it was given; `seconds` is null when it did not in time. */
export async function drain(
  count: Count,
  before: ExecutionCounts | null,
  { expected, loadEndedAtMs, drainMs }: Draining,
  progress: Progress,
  signal: AbortSignal,
): Promise<Drained> {
  const nowMs = steadyClock();
  const giveUpMs = nowMs() + drainMs;
  let overAtMs: number | null = null;
  for (;;) {
    const counts = await count();
    if (before === null) return { seconds: null, executions: null };
    if (counts === null) {
      // They were counted before the load: the database may come back.
      if (signal.aborted || nowMs() >= giveUpMs) return { seconds: null, executions: null };
      await sleep(LOOK_EVERY_MS);
      continue;
    }
    const executions = {
      ...counts,
      succeeded: counts.succeeded - before.succeeded,
      failed: counts.failed - before.failed,
    };
    if (counts.unfinished === 0) overAtMs ??= nowMs();
    else overAtMs = null;
    const all = executions.succeeded + executions.failed >= expected;
    const settled = overAtMs !== null && (all || nowMs() >= overAtMs + COUNTED_WITHIN_MS);
    if (settled || signal.aborted || nowMs() >= giveUpMs) {
      const seconds = overAtMs === null ? null : (overAtMs - loadEndedAtMs) / 1000;
      return { seconds: seconds === null ? null : Math.max(0, seconds), executions };
    }
    progress(`waiting for n8n to finish ${counted(counts.unfinished, 'execution')}`);
    await sleep(LOOK_EVERY_MS);
  }
}
