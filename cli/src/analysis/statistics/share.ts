/** Between which bounds the share of requests lies that break an SLO, where they break it in bursts. Pure. */
import { BATCHES, independentValues, type Batch } from './batches';
import { chiSquaredQuantile } from './distributions';
import { shareInterval, type Interval } from './statistics';

/** Requests that are due in the same half second are counted together. */
export const PIECE_MS = 500;

/** Requests that were due in one piece of the time. */
export interface Piece {
  requests: number;
  broken: number;
}

export interface ShareBounds {
  share: number;
  low: number;
  high: number;
  requests: number;
}

/** Requests that break it with less time between them have one cause, such as one stall. */
const GAP_SECONDS = 2;

/**
 * The share lies above `high`, and below `low`, with a probability of no more than `wrong` each, if requests further apart
 * than `lastsSeconds` do not break it together.
 */
export function shareOf(
  pieces: readonly Piece[],
  pieceSeconds: number,
  wrong: number,
  lastsSeconds = Infinity,
): ShareBounds {
  const { requests, broken } = joined(pieces);
  if (requests === 0) return { share: 0, low: 0, high: 1, requests };
  const share = broken / requests;
  const { low, high } = byParts(pieces, wrong / 2, (pieces.length * pieceSeconds) / lastsSeconds);
  const inBursts = highestBroken(burstsOf(pieces, pieceSeconds), wrong / 2) / requests;
  return { share, low, high: Math.min(high, inBursts), requests };
}

/** By as many independent requests as the parts of the time say there are: a few rare bursts leave this one wide. */
function byParts(pieces: readonly Piece[], wrong: number, minIndependent: number): Interval {
  const { requests, broken } = joined(pieces);
  const share = broken / requests;
  const parts = Array.from({ length: BATCHES }, (_, part): Batch => {
    const at = (of: number): number => Math.round((of / BATCHES) * pieces.length);
    const inPart = joined(pieces.slice(at(part), at(part + 1)));
    return { length: inPart.requests, sum: inPart.broken };
  });
  const seen = independentValues(parts, share * (1 - share));
  const independent = Math.min(requests, Math.max(seen, minIndependent));
  return shareInterval(share * independent, independent, 1 - 2 * wrong);
}

/** How many broke it in each burst. */
function burstsOf(pieces: readonly Piece[], pieceSeconds: number): number[] {
  const bursts: number[] = [];
  let quietSeconds = Infinity;
  for (const { broken } of pieces) {
    if (broken === 0) {
      quietSeconds += pieceSeconds;
      continue;
    }
    if (quietSeconds >= GAP_SECONDS) bursts.push(0);
    bursts.push((bursts.pop() ?? 0) + broken);
    quietSeconds = 0;
  }
  return bursts;
}

/**
 * How many may be expected to break it in this time, from bursts that come at random and differ in size: the upper end of
 * Fay and Feuer's gamma interval. It is exact where each burst is one request, and allows for one more of the largest.
 * If requests break it all the time, all of them are one burst, and it says nothing.
 */
function highestBroken(bursts: readonly number[], wrong: number): number {
  const largest = Math.max(1, ...bursts);
  const sum = largest + bursts.reduce((all, size) => all + size, 0);
  const squares = largest ** 2 + bursts.reduce((all, size) => all + size ** 2, 0);
  return (squares / (2 * sum)) * chiSquaredQuantile(1 - wrong, (2 * sum ** 2) / squares);
}

const joined = (pieces: readonly Piece[]): Piece =>
  pieces.reduce(
    (all, { requests, broken }) => ({
      requests: all.requests + requests,
      broken: all.broken + broken,
    }),
    { requests: 0, broken: 0 },
  );
