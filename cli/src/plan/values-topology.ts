/** What values of the chart deploy, as a topology that can be loaded. */
import { z } from 'zod';
import { Mistake } from '../ui/exit';
import { completed, completedBare, heapMiBOf, kitEnvironment, versionIn } from './chart-values';
import {
  at,
  chartFile,
  componentOf,
  environmentOf,
  heapSettings,
  isOfPlace,
  isUntuned,
  leadsOutside,
  mebibytes,
  type Component,
  type NamedSettings,
  type RoleEnvironment,
} from './environment';
import { limitsOf, databaseOf, topologySchema, TUNINGS, type Topology } from './topology';
import { parseCpu } from './quantities';
import { ROLES, type Role } from './roles';

export interface Deployed {
  topology: Topology;
  /** What the values ask for and a topology cannot say, in a sentence each: it is not proved. */
  leftOut: string[];
}

const quantity = z.union([z.string(), z.number()]);
const environment = z.record(z.string(), z.unknown()).nullish();
const role = z.looseObject({
  resources: z
    .looseObject({
      limits: z.looseObject({ cpu: quantity.nullish(), memory: quantity.nullish() }).nullish(),
    })
    .nullish(),
  env: environment,
});

/** The part of the chart's values that is looked at here. The chart's own schema checks the rest. */
const valuesSchema = z.looseObject({
  image: z.looseObject({ tag: z.coerce.string(), version: z.coerce.string() }),
  executions: z.looseObject({
    mode: z.enum(['regular', 'queue']),
    process: z.enum(['main', 'own']),
  }),
  tuning: z.looseObject({ profile: z.enum(TUNINGS) }),
  env: environment,
  main: role.extend({ replicas: z.number() }),
  worker: role.extend({ replicas: z.number(), pools: z.array(z.unknown()) }),
  webhook: role.extend({ enabled: z.boolean(), replicas: z.number() }),
  database: z.looseObject({ type: z.enum(['sqlite', 'postgresql']) }),
  taskRunners: z.looseObject({ mode: z.string() }),
});
type Values = z.infer<typeof valuesSchema>;

/** With all that the chart lays under the user's values. */
export const deployedTopology = (user: unknown): Deployed => topologyOf(completed(user), false);

/** Laid out here as the user asks: a limit that the values do not give is none, and every variable counts. */
export const bareTopology = (user: unknown): Deployed => topologyOf(completedBare(user), true);

function topologyOf(complete: NamedSettings, isBare: boolean): Deployed {
  const stores = STORES.filter(({ path }) => OF_CLOUDS.includes(String(at(complete, path))));
  const values = understood(
    valuesSchema.safeParse(stores.reduce((rest, { path }) => without(rest, path), complete)),
  );
  const n8n = versionIn(values);
  const isQueue = values.executions.mode === 'queue';
  const components = Object.fromEntries(
    ROLES.map((name) => {
      const component = componentOf(values, name, n8n);
      // Laid out here, the user's NODE_OPTIONS are added to those of the kit.
      if (isBare) Reflect.deleteProperty(component.variables, 'NODE_OPTIONS');
      return [name, component];
    }),
  ) as Record<Role, Component>;
  const plain = (env: Env): Record<string, string> =>
    Object.fromEntries(Object.entries(textsOf(env)).filter(([key]) => isBare || !isOfPlace(key)));
  const ownEnv = (name: Role): NamedSettings =>
    (components[name].own['env'] ?? {}) as NamedSettings;
  // A role cannot take a variable of all roles out: where one does, each of the others has it for itself.
  const all = values.env ?? {};
  const apart = Object.keys(all).filter((key) => ROLES.some((name) => ownEnv(name)[key] === null));
  const only = (env: NamedSettings, isWanted: (key: string) => boolean): NamedSettings =>
    Object.fromEntries(Object.entries(env).filter(([key]) => isWanted(key)));
  const roleIn = (name: Role): object => ({
    ...limitsIn(components[name], isBare),
    env: plain({ ...only(all, (key) => apart.includes(key)), ...ownEnv(name) }),
  });
  const { profile, ...settings } = values.tuning;
  const defaults = at(chartFile('values.yaml'), ['tuning']) as NamedSettings;
  const own = Object.entries(settings).filter(
    ([key, value]) => value !== null && value !== defaults[key],
  );
  const bare = understood(
    topologySchema.safeParse({
      n8n,
      mode: values.executions.mode,
      process: values.executions.process,
      ...(values.database.type === databaseOf(values.executions)
        ? {}
        : { database: values.database.type }),
      tuning: profile,
      ...(own.length === 0 ? {} : { settings: Object.fromEntries(own) }),
      main: roleIn('main'),
      workers: {
        ...roleIn('worker'),
        count: isQueue ? values.worker.replicas : 1,
        // Null leaves it to the tuning, whatever N8N_CONCURRENCY_PRODUCTION_LIMIT says.
        concurrency: isBare
          ? (at(components.worker.own, ['concurrency']) ?? undefined)
          : components.worker.named['workerConcurrency'],
      },
      webhooks: {
        ...roleIn('webhook'),
        count: values.webhook.enabled ? values.webhook.replicas : 0,
      },
      env: plain(only(all, (key) => !apart.includes(key))),
    }),
  );
  const differences = ROLES.filter(
    (name) => name === 'main' || (isQueue && (name === 'worker' || values.webhook.enabled)),
  ).map((name) => [name, differenceOf(components[name], bare)] as const);
  const envOf = (wanted: Role): Record<string, string> => ({
    ...limitsOf(bare, wanted).env,
    ...differences.find(([name]) => name === wanted)?.[1].env,
  });
  return {
    topology: {
      ...bare,
      main: { ...bare.main, env: envOf('main') },
      workers: { ...bare.workers, env: envOf('worker') },
      webhooks: { ...bare.webhooks, env: envOf('webhook') },
    },
    leftOut: [
      ...new Set([
        ...stores.map(
          ({ path, instead }) => `${path.join('.')}=${String(at(complete, path))}: ${instead}`,
        ),
        ...leftOut(values),
        ...differences.flatMap(([, { leftOut: each }]) => each),
      ]),
    ],
  };
}

