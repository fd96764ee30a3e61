import { parse as parseYaml } from 'yaml';
import { messageOf, Mistake } from '../ui/exit';
import { checkedYaml, type Kind } from '../ui/yaml-file';
import { contradiction } from './contradiction';
import { isMasked } from './secrets/mask';
import {
  topologySchema,
  type DATABASES,
  type MODES,
  type PROCESSES,
  type Topology,
  type TUNINGS,
} from './topology';
import { readPlainFile } from '../linux/plain-file';

/** What the user asks for: a file, in which single options replace values. */
export interface TopologyChoice {
  /** A file. */
  topology?: string | undefined;
  n8n?: string | undefined;
  mode?: (typeof MODES)[number] | undefined;
  process?: (typeof PROCESSES)[number] | undefined;
  database?: (typeof DATABASES)[number] | undefined;
  workers?: number | undefined;
  concurrency?: number | undefined;
  webhooks?: number | undefined;
  /** Millicores. */
  cpu?: number | undefined;
  /** MiB. */
  memory?: number | undefined;
  /** MiB. */
  heap?: number | 'auto' | 'none' | undefined;
  tuning?: (typeof TUNINGS)[number] | undefined;
  env?: Readonly<Record<string, string>> | undefined;
}

export function chooseTopology(choice: TopologyChoice): Topology {
  const file = choice.topology === undefined ? {} : writtenIn(choice.topology);
  const limits = withoutUndefined({
    cpuMillicores: choice.cpu,
    memoryMiB: choice.memory,
    heapMiB: choice.heap,
  });
  const workers = withoutUndefined({ count: choice.workers, concurrency: choice.concurrency });
  const webhooks = withoutUndefined({ count: choice.webhooks });
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
    env: { ...part(file, 'env'), ...choice.env },
  });
  if (!result.success) {
    const [issue] = result.error.issues;
    throw new Mistake(
      `the topology is wrong at ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`,
    );
  }
  refuseMasked(result.data);
  refuseVain(choice, result.data);
  return result.data;
}

/** Else n8n would be measured without what was asked for. */
function refuseVain(choice: TopologyChoice, topology: Topology): void {
  const wrong = contradiction(topology);
  if (wrong !== null) throw new Mistake(`${wrong}.`);
  if (topology.mode === 'queue') return;
  const vain = (['workers', 'concurrency', 'webhooks'] as const).filter(
    (name) => choice[name] !== undefined,
  );
  if (vain.length === 0) return;
  const flags = vain.map((name) => `--${name}`).join(' and ');
  throw new Mistake(
    `${flags} ${vain.length === 1 ? 'goes' : 'go'} with --mode queue, and this is ${topology.mode} mode: add that, or leave ${vain.length === 1 ? flags : 'them'} out.`,
  );
}

/** Keys that values of the chart do not have. */
const OF_TOPOLOGIES = ['name', 'n8n', 'mode', 'process', 'workers', 'webhooks'];

/** Whether the file is one, and not values of the chart, which have other keys. */
export function isTopologyFile(file: string): boolean {
  let content: unknown;
  try {
    content = parseYaml(textOf(file)) ?? {};
  } catch (error) {
    throw new Mistake(`${file} cannot be read: ${messageOf(error)}`);
  }
  if (topologySchema.safeParse(content).success) return true;
  return Object.keys(content as object).some((key) => OF_TOPOLOGIES.includes(key));
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

const KIND: Kind<Topology> = { name: 'topology', schema: topologySchema };

/** Without defaults: what is named goes over what is written, and defaults go under both. */
const writtenIn = (file: string): Record<string, unknown> =>
  checkedYaml(textOf(file), file, KIND).written as Record<string, unknown>;

function textOf(file: string): string {
  try {
    return readPlainFile(file);
  } catch (error) {
    throw new Mistake(`the topology ${file} cannot be read: ${messageOf(error)}`);
  }
}

function part(file: Record<string, unknown>, name: string): Record<string, unknown> {
  return (file[name] ?? {}) as Record<string, unknown>;
}

function withoutUndefined(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
