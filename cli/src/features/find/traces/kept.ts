/** What find.json keeps of a probe besides its figures. */
import { BREACH } from '../../../run/analysis/verdict';
import type { MetricSample, RunRecord } from '../../../record/run-record';
import type { LeftOut } from '../quiet/left-out';
import type { OthersSeen } from '../quiet/others-watch';
import type { FindProbe } from '../record';
import type { ProbeWatch } from './probe-watch';
import { keepRequests } from './requests';
import { secondsSeen } from './seconds';

export interface ProbeSight {
  watch: Pick<ProbeWatch, 'requests' | 'isWhole'>;
  samples: readonly MetricSample[];
  /** Load generators that made it together. */
  generators: number;
  /** What was seen of others, and what of it is left out; null where nobody looks. */
  others: { seen: readonly OthersSeen[]; leftOut: LeftOut } | null;
}

export function keptOf(
  { profile, events }: Pick<RunRecord, 'profile' | 'events'>,
  { watch: { requests, isWhole }, samples, generators, others }: ProbeSight,
): Pick<FindProbe, 'endedAfterSeconds' | 'leftOut' | 'seconds' | 'requests'> {
  const length = profile.warmupSeconds + profile.durationSeconds;
  const endedEarly = events.some(({ kind }) => kind === BREACH);
  const seconds = secondsSeen({
    ...{ requests, samples, seconds: length },
    others: others?.seen ?? [],
  });
  const leftOut = others?.leftOut.of(seconds.othersMs ?? []) ?? [];
  return {
    ...(endedEarly ? { endedAfterSeconds: length } : {}),
    ...(leftOut.length === 0 ? {} : { leftOut }),
    seconds,
    ...(isWhole ? { requests: keepRequests(requests, profile, generators) } : {}),
  };
}
