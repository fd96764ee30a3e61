/** From attempt to attempt: whether the load is made once more, or the question is answered. Pure. */
import type { Attempt, RateRecord } from '../../rate-record';

export type SeenAttempt = Pick<Attempt, 'answer' | 'seconds' | 'achievedShare'>;

/** The next attempt. */
export interface AttemptStep {
  /** Seconds of load at the most, warm-up included. */
  seconds: number;
  /** Measured seconds before which there is no YES. */
  yesAfterSeconds: number;
}

export const YES_AFTER_SECONDS = 30;
/** An attempt that contradicts the one before it has to go on for longer. */
const YES_AFTER_NO_SECONDS = 40;
/** A system that does so much more of what is due than in the attempt before is still warming up, or was disturbed. */
const FASTER = 1.1;
const MAX_ATTEMPTS = 4;
/** A shorter attempt shows nothing. */
const MIN_SECONDS = 15;

/**
 * One YES is enough. A NO counts once the system, at rest in between, has said it twice without having become faster: a
 * cold start, a stall or a neighbour makes one attempt miss.
 */
export function nextStep(
  attempts: readonly SeenAttempt[],
  budgetSeconds: number,
): { step: AttemptStep } | { answer: RateRecord['answer'] } {
  const last = attempts.at(-1);
  const before = attempts.at(-2);
  if (last?.answer === 'yes' || last?.answer === 'invalid') return { answer: last.answer };
  if (last?.answer === null) return { answer: 'not yet' };
  if (last !== undefined && before !== undefined) {
    if (last.achievedShare <= FASTER * before.achievedShare) return { answer: 'no' };
    if (attempts.length >= MAX_ATTEMPTS) return { answer: 'not yet' };
  }
  const left = Math.floor(budgetSeconds - attempts.reduce((sum, { seconds }) => sum + seconds, 0));
  if (left < MIN_SECONDS) return { answer: 'not yet' };
  const yesAfterSeconds = last === undefined ? YES_AFTER_SECONDS : YES_AFTER_NO_SECONDS;
  return { step: { seconds: left, yesAfterSeconds } };
}
