/** How a load ended. Pure. */
import type { LoadResult } from './load';

/** What k6 may still need after its last request, or after it was asked to stop. */
export const ENDING_MS = 15_000;

/** The reason of a load that the order itself ended. */
export const ENOUGH = 'that was enough';

export interface K6Ending {
  code: number | null;
  /** Why it was asked to stop; empty where it was not. */
  stopReason: string;
  /** What k6 said, the latest last. */
  words: string[];
}

export function outcomeOf({
  code,
  stopReason,
  words,
}: K6Ending): Pick<LoadResult, 'outcome' | 'reason'> {
  if (stopReason === ENOUGH) return { outcome: 'enough', reason: '' };
  if (stopReason !== '') return { outcome: 'stopped', reason: stopReason };
  if (code !== 0) {
    return {
      outcome: 'failed',
      reason: `k6 ended with exit code ${String(code)}: ${words.join(' ')}`,
    };
  }
  return { outcome: 'finished', reason: '' };
}

const KEPT_WORDS = 20;

export function remember(words: string[], text: string): void {
  // One of these comes with every request without a reply, which the request's own line tells better.
  if (text === '' || text === 'Request Failed') return;
  words.push(text);
  if (words.length > KEPT_WORDS) words.shift();
}
