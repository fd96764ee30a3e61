import type { RequestTimeline } from '../../analysis/requests/timeline';
import type { RecordedPanels } from '../../record/panels';
import type { MetricSample, RunRecord } from '../../record/run-record';

/** What the report of a run is made of. */
export interface RunData {
  record: RunRecord;
  samples: MetricSample[];
  requests: RequestTimeline;
  /** What a Prometheus had of the time of the run; left out where none was asked. */
  panels?: RecordedPanels;
}