/** Their addresses and keys are only in the cluster: n8n would not start here. */
const OF_CLOUDS = ['s3', 'azure'];
const STORES = [
  { path: ['executions', 'dataStorage'], instead: 'the proof used the database' },
  { path: ['binaryData', 'mode'], instead: "the proof used the chart's default" },
];

function without(values: NamedSettings, [key = '', ...rest]: readonly string[]): NamedSettings {
  const inner = values[key] as NamedSettings;
  return { ...values, [key]: rest.length === 0 ? null : without(inner, rest) };
}

/** What the schema found, or the first thing that it did not expect as the user's mistake. */
function understood<T>(result: z.ZodSafeParseResult<T>): T {
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new Mistake(
    `the values are invalid at ${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'they are not understood'}`,
  );
}

/** Limits and heap of a role. */
function limitsIn(component: Component, isBare: boolean): object {
  const cpu = at(component.own, ['resources', 'limits', 'cpu']);
  const memory = at(component.own, ['resources', 'limits', 'memory']);
  const limits = {
    ...(cpu == null ? {} : { cpuMillicores: parseCpu(String(cpu as string | number)) }),
    ...(memory == null ? {} : { memoryMiB: mebibytes(memory) }),
  };
  return { ...limits, heapMiB: heapOf(component, limits, isBare) };
}

function heapOf(
  component: Component,
  limits: { memoryMiB?: number },
  isBare: boolean,
): Topology['main']['heapMiB'] {
  const { enabled, oldSpace: asked } = heapSettings(component);
  const amount = String(asked as string).includes('/') ? null : mebibytes(asked);
  // A pod without a memory limit, or with options of the user's in place of the chart's, has no heap.
  const oldSpace = oldSpaceIn(optionsOf(component)) ?? (isBare && enabled === true ? amount : null);
  if (oldSpace === null) {
    return enabled === true && (isUntuned(component.values) || limits.memoryMiB === undefined)
      ? 'auto'
      : 'none';
  }
  if (isUntuned(component.values)) return oldSpace;
  const byRule = heapMiBOf(topologySchema.parse({ n8n: component.n8n, main: limits }), 'main');
  return amount === null && oldSpace === byRule ? 'auto' : oldSpace;
}

type Env = Readonly<NamedSettings> | null | undefined;

/** Values from Secrets are not here, and what is null the chart takes out. */
const textsOf = (env: Env): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env ?? {}).flatMap(([name, value]) =>
      value === null || typeof value === 'object'
        ? []
        : [[name, String(value as string | number | boolean)]],
    ),
  );

