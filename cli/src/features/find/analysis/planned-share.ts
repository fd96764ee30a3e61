/** Share of a capacity that is planned with; the rest is for noise, deploys and a busy minute. */
export const PLANNED_SHARE = 0.8;

/** Reports show rates with three digits: a rate that was copied from one may be this much above what it stands for. */
const ROUNDED = 1.005;

/** The highest rate to plan with on that capacity. */
export const plannedPerSecond = (capacityPerSecond: number): number =>
  PLANNED_SHARE * capacityPerSecond;

/**
 * Whether a capacity is enough for a rate with the room that is planned. The only comparison of the two:
 * `rate / 0.8 <= capacity` says no to 0.8 times the capacity itself, in floating point, for 7% of all.
 */
export const isEnough = (capacityPerSecond: number, wantedPerSecond: number): boolean =>
  capacityPerSecond > 0 && plannedPerSecond(capacityPerSecond) * ROUNDED >= wantedPerSecond;

/** The ends of an interval may lie this far apart: a rate to plan with, or values, would be a guess with a number. */
const WIDEST = 2;

/** An interval without an upper end is wider than any factor: the search that has it is INCONCLUSIVE. */
export const isTooWide = ({ low, high }: { low: number; high: number | null }): boolean =>
  high === null || high > WIDEST * low;
