/** Which variables of the environment a record shows: an allow-list, so that the value of every other one is masked. Pure. */

/** Whose values are numbers: of n8n, which reads them as such, and of this kit. */
const NUMBERS = new Set(
  `
  DATABASE_ROUND_TRIP_MS DB_LOGGING_MAX_EXECUTION_TIME DB_PING_INTERVAL_SECONDS DB_PING_TIMEOUT_MS
  DB_POSTGRESDB_CONNECTION_TIMEOUT DB_POSTGRESDB_IDLE_CONNECTION_TIMEOUT DB_POSTGRESDB_KEEP_ALIVE_INITIAL_DELAY_MS
  DB_POSTGRESDB_MAX_CONNECTION_LIFETIME_MS DB_POSTGRESDB_POOL_SIZE DB_POSTGRESDB_PORT DB_POSTGRESDB_STATEMENT_TIMEOUT
  DB_RECOVERY_BACKOFF_MAX_MS DB_SQLITE_POOL_SIZE
  EXECUTIONS_DATA_HARD_DELETE_BUFFER EXECUTIONS_DATA_MAX_AGE EXECUTIONS_DATA_PRUNE_HARD_DELETE_INTERVAL
  EXECUTIONS_DATA_PRUNE_MAX_COUNT EXECUTIONS_DATA_PRUNE_SOFT_DELETE_INTERVAL EXECUTIONS_TIMEOUT EXECUTIONS_TIMEOUT_MAX
  INSTANCES N8N_CACHE_MEMORY_MAX_SIZE N8N_CACHE_MEMORY_TTL N8N_CONCURRENCY_EVALUATION_LIMIT
  N8N_CONCURRENCY_PRODUCTION_LIMIT N8N_EXECUTIONS_QUEUE_KEEP_LAST_COMPLETED N8N_EXECUTIONS_QUEUE_KEEP_LAST_FAILED
  N8N_EXECUTIONS_QUEUE_RECOVERY_BATCH N8N_EXECUTIONS_QUEUE_RECOVERY_INTERVAL N8N_EXPRESSION_ENGINE_IDLE_TIMEOUT
  N8N_EXPRESSION_ENGINE_MAX_CODE_CACHE_SIZE N8N_EXPRESSION_ENGINE_POOL_SIZE N8N_FORMDATA_FILE_SIZE_MAX
  N8N_GRACEFUL_SHUTDOWN_TIMEOUT N8N_METRICS_ACTIVE_WORKFLOW_METRIC_INTERVAL N8N_METRICS_QUEUE_METRICS_INTERVAL
  N8N_METRICS_WORKFLOW_STATISTICS_INTERVAL N8N_MULTI_MAIN_SETUP_CHECK_INTERVAL N8N_PAYLOAD_SIZE_MAX N8N_PORT
  N8N_PROXY_HOPS N8N_RUNNERS_BROKER_PORT N8N_RUNNERS_HEARTBEAT_INTERVAL N8N_RUNNERS_MAX_CONCURRENCY
  N8N_RUNNERS_MAX_OLD_SPACE_SIZE N8N_RUNNERS_MAX_PAYLOAD N8N_RUNNERS_TASK_REQUEST_TIMEOUT N8N_RUNNERS_TASK_TIMEOUT
  N8N_SCHEDULER_INTERVAL N8N_TUNED_GUARD_SECONDS N8N_TUNED_KEEP_ALIVE_SECONDS N8N_WEBHOOK_RESPONSE_RELAY_SIZE_MAX
  N8N_WORKFLOW_ACTIVATION_BATCH_SIZE N8N_WORKFLOW_PUBLICATION_CONCURRENCY PORT PROCESSES
  QUEUE_BULL_REDIS_DB QUEUE_BULL_REDIS_KEEP_ALIVE_DELAY QUEUE_BULL_REDIS_KEEP_ALIVE_INTERVAL QUEUE_BULL_REDIS_PORT
  QUEUE_BULL_REDIS_SLOT_REFRESH_INTERVAL QUEUE_BULL_REDIS_SLOT_REFRESH_TIMEOUT QUEUE_BULL_REDIS_TIMEOUT_THRESHOLD
  QUEUE_HEALTH_CHECK_PORT QUEUE_WORKER_LOCK_DURATION QUEUE_WORKER_LOCK_RENEW_TIME QUEUE_WORKER_STALLED_INTERVAL
  QUEUE_WORKER_TIMEOUT UV_THREADPOOL_SIZE WORKERS
  `
    .trim()
    .split(/\s+/),
);

/** Whose values are one of a few words. */
const WORDS: Record<string, readonly string[]> = {
  DB_LOGGING_OPTIONS: ['query', 'error', 'schema', 'warn', 'info', 'log', 'all'],
  DB_TYPE: ['sqlite', 'postgresdb'],
  EXECUTIONS_DATA_SAVE_ON_ERROR: ['all', 'none'],
  EXECUTIONS_DATA_SAVE_ON_SUCCESS: ['all', 'none'],
  EXECUTIONS_MODE: ['regular', 'queue'],
  EXECUTIONS_PROCESS: ['main', 'own'],
  N8N_CACHE_BACKEND: ['memory', 'redis', 'auto'],
  N8N_DEFAULT_BINARY_DATA_MODE: ['default', 'filesystem', 'database', 's3'],
  N8N_EXPRESSION_ENGINE: ['legacy', 'vm'],
  N8N_LOG_FORMAT: ['text', 'json'],
  N8N_LOG_LEVEL: ['error', 'warn', 'info', 'debug', 'verbose', 'silent'],
  N8N_LOG_OUTPUT: ['console', 'file'],
  N8N_PROTOCOL: ['http', 'https'],
  N8N_RUNNERS_MODE: ['internal', 'external'],
  NODE_ENV: ['production', 'development', 'test'],
};

/** Options of Node.js for memory, and for patches of this kit that are loaded before n8n. */
const NODE_OPTION =
  /^(--(max-old-space-size|max-semi-space-size|max-http-header-size|stack-size)=\d+|--expose-gc|--(require|import)=\.{0,2}\/?(studies|charts)\/[\w./-]+\.[cm]?js)$/;
const PATCHES = /^[a-z]+(-[a-z]+){0,3}(,[a-z]+(-[a-z]+){0,3})*$/;

/** `true` and `false` tell nothing of a secret, and an empty value is none. */
export function isHarmlessVariable(name: string, value: string): boolean {
  if (/^(true|false|)$/.test(value)) return true;
  if (NUMBERS.has(name)) return /^-?\d+(\.\d+)?$/.test(value);
  if (/_HOST$/.test(name)) return /^(127\.0\.0\.1|localhost|::1)$/.test(value);
  if (name === 'N8N_TUNED_WITHOUT') return PATCHES.test(value);
  if (name === 'NODE_OPTIONS') return value.split(/\s+/).every((word) => NODE_OPTION.test(word));
  if (name === 'GENERIC_TIMEZONE' || name === 'TZ') return isTimeZone(value);
  return Object.hasOwn(WORDS, name) && (WORDS[name] ?? []).includes(value);
}

function isTimeZone(value: string): boolean {
  return value === 'UTC' || value === 'Etc/UTC' || zones().has(value);
}

let known: ReadonlySet<string> | null = null;
const zones = (): ReadonlySet<string> => (known ??= new Set(Intl.supportedValuesOf('timeZone')));
