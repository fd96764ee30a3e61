/** Which calls of a rule fail, and how. Pure: what time it is and which call it is are told. */
import { exponential, seededRandom, seedOf, type Random } from '../../../../loadtests/lib/random';
import type { ErrorPlan, CallLimit } from '../plan';

/** One call of a rule. */
export interface RuleCall {
  /** Since the server began. */
  atMs: number;
  /** The number of the request to this rule, from 1 on. */
  number: number;
  /** Equal for all attempts of a request. */
  key: () => string;
}

/** The first error that hits a call; null: none does. */
export function errorsOf(
  errors: readonly ErrorPlan[],
  seed: number,
): (call: RuleCall) => ErrorPlan['what'] | null {
  const hits = errors.map(({ what, when }, index) => {
    const isHit = hitBy(when, seededRandom(seedOf(seed, index)));
    return (call: RuleCall): ErrorPlan['what'] | null => (isHit(call) ? what : null);
  });
  return (call) => {
    let found: ErrorPlan['what'] | null = null;
    // Each sees every call, so that what one of them does moves no other.
    for (const hit of hits) found = hit(call) ?? found;
    return found;
  };
}

function hitBy(when: ErrorPlan['when'], random: Random): (call: RuleCall) => boolean {
  switch (when.kind) {
    case 'share':
      return () => random() < when.share;
    case 'every':
      return ({ number }) => number % when.calls === 0;
    case 'first': {
      const attempts = new Attempts();
      return ({ key }) => attempts.next(key()) <= when.attempts;
    }
    case 'burst': {
      let [isBad, untilMs] = [false, exponential(random, when.goodMs)];
      return ({ atMs }) => {
        while (atMs >= untilMs) {
          isBad = !isBad;
          untilMs += exponential(random, isBad ? when.badMs : when.goodMs);
        }
        return isBad;
      };
    }
  }
}

/** Requests whose attempts are counted at the same time; the oldest are forgotten. */
const MAX_REQUESTS = 20_000;

class Attempts {
  private readonly counts = new Map<string, number>();

  next(key: string): number {
    const count = (this.counts.get(key) ?? 0) + 1;
    this.counts.set(key, count);
    if (this.counts.size > MAX_REQUESTS) {
      const [oldest] = this.counts.keys();
      if (oldest !== undefined) this.counts.delete(oldest);
    }
    return count;
  }
}

/** A bucket that holds as much as its limit and fills at its rate. */
export class Bucket {
  private left: number;
  private filledAtMs = 0;

  constructor(private readonly limit: CallLimit) {
    this.left = limit.calls;
  }

  /** Takes so much where it is there: 0. Otherwise takes nothing: milliseconds until it will be there. */
  take(amount: number, atMs: number): number {
    const { calls, perMs } = this.limit;
    this.left = Math.min(calls, this.left + ((atMs - this.filledAtMs) * calls) / perMs);
    this.filledAtMs = atMs;
    const wanted = Math.min(amount, calls);
    if (this.left >= wanted) {
      this.left -= wanted;
      return 0;
    }
    return ((wanted - this.left) * perMs) / calls;
  }
}
