/** How many requests were open on a victim that only takes them, by what became of those that were open. */
import type { Victim } from '../record';
import type { RequestSample } from '../../../record/run-record';
import { isOpenIn, type FaultSpan } from './figures';

export interface OpenOrder {
  requests: readonly RequestSample[];
  /** Times of the fault, in their order. */
  spans: readonly FaultSpan[];
  /** One that takes longer was held up. */
  slowMs: number;
}

type Taking = Victim & { takes?: 'all' | 'some' };

/**
 * All that were open when the fault came are on one that takes all of them. If several share them, nothing tells which has which:
 * those are counted that got no expected response, or were held up.
 */
export function withOpen(victims: readonly Taking[], order: OpenOrder): Victim[] {
  return victims.map(({ takes, ...victim }) =>
    takes === undefined ? victim : { ...victim, open: openOn(takes, victim.turn ?? 0, order) },
  );
}

function openOn(
  takes: 'all' | 'some',
  turn: number,
  { requests, spans, slowMs }: OpenOrder,
): number | null {
  const span = spans[turn];
  if (span === undefined) return null;
  const { fromMs, toldMs = fromMs } = span;
  if (takes === 'all') {
    return requests.filter((request) => isOpenIn(request, { fromMs, toMs: toldMs })).length;
  }
  return requests.filter(
    (request) => isOpenIn(request, span) && (!request.ok || request.durationMs > slowMs),
  ).length;
}
