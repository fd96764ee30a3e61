import { dueBetween, type LoadPlan } from '../plan/profile';

/**
 * How much later than due the generator began the requests of the measured part, at the 99th
 * percentile: what it was late by is missing from every latency. The one that was least late stands
 * for being on time, as k6's clock begins a moment before its first request. Null in a closed loop,
 * where nothing is due at a time.
 */
export function latenessP99Ms(plan: LoadPlan, begunMs: readonly number[]): number | null {
  if (plan.loop === 'closed') return null;
  const fromMs = plan.warmupSeconds * 1000;
  const toMs = fromMs + plan.durationSeconds * 1000;
  const begun = begunMs.filter((ms) => ms >= fromMs && ms < toMs).sort((a, b) => a - b);
  if (begun.length === 0) return null;
  const late = begun.map((ms, index) => ms - dueMs(plan, index)).sort((a, b) => a - b);
  const at = (share: number): number => late[Math.floor((late.length - 1) * share)] ?? 0;
  return at(0.99) - at(0);
}

/** When request number `index` of the measured part is due: the due ones grow with time, so halving finds it. */
function dueMs(plan: LoadPlan, index: number): number {
  let from = plan.warmupSeconds;
  let to = plan.warmupSeconds + plan.durationSeconds;
  for (let step = 0; step < 32; step += 1) {
    const middle = (from + to) / 2;
    if (dueBetween(plan, plan.warmupSeconds, middle) < index) from = middle;
    else to = middle;
  }
  return to * 1000;
}
