/** Which lost executions are retried now, and why others are not. Knows no clock and no n8n. */
import {
  hasRunnerDied,
  isBinaryGone,
  isCrash,
  isRead,
  ranToItsEnd,
  type SeenExecution,
  type Stored,
} from '../../../analysis/n8n-execution';

export interface RecoveryRules {
  /** All attempts of each execution. */
  maxAttempts: number;
  /** What is younger may still be about to be queued, or to be failed by n8n itself. */
  minAgeMs: number;
  /** After the first attempt that was lost; twice as long after each further one. */
  backOffMs: number;
}

export interface RecoveryView {
  nowMs: number;
  /** Executions of the allowed workflows only, originals and retries. */
  executions: readonly SeenExecution[];
  /** Those that were looked at, by id. */
  stored: ReadonlyMap<string, Stored>;
  /** Keys (`settledKey`) of executions that an earlier pass has seen to be settled. */
  settled: ReadonlySet<string>;
  /** Executions that have a job in the queue, looked at before `executions`; null: the queue is not known. */
  queued: ReadonlySet<string> | null;
  /** When a worker had run executions to their end, whatever n8n has stored of them, by their ids. */
  done: ReadonlyMap<string, number>;
  /** Whether every worker tells Redis what it runs, so that what is not `queued` runs nowhere. */
  isWorkTold: boolean;
}

export type RecoveryDecision =
  /** Retry it now; it is attempt number `attempt`. */
  | { kind: 'retry'; execution: SeenExecution; attempt: number; next: readonly string[] }
  /** Its data has to be looked at first. */
  | { kind: 'look'; execution: SeenExecution }
  /** Lost, and not retried by this pass; `isFinal`: nor by a later one. */
  | { kind: 'leave'; execution: SeenExecution; reason: string; isFinal: boolean }
  /** Not lost, and not at work either: n8n resumes it. */
  | { kind: 'waiting'; execution: SeenExecution }
  /** Nothing to recover: it failed by itself, is at work, ran to its end, or a retry of it did. */
  | {
      kind: 'fine';
      execution: SeenExecution;
      why: 'failed' | 'at work' | 'done' | 'recovered' | 'settled';
    };

/** One for each execution that is not itself a retry of another, the oldest first. */
export function decide(view: RecoveryView, rules: RecoveryRules): RecoveryDecision[] {
  const { executions } = view;
  const known = new Set(executions.map(({ id }) => id));
  const byOriginal = byOriginalOf(executions);
  // A retry whose original is gone stands for it.
  const roots = executions.filter(({ retryOf }) => retryOf === null || !known.has(retryOf));
  return roots
    .toSorted((a, b) => byAge(a, b))
    .map((root) => decideOne(root, retriesOf(root, byOriginal), view, rules));
}

/** An execution, its retries, retries of those, and so on: all that a decision about it rests on. */
export function withRetries(id: string, executions: readonly SeenExecution[]): SeenExecution[] {
  const root = executions.find((execution) => execution.id === id);
  return root === undefined ? [] : [root, ...retriesOf(root, byOriginalOf(executions))];
}

function byOriginalOf(executions: readonly SeenExecution[]): Map<string, SeenExecution[]> {
  const byOriginal = new Map<string, SeenExecution[]>();
  for (const execution of executions) {
    if (execution.retryOf === null) continue;
    const others = byOriginal.get(execution.retryOf);
    if (others === undefined) byOriginal.set(execution.retryOf, [execution]);
    else others.push(execution);
  }
  return byOriginal;
}

const hasFailed = ({ status }: SeenExecution): boolean =>
  status === 'error' || status === 'crashed';

/** What no later pass has to look at: it has failed, and either by itself, or its work is done. */
export const isSettled = (
  decision: RecoveryDecision,
): decision is Extract<RecoveryDecision, { kind: 'fine' }> =>
  decision.kind === 'fine' && decision.why !== 'at work' && hasFailed(decision.execution);

/** A database that was set up again has other executions under the same ids. */
export const settledKey = ({ id, startedAtMs }: SeenExecution): string =>
  `${id}@${String(startedAtMs)}`;

/** Kept beside it: its data is too large, which no later pass has to ask again. It stays lost. */
export const tooLargeKey = (execution: SeenExecution): string =>
  `${settledKey(execution)}:too large`;

/** n8n has it as open, it would have a job, and it is old enough to have lost it: what has a job decides about it. */
export const mayHaveLostItsJob = (
  execution: SeenExecution,
  nowMs: number,
  { minAgeMs }: RecoveryRules,
): boolean =>
  OPEN.has(execution.status) &&
  HAS_A_JOB.has(execution.mode) &&
  ageMs(execution, nowMs) >= minAgeMs;

