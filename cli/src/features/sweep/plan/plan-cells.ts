import { matrix, sift, type Cell, type Cells, type Rule } from './cells';
import { serverFrom, serverLoad, type ServerLoad } from '../../../plan/chosen-server';
import { contradiction, topologySchema, type Topology } from '../../../plan/topology';
import {
  isProfileName,
  planOf,
  PROFILES,
  type LoadPlan,
} from '../../../../../loadtests/lib/profile';
import { elsewhereIn } from '../../../plan/values-topology';
import type { Server } from '../../../plan/server';
import type { SweepPlan } from './plan';
import { messageOf } from '../../../ui/exit';

/** n8n 2.x did not start with 512 MiB, but that it does not is for the sweep to show; V8 itself needs this. */
const MIN_MEMORY_MIB = 64;

/** The cells of a plan, complete: what is fixed and what a dimension says, in one. */
export function cellsOf(plan: SweepPlan, beyond: readonly Rule[] = []): Cells {
  const rules = [...RULES, (cell: Cell) => impossibleLoad(cell, plan), ...beyond];
  const complete = (cell: Cell): Cell => ({ ...plan.fixed, ...cell });
  return plan.dimensions !== undefined
    ? matrix({ ...single(plan.fixed), ...plan.dimensions }, rules)
    : sift((plan.cells ?? []).map(complete), rules);
}

/** Names of what differs between cells, in the order of the plan: what plots go over. */
export function changedDimensions(cells: readonly Cell[]): string[] {
  const names = [...new Set(cells.flatMap((cell) => Object.keys(cell)))];
  return names.filter((name) => new Set(cells.map((cell) => cell[name])).size > 1);
}

const single = (cell: Cell): Record<string, Cell[string][]> =>
  Object.fromEntries(Object.entries(cell).map(([name, value]) => [name, [value]]));

/** Keys of a cell that starts a server in place of n8n. */
const OF_SERVER = new Set(['command', 'url', 'request', 'workload', 'cpuMillicores', 'memoryMiB']);
const OF_LOAD = new Set(['profile', 'ratePerSecond', 'clients']);

export const isServerCell = ({ command }: Cell): boolean => command !== undefined;

/** The server that a possible cell asks for. */
export function serverOf(cell: Cell): Server {
  const { command, url, cpuMillicores, memoryMiB } = cell;
  return serverFrom(
    { ...given({ command, url, cpuMillicores, memoryMiB }), env: envOf(cell) },
    'the plan',
  );
}

function impossibleServer(cell: Cell): string | null {
  if (!isServerCell(cell)) {
    const alone = ['url', 'request'].find((name) => cell[name] !== undefined);
    return alone === undefined
      ? null
      : `${alone} works only with a server, but the cell has no command that starts one`;
  }
  const { request, workload } = cell;
  const free = workload === undefined ? /^env\./ : /^(env|param)\./;
  const other = Object.keys(cell).find(
    (name) => !OF_SERVER.has(name) && !OF_LOAD.has(name) && !free.test(name),
  );
  if (other !== undefined)
    return `${other} works only with n8n, which a cell with a command does not start`;
  try {
    const { url } = serverOf(cell);
    serverLoad(url, given({ request, workload }) as ServerLoad);
    return null;
  } catch (error) {
    return messageOf(error).replace(/\.$/, '');
  }
}

