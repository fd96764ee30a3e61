import type { RecordedWorkload, Summary } from '../record/record';
import type { Breach } from './slo';

export interface Promised {
  answers: RecordedWorkload['answers'];
  /** Null where it is not known, as with the user's own workflow. */
  executionsPerRequest: number | null;
}

/**
 * Replies against executions, both over the whole run, warm-up included. A reply at once is a promise:
 * an execution that does not follow is lost work. A reply when done proves its execution; there the
 * other direction matters: executions whose callers never got their answer.
 */
export function executionFindings(
  executions: Summary['executions'],
  { answers, executionsPerRequest }: Promised,
): { breaches: Breach[]; doubts: string[] } {
  const found: { breaches: Breach[]; doubts: string[] } = { breaches: [], doubts: [] };
  if (executions?.rightReplies === undefined) return found;
  const { succeeded, failed, unfinished, requests = 0, rightReplies } = executions;
  const each = executionsPerRequest ?? 1;
  const missing = Math.ceil((rightReplies * each - succeeded) / each);
  if (missing > 0 && answers === 'at-once') {
    found.breaches.push({
      slo: 'what is accepted is executed',
      measured: missing,
      text: `${String(missing)} of ${String(rightReplies)} requests that n8n had accepted have no execution that succeeded (${String(failed)} failed, ${String(unfinished)} had not ended)`,
    });
  }
  if (missing > 0 && answers === 'when-done') {
    found.doubts.push(
      `n8n counted ${String(succeeded)} executions that succeeded for ${String(rightReplies)} right replies`,
    );
  }
  if (executionsPerRequest === null) return found;
  const surplus = succeeded + failed + unfinished - requests * each;
  const unheard = Math.floor(succeeded / each) - rightReplies;
  if (surplus > 0) {
    found.doubts.push(
      `n8n ran ${String(surplus)} executions more than ${String(requests)} requests make: something else used it during the run`,
    );
  } else if (unheard > 0 && answers === 'when-done') {
    found.doubts.push(`${String(unheard)} executions succeeded whose callers got no right answer`);
  }
  return found;
}