/** Retries, retries of those, and so on. */
function retriesOf(
  root: SeenExecution,
  byOriginal: ReadonlyMap<string, SeenExecution[]>,
): SeenExecution[] {
  const found: SeenExecution[] = [];
  const seen = new Set([root.id]);
  const open = [root];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const retry of byOriginal.get(next.id) ?? []) {
      if (seen.has(retry.id)) continue;
      seen.add(retry.id);
      found.push(retry);
      open.push(retry);
    }
  }
  return found;
}

function decideOne(
  execution: SeenExecution,
  retries: readonly SeenExecution[],
  view: RecoveryView,
  rules: RecoveryRules,
): RecoveryDecision {
  const leave = (reason: string, isFinal = false): RecoveryDecision => ({
    ...{ kind: 'leave', execution, reason, isFinal },
  });
  const { nowMs, stored: looked, queued } = view;
  const stored = looked.get(execution.id);
  const { status, retrySuccessId } = execution;
  if (hasFailed(execution) && view.settled.has(settledKey(execution))) {
    return { kind: 'fine', execution, why: 'settled' };
  }
  if (hasFailed(execution) && retrySuccessId !== null) {
    if (stored === undefined) return { kind: 'look', execution };
    // n8n notes such a retry as a success.
    if (isEmptied(stored))
      return leave(`${EMPTIED}; its retry ${retrySuccessId} ran no nodes`, true);
  }
  const all = [execution, ...retries];
  if (all.some((one) => one.status === 'success' || one.retrySuccessId !== null)) {
    return { kind: 'fine', execution, why: 'recovered' };
  }
  if (status === 'canceled') return { kind: 'fine', execution, why: 'failed' };
  if (status === 'waiting') return { kind: 'waiting', execution };

  // n8n may call crashed or failed what a worker still runs, as after a restart of main.
  if (queued?.has(execution.id) === true) return { kind: 'fine', execution, why: 'at work' };

  // A mark that is older is of an execution of another database, which had the same id.
  const isDone = ({ id, startedAtMs }: SeenExecution): boolean =>
    (view.done.get(id) ?? -Infinity) >= (startedAtMs ?? 0);
  if (isDone(execution)) return { kind: 'fine', execution, why: 'done' };
  if (retries.some(isDone)) {
    return { kind: 'fine', execution, why: 'recovered' };
  }

  const isOpen = OPEN.has(status);
  if (status === 'error') {
    if (stored === undefined) return { kind: 'look', execution };
    if (stored === 'too large') return leave(`its data ${TOO_LARGE}`, true);
    // Without its data nobody can tell a crash from a failure, and a failure is not ours to repeat.
    if (!isCrash(stored)) return { kind: 'fine', execution, why: 'failed' };
  }
  if (isOpen) {
    if (!mayHaveLostItsJob(execution, nowMs, rules)) {
      return { kind: 'fine', execution, why: 'at work' };
    }
    if (queued === null) {
      return leave('it has not ended, and without --redis it is unknown whether it has a job');
    }
  }
  if (stored !== undefined && ranToItsEnd(stored)) return { kind: 'fine', execution, why: 'done' };
  // From here on it is lost.
  if (execution.mode === 'integrated' && stored !== undefined && hasRunnerDied(stored)) {
    return leave(SUB_EXECUTION_FAILED, true);
  }
  const notOurs = NOT_OURS[execution.mode];
  if (notOurs !== undefined) return leave(notOurs, true);
  if (status === 'new') {
    return leave(
      "n8n cannot retry an execution that has not started until n8n's own check marks the execution as crashed",
    );
  }
  // A Redis that came back empty knows of no job, and of no worker that does not tell it.
  if (isOpen && !view.isWorkTold) return leave(MAY_RUN);
  if (ageMs(execution, nowMs) < rules.minAgeMs) return leave('it is younger than --age');

  for (const retry of retries) {
    const goesOn = goesOnWith(retry, view, rules);
    if (goesOn !== null) return leave(`its retry ${retry.id} ${goesOn}`);
  }
  // A retry that failed by itself has run to its end, and what it failed of is in n8n's list of failures.
  for (const retry of retries.filter((one) => one.status === 'error')) {
    const of = looked.get(retry.id);
    if (of === undefined) return { kind: 'look', execution: retry };
    if (of === 'too large') return leave(`the data of its retry ${retry.id} ${TOO_LARGE}`, true);
    if (of === 'no data') {
      return leave(`its retry ${retry.id} failed, and n8n has no data that shows why`, true);
    }
    if (isBinaryGone(of.error)) return leave(`its retry ${retry.id} ${FOUND_NO_BINARY}`, true);
    if (!isCrash(of))
      return leave(`its retry ${retry.id} was not lost: it failed with an error`, true);
    if (ranToItsEnd(of)) return { kind: 'fine', execution, why: 'recovered' };
  }
  if (retries.some((one) => one.status === 'canceled')) {
    return leave('its retry was stopped manually', true);
  }
  if (retries.length >= rules.maxAttempts) {
    return leave(`it was also lost in each of ${String(retries.length)} attempts`, true);
  }
  const lastMs = Math.max(0, ...retries.map((retry) => endedAtMs(retry) ?? 0));
  const waitMs = retries.length === 0 ? 0 : rules.backOffMs * 2 ** (retries.length - 1);
  if (nowMs - lastMs < waitMs) return leave('its last attempt was lost a short time ago');

  if (stored === undefined) return { kind: 'look', execution };
  if (stored === 'no data')
    return leave('n8n has no data for it, because the data was deleted or not saved', true);
  if (stored === 'too large') return leave(`its data ${TOO_LARGE}`, true);
  if (stored.waits.length > 0 && stored.next.length === 0) return leave(ONLY_WAITS, true);
  if (stored.next.length === 0) return leave(`${EMPTIED}; a retry would run no nodes`, true);
  return { kind: 'retry', execution, attempt: retries.length + 1, next: stored.next };
}

