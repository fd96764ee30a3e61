/** Every request that was sent in exactly one class, from what each source says of it. */
import { LEDGER_CLASSES, LOSSES, type LedgerClass, type WorkByResponse } from './ledger-class';
import type { RequestSample } from '../../../record/run-record';
import { gapIn } from '../../../run/analysis/match-executions';
import type { TracedExecution, TracedExecutions } from '../../../analysis/traced-execution';
import { restoreRequestIds } from '../../../run/analysis/restore-request-ids';
import { ranAtOnce, type Effect, type Effects } from '../../../analysis/effects';

/**
 * What the caller saw. `success`: a status of success, with another response than the expected one, which most
 * callers take for done. `refused`: the request never reached n8n. `nothing`: no response came.
 */
type Heard = 'expected' | 'success' | 'error' | 'nothing' | 'refused';

/**
 * How one execution ended, as n8n has it. `node failed`: with the error of a node; `failed`: with another error. `not kept`: it
 * ended, and n8n has thrown the outcome away.
 */
type Fate = 'succeeded' | 'node failed' | 'failed' | 'crashed' | 'unfinished' | 'not kept';

interface Evidence {
  heard: Heard;
  /** Null where n8n could not be asked for all of them. */
  executions: readonly Fate[] | null;
  /** Null where the workload calls no such service. */
  effects: Effects | null;
}

/** A connection that was never made has carried nothing. */
const NEVER_SENT = new Set(['refused', 'no socket', 'no such host', 'TLS']);

function heardBy({ ok, status, errorKind }: RequestSample): Heard {
  if (ok) return 'expected';
  if (NEVER_SENT.has(errorKind)) return 'refused';
  if (errorKind === 'unexpected response' && status >= 200 && status < 300) return 'success';
  return status > 0 ? 'error' : 'nothing';
}

export interface Sources {
  /** Ids of this run begin with it. */
  runId: string;
  /** Every request that was sent, with what its caller got. */
  requests: readonly RequestSample[];
  executions: TracedExecutions;
  /** Null where the workload calls no service that counts. */
  effects: readonly Effect[] | null;
  answers: 'at-once' | 'when-done';
}

export interface LedgerEntry extends Evidence {
  id: string;
  /** When it was due, in milliseconds since the load began. */
  tMs: number;
  class: LedgerClass;
  /** What n8n says with its failed executions. */
  errors?: readonly string[];
  /** Whether its work ran twice at the same time; null: it is not known. Left out where nothing tells. */
  ranAtOnce?: boolean | null;
}

export interface Ledger {
  /** One for each request, in the order in which they were due. */
  entries: LedgerEntry[];
  counts: Record<LedgerClass, number>;
  /** Ids of this run that nobody sent, and yet a source has; there must be none. */
  unexpected: string[];
  /** Failed executions whose data n8n has written over, and that no request is left for. */
  nameless: number;
  /** Why n8n's executions are no source here; null: they are. */
  withoutExecutions: string | null;
}

export function ledgerOf(sources: Sources): Ledger {
  const { requests, effects, answers, runId } = sources;
  const { executions, why } = executionsOf(sources);
  const atOnce = answers === 'at-once';
  const fates = executions && grouped(executions.filter(hasRequest), requestOf, fateOf);
  const errors = grouped(
    (executions ?? []).filter((one) => hasRequest(one) && one.error !== undefined),
    requestOf,
    ({ error = '' }) => error,
  );
  const calls =
    effects &&
    grouped(
      effects,
      ({ id }) => id,
      ({ step }) => step,
    );
  const sent = new Set(requests.map(({ id }) => id));
  const entries = requests
    .map((request): LedgerEntry => {
      const evidence: Evidence = {
        heard: heardBy(request),
        executions: fates && (fates.get(request.id) ?? []),
        effects: calls && counted(calls.get(request.id) ?? []),
      };
      const { id, tMs } = request;
      const ran = calls === null ? {} : { ranAtOnce: ranAtOnce(calls.get(id) ?? []) };
      const said = errors.get(id);
      return {
        ...{ id, tMs, class: classify(evidence, atOnce), ...evidence, ...ran },
        ...(said === undefined ? {} : { errors: said }),
      };
    })
    .sort((a, b) => a.tMs - b.tMs);
  const known = [...(fates?.keys() ?? []), ...(calls?.keys() ?? [])];
  return {
    entries,
    counts: countsOf(entries),
    unexpected: [...new Set(known)].filter((id) => id.startsWith(`${runId}-`) && !sent.has(id)),
    nameless: (executions ?? []).filter((one) => one.isOverwritten === true && !hasRequest(one))
      .length,
    withoutExecutions: why,
  };
}

export const countsOf = (entries: readonly LedgerEntry[]): Record<LedgerClass, number> =>
  Object.fromEntries(
    LEDGER_CLASSES.map((name) => [name, entries.filter((entry) => entry.class === name).length]),
  ) as Record<LedgerClass, number>;

export const lossesIn = (counts: Record<LedgerClass, number>): number =>
  LOSSES.reduce((sum, name) => sum + counts[name], 0);

