import type { Summary } from '../record/run-record';

type Throughput = Pick<Summary, 'achieved' | 'completions'>;

/** Requests that were done: where n8n answers at once, those whose execution was completed. */
export const donePerSecond = ({ achieved, completions }: Throughput): number =>
  Math.min(achieved.ratePerSecond, completions?.ratePerSecond ?? Infinity);

/** The same as a share of the requests that were offered. */
export const doneShare = ({ achieved, completions }: Throughput): number =>
  Math.min(achieved.shareOfOffered, completions?.shareOfOffered ?? 1);
