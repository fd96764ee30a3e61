/** From a topology to the values of the chart that deploy it, and to the environment that they come to. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Mistake } from '../ui/exit';
import {
  at,
  chartFile,
  chartFolder,
  chartVersion,
  componentOf,
  environmentOf,
  refuseUnreadSettings,
  type RoleEnvironment,
  type NamedSettings,
} from './environment';
import { isLegacy, limitsOf, databaseOf, type Topology } from './topology';
import { filled, merged, presetsOf } from './presets';
import { ROLES, type Role } from './roles';

/** The user's values with all that the chart lays under them. */
export function completed(user: unknown, defaults = chartDefaults()): NamedSettings {
  const presets = presetsOf(user).map((name) => {
    if (!existsSync(join(chartFolder(), 'presets', `${name}.yaml`))) {
      throw new Mistake(`preset: the chart has no preset named '${name}'`);
    }
    return chartFile('presets', `${name}.yaml`);
  });
  const values = merged(chartFile('values.yaml'), user);
  const complete = filled(values, [...presets, defaults]) as NamedSettings;
  // Helm reads a bare `off` as false.
  if (at(complete, ['tuning', 'patches']) !== false) return complete;
  return merged(complete, { tuning: { patches: 'off' } }) as NamedSettings;
}

const chartDefaults = (): NamedSettings => chartFile('files', 'defaults.yaml') as NamedSettings;

/** Completes values as a topology has them: a role without a limit has none, and n8n prunes as it does by itself. */
export function completedBare(user: unknown, n8n?: string): NamedSettings {
  const defaults = { ...chartDefaults() };
  for (const role of ROLES) {
    defaults[role] = { ...(defaults[role] as NamedSettings), resources: undefined };
  }
  const enabled = prunesItself(n8n ?? versionIn(completed(user, defaults)));
  return completed(merged({ executions: { pruning: { enabled } } }, user), defaults);
}

/** The n8n of values that are complete. */
export function versionIn(values: NamedSettings): string {
  const { version, tag } = values['image'] as Record<string, string | number | null>;
  return String([version, tag].find(Boolean) ?? chartVersion());
}

/** A topology, or the part of one that is asked for. */
type Asked = {
  [Key in keyof Omit<Topology, Part>]?: Topology[Key] | undefined;
} & { [Key in Part]?: { [Each in keyof Topology[Key]]?: Topology[Key][Each] | undefined } };
type Part = 'main' | 'workers' | 'webhooks';

/** Only what the topology says; the chart decides the rest. */
export function valuesOf(asked: Asked): NamedSettings {
  const { n8n, mode, process, database, tuning, settings, env, main, workers, webhooks } = asked;
  const isEnabled = webhooks?.count === undefined ? undefined : webhooks.count > 0;
  return given({
    image: given({ tag: n8n }),
    executions: given({ mode, process }),
    database: given({ type: database }),
    tuning: given({ profile: tuning, ...settings }),
    env: given(env ?? {}),
    main: roleOf(main),
    worker: given({
      ...roleOf(workers),
      replicas: workers?.count,
      concurrency: workers?.concurrency,
    }),
    webhook: given({
      ...roleOf(webhooks),
      enabled: isEnabled,
      replicas: isEnabled === true ? webhooks?.count : undefined,
    }),
  });
}

/** Values that deploy the topology. */
export function valuesOfTopology(topology: Topology): NamedSettings {
  const { workers, webhooks, ...rest } = topology;
  if (rest.tuning === 'none') {
    throw new Mistake(
      'the chart cannot deploy n8n without tuning (none): use --tuning default, or --target process.',
    );
  }
  const database = databaseOf(topology);
  if (rest.mode !== 'queue') return valuesOf({ ...rest, database });
  return valuesOf({
    ...{ ...rest, database, workers },
    webhooks: webhooks.count === 0 ? { count: 0 } : webhooks,
  });
}

/** Without what is not set, or has nothing in it. */
const given = (values: NamedSettings): NamedSettings =>
  Object.fromEntries(
    Object.entries(values).filter(
      ([, value]) =>
        value !== undefined &&
        !(typeof value === 'object' && value !== null && Object.keys(value).length === 0),
    ),
  );

/** So much is reserved at the most: limits bound what a role may use, and the scheduler need not find all of it free. */
const RESERVED_MILLICORES = 250;

function roleOf({ cpuMillicores, memoryMiB, heapMiB, env }: Asked['main'] = {}): NamedSettings {
  const amounts = (cpu: number | undefined): NamedSettings =>
    given({
      cpu: cpu === undefined ? undefined : `${String(cpu)}m`,
      memory: memoryMiB === undefined ? undefined : `${String(memoryMiB)}Mi`,
    });
  const reserved =
    cpuMillicores === undefined ? undefined : Math.min(cpuMillicores, RESERVED_MILLICORES);
  return given({
    resources: given({ limits: amounts(cpuMillicores), requests: amounts(reserved) }),
    env: env ?? {},
    heap: heapOf(heapMiB),
  });
}

function heapOf(heapMiB: Topology['main']['heapMiB'] | undefined): NamedSettings {
  if (heapMiB === 'auto' || heapMiB === undefined) return {};
  return heapMiB === 'none'
    ? { enabled: false }
    : { enabled: true, oldSpace: `${String(heapMiB)}Mi` };
}

/** How n8n prunes by default; versions below 1.0 do not prune. */
const prunesItself = (n8n: string): boolean => !isLegacy(n8n);

/** What the kit sets in a process of a topology, apart from its place: what the chart sets in a pod with the same limits. */
export function kitEnvironment(topology: Topology, role: Role): RoleEnvironment {
  const { n8n, settings = {} } = topology;
  refuseUnreadSettings(n8n, settings);
  const values = completedBare(valuesOf({ ...topology, database: databaseOf(topology) }), n8n);
  const component = componentOf(values, role, n8n);
  const { heapMiB } = limitsOf(topology, role);
  // Without a limit the chart knows no heap.
  if (typeof heapMiB === 'number') component.heap['oldSpace'] = heapMiB;
  return environmentOf(component);
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
