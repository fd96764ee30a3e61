import { readFileSync } from 'node:fs';
import { parse as parseYaml } from 'yaml';
import { messageOf, Mistake } from '../ui/exit';
import { isMasked } from './secrets';
import { parseCpu, parseMemory } from './quantities';
import { topologySchema, type Topology } from './topology';

/** As the user says it: a file, and over it what he names one by one. */
export interface TopologyChoice {
  topology?: string | undefined;
  n8n?: string | undefined;
  mode?: string | undefined;
  process?: string | undefined;
  database?: string | undefined;
  workers?: string | undefined;
  concurrency?: string | undefined;
  webhooks?: string | undefined;
  cpu?: string | undefined;
  memory?: string | undefined;
  heap?: string | undefined;
  tuning?: string | undefined;
  env?: readonly string[] | undefined;
}

export function chooseTopology(choice: TopologyChoice): Topology {
  const file = choice.topology === undefined ? {} : readYaml(choice.topology);
  const limits = withoutUndefined({
    cpuMillicores: choice.cpu === undefined ? undefined : parseCpu(choice.cpu),
    memoryMiB: choice.memory === undefined ? undefined : parseMemory(choice.memory),
    heapMiB: heapOf(choice.heap),
  });
  const workers = withoutUndefined({
    count: numberOf('--workers', choice.workers),
    concurrency: numberOf('--concurrency', choice.concurrency),
  });
  const webhooks = withoutUndefined({ count: numberOf('--webhooks', choice.webhooks) });
  const named = withoutUndefined({
    n8n: choice.n8n,
    // Who asks for workers asks for a queue.
    mode: choice.mode ?? (choice.workers !== undefined ? 'queue' : undefined),
    process: choice.process,
    database: choice.database,
    tuning: choice.tuning,
  });
  const result = topologySchema.safeParse({
    ...file,
    ...named,
    main: { ...part(file, 'main'), ...limits },
    workers: { ...part(file, 'workers'), ...limits, ...workers },
    webhooks: { ...part(file, 'webhooks'), ...limits, ...webhooks },
    env: { ...part(file, 'env'), ...Object.fromEntries((choice.env ?? []).map(variable)) },
  });
  if (!result.success) {
    const [issue] = result.error.issues;
    throw new Mistake(
      `the topology is wrong at ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`,
    );
  }
  refuseMasked(result.data);
  return result.data;
}

/** Copied from a record: n8n would start with the mask as its password. */
function refuseMasked({ env, main, workers, webhooks }: Topology): void {
  for (const [name, value] of [env, main.env, workers.env, webhooks.env].flatMap(Object.entries)) {
    if (!isMasked(String(value))) continue;
    throw new Mistake(
      `the topology has ${name}=${String(value)}, which a record wrote in place of a secret: give the value itself, for example with --env ${name}=...`,
    );
  }
}

function readYaml(file: string): Record<string, unknown> {
  try {
    return (parseYaml(readFileSync(file, 'utf8')) ?? {}) as Record<string, unknown>;
  } catch (error) {
    throw new Mistake(`the topology ${file} cannot be read: ${messageOf(error)}`);
  }
}

function part(file: Record<string, unknown>, name: string): Record<string, unknown> {
  return (file[name] ?? {}) as Record<string, unknown>;
}

function heapOf(text: string | undefined): number | string | undefined {
  return text === undefined || text === 'auto' || text === 'none' ? text : parseMemory(text);
}

function numberOf(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!Number.isInteger(value)) throw new Mistake(`${option} is '${text}': it is a whole number.`);
  return value;
}

function variable(text: string): [string, string] {
  const equals = text.indexOf('=');
  if (equals < 1) throw new Mistake(`--env is '${text}': write it like NAME=value.`);
  return [text.slice(0, equals), text.slice(equals + 1)];
}

function withoutUndefined(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
