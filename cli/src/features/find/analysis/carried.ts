/** From the machine that was searched on to one on which a request costs another time of CPU. Pure. */
import { mean } from '../../../analysis/statistics/statistics';
import type { FindRecord } from '../record';
import { priceOf, wholePriceOf } from './price';

export interface CarriedCapacity {
  /** CPU per request of all of n8n together, as a run has it: on the other machine, and in the search. */
  cpuMs: number;
  fromMs: number;
  /** Null, as `high` is, where the search saw no upper end. */
  ratePerSecond: number | null;
  low: number;
  high: number | null;
}

/** A share that is measured a little above 1 is one of nearly all. */
const MAX_SHARE = 0.99;

/**
 * A rate where a request costs `dearer` times as much, in two views. n8n may be as busy there as here, so that the rate follows
 * the price alone. Or requests may
 * wait as long there as here, since the SLO is the same number of milliseconds: how much of the CPU is left over then
 * follows the price too. The first is right where latency is mostly something else than a queue for the CPU, the second
 * where it is mostly that.
 */
export function viewsOf(
  ratePerSecond: number,
  { cpuMs, cores }: { cpuMs: number; cores: number },
  dearer: number,
): [asBusy: number, waitingAsLong: number] {
  const asBusy = ratePerSecond / dearer;
  const share = Math.min(MAX_SHARE, (ratePerSecond * cpuMs) / 1_000 / cores);
  return [asBusy, share > 0 ? (asBusy * Math.max(0, 1 - (1 - share) * dearer)) / share : 0];
}

/** The range between these views; null where no price is known near the capacity. */
export function carriedTo(cpuMs: number, record: FindRecord): CarriedCapacity | null {
  const from = priceOf(record);
  const fromMs = wholePriceOf(record);
  if (from === null || fromMs === null) return null;
  const { ratePerSecond, low, high, at } = record.capacity;
  // The role that limits n8n is taken to be dearer by as much as all of it.
  const dearer = cpuMs / fromMs;
  const viewsAt = (rate: number): number[] =>
    at === undefined ? [rate / dearer] : viewsOf(rate, at, dearer);
  // Without a replay nobody knows at which of the prices that were seen the answer holds.
  const [cheap, dear] =
    at === undefined ? [from.fastestMs / from.cpuMs, from.slowestMs / from.cpuMs] : [1, 1];
  const there = { cpuMs, fromMs, low: cheap * Math.min(...viewsAt(low)) };
  if (high === null) return { ...there, ratePerSecond: null, high: null };
  return {
    ...there,
    ratePerSecond: mean(viewsAt(ratePerSecond)),
    high: dear * Math.max(...viewsAt(high)),
  };
}
