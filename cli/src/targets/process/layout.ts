import { join } from 'node:path';
import { findBundled } from '../../lab/kit';
import { databaseOf, type Role, type Topology, limitsOf, isLegacy } from '../../plan/topology';
import { Mistake } from '../../ui/exit';
import { findControl, type Control, type Limits } from '../../linux/cgroup';
import { isLimited } from '../../linux/systemd';
import type { StoreLink } from '../target';
import { freePort } from './ports';
import type { ProcessSpec } from './supervisor';
import type { Tools } from './tools';
import type { Workspace } from './workspace';
import { kitEnvironment } from '../../plan/chart-values';
import { readsVariable } from '../../plan/environment';

/** n8n's own limit for what it is running when it has to end. */
const DEFAULT_SECONDS = 30;
/** A busy n8n still closes what is open after its own limit. */
const SPARE_SECONDS = 15;

/** Between SIGTERM and SIGKILL, by the rule of the chart for a worker: n8n's own limit, and somewhat more. */
export function graceMsOf(env: Readonly<Record<string, string>>): number {
  const limit = Number(env['N8N_GRACEFUL_SHUTDOWN_TIMEOUT'] ?? env['QUEUE_WORKER_TIMEOUT']);
  return 1000 * ((limit > 0 ? limit : DEFAULT_SECONDS) + SPARE_SECONDS);
}

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
  /** By which name a store is reached; left out: 127.0.0.1. */
  hostOf?: Ports['hostOf'];
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

/** Adds what tells at /metrics whether each of them is in force, as the chart does with monitoring; n8n as it comes is left without. */
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
  // Else n8n calls the license server when it ends.
  N8N_LICENSE_DETACH_FLOATING_ON_SHUTDOWN: 'false',
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
      : {
          QUEUE_BULL_REDIS_HOST: seat.hostOf?.('redis') ?? LOOPBACK,
          QUEUE_BULL_REDIS_PORT: String(seat.redisPort),
        }),
    ...(seat.role === 'worker'
      ? {
          QUEUE_HEALTH_CHECK_ACTIVE: 'true',
          QUEUE_HEALTH_CHECK_PORT: String(seat.port),
          N8N_WORKER_SERVER_ADDRESS: '127.0.0.1',
        }
      : {}),
    // The balancer leads every webhook to the webhook processors. In a cluster it is the user who leads them there, so the
    // chart has webhook.exclusive in its place.
    ...(seat.role === 'main' && topology.webhooks.count > 0
      ? { N8N_DISABLE_PRODUCTION_MAIN_PROCESS: 'true' }
      : {}),
  };
}

const LOOPBACK = '127.0.0.1';

function databaseEnv({ database, hostOf }: ProcessSeat): Record<string, string> {
  if (database.kind === 'sqlite') return {};
  return {
    DB_POSTGRESDB_HOST: hostOf?.('postgresql') ?? LOOPBACK,
    DB_POSTGRESDB_PORT: String(database.port),
    DB_POSTGRESDB_USER: 'n8n',
    DB_POSTGRESDB_DATABASE: 'n8n',
  };
}

export const PATCHES = join('charts', 'n8n-tuned', 'files', 'preload');

/** Ports on which the processes of a topology listen. */
export interface Ports {
  redis: number | null;
  postgresql: number | null;
  balancer: number | null;
  /** Those of a store with a standby: at its own port listens what leads to its primary. */
  behind?: Partial<Record<Store, StandbyPorts>>;
  /** The name of a store or a service, where n8n asks for one; left out: it has their addresses. */
  hostOf?: (what: Store | 'upstream') => string;
  seats: SeatPorts[];
}

export interface StandbyPorts {
  primary: number;
  standby: number;
  /** Those of Redis that decide which of the two is the primary. */
  sentinels: number[];
}

export interface SeatPorts {
  role: Role;
  instance: string;
  port: number;
  brokerPort: number;
  /** Ports of the links to its stores; left out if it connects directly. */
  links?: Partial<Record<Store, number>>;
}

/** What runs the Code nodes of a process of n8n, where that is another container. */
export const nameBeside = (instance: string): string => `${instance}-runners`;

export type Store = StoreLink['store'];

/** How limits are set on this machine; refused where there are some and they cannot be. */
export const usableControl = ({ main, workers, webhooks }: Topology): Control =>
  controlFor([main, workers, webhooks]);

