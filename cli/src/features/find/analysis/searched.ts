/** What there is of a search when it ends, of which its answer is made. */
import type { Summary } from '../../../record/run-record';
import type { FindRecord } from '../record';

export type FindHead = Omit<
  FindRecord,
  | 'capacity'
  | 'advised'
  | 'limit'
  | 'verdict'
  | 'sentence'
  | 'confirmedBy'
  | 'atCapacity'
  | 'doubts'
>;

export interface SearchEnding {
  /** Why it was ended before its end; null where it was not. */
  stoppedBy: string | null;
  /** Why no further probe could be made; null where none failed to be made. */
  failure: string | null;
  /** Probes before which the system did not come to rest. */
  restless: string[];
  /** Before each probe. */
  memoryAtRestMiB: number[];
  /** By the folder of the run. */
  summaries: ReadonlyMap<string, Summary>;
}
