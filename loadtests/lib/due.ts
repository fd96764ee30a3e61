/** How many requests of an open loop are due in a time: the mean, where arrivals are random. */
import type { LoadPlan, Stage } from './profile.ts';

/** Warm-up included in the clock. */
export function dueBetween(
  plan: Pick<LoadPlan, 'stages'>,
  fromSeconds: number,
  toSeconds: number,
): number {
  let begin = 0;
  let due = 0;
  for (const stage of plan.stages) {
    const from = Math.max(begin, fromSeconds);
    const to = Math.min(begin + stage.durationSeconds, toSeconds);
    if (to > from) {
      due += ((rateWithin(stage, from - begin) + rateWithin(stage, to - begin)) / 2) * (to - from);
    }
    begin += stage.durationSeconds;
  }
  return due;
}

/** The rate at a time; that of the last stage after the end. */
export function rateAt(plan: Pick<LoadPlan, 'stages'>, seconds: number): number {
  let begin = 0;
  for (const stage of plan.stages) {
    if (seconds < begin + stage.durationSeconds) return rateWithin(stage, seconds - begin);
    begin += stage.durationSeconds;
  }
  return plan.stages.at(-1)?.toRatePerSecond ?? 0;
}

export function highestRate(plan: Pick<LoadPlan, 'stages'>): number {
  return plan.stages.reduce(
    (max, { fromRatePerSecond, toRatePerSecond }) =>
      Math.max(max, fromRatePerSecond, toRatePerSecond),
    0,
  );
}

function rateWithin(stage: Stage, secondsIntoIt: number): number {
  const growth = stage.toRatePerSecond - stage.fromRatePerSecond;
  return stage.fromRatePerSecond + (growth * secondsIntoIt) / stage.durationSeconds;
}
