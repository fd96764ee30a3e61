/** What makes an interval wide, and how much more time would narrow it. */
import { formatNumber, percent } from '../../../ui/numbers';
import { WIDEST } from './types';

/** Shares of the width of an interval, as logarithms to one side. */
export interface Causes {
  /** Too few requests, or a model that fits no better. */
  requests: number;
  /** The speed of the machine, which changed. */
  speed: number;
  /** Stalls of which too few were seen. */
  stalls: number;
}

const NAMES: Record<keyof Causes, string> = {
  requests: 'that too few requests were seen',
  speed: 'that the speed of the machine changed',
  stalls: 'that a few stalls decide',
};

/** More is not advised: a machine that needs more will have changed by then. */
const LONGEST_MS = 2 * 3_600_000;
const MINUTE_MS = 60_000;

const counted = (count: number, unit: string): string =>
  `${formatNumber(count)} ${unit}${count === 1 ? '' : 's'}`;

/** Every cause shrinks with the root of the time. Null where nothing is known to narrow. */
export function whatNarrows(causes: Causes, width: number, seconds: number): string | null {
  const [cause] = (Object.keys(NAMES) as (keyof Causes)[]).sort((a, b) => causes[b] - causes[a]);
  if (cause === undefined || !Number.isFinite(width) || width <= WIDEST || seconds <= 0)
    return null;
  const moreMs = 1_000 * seconds * ((width / WIDEST) ** 2 - 1);
  const more = counted(Math.ceil(moreMs / MINUTE_MS), 'minute');
  const because = `Most of its width is ${NAMES[cause]}`;
  return moreMs > LONGEST_MS
    ? `${because}; more time would hardly narrow it: it needs about ${more} of probes`
    : `${because}; about ${more} more of probes would narrow it to ${percent(WIDEST)}`;
}
