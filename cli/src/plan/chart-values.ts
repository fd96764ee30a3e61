/** From a topology to the values of the chart that deploy it, and to the environment that they come to. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Mistake } from '../ui/exit';
import {
  chartFile,
  chartFolder,
  componentOf,
  environmentOf,
  type RoleEnvironment,
  type NamedSettings,
} from './environment';
import { isLegacy, limitsOf } from './limits';
import { filled, merged, presetsOf } from './presets';
import { ROLES, type Role } from './roles';
import { databaseOf, type Topology } from './topology';

/** The user's values with all that the chart lays under them. */
export function completed(user: unknown): NamedSettings {
  const presets = presetsOf(user).map((name) => {
    if (!existsSync(join(chartFolder(), 'presets', `${name}.yaml`))) {
      throw new Mistake(`the values are wrong at preset: the chart has no preset '${name}'`);
    }
    return chartFile('presets', `${name}.yaml`);
  });
  const values = merged(chartFile('values.yaml'), user);
  return filled(values, [...presets, chartFile('files', 'defaults.yaml')]) as NamedSettings;
}

/** Only what the topology says; the chart decides the rest. */
export function valuesOfTopology(topology: Topology): NamedSettings {
  if (topology.tuning === 'none') {
    throw new Mistake(
      'tuning none is n8n as it comes, which the chart does not deploy: take --tuning default, or --target process.',
    );
  }
  const { main, workers, webhooks, mode } = topology;
  const isQueue = mode === 'queue';
  return {
    image: { tag: topology.n8n },
    executions: { mode, process: topology.process },
    database: { type: databaseOf(topology) },
    tuning: { profile: topology.tuning, ...topology.settings },
    ...(Object.keys(topology.env).length === 0 ? {} : { env: topology.env }),
    main: roleOf(main),
    ...(isQueue
      ? {
          worker: {
            ...roleOf(workers),
            replicas: workers.count,
            concurrency: workers.concurrency,
          },
          webhook: {
            ...(webhooks.count === 0 ? {} : roleOf(webhooks)),
            enabled: webhooks.count > 0,
            ...(webhooks.count === 0 ? {} : { replicas: webhooks.count }),
          },
        }
      : {}),
  };
}

/** So much is reserved at the most: limits bound what a role may use, and the scheduler need not find all of it free. */
const RESERVED_MILLICORES = 250;

function roleOf({
  cpuMillicores,
  memoryMiB,
  heapMiB,
  env,
}: Topology['main']): Record<string, unknown> {
  const amounts = (cpu: number | undefined): Record<string, string> => ({
    ...(cpu === undefined ? {} : { cpu: `${String(cpu)}m` }),
    ...(memoryMiB === undefined ? {} : { memory: `${String(memoryMiB)}Mi` }),
  });
  const reserved =
    cpuMillicores === undefined ? undefined : Math.min(cpuMillicores, RESERVED_MILLICORES);
  const isLimited = cpuMillicores !== undefined || memoryMiB !== undefined;
  return {
    ...(isLimited
      ? { resources: { limits: amounts(cpuMillicores), requests: amounts(reserved) } }
      : {}),
    ...(Object.keys(env).length === 0 ? {} : { env }),
    ...heapOf(heapMiB),
  };
}

function heapOf(heapMiB: Topology['main']['heapMiB']): Record<string, unknown> {
  if (heapMiB === 'auto') return {};
  return {
    heap: heapMiB === 'none' ? { enabled: false } : { oldSpace: `${String(heapMiB)}Mi` },
  };
}

/** How n8n prunes by default; versions below 1.0 do not prune. */
const prunesItself = (n8n: string): boolean => !isLegacy(n8n);

/** What the kit sets in a process of a topology, apart from its place: what the chart sets in a pod with the same limits. */
export function kitEnvironment(topology: Topology, role: Role): RoleEnvironment {
  const isUntuned = topology.tuning === 'none';
  const values = completed(
    merged(valuesOfTopology(isUntuned ? { ...topology, tuning: 'default' } : topology), {
      executions: { pruning: { enabled: prunesItself(topology.n8n) } },
    }),
  );
  const { memoryMiB, heapMiB } = limitsOf(topology, role);
  const settings = values[role] as NamedSettings;
  // A topology without a limit has none, where the chart has a default.
  settings['resources'] =
    memoryMiB === undefined ? {} : { limits: { memory: `${String(memoryMiB)}Mi` } };
  const component = componentOf(values, role, topology.n8n);
  if (isUntuned) component.heap = {};
  if (typeof heapMiB === 'number') component.heap['oldSpace'] = heapMiB;
  return environmentOf(component, isUntuned);
}

/** The kit's variables under those that the user set for all, and for the role: the last one wins. */
export function variablesOf(topology: Topology, role: Role): Record<string, string> {
  return {
    EXECUTIONS_DATA_PRUNE: String(prunesItself(topology.n8n)),
    ...kitEnvironment(topology, role).variables,
    ...topology.env,
    ...limitsOf(topology, role).env,
  };
}

/** V8's old space; null leaves it to V8. */
export function heapMiBOf(topology: Topology, role: Role): number | null {
  const option = kitEnvironment(topology, role).options.find((one) => OLD_SPACE.test(one));
  return option === undefined ? null : Number(OLD_SPACE.exec(option)?.[1]);
}

const OLD_SPACE = /^--max-old-space-size=(\d+)$/;

/** Connections to the database of one process of each role that is deployed, where the kit sets them. */
export const kitPools = (topology: Topology): [Role, string][] =>
  deployedRoles(topology).flatMap((role): [Role, string][] => {
    const size = kitEnvironment(topology, role).variables['DB_POSTGRESDB_POOL_SIZE'];
    return size === undefined ? [] : [[role, size]];
  });

export function deployedRoles({ mode, workers, webhooks }: Topology): Role[] {
  const counts = { main: 1, worker: workers.count, webhook: webhooks.count };
  return ROLES.filter((role) => role === 'main' || (mode === 'queue' && counts[role] > 0));
}
