/**
 * From the chart's values to the topology that they deploy, by the chart's rules once more: what is left where no
 * Helm is there to render it, and what a rendering does not tell. Pure.
 */
import { ROLES } from '../../plan/roles';
import { z } from 'zod';
import { ownPruning } from '../../plan/kept-executions';
import { parseCpu, parseMemory } from '../../plan/quantities';
import { topologySchema, type Role, type Topology } from '../../plan/topology';
import {
  memoryShares,
  TUNING_NAMES,
  tunings,
  type TuningValues,
  databasePool,
  WEBHOOK_SLOTS,
} from '../../plan/tuning';
import { Mistake } from '../../ui/exit';
import { isOfPlace } from './place-variables';

export interface Deployed {
  topology: Topology;
  /** What the values ask for and a topology cannot say, in a sentence each: it is not proved. */
  leftOut: string[];
}

export interface ReadFromValues extends Deployed {
  /** What only a rendering could have told, in a sentence each. */
  approximated: string[];
  /** Variables that the user set, for whichever role. */
  named: ReadonlySet<string>;
}

const quantity = z.union([z.string(), z.number()]);
const amounts = z.looseObject({ cpu: quantity.nullish(), memory: quantity.nullish() });
const environment = z.record(z.string(), z.unknown()).prefault({});
const role = z.looseObject({
  resources: z.looseObject({ requests: amounts.nullish(), limits: amounts.nullish() }).prefault({}),
  env: environment,
  heap: z.record(z.string(), z.unknown()).prefault({}),
});

/** The part of the chart's values that decides how fast n8n is. The chart's own schema checks the rest. */
const valuesSchema = z.looseObject({
  image: z.looseObject({ tag: z.coerce.string(), version: z.coerce.string() }),
  executions: z.looseObject({
    mode: z.enum(['regular', 'queue']),
    process: z.enum(['main', 'own']),
    peakRatePerSecond: z.number().nullish(),
    pruning: z.looseObject({ enabled: z.boolean(), bufferHours: z.number().nullish() }),
  }),
  tuning: z.looseObject({
    profile: z.enum(TUNING_NAMES),
  }),
  heap: z.looseObject({ enabled: z.boolean(), oldSpace: quantity }),
  env: environment,
  main: role.extend({ replicas: z.number(), concurrency: z.number().nullish() }),
  worker: role.extend({
    replicas: z.number(),
    concurrency: z.number().nullish(),
    pools: z.array(z.unknown()),
  }),
  webhook: role.extend({ enabled: z.boolean(), replicas: z.number() }),
  database: z.looseObject({
    type: z.enum(['sqlite', 'postgresql']),
    poolSize: z.number().nullish(),
  }),
  taskRunners: z.looseObject({ mode: z.string() }),
});

type Values = z.infer<typeof valuesSchema>;

