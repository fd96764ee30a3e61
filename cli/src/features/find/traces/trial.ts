/** From the record of a probe to what the search weighs: the same while it goes on and when it is judged again. Pure. */
import type { Slo } from '../../../../../loadtests/lib/slo';
import { outcomeOf } from '../analysis/outcome';
import type { Probe, ProbeOutcome, Trial } from '../analysis/types';
import { withoutDisturbed } from '../quiet/left-out';
import type { FindProbe } from '../record';
import { traceOf, type Critical } from './trace-of';

export function toldBy(
  probe: FindProbe,
  slos: readonly Slo[],
  critical: Critical | null,
): ProbeOutcome {
  const outcome = outcomeOf(probe, slos, traceOf(probe, critical));
  return probe.leftOut === undefined
    ? outcome
    : withoutDisturbed(outcome, slos, probe.requests?.profile.warmupSeconds ?? 0);
}

export const trialOf = (
  probe: FindProbe,
  slos: readonly Slo[],
  critical: Critical | null,
): Trial => ({ probe: askedBy(probe), outcome: toldBy(probe, slos, critical) });

function askedBy({ kind, clients = 1, ratePerSecond = 0, durationSeconds }: FindProbe): Probe {
  return kind === 'ladder'
    ? { kind, clients, durationSeconds }
    : { kind, ratePerSecond, durationSeconds };
}
