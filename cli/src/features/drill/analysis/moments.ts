/** Which time of a fault each lost or repeated request is put down to. */
import type { LedgerCase, Moment } from '../record';
import type { RequestSample } from '../../../record/run-record';
import { isOpenIn, type FaultSpan } from './figures';
import type { LedgerEntry, Sources } from './ledger';
import { LOSSES } from './ledger-class';

/** Number of cases in a record; ledger.csv has all of them. */
const CASES = 100;

export interface MomentSources {
  requests: readonly RequestSample[];
  entries: readonly LedgerEntry[];
  /** Times of the fault, in their order. */
  spans: readonly FaultSpan[];
  answers: Sources['answers'];
}

/**
 * A request is put down to the first time at which it was open. One that was open at none, or whose response says nothing of its
 * work, belongs to the next time if its work was still to come then, and to the last time before it if not.
 */
function momentOf(request: RequestSample, { spans, answers }: MomentSources): number | null {
  const open = spans.findIndex((span) => isOpenIn(request, span));
  if (open >= 0) return open;
  const before = spans.findLastIndex(({ fromMs }) => fromMs <= request.tMs);
  const next = spans.findIndex(({ fromMs }) => fromMs >= request.tMs);
  if (answers === 'at-once' && next >= 0) return next;
  return before >= 0 ? before : null;
}

export function momentsOf(sources: MomentSources): { moments: Moment[]; cases: LedgerCase[] } {
  const { requests, entries, spans } = sources;
  const byId = new Map(requests.map((request) => [request.id, request]));
  const moments = spans.map((span) => ({
    ...{ tMs: Math.max(0, span.fromMs), lost: 0, doneTwice: 0 },
    atRisk: requests.filter((request) => isOpenIn(request, span)).length,
  }));
  const cases: LedgerCase[] = [];
  for (const entry of entries) {
    const isLost = LOSSES.includes(entry.class);
    const isTwice = (entry.effects?.done ?? 0) > 1;
    if (!isLost && !isTwice && entry.class !== 'repeated') continue;
    const request = byId.get(entry.id);
    const moment = request === undefined ? null : momentOf(request, sources);
    const own = moment === null ? undefined : moments[moment];
    if (own !== undefined && isLost) own.lost += 1;
    if (own !== undefined && isTwice) own.doneTwice += 1;
    cases.push(caseOf(entry, moment));
  }
  return { moments, cases: cases.slice(0, CASES) };
}

const caseOf = (
  { id, tMs, class: name, heard, executions, effects, errors }: LedgerEntry,
  moment: number | null,
): LedgerCase => ({
  ...{ id, tMs, class: name, heard, effects, moment },
  executions: executions === null ? null : [...executions],
  ...(errors === undefined || errors.length === 0 ? {} : { errors: [...errors] }),
});