/** What cannot be, in a sentence each. */
const RULES: readonly Rule[] = [
  impossibleServer,
  ({ mode, workers }) =>
    mode !== 'queue' && workers !== undefined ? 'only queue mode has workers' : null,
  ({ mode, concurrency }) =>
    mode !== 'queue' && concurrency !== undefined ? 'only queue mode has worker concurrency' : null,
  ({ workers, instances }) =>
    workers !== undefined && instances !== undefined
      ? 'instances and workers are the same in queue mode: use only one of them'
      : null,
  ({ mode, instances }) =>
    mode !== 'queue' && instances !== undefined && instances !== 1
      ? 'regular mode has a single process: more instances require queue mode'
      : null,
  ({ spread }) =>
    spread === 'cluster' || spread === 'iptables'
      ? `n8n does not support ${spread}: its processes share a queue, not a port`
      : null,
  ({ spread, webhooks }) =>
    spread === 'nginx' && !(Number(webhooks ?? 0) > 0)
      ? 'nginx balances webhook processors, but there are none'
      : null,
  ({ spread, webhooks }) =>
    spread === 'none' && Number(webhooks ?? 0) > 0
      ? 'webhook processors always have nginx in front of them'
      : null,
  ({ memoryMiB, heapMiB }) =>
    typeof heapMiB === 'number' && memoryMiB !== undefined && heapMiB > Number(memoryMiB)
      ? 'the heap is larger than the memory limit'
      : null,
  ({ memoryMiB }) =>
    memoryMiB !== undefined && Number(memoryMiB) < MIN_MEMORY_MIB
      ? `Node.js does not start with less than ${String(MIN_MEMORY_MIB)} MiB`
      : null,
  (cell) => {
    if (isServerCell(cell)) return null;
    const topology = topologySchema.safeParse(layoutOf(cell));
    if (!topology.success) return topology.error.issues[0]?.message ?? 'the topology is invalid';
    return contradiction(topology.data) ?? elsewhereIn(topology.data);
  },
];

/** The topology that a possible cell asks for. */
export function topologyOf(cell: Cell): Topology {
  return topologySchema.parse(layoutOf(cell));
}

function layoutOf(cell: Cell): object {
  const { n8n, mode, process, database, tuning, cpuMillicores, memoryMiB, heapMiB } = cell;
  const limits = given({ cpuMillicores, memoryMiB, heapMiB });
  return {
    ...given({ n8n, mode, process, database, tuning }),
    main: limits,
    workers: {
      ...limits,
      ...given({
        count: mode === 'queue' ? (cell['workers'] ?? cell['instances']) : undefined,
        concurrency: cell['concurrency'],
      }),
    },
    webhooks: { ...limits, ...given({ count: cell['webhooks'] }) },
    env: envOf(cell),
  };
}

const envOf = (cell: Cell): Record<string, string> =>
  Object.fromEntries(
    Object.entries(partsOf(cell, 'env')).map(([name, value]) => [name, String(value)]),
  );

/** `param.items: 100` of the cell as `items: 100`. */
export function partsOf(cell: Cell, kind: 'param' | 'env'): Record<string, string | number> {
  return Object.fromEntries(
    Object.entries(cell)
      .filter(([name]) => name.startsWith(`${kind}.`))
      .map(([name, value]) => [name.slice(kind.length + 1), value]),
  );
}

export const profileOf = (cell: Cell, plan: SweepPlan): string =>
  String(cell['profile'] ?? plan.measure.profile);

/** The load of a cell that is one run; null where it is a search. */
export function loadOf(cell: Cell, plan: SweepPlan): LoadPlan | null {
  const profile = profileOf(cell, plan);
  if (!isProfileName(profile)) return null;
  const { measure } = plan;
  const isClosed = PROFILES[profile].loop === 'closed';
  const rate = Number(cell['ratePerSecond'] ?? measure.ratePerSecond ?? NaN);
  const clients = Number(cell['clients'] ?? measure.clients ?? NaN);
  return planOf(profile, {
    ...(isClosed || Number.isNaN(rate) ? {} : { ratePerSecond: rate }),
    ...(!isClosed || Number.isNaN(clients) ? {} : { clients }),
    ...given({
      durationSeconds: measure.duration,
      warmupSeconds: measure.warmup,
      arrivals: isClosed ? undefined : measure.arrivals,
    }),
  });
}

/** A dimension that a profile does not know would give the same cell many times. */
function impossibleLoad(cell: Cell, plan: SweepPlan): string | null {
  const profile = profileOf(cell, plan);
  const loop = isProfileName(profile) ? PROFILES[profile].loop : 'search';
  if (cell['ratePerSecond'] !== undefined && loop !== 'open') {
    return `${profile} has no rate`;
  }
  if (cell['clients'] !== undefined && loop !== 'closed') return `${profile} has no clients`;
  return null;
}

function given<T extends object>(values: T): Partial<{ [K in keyof T]: NonNullable<T[K]> }> {
  const known = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(known) as Partial<{ [K in keyof T]: NonNullable<T[K]> }>;
}
