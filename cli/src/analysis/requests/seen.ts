import type { RecordedProfile, RequestSample } from '../../record/run-record';
import type { Window } from '../metrics';
import { LatencyOverTime } from '../soak';
import { RequestFigures } from './figures';
import { RequestTimeline } from './timeline';
import { EXACT_UP_TO, type ExactUpTo } from './values';

export function measuredPart({
  warmupSeconds,
  durationSeconds,
}: Pick<RecordedProfile, 'warmupSeconds' | 'durationSeconds'>): Window {
  return { fromMs: warmupSeconds * 1000, toMs: (warmupSeconds + durationSeconds) * 1000 };
}

/** All that a record and its report need of the requests of a run: each is added once, and none is kept. */
export class RequestsSeen {
  readonly figures: RequestFigures;
  readonly timeline: RequestTimeline;
  readonly latencyOverTime: LatencyOverTime;

  constructor(
    profile: Pick<RecordedProfile, 'warmupSeconds' | 'durationSeconds'>,
    thinkTimeMs: number,
    exact: ExactUpTo = EXACT_UP_TO,
  ) {
    const measured = measuredPart(profile);
    const { warmupSeconds, durationSeconds } = profile;
    this.figures = new RequestFigures({ measured, thinkTimeMs }, exact.all);
    this.timeline = new RequestTimeline(warmupSeconds + durationSeconds, warmupSeconds, exact);
    this.latencyOverTime = new LatencyOverTime(measured, exact.perWindow);
  }

  add(request: RequestSample): void {
    this.figures.add(request);
    this.timeline.add(request);
    this.latencyOverTime.add(request);
  }
}
