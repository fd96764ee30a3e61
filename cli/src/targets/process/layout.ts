import { join } from 'node:path';
import { findBundled } from '../../lab/kit';
import { databaseOf, type Role, type Topology } from '../../plan/topology';
import { Mistake } from '../../ui/exit';
import { findControl, type Control, type Limits } from '../../linux/cgroup';
import { isLimited } from '../../linux/systemd';
import { n8nEnv, type ProcessSeat } from './env';
import { limitsOf } from '../../plan/limits';
import type { StoreLink } from '../target';
import { freePort } from './ports';
import type { ProcessSpec } from './supervisor';
import type { Tools } from './tools';
import type { Workspace } from './workspace';

export const PATCHES = join('charts', 'n8n-tuned', 'files', 'preload');

/** Ports on which the processes of a topology listen. */
export interface Ports {
  redis: number | null;
  postgresql: number | null;
  balancer: number | null;
  seats: SeatPorts[];
}

export interface SeatPorts {
  role: Role;
  instance: string;
  port: number;
  brokerPort: number;
  /** Ports of the links to its stores; left out if it connects directly. */
  links?: Partial<Record<Store, number>>;
}

export type Store = StoreLink['store'];

/** How limits are set on this machine; refused where there are some and they cannot be. */
export const usableControl = ({ main, workers, webhooks }: Topology): Control =>
  controlFor([main, workers, webhooks]);

export function controlFor(limits: readonly Limits[]): Control {
  const control = findControl();
  if (control.kind === 'none' && limits.some(isLimited)) {
    throw new Mistake(
      `CPU and memory limits cannot be set here, since ${control.reason}: leave cpuMillicores and memoryMiB out, or run as root.`,
    );
  }
  return control;
}

/** `hasLinks`: each process of n8n reaches its stores through links of its own. */
export async function choosePorts(topology: Topology, hasLinks: boolean): Promise<Ports> {
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
  return {
    redis: isQueue ? await freePort() : null,
    postgresql: isPostgresql ? await freePort() : null,
    balancer: topology.webhooks.count > 0 ? await freePort() : null,
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
