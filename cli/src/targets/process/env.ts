import { join } from 'node:path';
import { isLegacy, limitsOf } from '../../plan/limits';
import type { Role, Topology } from '../../plan/topology';
import { kitEnvironment } from '../../plan/chart-values';
import { readsVariable } from '../../plan/environment';

/** What one n8n process must be told so that it finds its place in the topology. */
export interface ProcessSeat {
  role: Role;
  folder: string;
  /** Port of the editor and the webhooks; for a worker, of its health and metrics. */
  port: number;
  /** Port to which its task runner connects; unused below 1.0. */
  brokerPort: number;
  /** Address at which callers reach the webhooks. */
  webhookUrl: string;
  database: { kind: 'sqlite' } | { kind: 'postgresql'; port: number };
  redisPort: number | null;
  /** The same for all processes: where workflows may read and write files. */
  filesFolder: string;
  /** Folder of the patches that the tuning loads before n8n. */
  patchFolder: string;
}

/** Without secrets, see secrets.ts. Place, then the kit's settings, then what the user set for all, then for the role: the last one wins. */
export function n8nEnv(topology: Topology, seat: ProcessSeat): Record<string, string> {
  const { variables, options, patches } = kitEnvironment(topology, seat.role);
  const user = { ...topology.env, ...limitsOf(topology, seat.role).env };
  // The user's NODE_OPTIONS are mostly about something else; where they name a heap, V8 takes the last.
  const nodeOptions = [
    ...options,
    ...withStates(patches).map((file) => `--require=${quoted(join(seat.patchFolder, file))}`),
    ...(user['NODE_OPTIONS'] === undefined ? [] : [user['NODE_OPTIONS']]),
  ];
  return {
    ...quiet,
    ...placement(topology, seat),
    ...measured,
    ...variables,
    ...user,
    ...(nodeOptions.length === 0 ? {} : { NODE_OPTIONS: nodeOptions.join(' ') }),
  };
}

/** What tells at /metrics whether each of them is in force; n8n as it comes is left without. */
const withStates = (patches: readonly string[]): string[] =>
  patches.length === 0 ? [] : [...patches, 'limit-metrics.cjs'];

/** Node.js splits NODE_OPTIONS at spaces. */
const quoted = (path: string): string => (path.includes(' ') ? `"${path}"` : path);

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
  const webhookUrlName = readsVariable(topology.n8n, 'N8N_WEBHOOK_URL')
    ? 'N8N_WEBHOOK_URL'
    : 'WEBHOOK_URL';
  return {
    HOME: seat.folder,
    N8N_USER_FOLDER: seat.folder,
    N8N_LISTEN_ADDRESS: '127.0.0.1',
    N8N_HOST: '127.0.0.1',
    N8N_PORT: String(seat.port),
    [webhookUrlName]: `${seat.webhookUrl}/`,
    ...(isLegacy(topology.n8n)
      ? {}
      : {
          N8N_RUNNERS_BROKER_PORT: String(seat.brokerPort),
          N8N_RESTRICT_FILE_ACCESS_TO: seat.filesFolder,
        }),
    ...databaseEnv(seat),
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
  if (database.kind === 'sqlite') return {};
  return {
    DB_POSTGRESDB_HOST: '127.0.0.1',
    DB_POSTGRESDB_PORT: String(database.port),
    DB_POSTGRESDB_USER: 'n8n',
    DB_POSTGRESDB_DATABASE: 'n8n',
  };
}
