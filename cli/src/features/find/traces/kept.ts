/** What find.json keeps of a probe besides its figures. */
import { BREACH } from '../../../run/analysis/verdict';
import type { Doubt, MetricSample, RunRecord } from '../../../record/run-record';
import { mostly } from '../quiet/disturbances';
import { secondsIn, type LeftOut } from '../quiet/left-out';
import type { OthersSeen } from '../quiet/others-watch';
import type { FindProbe } from '../record';
import { formatNumber } from '../../../ui/numbers';
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
): Pick<FindProbe, 'endedAfterSeconds' | 'leftOut' | 'seconds' | 'requests' | 'doubts'> {
  const length = profile.warmupSeconds + profile.durationSeconds;
  const endedEarly = events.some(({ kind }) => kind === BREACH);
  const seconds = secondsSeen({
    ...{ requests, samples, seconds: length },
    others: others?.seen ?? [],
  });
  const countedBefore = others?.leftOut.countedSeconds ?? 0;
  const leftOut = others?.leftOut.of(seconds.othersMs ?? []) ?? [];
  const counted = (others?.leftOut.countedSeconds ?? 0) - countedBefore;
  return {
    ...(endedEarly ? { endedAfterSeconds: length } : {}),
    ...(leftOut.length === 0 ? {} : { leftOut }),
    seconds,
    doubts: others === null ? [] : doubtsOf(secondsIn(leftOut), counted, others.seen),
    ...(isWhole ? { requests: keepRequests(requests, profile, generators) } : {}),
  };
}

/** With who took how much of it. */
function doubtsOf(leftOut: number, counted: number, seen: readonly OthersSeen[]): Doubt[] {
  if (leftOut + counted === 0) return [];
  const [largest] = seen
    .flatMap(({ busiest }) => busiest ?? [])
    .sort((one, other) => other.cores - one.cores);
  const effect =
    counted === 0
      ? 'these seconds do not count'
      : 'these seconds count, because at most half of the budget can be left out';
  return [
    {
      kind: counted === 0 ? 'other programs, left out' : 'other programs, counted',
      text: `other programs used this machine for ${formatNumber(leftOut + counted)} s${mostly(largest ?? null)}; ${effect}`,
    },
  ];
}
