import { z } from 'zod';
import { didYouMean } from '../../../../../loadtests/lib/nearest';
import type { Value } from './cells';
import { parseDuration } from '../../../../../loadtests/lib/duration';
import { ARRIVALS, isProfileName, PROFILES } from '../../../../../loadtests/lib/profile';
import { parseSlos, waitingMs } from '../../../../../loadtests/lib/slo';
import { VARIABLES } from '../../../../../loadtests/lib/variables';
import { TUNING_NAMES } from '../../../plan/topology';
import { parseYamlFile } from '../../../ui/yaml-file';

const whole = z.int({
  error: ({ code }) => (code === 'invalid_type' ? 'expected a whole number' : undefined),
});

/** What a dimension may be called, and what its values are. CPU, memory and heap are of each n8n process. */
const dimension = {
  cpuMillicores: whole.positive(),
  memoryMiB: whole.positive(),
  heapMiB: z.union([whole.positive(), z.literal('auto'), z.literal('none')]),
  n8n: z.string(),
  mode: z.enum(['regular', 'queue']),
  process: z.enum(['main', 'own']),
  database: z.enum(['sqlite', 'postgresql']),
  workers: whole.positive(),
  /** Executions side by side in one worker. */
  concurrency: whole.positive(),
  /** Webhook processors. */
  webhooks: whole.nonnegative(),
  /** n8n processes that run executions, whatever they are called in the mode. */
  instances: whole.positive(),
  /** How requests are spread over the processes that take them. */
  spread: z.enum(['none', 'nginx', 'cluster', 'iptables']),
  tuning: z.enum(['none', ...TUNING_NAMES]),
  workload: z.string(),
  /** A server in place of n8n: how it is started, where it listens, and what is sent to it. */
  command: z.string(),
  url: z.string(),
  request: z.string(),
  /** native, load-target or legacy. */
  variant: z.string(),
  profile: z.string().refine((name) => name === 'find' || isProfileName(name), {
    error: `expected find or one of ${Object.keys(PROFILES).join(', ')}`,
  }),
  ratePerSecond: z.number().positive(),
  clients: whole.positive(),
};

/** Beside the named ones: a parameter of the workload, or an environment variable of every n8n process. */
const FREE_NAME = /^(param|env)\.[A-Za-z_][\w-]*$/;
const freeValue = z.union([z.string(), z.number()]);

export const DIMENSIONS = Object.keys(dimension);

const duration = z.union([z.string(), z.number()]).transform((text, context) => {
  try {
    return parseDuration(String(text));
  } catch {
    context.addIssue({ code: 'custom', message: 'expected a duration, such as 30s or 5m' });
    return z.NEVER;
  }
});

const slos = z.array(z.string()).transform((texts, context) => {
  try {
    return texts.flatMap(parseSlos);
  } catch (error) {
    context.addIssue({ code: 'custom', message: (error as Error).message });
    return z.NEVER;
  }
});

type Named = Record<string, unknown>;

/** Each key with the schema that its name asks for. */
function ofDimensions<T>(many: boolean) {
  return z.record(z.string(), z.unknown()).transform((given, context): Record<string, T> => {
    const result: Record<string, T> = {};
    for (const [name, value] of Object.entries(given)) {
      const one = schemaOf(name);
      if (one === null) {
        context.addIssue({
          code: 'custom',
          path: [name],
          message: `there is no such dimension${didYouMean(name, DIMENSIONS)}: expected one of ${DIMENSIONS.join(', ')}, param.NAME or env.NAME`,
        });
        continue;
      }
      const parsed = (many ? z.array(one).min(1) : one).safeParse(value);
      if (parsed.success) result[name] = parsed.data as T;
      else {
        for (const issue of parsed.error.issues) {
          context.addIssue({ ...issue, path: [name, ...issue.path] } as never);
        }
      }
    }
    return result;
  });
}

function schemaOf(name: string): z.ZodType<Value> | null {
  if (FREE_NAME.test(name)) return freeValue;
  return Object.hasOwn(dimension, name) ? ((dimension as Named)[name] as z.ZodType<Value>) : null;
}

/** How each cell is measured. */
const measurement = z.strictObject({
  /** `find` searches the capacity; everything else is one run of that profile. */
  profile: dimension.profile.default('find'),
  ratePerSecond: z.number().positive().optional(),
  clients: whole.positive().optional(),
  duration: duration.optional(),
  warmup: duration.optional(),
  /** Times of a search: a short probe, the confirming run, and all probes together. */
  probe: duration.optional(),
  full: duration.optional(),
  budget: duration.optional(),
  /** By default as of every load, which the SLOs decide. */
  timeout: duration.optional(),
  drain: duration.optional(),
  /** Open loop, and probes: gaps between due requests. */
  arrivals: z.enum(ARRIVALS).optional(),
  /** Requests open at the same time, and the CPU limit of the generator in cores. */
  maxOpen: whole.positive().optional(),
  generatorCpus: z.number().min(0.01).optional(),
  ready: duration.prefault('60s'),
});

