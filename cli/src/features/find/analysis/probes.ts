import type { ProbeEvidence } from './evidence';
import type { RateProbe, SearchSettings } from './types';

export function rateProbe(
  kind: RateProbe['kind'],
  rate: number,
  settings: SearchSettings,
): RateProbe {
  // Four digits, so that equal levels have equal rates.
  const ratePerSecond = Number(rate.toPrecision(4));
  const short = Math.max(settings.shortSeconds, Math.ceil(settings.minRequests / ratePerSecond));
  return {
    kind,
    ratePerSecond,
    durationSeconds:
      kind === 'confirm' ? settings.fullSeconds : Math.min(settings.fullSeconds, short),
  };
}

/** The probe, or one just below where the generator ends; null when that would teach nothing new. */
export function belowCeiling(
  probe: RateProbe,
  { generatorCeiling, low, trials }: ProbeEvidence,
): RateProbe | null {
  if (probe.ratePerSecond < generatorCeiling) return probe;
  const ratePerSecond = Number((0.9 * generatorCeiling).toPrecision(4));
  const known = trials.some(
    (trial) => trial.probe.kind === probe.kind && trial.probe.ratePerSecond === ratePerSecond,
  );
  return known || ratePerSecond < low ? null : { ...probe, ratePerSecond };
}

/** Within the two bounds; between them where they have crossed. */
export function clamp(value: number, low: number, high: number): number {
  return low > high ? Math.sqrt(low * high) : Math.min(Math.max(value, low), high);
}
