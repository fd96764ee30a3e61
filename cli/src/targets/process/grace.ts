/** n8n's own limit for what it is running when it has to end. */
const DEFAULT_SECONDS = 30;
/** A busy n8n still closes what is open after its own limit. */
const SPARE_SECONDS = 15;

/** Between SIGTERM and SIGKILL, by the rule of the chart for a worker: n8n's own limit, and somewhat more. */
export function graceMsOf(env: Readonly<Record<string, string>>): number {
  const limit = Number(env['N8N_GRACEFUL_SHUTDOWN_TIMEOUT'] ?? env['QUEUE_WORKER_TIMEOUT']);
  return 1000 * ((limit > 0 ? limit : DEFAULT_SECONDS) + SPARE_SECONDS);
}