/** Of values that are complete: with the chart's own beneath them. `appVersion` is its Chart.yaml's. */
export function deployedTopology(given: unknown, appVersion: string): ReadFromValues {
  const values = understood(valuesSchema.safeParse(given));
  const n8n = values.image.version || values.image.tag || appVersion;
  const isQueue = values.executions.mode === 'queue';
  const { profile } = values.tuning;
  const concurrency = values.worker.concurrency || tunings[profile].workerConcurrency;
  const runnerSlots = values.main.concurrency || tunings[profile].runnerConcurrency;
  const topology = understood(
    topologySchema.safeParse({
      n8n,
      mode: values.executions.mode,
      process: values.executions.process,
      database: values.database.type,
      tuning: profile,
      main: roleOf(values, 'main', {
        ...pool(values, runnerSlots),
        ...keptJobs(values),
        ...(values.main.concurrency && !isQueue
          ? {
              N8N_CONCURRENCY_PRODUCTION_LIMIT: String(values.main.concurrency),
              N8N_RUNNERS_MAX_CONCURRENCY: String(values.main.concurrency),
            }
          : {}),
      }),
      workers: {
        ...roleOf(values, 'worker', pool(values, concurrency)),
        count: isQueue ? values.worker.replicas : 1,
        concurrency,
      },
      webhooks: {
        ...roleOf(values, 'webhook', { ...pool(values, WEBHOOK_SLOTS), ...keptJobs(values) }),
        count: isQueue && values.webhook.enabled ? values.webhook.replicas : 0,
      },
      env: { ...pruning(values, n8n), ...overrides(values.tuning), ...plain(values.env) },
    }),
  );
  return {
    topology,
    leftOut: leftOut(values),
    approximated: approximated(values),
    named: new Set(
      [values, ...ROLES.map((name) => values[name])].flatMap(({ env }) => Object.keys(env)),
    ),
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

/** As Helm merges them: maps by key, null takes out, everything else is replaced. */
export function merged(below: unknown, above: unknown): unknown {
  if (!isMap(below) || !isMap(above)) return above === undefined ? below : above;
  const result: Record<string, unknown> = { ...below };
  for (const [key, value] of Object.entries(above)) {
    if (value === null) Reflect.deleteProperty(result, key);
    else result[key] = merged(below[key], value);
  }
  return result;
}

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function roleOf(values: Values, name: Role, ours: Record<string, string>): object {
  const { resources, env, heap } = values[name];
  const { cpu, memory } = resources.limits ?? {};
  const memoryMiB = memory == null ? undefined : mebibytes(memory);
  const merge = { ...values.heap, ...heap } as Values['heap'];
  return {
    ...(cpu == null ? {} : { cpuMillicores: parseCpu(String(cpu)) }),
    ...(memoryMiB === undefined ? {} : { memoryMiB }),
    heapMiB: !merge.enabled
      ? 'none'
      : memoryMiB === undefined
        ? 'auto'
        : heapOf(merge.oldSpace, memoryMiB),
    env: { ...ours, ...plain(env) },
  };
}

/** A bare number is bytes to Kubernetes. */
export const mebibytes = (amount: string | number): number =>
  /^[\d.]+(e\d+)?$/i.test(String(amount))
    ? Math.floor(Number(amount) / (1024 * 1024))
    : parseMemory(String(amount));

/** A share of the limit such as 1/2, or an amount. The chart's own share is the topology's `auto`. */
function heapOf(oldSpace: string | number, memoryMiB: number): number | 'auto' {
  const share = /^(\d+)\/(\d+)$/.exec(String(oldSpace));
  if (share === null) return mebibytes(oldSpace);
  const part = Number(share[1]) / Number(share[2]);
  return part === memoryShares.heap ? 'auto' : Math.floor(memoryMiB * part);
}

function pool({ database }: Values, slots: number): Record<string, string> {
  if (database.type !== 'postgresql') return {};
  const size = database.poolSize || databasePool(slots);
  return { DB_POSTGRESDB_POOL_SIZE: String(size) };
}

/** Finished jobs for each execution a second that the chart keeps, and what the tuning keeps at least. */
const KEPT_A_SECOND = 7;
const KEPT_AT_LEAST = 1000;

function keptJobs({ executions: { mode, peakRatePerSecond } }: Values): Record<string, string> {
  const kept = KEPT_A_SECOND * (peakRatePerSecond ?? 0);
  if (mode !== 'queue' || kept <= KEPT_AT_LEAST) return {};
  return {
    N8N_EXECUTIONS_QUEUE_KEEP_LAST_COMPLETED: String(kept),
    N8N_EXECUTIONS_QUEUE_KEEP_LAST_FAILED: String(kept),
  };
}

/** Where it is not as n8n prunes by itself. */
function pruning({ executions }: Values, n8n: string): Record<string, string> {
  const { enabled, bufferHours } = executions.pruning;
  const isOwn = ownPruning(n8n)['EXECUTIONS_DATA_PRUNE'] === String(enabled);
  return {
    ...(isOwn ? {} : { EXECUTIONS_DATA_PRUNE: String(enabled) }),
    ...(bufferHours == null ? {} : { EXECUTIONS_DATA_HARD_DELETE_BUFFER: String(bufferHours) }),
  };
}

const TUNING_VARIABLES: Partial<Record<keyof TuningValues, string>> = {
  lazyExpressions: 'N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE',
  compileCache: 'N8N_EXPRESSION_ENGINE_COMPILE_CACHE',
  readySandboxes: 'N8N_EXPRESSION_ENGINE_POOL_SIZE',
  saveSuccessfulExecutions: 'EXECUTIONS_DATA_SAVE_ON_SUCCESS',
  saveFailedExecutions: 'EXECUTIONS_DATA_SAVE_ON_ERROR',
  saveProgress: 'EXECUTIONS_DATA_SAVE_ON_PROGRESS',
  logLevel: 'N8N_LOG_LEVEL',
};

/** Single settings that the values name beside the profile. */
function overrides(tuning: Values['tuning']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(TUNING_VARIABLES).flatMap(([name, variable]) => {
      const value = tuning[name];
      return value === null || value === undefined ? [] : [[variable, String(value)]];
    }),
  );
}

/** Values from Secrets are not here; what is null the chart takes out; places are those of this machine. */
function plain(env: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      value === null || isMap(value) || isOfPlace(name) ? [] : [[name, String(value)]],
    ),
  );
}

/** By an HPA or by KEDA. */
const isScaled = (settings: Record<string, unknown>): boolean =>
  [settings['autoscaling'], settings['keda']].some((one) => isMap(one) && one['enabled'] === true);

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
        .filter(([, value]) => isMap(value))
        .map(([variable]) => `${variable}: its value comes from elsewhere in the cluster`),
    ),
  ];
  return [...new Set(sentences.filter((one) => one !== null))];
}

const WITHOUT_RENDERING = [
  'runnerConcurrency',
  'workerConcurrency',
  'headlessWorkers',
  'semiSpaceMiB',
  'traceSqlite',
  'lazyCharacterMap',
  'warmExpressions',
  'zoneOnce',
  'sessionOnce',
  'readOnce',
] as const;

const approximated = ({ tuning }: Values): string[] =>
  WITHOUT_RENDERING.filter((name) => tuning[name] != null).map(
    (name) => `tuning.${name}: the value of the profile was loaded`,
  );
