import type { Evidence } from './evidence';
import { belowCeiling, rateProbe } from './probes';
import type { RateProbe, Settings } from './types';

/** A level is tried that holds more likely than not. */
const TARGET_QUANTILE = 0.25;
/** Two levels closer than this cannot be told apart. */
const SMALLEST_STEP = 1.01;
/** While nothing has held at full length, each step down is at most twice the one before, from this. */
const FIRST_STEP_DOWN = 0.05;
const MOST_CONFIRMATIONS = 12;

/** The next probe of full length; null when one level is confirmed and no higher one is in sight. */
export function nextConfirmation(known: Evidence, settings: Settings): RateProbe | null {
  const full = known.trials.filter(({ probe }) => probe.kind === 'confirm');
  const { low, high } = known.confirmed;
  const target = known.belief?.quantile(TARGET_QUANTILE) ?? known.low;
  if (full.length >= MOST_CONFIRMATIONS) return null;
  const confirm = (rate: number) => belowCeiling(rateProbe('confirm', rate, settings), known);
  if (low === 0) {
    const levels = new Set(full.map(({ probe }) => probe.ratePerSecond)).size;
    const floor = high / (1 + FIRST_STEP_DOWN * 2 ** (levels - 1));
    return confirm(
      full.length === 0 ? target : Math.max(floor, Math.min(target, high / SMALLEST_STEP)),
    );
  }

  const likely = known.belief?.quantile(0.5) ?? low;
  const next = Math.min(Math.max(target, low * SMALLEST_STEP), high / SMALLEST_STEP);
  const near = 1 + settings.tolerance;
  if (likely / low > near && next / low > SMALLEST_STEP ** 0.5) return confirm(next);
  const held = full.filter(
    ({ probe, outcome }) => probe.ratePerSecond === low && outcome.result === 'held',
  ).length;
  const wanted = likely < low ? 3 : 2;
  return held >= wanted ? null : confirm(low);
}
