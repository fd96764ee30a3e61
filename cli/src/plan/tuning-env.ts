import { databaseOf, type Role, type Topology } from './topology';
import { databasePool, tunings, WEBHOOK_SLOTS, type TuningValues } from './tuning';

/**
 * The finished jobs that Bull keeps. With 0, n8n's default, a job that ends before its caller listens is
 * gone, and its caller never gets the answer (OptimalBits/bull, issue 1906). It must exceed the jobs of 5 s,
 * after which Bull looks again.
 */
const finishedJobsKept = '1000';

/** While one ping of the database is late, n8n answers every request with 503; its own limit is 5 s. */
const pingTimeoutMs = '20000';

/** The longest wait between two tries to reach a lost database; after an outage, n8n may still be in one. Its own is 30 s. */
const reconnectMs = '2000';

/** What a tuning sets in one process; with `none`, n8n is as it comes. Unknown variables n8n ignores. */
export function tuningEnv(
  topology: Topology,
  role: Role,
  isLegacy: boolean,
): Record<string, string> {
  if (topology.tuning === 'none') return {};
  const tuned = tunings[topology.tuning];
  const env: Record<string, string> = {
    EXECUTIONS_DATA_SAVE_ON_SUCCESS: tuned.saveSuccessfulExecutions,
    EXECUTIONS_DATA_SAVE_ON_ERROR: tuned.saveFailedExecutions,
    EXECUTIONS_DATA_SAVE_ON_PROGRESS: String(tuned.saveProgress),
    N8N_LOG_LEVEL: tuned.logLevel,
  };
  if (isLegacy) return env;
  return {
    ...env,
    DB_PING_TIMEOUT_MS: pingTimeoutMs,
    N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: String(tuned.lazyExpressions),
    N8N_EXPRESSION_ENGINE_COMPILE_CACHE: String(tuned.compileCache),
    N8N_EXPRESSION_ENGINE_POOL_SIZE: String(tuned.readySandboxes),
    ...(role !== 'main' && tuned.headlessWorkers ? { N8N_DISABLE_UI: 'true' } : {}),
    ...(databaseOf(topology) === 'postgresql'
      ? {
          DB_POSTGRESDB_POOL_SIZE: String(databasePool(slotsOf(topology, tuned, role))),
          DB_RECOVERY_BACKOFF_MAX_MS: reconnectMs,
        }
      : {}),
    ...(hasTaskRunner(topology, role)
      ? { N8N_RUNNERS_MAX_CONCURRENCY: String(slotsOf(topology, tuned, role)) }
      : {}),
    ...(topology.mode === 'queue' ? queueEnv(role) : {}),
  };
}

/**
 * Of n8n 2.x: a webhook processor runs nothing, nor does main in queue mode while workers also run the executions
 * started in the editor, which n8n takes from the variable itself.
 */
export function hasTaskRunner(topology: Topology, role: Role): boolean {
  if (role !== 'main' || topology.mode !== 'queue') return role !== 'webhook';
  const offloads = {
    ...(topology.tuning === 'none' ? {} : queueEnv('main')),
    ...topology.env,
    ...topology.main.env,
  }['OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS'];
  return offloads !== 'true';
}

/** On a worker the Code nodes at once follow the executions at once: fewer slots would only queue twice. */
function slotsOf({ workers }: Topology, tuned: TuningValues, role: Role): number {
  if (role === 'webhook') return WEBHOOK_SLOTS;
  return role === 'worker' ? workers.concurrency : tuned.runnerConcurrency;
}

function queueEnv(role: Role): Record<string, string> {
  return {
    // Keeps executions started in the editor off main, as n8n recommends.
    OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS: 'true',
    ...(role === 'worker'
      ? {}
      : {
          N8N_EXECUTIONS_QUEUE_KEEP_LAST_COMPLETED: finishedJobsKept,
          N8N_EXECUTIONS_QUEUE_KEEP_LAST_FAILED: finishedJobsKept,
        }),
  };
}
