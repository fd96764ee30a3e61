import type { LedgerClass } from './ledger-class';
import type { Effects } from '../../../analysis/effects';
import type { Evidence, Fate } from './evidence';

/**
 * The one class of a request. What happened outside n8n counts more than what n8n says of itself, and both
 * count more than what the caller heard. `atOnce`: the response says that the work was accepted, not done.
 */
export function classify(evidence: Evidence, atOnce: boolean): LedgerClass {
  const { heard, executions, effects } = evidence;
  const done = effects?.done ?? endedWell(executions);
  if (Math.max(done, effects?.begun ?? 0) > 1) return 'repeated';
  if (done === 1) {
    if (effects !== null && isMarkedCrashed(executions)) return 'done-marked-crashed';
    if (heard === 'expected') return 'once';
    return heard === 'error' || heard === 'success' ? 'error-but-done' : 'no-response';
  }
  // n8n 2.41 says so of a job that an ending worker has lost, and leaves its execution as running.
  if (heard === 'success' && !atOnce) return 'not-executed';
  if (executions?.includes('unfinished') === true) return 'running';
  const accepted = wasAccepted(executions, effects);
  if (heard === 'expected' || heard === 'success') {
    return atOnce && accepted ? 'lost' : 'not-executed';
  }
  if (accepted) return 'lost';
  if (heard === 'refused') return 'refused';
  // Without n8n's own word it may have been accepted and lost before its work began.
  return heard === 'error' && executions !== null ? 'refused' : 'unknown';
}

const endedWell = (executions: readonly Fate[] | null): number =>
  (executions ?? []).filter((fate) => fate === 'succeeded' || fate === 'not kept').length;

const isMarkedCrashed = (executions: readonly Fate[] | null): boolean =>
  executions !== null &&
  executions.includes('crashed') &&
  executions.every((fate) => fate === 'crashed' || fate === 'failed');

const wasAccepted = (executions: readonly Fate[] | null, effects: Effects | null): boolean =>
  (executions ?? []).length > 0 || (effects?.begun ?? 0) > 0;
