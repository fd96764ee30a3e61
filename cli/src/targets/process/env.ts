import { join } from 'node:path';
import { isLegacy, limitsOf, heapMiBOf } from '../../plan/limits';
import { patchFiles } from '../../plan/patches';
import type { Role, Topology } from '../../plan/topology';
import { heapsFor, tunings } from '../../plan/tuning';
import { hasTaskRunner, tuningEnv } from '../../plan/tuning-env';

/** What one n8n process must be told so that it finds its place in the topology. */
export interface ProcessSeat {
  role: Role;
  folder: string;
  /** Of the editor, the webhooks or, for a worker, its health and metrics. */
  port: number;
  /** Where its task runner reports; unused below 1.0. */
  brokerPort: number;
  /** Where the world reaches the webhooks. */
  webhookUrl: string;
  database: { kind: 'sqlite' } | { kind: 'postgresql'; port: number };
  redisPort: number | null;
  /** The same for all processes: where workflows may read and write files. */
  filesFolder: string;
  /** Where the patches are that the tuning has loaded before n8n. */
  patchFolder: string;
}

/** Without secrets, see secrets.ts. Placement, then tuning, then heaps, then what the user set for all, then for the role: the last one wins. */
export function n8nEnv(topology: Topology, seat: ProcessSeat): Record<string, string> {
  const limits = limitsOf(topology, seat.role);
  const user = { ...topology.env, ...limits.env };
  const ours = nodeOptions(topology, seat);
  // The user's NODE_OPTIONS are mostly about something else; where they name a heap, V8 takes the last.
  const options = [...ours, ...(user['NODE_OPTIONS'] === undefined ? [] : [user['NODE_OPTIONS']])];
  return {
    ...quiet,
    ...placement(topology, seat),
    ...measured,
    ...tuningEnv(topology, seat.role, isLegacy(topology.n8n)),
    ...runnerMemory(topology, seat.role),
    ...user,
    ...(options.length === 0 ? {} : { NODE_OPTIONS: options.join(' ') }),
  };
}

/** n8n must not call home during a measurement, nor ask anyone anything. */
const quiet: Record<string, string> = {
  N8N_DIAGNOSTICS_ENABLED: 'false',
  N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
  N8N_DYNAMIC_BANNERS_ENABLED: 'false',
  N8N_TEMPLATES_ENABLED: 'false',
  N8N_PERSONALIZATION_ENABLED: 'false',
  N8N_HIRING_BANNER_ENABLED: 'false',
  N8N_LICENSE_AUTO_RENEW_ENABLED: 'false',
  EXTERNAL_FRONTEND_HOOKS_URLS: '',
  GENERIC_TIMEZONE: 'UTC',
};

/** What the samplers read. */
const measured: Record<string, string> = {
  N8N_METRICS: 'true',
  N8N_METRICS_INCLUDE_MESSAGE_EVENT_BUS_METRICS: 'true',
  N8N_METRICS_INCLUDE_DB_POOL_METRICS: 'true',
};

function placement(topology: Topology, seat: ProcessSeat): Record<string, string> {
  const webhookUrlName = isLegacy(topology.n8n) ? 'WEBHOOK_URL' : 'N8N_WEBHOOK_URL';
  return {
    HOME: seat.folder,
    N8N_USER_FOLDER: seat.folder,
    N8N_LISTEN_ADDRESS: '127.0.0.1',
    N8N_HOST: '127.0.0.1',
    N8N_PORT: String(seat.port),
    [webhookUrlName]: `${seat.webhookUrl}/`,
    ...(isLegacy(topology.n8n)
      ? { EXECUTIONS_PROCESS: topology.process }
      : {
          N8N_RUNNERS_BROKER_PORT: String(seat.brokerPort),
          N8N_RESTRICT_FILE_ACCESS_TO: seat.filesFolder,
        }),
    ...databaseEnv(seat),
    EXECUTIONS_MODE: topology.mode,
    ...(seat.redisPort === null
      ? {}
      : { QUEUE_BULL_REDIS_HOST: '127.0.0.1', QUEUE_BULL_REDIS_PORT: String(seat.redisPort) }),
    ...(seat.role === 'worker'
      ? {
          QUEUE_HEALTH_CHECK_ACTIVE: 'true',
          QUEUE_HEALTH_CHECK_PORT: String(seat.port),
          N8N_WORKER_SERVER_ADDRESS: '127.0.0.1',
        }
      : {}),
    // With webhook processors, main must leave the production webhooks to them.
    ...(seat.role === 'main' && topology.webhooks.count > 0
      ? { N8N_DISABLE_PRODUCTION_MAIN_PROCESS: 'true' }
      : {}),
  };
}

function databaseEnv({ database }: ProcessSeat): Record<string, string> {
  if (database.kind === 'sqlite') return { DB_TYPE: 'sqlite' };
  return {
    DB_TYPE: 'postgresdb',
    DB_POSTGRESDB_HOST: '127.0.0.1',
    DB_POSTGRESDB_PORT: String(database.port),
    DB_POSTGRESDB_USER: 'n8n',
    DB_POSTGRESDB_DATABASE: 'n8n',
  };
}

function nodeOptions(topology: Topology, { role, database, patchFolder }: ProcessSeat): string[] {
  const heapMiB = heapMiBOf(topology, role);
  const heap = heapMiB === null ? [] : [`--max-old-space-size=${String(heapMiB)}`];
  if (topology.tuning === 'none') return heap;
  const tuning = tunings[topology.tuning];
  const { semiSpaceMiB } = tuning;
  const isQueue = topology.mode === 'queue';
  const isWorker = role === 'worker';
  const place = { database: database.kind, isLegacy: isLegacy(topology.n8n), isQueue, isWorker };
  return [
    ...heap,
    ...(semiSpaceMiB === 0 ? [] : [`--max-semi-space-size=${String(semiSpaceMiB)}`]),
    ...patchFiles(tuning, place).map((file) => `--require=${quoted(join(patchFolder, file))}`),
  ];
}

/** Node.js splits NODE_OPTIONS at spaces. */
const quoted = (path: string): string => (path.includes(' ') ? `"${path}"` : path);

function runnerMemory(topology: Topology, role: Role): Record<string, string> {
  const { memoryMiB, heapMiB } = limitsOf(topology, role);
  // V8's own heaps are meant for the runner too, as the chart has it.
  if (heapMiB === 'none') return {};
  const hasRunner = !isLegacy(topology.n8n) && hasTaskRunner(topology, role);
  if (!hasRunner || memoryMiB === undefined || topology.tuning === 'none') return {};
  const { runnerHeapMiB, runnerPayloadMiB } = heapsFor(memoryMiB);
  return {
    N8N_RUNNERS_MAX_OLD_SPACE_SIZE: String(runnerHeapMiB),
    N8N_RUNNERS_MAX_PAYLOAD: String(runnerPayloadMiB * 1024 * 1024),
  };
}
