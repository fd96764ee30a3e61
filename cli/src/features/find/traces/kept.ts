/** What find.json keeps of a probe besides its figures. */
import { BREACH } from '../../../run/analysis/verdict';
import type { MetricSample, RunRecord } from '../../../record/run-record';
import type { FindProbe } from '../record';
import type { ProbeWatch } from './probe-watch';
import { keepRequests } from './requests';
import { secondsSeen, type OthersUsed } from './seconds';

export function keptOf(
  { profile, events }: Pick<RunRecord, 'profile' | 'events'>,
  { requests, isWhole }: Pick<ProbeWatch, 'requests' | 'isWhole'>,
  samples: readonly MetricSample[],
  generators: number,
  others: readonly OthersUsed[] = [],
): Pick<FindProbe, 'endedAfterSeconds' | 'seconds' | 'requests'> {
  const seconds = profile.warmupSeconds + profile.durationSeconds;
  const endedEarly = events.some(({ kind }) => kind === BREACH);
  return {
    ...(endedEarly ? { endedAfterSeconds: seconds } : {}),
    seconds: secondsSeen({ requests, samples, others, seconds }),
    ...(isWhole ? { requests: keepRequests(requests, profile, generators) } : {}),
  };
}
