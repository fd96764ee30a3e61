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
  /** Nodes that have got a part of their input, as a merge has: n8n begins no retry with them. */
  waits: readonly string[];
  /** Nodes whose results are stored: a retry does not run them again. */
  ran: readonly string[];
  error: string | null;
  /** The node whose error that is; null: n8n's own, or there is none. */
  failedNode: string | null;
  /** The task runner that n8n's error is about. The error of a node's own code has none. */
  runnerId: string | null;
}

/** An execution that n8n may show without its data, since it was pruned, or never saved; or it is too large to be read. */
export type Stored = StoredExecution | 'no data' | 'too large';

export const isRead = (stored: Stored): stored is StoredExecution => typeof stored !== 'string';

type Fields = Record<string, unknown>;

export const fieldsIn = (value: unknown): Fields | null =>
  typeof value === 'object' && value !== null ? (value as Fields) : null;

export const partIn = (value: unknown, name: string): Fields | null =>
  fieldsIn(fieldsIn(value)?.[name]);

export function textIn(value: unknown, name: string): string | null {
  const found = fieldsIn(value)?.[name];
  return typeof found === 'string' ? found : null;
}

/** From the data of an execution as n8n's API shows it. */
export function storedIn(data: unknown): StoredExecution {
  const stack = partIn(data, 'executionData')?.['nodeExecutionStack'];
  const result = partIn(data, 'resultData');
  return {
    next: (Array.isArray(stack) ? stack : []).map(
      (entry) => textIn(partIn(entry, 'node'), 'name') ?? '?',
    ),
    waits: Object.keys(partIn(partIn(data, 'executionData'), 'waitingExecution') ?? {}),
    ran: Object.keys(partIn(result, 'runData') ?? {}),
    error: textIn(partIn(result, 'error'), 'message'),
    failedNode: failedNodeIn(result),
    runnerId: textIn(partIn(result, 'error'), 'runnerId'),
  };
}

/** An error of a node names it, or is that of the node's last run as well. */
function failedNodeIn(result: Fields | null): string | null {
  const error = partIn(result, 'error');
  if (error === null) return null;
  const named = textIn(partIn(error, 'node'), 'name');
  if (named !== null) return named;
  const message = textIn(error, 'message');
  const failed = Object.entries(partIn(result, 'runData') ?? {}).find(([, runs]) => {
    const own = partIn(Array.isArray(runs) ? runs.at(-1) : null, 'error');
    return own !== null && textIn(own, 'message') === message;
  });
  return failed?.[0] ?? null;
}

/** The message of n8n 2.41 if a job has stalled (MaxStalledCountError). */
export const STALLED =
  'This execution failed to be processed too many times and will no longer retry. To allow this execution to complete, please break down your workflow or scale up your workers or adjust your worker settings.';

/** What n8n itself says where a process has died, as a whole: a node may quote it. */
const OF_CRASHES: ReadonlySet<string> = new Set([
  STALLED,
  // Bull's own words, which n8n passes on where it was not told that the job stalled, but looked and found it so.
  'job stalled more than allowable limit',
  // WorkflowCrashedError, from its log of events.
  'Workflow did not finish, possible out-of-memory issue',
]);

/**
 * What n8n says where its database went away under an execution, in the words of its TypeORM, of pg, and of PostgreSQL. In
 * an error of a node they are about a database of the user's.
 */
const OF_DATABASE: ReadonlySet<string> = new Set([
  'Driver not Connected',
  'Cannot use a pool after calling end on the pool',
  'Connection terminated',
  'Connection terminated unexpectedly',
  'Connection terminated due to connection timeout',
  // A statement that comes right after the connection has ended.
  'Client has encountered a connection error and is not queryable',
  'Client was closed and is not queryable',
  'Query runner already released. Cannot run queries anymore.',
  'timeout exceeded when trying to connect',
  'terminating connection due to administrator command',
  'the database system is shutting down',
  'the database system is starting up',
  'the database system is in recovery mode',
  'the database system is not accepting connections',
  'the database system is not yet accepting connections',
  'sorry, too many clients already',
  // PostgreSQL up to 15, and later ones.
  'remaining connection slots are reserved for non-replication superuser connections',
  'remaining connection slots are reserved for roles with the SUPERUSER attribute',
  'remaining connection slots are reserved for roles with privileges of the "pg_use_reserved_connections" role',
]);

/** With names and addresses: PostgreSQL's limits, its standby and its passwords, a network that does not find it, and PgBouncer. */
const OF_A_DATABASE = [
  /^could not (extend|write to|create|fsync) file ".+": No space left on device$/,
  /^too many connections for (role|database) ".+"$/,
  /^cannot execute [A-Z ]+ in a read-only transaction$/,
  // A password or a user that was replaced, until n8n has the new one.
  /^password authentication failed for user ".+"$/,
  /^role ".+" (does not exist|is not permitted to log in)$/,
  /^connect E(CONNREFUSED|TIMEDOUT|HOSTUNREACH|NETUNREACH) /,
  /^(read|write) E(CONNRESET|PIPE|TIMEDOUT)$/,
  /^getaddrinfo E(NOTFOUND|AI_AGAIN) /,
  /^(no more connections allowed|query_wait_timeout|pgbouncer cannot connect to server|server login has been failing)\b/,
];

/** n8n's own words for the same (DbConnectionMonitor of n8n 2.41). */
const DATABASE_NOT_BACK = /^Timed out after \d+ms waiting for database connection recovery$/;

/** The message of n8n 2.41 if a task runner died in a node, except of lack of memory (TaskRunnerDisconnectedError). */
export const RUNNER_DIED = 'Node execution failed';

/** Whether n8n says that the task runner of a node has died. */
export const hasRunnerDied = (stored: Stored): boolean =>
  isRead(stored) && stored.runnerId !== null && stored.error === RUNNER_DIED;

/** Whether n8n shows the error of a node, and not that the node's task runner died. */
export const hasFailedNode = (stored: Stored): boolean =>
  isRead(stored) && stored.failedNode !== null && !hasRunnerDied(stored);

/** Whether n8n says that its process, its task runner or its database has gone away under an execution. */
export const isCrash = (stored: Stored): boolean =>
  hasRunnerDied(stored) ||
  (isRead(stored) &&
    stored.failedNode === null &&
    stored.error !== null &&
    (OF_CRASHES.has(stored.error) ||
      OF_DATABASE.has(stored.error) ||
      OF_A_DATABASE.some((words) => words.test(stored.error ?? '')) ||
      DATABASE_NOT_BACK.test(stored.error)));

/**
 * No node is left to run: where it has not failed by itself, n8n could not store its success. What n8n writes over an
 * execution whose job has failed names no node at all.
 */
export const ranToItsEnd = (stored: Stored): boolean =>
  isRead(stored) && stored.next.length === 0 && stored.waits.length === 0 && stored.ran.length > 0;

/** What n8n says of binary data that is neither on a disk that it sees nor in its database. */
const GONE: ReadonlySet<string> = new Set(['File not found', 'Binary data file not found']);

export const isBinaryGone = (error: string | null): boolean => error !== null && GONE.has(error);
