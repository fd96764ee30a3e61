/** One execution that n8n made during the run, as its store tells it. */
export interface TracedExecution {
  /** The x-load-id that its webhook was called with; null: none of this run. */
  loadId: string | null;
  /** The id of the request whose execution this one runs again; no webhook called it. */
  retryFor?: string;
  /** `not kept`: ended, and its outcome thrown away, as with EXECUTIONS_DATA_SAVE_ON_SUCCESS=none. */
  outcome: 'succeeded' | 'failed' | 'unfinished' | 'not kept';
  /** It failed, and n8n says that the process which ran it ended. */
  hasCrashed?: boolean;
  /** It failed, and n8n shows that a node of its workflow did. Left out where n8n shows another error, or its error was not read. */
  hasFailedNode?: boolean;
  /** What n8n shows with it, shortened; left out where it shows no error, or it was not read. */
  error?: string;
  /** When, by the clock of its store; left out where it has not ended or that is not told. */
  endedAtMs?: number;
  /** A webhook called it, and its data no longer tells with which id. */
  isOverwritten?: boolean;
}

/** An execution that another one calls carries the id of the request too; it belongs to neither. */
export const idsOf = (
  mode: string,
  carried: string | null,
): Pick<TracedExecution, 'loadId' | 'retryFor'> => ({
  loadId: mode === 'webhook' ? carried : null,
  ...(mode === 'retry' && carried !== null ? { retryFor: carried } : {}),
});

/** Those that n8n still has, and how many it has made; null: that is not known. */
export interface ExecutionsSeen {
  executions: TracedExecution[];
  made: number | null;
}

/** In a few words why there are none, or where they were read. */
export type TracedExecutions = { skipped: string } | (ExecutionsSeen & { source: string });

const ERROR_LENGTH = 200;

export const shortError = (error: string | null): Pick<TracedExecution, 'error'> =>
  error === null ? {} : { error: error.replace(/\s+/g, ' ').slice(0, ERROR_LENGTH) };