const name = z.string().regex(/^[\w.-]+$/, 'expected letters, digits, dots and dashes');

/** Shorter and fewer: to see whether a plan runs, and roughly what comes out. */
const quick = z.strictObject({
  duration: duration.optional(),
  warmup: duration.optional(),
  probe: duration.optional(),
  full: duration.optional(),
  budget: duration.optional(),
  repeats: whole.positive().default(1),
  /** In place of those of the same name. */
  dimensions: ofDimensions<Value[]>(true).prefault({}),
});

export const sweepPlanSchema = z
  .strictObject({
    /** Name of the sweep's folder; the name of the file by default. */
    name: name.optional(),
    title: z.string().optional(),
    measure: measurement.prefault({}),
    slo: slos.prefault([]),
    /** What holds for every cell; a dimension goes over it. */
    fixed: ofDimensions<Value>(false).prefault({}),
    /** Every combination of these is a cell... */
    dimensions: ofDimensions<Value[]>(true).optional(),
    /** ... or each of these is. */
    cells: z.array(ofDimensions<Value>(false)).min(1).optional(),
    /** Measured again and again to see the machine drift; the first possible cell where it is not given. */
    control: ofDimensions<Value>(false).optional(),
    controlEvery: whole.positive().default(4),
    /** How often each cell is measured, each time in an order of its own. */
    repeats: whole.positive().default(1),
    seed: whole.nonnegative().default(1),
    /** Dimensions whose values are texts that the record may show: none of them is a secret. */
    recorded: z.array(z.string()).optional(),
    /** What is otherwise with --quick. */
    quick: quick.optional(),
  })
  .superRefine((plan, context) => {
    if ((plan.dimensions === undefined) === (plan.cells === undefined)) {
      context.addIssue({ code: 'custom', message: 'expected either dimensions or cells' });
    }
    if (plan.slo.length === 0 && usesFind(plan)) {
      context.addIssue({
        code: 'custom',
        message: "find requires an slo, such as slo: ['p95<1s', 'errors<1%']",
      });
    }
  })
  .transform((plan, context) => {
    const waitedSeconds = (name: 'timeout' | 'drain', fallback: string): number => {
      const given = plan.measure[name];
      try {
        return (
          waitingMs(name, given === undefined ? given : 1000 * given, fallback, plan.slo) / 1000
        );
      } catch (error) {
        context.addIssue({ code: 'custom', path: ['measure'], message: (error as Error).message });
        return z.NEVER;
      }
    };
    const timeout = waitedSeconds('timeout', VARIABLES.TIMEOUT.default);
    const drain = waitedSeconds('drain', VARIABLES.DRAIN.default);
    return { ...plan, measure: { ...plan.measure, timeout, drain } };
  });

export type SweepPlan = z.infer<typeof sweepPlanSchema>;
export type PlannedMeasurement = SweepPlan['measure'];

function usesFind({
  measure,
  fixed,
  dimensions,
  cells,
}: Pick<SweepPlan, 'fixed' | 'dimensions' | 'cells'> & {
  measure: Pick<PlannedMeasurement, 'profile'>;
}): boolean {
  const named = [
    fixed['profile'],
    ...(dimensions?.['profile'] ?? []),
    ...(cells ?? []).map((c) => c['profile']),
  ];
  const given = named.filter((one) => one !== undefined);
  return given.length > 0 ? given.includes('find') : measure.profile === 'find';
}

/** The same plan, shorter; null where it does not say how. */
export function quickPlan({ quick: shorter, ...plan }: SweepPlan): SweepPlan | null {
  if (shorter === undefined) return null;
  const { repeats, dimensions, ...times } = shorter;
  const given = Object.entries(times).filter(([, value]) => value !== undefined);
  return {
    ...plan,
    repeats,
    measure: { ...plan.measure, ...Object.fromEntries(given) },
    ...(plan.dimensions === undefined ? {} : { dimensions: { ...plan.dimensions, ...dimensions } }),
  };
}

export const parseSweepPlan = (text: string, file: string): SweepPlan =>
  parseYamlFile(text, file, { name: 'plan', schema: sweepPlanSchema });