/** The options of Node.js, with the patches among them: the user's take the place of all of the chart's. */
function optionsOf(component: Component): string[] {
  const user = component.variables['NODE_OPTIONS'];
  if (typeof user === 'string') return user.split(/\s+/).filter(Boolean);
  if (user === null) return [];
  const { options, patches } = environmentOf(component);
  const more = at(component.values, ['heap', 'nodeOptions']);
  return [
    ...options,
    ...patches.map((file) => `--require=${file}`),
    ...String((more ?? '') as string)
      .split(/\s+/)
      .filter(Boolean),
  ];
}

/** V8 takes the last one. */
function oldSpaceIn(options: readonly string[]): number | null {
  const last = options.flatMap((one) => /^--max-old-space-size=(\d+)$/.exec(one)?.[1] ?? []).at(-1);
  return last === undefined ? null : Number(last);
}

/** What the pod is told and the same topology, laid out here, would not be. */
function differenceOf(
  component: Component,
  bare: Topology,
): { env: Record<string, string>; leftOut: string[] } {
  const { role: name, variables: user } = component;
  const here = kitEnvironment(bare, name);
  const there = environmentOf(component).variables;
  const isRemoved = (variable: string): boolean => user[variable] === null;
  const env = Object.fromEntries(
    Object.entries(there).filter(
      ([variable, value]) => !(variable in user) && here.variables[variable] !== value,
    ),
  );
  const missing = Object.entries(here.variables).filter(
    ([variable]) => isRemoved(variable) || (!(variable in user) && !(variable in there)),
  );
  const wanted = optionsOf(component);
  const { options, patches } = differentOptions(wanted, here);
  return {
    env: options.length === 0 ? env : { ...env, NODE_OPTIONS: options.join(' ') },
    leftOut: [
      ...missing.map(([variable, value]) => `${variable} of ${name}: the proof used ${value}`),
      ...patches.map(
        (file) => `the patch ${file} of ${name}: the proof used the setting of the tuning profile`,
      ),
    ],
  };
}

/** Options that only the pod has, and patches that only one of them has. */
function differentOptions(
  wanted: readonly string[],
  here: RoleEnvironment,
): { options: string[]; patches: string[] } {
  const patchIn = (option: string): string | undefined =>
    /^--require="?(?:.*\/)?([\w-]+\.cjs)"?$/.exec(option)?.[1];
  const there = new Set(wanted.flatMap((option) => patchIn(option) ?? []));
  return {
    options: wanted.filter(
      (option) => patchIn(option) === undefined && !here.options.includes(option),
    ),
    patches: here.patches.filter((file) => !there.has(file)),
  };
}

/** By an HPA or by KEDA. */
const isScaled = (settings: Record<string, unknown>): boolean =>
  ['autoscaling', 'keda'].some((name) => at(settings, [name, 'enabled']) === true);

function leftOut(values: Values): string[] {
  const sentences = [
    values.main.replicas > 1 ? 'several mains (main.replicas): the proof used one' : null,
    values.executions.mode === 'queue' && values.worker.pools.length > 0
      ? 'worker.pools: the proof used only the default pool'
      : null,
    values.taskRunners.mode === 'external'
      ? 'taskRunners.mode external: the proof used the internal runner'
      : null,
    ...ROLES.map((name) =>
      isScaled(values[name])
        ? `autoscaling of ${name}: the proof used a fixed number of replicas`
        : null,
    ),
    ...ROLES.flatMap((name) =>
      Object.entries({ ...values.env, ...values[name].env })
        .filter(([, value]) => typeof value === 'object' && value !== null)
        .map(([variable]) => `${variable}: its value comes from another object in the cluster`),
    ),
  ];
  return [...new Set(sentences.filter((one) => one !== null))];
}

/**
 * Else the load would reach stores of the user: n8n imports workflows into them, and runs what is active there. Or n8n would
 * use up an activation of the user's license, and send what it meets to services of theirs.
 */
export function elsewhereIn({ env, main, workers, webhooks }: Topology): string | null {
  const given = [env, main.env, workers.env, webhooks.env].flatMap(Object.entries<string>);
  const names = [
    ...new Set(given.flatMap(([name, value]) => (leadsOutside(name, value) ? [name] : []))),
  ];
  return names.length === 0
    ? null
    : `the topology sets ${names.join(', ')}, which would lead n8n to a store, an address, a folder, a license or a service of your own: remove ${names.length === 1 ? 'it' : 'them'}, because the command starts n8n with new ones`;
}
