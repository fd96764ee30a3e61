/** Which due times of a schedule were executed once, more than once or never, by what its workflow did outside n8n. */
import type { DrillSchedule, NamedTimes } from '../record';
import type { Effect } from '../../../analysis/effects';

/** With when it was due, in milliseconds since 1970, as the node Schedule Trigger passes it on. */
const DUE = /^due-(\d+)$/;
/** A timer may fire a moment before it is due. */
const EARLY_MS = 100;
/** Number of ids in a record. */
const NAMED = 20;

export interface DueWindow {
  everySeconds: number;
  /** Milliseconds since 1970; due times from here on, and before the next. */
  fromMs: number;
  toMs: number;
}

/** An execution that began late by more than a period counts for the due time that it came after. */
export function dueTimes(
  effects: readonly Effect[],
  { everySeconds, fromMs, toMs }: DueWindow,
): DrillSchedule {
  const everyMs = 1000 * everySeconds;
  const times = new Map<number, number>();
  for (const { id, step } of effects) {
    const dueMs = Number(DUE.exec(id)?.[1] ?? Number.NaN);
    if (step !== 'done' || Number.isNaN(dueMs)) continue;
    const turn = Math.floor((dueMs + EARLY_MS) / everyMs);
    times.set(turn, (times.get(turn) ?? 0) + 1);
  }
  const first = Math.ceil(fromMs / everyMs);
  const due = Math.max(0, Math.ceil(toMs / everyMs) - first);
  const turns = Array.from({ length: due }, (_, index) => first + index);
  const named = (is: (count: number) => boolean): NamedTimes => {
    const found = turns.filter((turn) => is(times.get(turn) ?? 0));
    return {
      times: found.length,
      at: found.slice(0, NAMED).map((turn) => new Date(turn * everyMs).toISOString()),
    };
  };
  const never = named((count) => count === 0);
  const repeated = named((count) => count > 1);
  return { everySeconds, due, once: due - never.times - repeated.times, repeated, never };
}