export function controlFor(limits: readonly Limits[]): Control {
  const control = findControl();
  if (control.kind === 'none' && limits.some(isLimited)) {
    throw new Mistake(
      `CPU and memory limits cannot be set here, because ${control.reason}: remove the CPU and memory limits, or run as root.`,
    );
  }
  return control;
}

const SENTINELS = 3;

async function standbyPorts(store: Store): Promise<StandbyPorts> {
  const [primary, standby] = [await freePort(), await freePort()];
  const sentinels: number[] = [];
  while (store === 'redis' && sentinels.length < SENTINELS) sentinels.push(await freePort());
  return { primary, standby, sentinels };
}

/** `hasLinks`: each process of n8n reaches its stores through links of its own. `standbys`: stores that have one. */
export async function choosePorts(
  topology: Topology,
  hasLinks: boolean,
  standbys: readonly Store[] = [],
): Promise<Ports> {
  const isQueue = topology.mode === 'queue';
  const isPostgresql = databaseOf(topology) === 'postgresql';
  const seats: Ports['seats'] = [];
  const add = async (role: Role, instance: string): Promise<void> => {
    const links = {
      ...(hasLinks && isQueue ? { redis: await freePort() } : {}),
      ...(hasLinks && isPostgresql ? { postgresql: await freePort() } : {}),
    };
    seats.push({ role, instance, port: await freePort(), brokerPort: await freePort(), links });
  };
  await add('main', 'main');
  for (let n = 1; isQueue && n <= topology.workers.count; n += 1)
    await add('worker', `worker-${String(n)}`);
  for (let n = 1; n <= topology.webhooks.count; n += 1)
    await add('webhook', `webhook-${String(n)}`);
  const behind: NonNullable<Ports['behind']> = {};
  for (const store of standbys) behind[store] = await standbyPorts(store);
  return {
    redis: isQueue ? await freePort() : null,
    postgresql: isPostgresql ? await freePort() : null,
    balancer: topology.webhooks.count > 0 ? await freePort() : null,
    ...(standbys.length === 0 ? {} : { behind }),
    seats,
  };
}

export function baseUrlOf(ports: Ports): string {
  const main = ports.seats.find(({ role }) => role === 'main');
  return `http://127.0.0.1:${String(ports.balancer ?? main?.port)}`;
}

export function seatOf(
  ports: Ports,
  { role, port, brokerPort, links }: SeatPorts,
  folder: string,
  filesFolder: string,
): ProcessSeat {
  return {
    role,
    folder,
    port,
    brokerPort,
    webhookUrl: baseUrlOf(ports),
    database:
      ports.postgresql === null
        ? { kind: 'sqlite' }
        : { kind: 'postgresql', port: links?.postgresql ?? ports.postgresql },
    redisPort: links?.redis ?? ports.redis,
    ...(ports.hostOf === undefined ? {} : { hostOf: ports.hostOf }),
    filesFolder,
    patchFolder: findBundled(PATCHES, 'untraced-sqlite.cjs'),
  };
}

/** The part of a topology's folder that its workflows may use. */
export const filesFolderOf = (folder: string): string => join(folder, FILES);
export const FILES = 'files';

/** The n8n processes, each in a folder of its own as in a pod of its own. */
export function n8nProcesses(
  topology: Topology,
  ports: Ports,
  tools: Tools,
  workspace: Workspace,
): ProcessSpec[] {
  return ports.seats.map((seat) => {
    const place = workspace.place(seat.instance);
    const { cpuMillicores, memoryMiB } = limitsOf(topology, seat.role);
    return {
      role: seat.role,
      instance: seat.instance,
      command: [...tools.n8nCommand, ...subcommand(topology, seat.role)],
      env: n8nEnv(topology, seatOf(ports, seat, place.folder, filesFolderOf(workspace.folder))),
      ...place,
      limits: { cpuMillicores, memoryMiB },
      stopSignal: 'TERM',
      kind: 'service',
    };
  });
}

function subcommand({ workers }: Topology, role: Role): string[] {
  if (role === 'worker') return ['worker', `--concurrency=${String(workers.concurrency)}`];
  return [role === 'webhook' ? 'webhook' : 'start'];
}