/**
 * Why no other retry is begun beside this one, as a clause; null: it has ended, or its worker has died, and it counts
 * as an attempt that was lost.
 */
function goesOnWith(
  retry: SeenExecution,
  { nowMs, queued, isWorkTold }: RecoveryView,
  rules: RecoveryRules,
): string | null {
  if (retry.status === 'waiting') return 'is waiting, and n8n will resume it';
  if (queued?.has(retry.id) === true) return 'has not ended';
  // n8n does not tell since when.
  if (retry.status === 'new') return 'has not begun';
  if (retry.status !== 'running') return null;
  if (queued === null || !mayHaveLostItsJob(retry, nowMs, rules)) return 'has not ended';
  return isWorkTold ? null : MAY_STILL_RUN;
}

const TOO_LARGE =
  'is too large for recovery to read: check the execution in the editor, and retry it there if it was lost';

const MAY_STILL_RUN =
  'may still be running without a job, because not every worker is known to report what it runs (keep-stalled)';
const MAY_RUN = `it ${MAY_STILL_RUN}`;

const EMPTIED =
  'n8n overwrote its data with an empty run, as n8n does without the keep-stalled patch';

const ONLY_WAITS =
  'n8n cannot start a retry at a node that has received only part of its input: a retry would run no nodes';

/** A node may mean another file. */
export const FOUND_NO_BINARY =
  'did not find a file, for example because binary data was lost together with a pod';

const isEmptied = (stored: Stored): boolean =>
  isRead(stored) && isCrash(stored) && stored.next.length === 0 && stored.ran.length === 0;

const OPEN = new Set(['new', 'running']);

/**
 * Modes in which n8n 2.41 hands every execution to the queue (WorkflowRunner.run). Not so: `integrated`, which runs
 * where the one that called it runs; `manual`, which does so only where it is set up; `cli`, which never does; and
 * `internal`.
 */
const HAS_A_JOB = new Set(['webhook', 'trigger', 'retry', 'error', 'chat', 'evaluation', 'agent']);

/** To n8n the one that called it has failed in a node of its own. */
const SUB_EXECUTION_FAILED =
  'it is a sub-execution whose task runner died: the execution that called it has failed, and is not retried';

const NOT_OURS: Record<string, string> = {
  integrated: 'it is a sub-execution: a retry of the execution that called it runs it again',
  manual: 'it was run manually in the editor',
  evaluation: 'it is part of an evaluation',
  chat: 'it was run in a chat',
  cli: 'it was run on the command line',
  internal: 'n8n ran it for its own use',
};

const endedAtMs = ({ stoppedAtMs, startedAtMs }: SeenExecution): number | null =>
  stoppedAtMs ?? startedAtMs;

/** Since it was last heard of; what has no time at all is as old as can be. */
const ageMs = (execution: SeenExecution, nowMs: number): number =>
  nowMs - (endedAtMs(execution) ?? 0);

const byAge = (a: SeenExecution, b: SeenExecution): number =>
  (a.startedAtMs ?? 0) - (b.startedAtMs ?? 0) || Number(a.id) - Number(b.id);
