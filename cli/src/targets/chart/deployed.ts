/** What values of the chart deploy, as a topology that can be loaded here. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { completed, heapMiBOf, kitEnvironment } from '../../plan/chart-values';
import {
  at,
  chartFile,
  chartFolder,
  componentOf,
  environmentOf,
  mebibytes,
  type Component,
  type RoleEnvironment,
  type NamedSettings,
} from '../../plan/environment';
import { limitsOf } from '../../plan/limits';
import { parseCpu } from '../../plan/quantities';
import { valuesWithoutSecrets, type ValuesSchema } from '../../plan/secrets/values';
import { ROLES, type Role } from '../../plan/roles';
import { topologySchema, TUNING_NAMES, type Topology } from '../../plan/topology';
import { Mistake } from '../../ui/exit';
import { yamlFault } from '../../ui/yaml-file';
import { isOfPlace } from './place-variables';
import { findHelm, renderChart } from './render';

export interface Deployed {
  topology: Topology;
  /** What the values ask for and a topology cannot say, in a sentence each: it is not proved. */
  leftOut: string[];
}

const WITHOUT_HELM =
  'whether the chart accepts the values: Helm, which would have told, is not installed';

/** With a Helm, values that the chart refuses are refused. */
export function readDeployed(valuesText: string, helm: string | null = findHelm()): Deployed {
  const { topology, leftOut } = deployedTopology(given(valuesText));
  if (helm === null) return { topology, leftOut: [...leftOut, WITHOUT_HELM] };
  renderChart(helm, chartFolder(), valuesText);
  return { topology, leftOut };
}

function given(valuesText: string): unknown {
  try {
    return parse(valuesText) ?? {};
  } catch (error) {
    throw new Mistake(`the values are not YAML: ${yamlFault(error)}`);
  }
}

/** Values of this chart as they go into a record. */
export function recordedValues(values: unknown): Record<string, unknown> {
  const schema = JSON.parse(
    readFileSync(join(chartFolder(), 'values.schema.json'), 'utf8'),
  ) as ValuesSchema;
  return valuesWithoutSecrets(values, schema) as Record<string, unknown>;
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
  tuning: z.looseObject({ profile: z.enum(TUNING_NAMES) }),
  env: environment,
  main: role.extend({ replicas: z.number() }),
  worker: role.extend({ replicas: z.number(), pools: z.array(z.unknown()) }),
  webhook: role.extend({ enabled: z.boolean(), replicas: z.number() }),
  database: z.looseObject({ type: z.enum(['sqlite', 'postgresql']) }),
  taskRunners: z.looseObject({ mode: z.string() }),
});
type Values = z.infer<typeof valuesSchema>;

function deployedTopology(user: unknown): Deployed {
  const values = understood(valuesSchema.safeParse(completed(user)));
  const { appVersion } = chartFile('Chart.yaml') as { appVersion: string };
  const n8n = values.image.version || values.image.tag || appVersion;
  const isQueue = values.executions.mode === 'queue';
  const components = Object.fromEntries(
    ROLES.map((name) => [name, componentOf(values, name, n8n)]),
  ) as Record<Role, Component>;
  const { profile, ...settings } = values.tuning;
  const own = Object.entries(settings).filter(([, value]) => value !== null);
  const bare = understood(
    topologySchema.safeParse({
      n8n,
      mode: values.executions.mode,
      process: values.executions.process,
      database: values.database.type,
      tuning: profile,
      ...(own.length === 0 ? {} : { settings: Object.fromEntries(own) }),
      main: roleOf(components.main),
      workers: {
        ...roleOf(components.worker),
        count: isQueue ? values.worker.replicas : 1,
        concurrency: components.worker.named['workerConcurrency'],
      },
      webhooks: {
        ...roleOf(components.webhook),
        count: isQueue && values.webhook.enabled ? values.webhook.replicas : 0,
      },
      env: plain(values.env),
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
      ...new Set([...leftOut(values), ...differences.flatMap(([, { leftOut: each }]) => each)]),
    ],
  };
}

/** What the schema found, or the first thing that it did not expect as the user's mistake. */
function understood<T>(result: z.ZodSafeParseResult<T>): T {
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new Mistake(
    `the values are wrong at ${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'they are not understood'}`,
  );
}

/** Limits, heap and the user's variables of a role. */
function roleOf(component: Component): object {
  const cpu = at(component.own, ['resources', 'limits', 'cpu']);
  const memory = at(component.own, ['resources', 'limits', 'memory']);
  const oldSpace = oldSpaceIn(optionsOf(component));
  const limits = {
    ...(cpu == null ? {} : { cpuMillicores: parseCpu(String(cpu as string | number)) }),
    ...(memory == null ? {} : { memoryMiB: mebibytes(memory) }),
  };
  const byRule = heapMiBOf(topologySchema.parse({ n8n: component.n8n, main: limits }), 'main');
  return {
    ...limits,
    heapMiB: oldSpace === null ? 'none' : oldSpace === byRule ? 'auto' : oldSpace,
    env: plain(component.own['env'] as NamedSettings | undefined),
  };
}

/** Values from Secrets are not here; what is null the chart takes out; places are those of this machine. */
const plain = (env: Readonly<NamedSettings> | null | undefined): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env ?? {}).flatMap(([name, value]) =>
      value === null || typeof value === 'object' || isOfPlace(name)
        ? []
        : [[name, String(value as string | number | boolean)]],
    ),
  );

/** Of Node.js, the patches among them: the user's take the place of all of the chart's. */
function optionsOf(component: Component): string[] {
  const user = component.variables['NODE_OPTIONS'];
  if (typeof user === 'string') return user.split(/\s+/).filter(Boolean);
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
      ...missing.map(([variable, value]) => `${variable} of ${name}: it was loaded with ${value}`),
      ...patches.map((file) => `the patch ${file} of ${name}: the profile's choice was loaded`),
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
    values.main.replicas > 1 ? 'several mains (main.replicas): one was loaded' : null,
    values.executions.mode === 'queue' && values.worker.pools.length > 0
      ? 'worker.pools: only the default pool was loaded'
      : null,
    values.taskRunners.mode === 'external'
      ? 'taskRunners.mode external: the internal runner was loaded'
      : null,
    ...ROLES.map((name) =>
      isScaled(values[name]) ? `autoscaling of ${name}: its replicas were loaded` : null,
    ),
    ...ROLES.flatMap((name) =>
      Object.entries({ ...values.env, ...values[name].env })
        .filter(([, value]) => typeof value === 'object' && value !== null)
        .map(([variable]) => `${variable}: its value comes from elsewhere in the cluster`),
    ),
  ];
  return [...new Set(sentences.filter((one) => one !== null))];
}
