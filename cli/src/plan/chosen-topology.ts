import { manifestOf } from '../lab/n8n';
import { Mistake } from '../ui/exit';
import { valuesOf } from './chart-values';
import { readComposeFile } from './compose';
import {
  contradiction,
  type DATABASES,
  type MODES,
  type PROCESSES,
  type Topology,
  type TUNINGS,
} from './topology';
import { at, type NamedSettings } from './environment';
import { merged } from './presets';
import { isMasked } from './secrets/mask';
import { readTopologyFile } from './topology-file';
import { bareTopology, elsewhereIn } from './values-topology';

/** What the user asks for: a file, in which single options replace values. */
export interface TopologyChoice {
  /** A file. */
  topology?: string | undefined;
  /** A Compose file, in place of that. */
  compose?: string | undefined;
  n8n?: string | undefined;
  /** A program. */
  n8nProgram?: string | undefined;
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
  const file = fileOf(choice);
  const { topology, leftOut } = bareTopology(merged(file, asValues(choice, file)));
  refuseMasked(topology);
  const elsewhere = elsewhereIn(topology);
  if (elsewhere !== null) throw new Mistake(`${elsewhere}.`);
  refuseVain(choice, topology);
  if (leftOut.length > 0) {
    throw new Mistake(
      `${choice.topology ?? 'the topology'} has values that work only in a cluster: ${leftOut.map((one) => one.split(':')[0]).join(', ')}; remove them, or deploy the file with --target kubernetes and --values.`,
    );
  }
  return topology;
}

function fileOf({ topology, compose }: TopologyChoice): NamedSettings {
  if (compose !== undefined) return readComposeFile(compose).values;
  return topology === undefined ? {} : readTopologyFile(topology);
}

/** The options, which go over the file. */
function asValues(choice: TopologyChoice, file: NamedSettings): NamedSettings {
  const { process, tuning, env, cpu, memory, heap, concurrency } = choice;
  const n8n =
    choice.n8nProgram === undefined ? choice.n8n : versionOfProgram(choice.n8nProgram, choice.n8n);
  // Who asks for workers asks for a queue, and who asks for a queue for a database that processes can share.
  const mode = choice.mode ?? (choice.workers === undefined ? undefined : 'queue');
  const isOpen = mode === 'queue' && at(file, ['database', 'type']) == null;
  const database = choice.database ?? (isOpen ? 'postgresql' : undefined);
  // The chart starts two.
  const isAlone = mode === 'queue' && (choice.topology ?? choice.compose) === undefined;
  const limits = { cpuMillicores: cpu, memoryMiB: memory, heapMiB: heap };
  return valuesOf({
    ...{ n8n, mode, process, database, tuning, env: { ...env } },
    main: limits,
    workers: { ...limits, count: choice.workers ?? (isAlone ? 1 : undefined), concurrency },
    webhooks: { ...limits, count: choice.webhooks },
  });
}

/** The package says the version: the kit's variables and patches are those of the version. */
function versionOfProgram(program: string, asked: string | undefined): string {
  const version = manifestOf(program)?.version;
  if (version === undefined) {
    throw new Mistake(
      `--n8n-program ${program} is not an n8n program: specify bin/n8n in its package, or a link to it.`,
    );
  }
  if (asked !== undefined && asked !== version) {
    throw new Mistake(
      `--n8n-program ${program} is n8n ${version}, but --n8n asks for ${asked}: remove --n8n.`,
    );
  }
  return version;
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
    `${flags} ${vain.length === 1 ? 'works' : 'work'} only in queue mode, but the mode is ${topology.mode}: add --mode queue, or remove ${vain.length === 1 ? flags : 'these options'}.`,
  );
}

/** Copied from a record: n8n would start with the mask as its password. */
function refuseMasked({ env, main, workers, webhooks }: Topology): void {
  for (const [name, value] of [env, main.env, workers.env, webhooks.env].flatMap(Object.entries)) {
    if (!isMasked(String(value))) continue;
    throw new Mistake(
      `the topology has ${name}=${String(value)}, a placeholder that records use for secrets: set the real value, for example with --env ${name}=...`,
    );
  }
}
