import { dueBetween, lengthSeconds, type LoadPlan } from '../plan/profile';

/**
 * How much later than due the generator began its requests, at the 99th percentile: what it was late
 * by is missing from every latency. Null in a closed loop, where nothing is due at a time.
 */
export function latenessP99Ms(plan: LoadPlan, begunMs: readonly number[]): number | null {
  if (plan.loop === 'closed' || begunMs.length === 0) return null;
  const late = [...begunMs]
    .sort((a, b) => a - b)
    .map((ms, index) => Math.max(0, ms - dueMs(plan, index)))
    .sort((a, b) => a - b);
  return late[Math.min(late.length - 1, Math.floor(late.length * 0.99))] ?? null;
}

/** When request number `index` is due; stages are few, so halving the interval is quick enough. */
function dueMs(plan: LoadPlan, index: number): number {
  let from = 0;
  let to = lengthSeconds(plan);
  for (let step = 0; step < 32; step += 1) {
    const middle = (from + to) / 2;
    if (dueBetween(plan, 0, middle) < index) from = middle;
    else to = middle;
  }
  return to * 1000;
}
