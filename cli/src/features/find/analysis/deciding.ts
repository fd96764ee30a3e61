/** What would decide a search that has no answer for another reason than the width of its interval, and how long it takes. */
import type { ProbeEvidence } from './evidence';
import { CONFIRMING } from './levels';
import { BEYOND_KNEE, GROWTH, MIN_FULL, throughputAtKnee } from './propose';
import type { CapacityInterval, SearchSettings, Trial } from './types';
import { counted, perSecond } from '../../../ui/numbers';

type Lengths = Pick<SearchSettings, 'shortSeconds' | 'fullSeconds'>;

const minutes = (seconds: number): string => counted(Math.ceil(seconds / 60), 'minute');

/** Two estimates that do not overlap: they answer differently at any rate between them. */
export function whatDecides(
  one: CapacityInterval,
  other: CapacityInterval,
  { fullSeconds }: Lengths,
): string {
  const between = Math.sqrt(Math.min(one.high, other.high) * Math.max(one.low, other.low));
  const rate = String(Number(between.toPrecision(3)));
  return `About ${minutes(MIN_FULL * fullSeconds)} of load between them (find --rate ${rate}) would show which is right`;
}

/** Nothing missed the SLO: the rate grows from probe to probe until something does. */
export function whatReachesMiss(
  trials: readonly Trial[],
  { low, generatorCeiling }: ProbeEvidence,
  { shortSeconds, fullSeconds }: Lengths,
): string {
  if (generatorCeiling < Infinity)
    return 'The load generator was the limit, so more time would not help: it needs more cores, or another machine';
  const max = BEYOND_KNEE * throughputAtKnee(trials);
  if (!(low > 0 && max > low))
    return `Each additional probe of ${String(shortSeconds)} s tries up to twice the rate, until one misses the SLO`;
  const steps = Math.ceil(Math.log(max / low) / Math.log(GROWTH));
  return `About ${minutes(steps * shortSeconds + MIN_FULL * fullSeconds)} of additional probes would find a rate that misses the SLO`;
}

/** The interval is narrow enough for a rough answer once a run of full length sustains its low end. */
export const whatConfirms = ({ low }: CapacityInterval, { fullSeconds }: Lengths): string =>
  `A full-length run of ${String(fullSeconds)} s that sustains ${perSecond(CONFIRMING * low)} would confirm it`;