/** Executions that are no longer there prove nothing about a request that has none. */
function executionsOf(sources: Sources): {
  executions: readonly TracedExecution[] | null;
  why: string | null;
} {
  const { requests, executions: traced } = sources;
  if ('skipped' in traced) return { executions: null, why: traced.skipped };
  const executions = named(traced.executions, sources);
  const why = gapIn(requests, { ...traced, executions });
  return why === null ? { executions, why } : { executions: null, why };
}

/**
 * n8n writes over the data of what a dead worker left, the id included. Such an execution belongs to a
 * request without one: first to those whose work is known to have begun.
 */
function named(
  executions: readonly TracedExecution[],
  { requests, effects, answers }: Sources,
): readonly TracedExecution[] {
  // If the response proves that the work was done, its execution succeeded and still has its id.
  const mayLackOne = (request: RequestSample): boolean =>
    heardBy(request) !== 'refused' && !(answers === 'when-done' && request.ok);
  const begun = new Set((effects ?? []).map(({ id }) => id));
  const among = (
    all: readonly TracedExecution[],
    may: (request: RequestSample) => boolean,
  ): readonly TracedExecution[] =>
    restoreRequestIds(
      requests.map((request) => ({ ...request, ok: !may(request) })),
      all,
    );
  return among(
    among(executions, (request) => begun.has(request.id) && mayLackOne(request)),
    mayLackOne,
  );
}

/** That it was made for, or that it was run again for. */
const requestOf = ({ loadId, retryFor }: TracedExecution): string => loadId ?? retryFor ?? '';
const hasRequest = (execution: TracedExecution): boolean => requestOf(execution) !== '';

/** What n8n takes for dead it calls crashed, or fails as stalled and writes over its data. */
function fateOf({ outcome, hasCrashed, isOverwritten, hasFailedNode }: TracedExecution): Fate {
  if (outcome !== 'failed') return outcome;
  if (hasCrashed === true || isOverwritten === true) return 'crashed';
  return hasFailedNode === true ? 'node failed' : outcome;
}

const counted = (steps: readonly (keyof Effects)[]): Effects => ({
  begun: steps.filter((step) => step === 'begun').length,
  done: steps.filter((step) => step === 'done').length,
});

function grouped<Item, Value>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
  valueOf: (item: Item) => Value,
): Map<string, Value[]> {
  const groups = new Map<string, Value[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [valueOf(item)]);
    else group.push(valueOf(item));
  }
  return groups;
}

/**
 * The one class of a request. What happened outside n8n counts more than what n8n says of itself, and both
 * count more than what the caller heard. `atOnce`: the response says that the work was accepted, not done.
 */
function classify(evidence: Evidence, atOnce: boolean): LedgerClass {
  const { heard, executions, effects } = evidence;
  const done = effects?.done ?? endedWell(executions);
  // Work that was begun twice and never done is lost.
  if (done > 1 || (done === 1 && (effects?.begun ?? 0) > 1)) return 'repeated';
  if (done === 1) {
    if (effects !== null && isMarkedCrashed(executions)) return 'done-marked-crashed';
    if (heard === 'expected') return 'once';
    return heard === 'error' || heard === 'success' ? 'error-but-done' : 'no-response';
  }
  // n8n 2.41 says so of a job that an ending worker has lost, and leaves its execution as running.
  if (heard === 'success' && !atOnce) return 'not-executed';
  if (executions?.includes('unfinished') === true) return 'running';
  const accepted = wasAccepted(executions, effects);
  const isTold = heard === 'expected' || heard === 'success';
  if (isTold && !(atOnce && accepted)) return 'not-executed';
  // A retry of what crashed may itself have failed at a node: n8n shows it.
  if (accepted) return executions?.includes('node failed') === true ? 'failed' : 'lost';
  // Without n8n's own word it may have been accepted and lost before its work began.
  return heard === 'refused' || executions !== null ? 'refused' : 'unknown';
}

/** Every request by these two; null if no source tells of the work. */
export function workByResponse(entries: readonly LedgerEntry[]): WorkByResponse | null {
  const none = (): WorkByResponse['once'] => ({ expected: 0, error: 0, nothing: 0 });
  const counts: WorkByResponse = { never: none(), once: none(), more: none() };
  for (const { heard, executions, effects } of entries) {
    if (executions === null && effects === null) return null;
    const done = effects?.done ?? endedWell(executions);
    const got = heard === 'expected' || heard === 'nothing' ? heard : 'error';
    counts[done === 0 ? 'never' : done === 1 ? 'once' : 'more'][got] += 1;
  }
  return counts;
}

const endedWell = (executions: readonly Fate[] | null): number =>
  (executions ?? []).filter((fate) => fate === 'succeeded' || fate === 'not kept').length;

const isMarkedCrashed = (executions: readonly Fate[] | null): boolean =>
  executions !== null &&
  executions.includes('crashed') &&
  executions.every((fate) => ['crashed', 'failed', 'node failed'].includes(fate));

const wasAccepted = (executions: readonly Fate[] | null, effects: Effects | null): boolean =>
  (executions ?? []).length > 0 || (effects?.begun ?? 0) > 0;
