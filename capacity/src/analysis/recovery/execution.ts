/** What n8n shows of its executions, as far as recovery needs it. */

export type ExecutionStatus =
  'new' | 'running' | 'waiting' | 'success' | 'error' | 'crashed' | 'canceled' | 'unknown';

export interface SeenExecution {
  id: string;
  workflowId: string;
  status: ExecutionStatus;
  mode: string;
  /** The execution that this one is a retry of. */
  retryOf: string | null;
  /** The retry of this one that has succeeded, as n8n notes it. */
  retrySuccessId: string | null;
  /** Null: it has not begun. */
  startedAtMs: number | null;
  stoppedAtMs: number | null;
}

/** What n8n has stored of one execution, beyond the above. */
export interface StoredExecution {
  /** Nodes that a retry begins with. */
  next: readonly string[];
  /** Nodes whose results are stored: a retry does not run them again. */
  ran: readonly string[];
  error: string | null;
}

/** An execution that n8n may show without its data, since it was pruned, or never saved. */
export type Stored = StoredExecution | 'no data';

/** As n8n 2.41 words it where a job has stalled. */
export const STALLED = 'failed to be processed too many times';
/** And where a process has died. */
const OF_CRASHES = [STALLED, 'job stalled', 'did not finish'];

export const isCrash = (error: string | null): boolean =>
  error !== null && OF_CRASHES.some((words) => error.includes(words));
