import type { RequestTimeline } from '../../analysis/requests/timeline';
import type { MetricSample, RunRecord } from '../../record/record';

/** What the report of a run is made of. */
export interface RunData {
  record: RunRecord;
  samples: MetricSample[];
  requests: RequestTimeline;
}
