/** Options that several commands share, under the same names everywhere. */
import type { Command } from 'commander';
import { parametersFrom } from '../../../loadtests/lib/workload';
import { findBundled } from '../lab/kit';
import { chooseWorkload, type ChosenWorkload } from '../plan/chosen-workload';
import {
  ARRIVALS,
  isArrivals,
  isProfileName,
  parseDuration,
  planOf,
  PROFILES,
  type Arrivals,
  type LoadPlan,
  type ProfileName,
} from '../plan/profile';
import { parseSlos, type Slo } from '../plan/slo';
import type { TopologyChoice } from '../plan/chosen-topology';
import type { GeneratorSettings } from '../load/k6';
import { Mistake } from '../ui/exit';

/** For an option that may be repeated. */
export const collect = (value: string, before: string[] = []): string[] => [...before, value];

export interface WorkloadOptions {
  workload?: string;
  variant?: string;
  param?: string[];
  request?: string;
  header?: string[];
  body?: string;
  expect?: string[];
  idAt?: string;
  workflow?: string[];
}

export function withWorkloadOptions(command: Command, usual = 'last-node'): Command {
  return command
    .optionsGroup('What is loaded:')
    .option(
      '--workload <name>',
      `a bundled workload, or the path of a workload file (default: ${usual})`,
    )
    .option('--variant <name>', 'native, load-target or legacy')
    .option('--param <name=value>', 'a parameter of the workload; may be repeated', collect)
    .option('--request <request>', "your own request, like 'POST /webhook/order'")
    .option(
      '--header <header>',
      "of your own request, like 'Name: value'; may be repeated",
      collect,
    )
    .option('--body <text>', 'of your own request, or @FILE')
    .option(
      '--expect <expectation>',
      "what a right reply is, like 'status==200' or 'json.ok==true'; may be repeated",
      collect,
    )
    .option(
      '--id-at <place>',
      'where the reply gives the header x-load-id back, like json.headers.x-load-id',
    )
    .option(
      '--workflow <file>',
      'an exported workflow to put into n8n first; may be repeated',
      collect,
    );
}

export function chosenWorkload(options: WorkloadOptions, legacy: boolean): ChosenWorkload {
  return chooseWorkload(
    {
      workload: options.workload,
      variant: options.variant,
      parameters: parametersFrom(options.param ?? []),
      request: options.request,
      headers: options.header,
      body: options.body,
      expect: options.expect,
      requestIdAt: options.idAt,
      workflows: options.workflow,
    },
    workflowsFolder(),
    legacy,
  );
}

export function workflowsFolder(): string {
  return findBundled('workflows', 'catalogue.json');
}

export interface ProfileOptions extends GeneratorOptions {
  profile: string;
  rate?: string;
  vus?: string;
  duration?: string;
  warmup?: string;
  slo?: string[];
}

export function withProfileOptions(command: Command, usual: ProfileName = 'load'): Command {
  return command
    .optionsGroup('How it is loaded:')
    .option('--profile <name>', Object.keys(PROFILES).join(', '), usual)
    .option('--rate <per-second>', 'requests a second, whether or not replies come')
    .option('--vus <clients>', 'profile closed: clients, each waiting for its reply')
    .option('--duration <time>', 'of the measured part, like 30s or 5m')
    .option('--warmup <time>', 'before it, not measured')
    .option(
      '--slo <slo>',
      "what must hold, like 'p95<300ms' or 'errors<1%'; may be repeated",
      collect,
    );
}

export function chosenPlan(options: ProfileOptions): LoadPlan {
  const { profile } = options;
  const arrivals = chosenArrivals(options);
  if (!isProfileName(profile)) {
    throw new Mistake(
      `there is no profile '${profile}': it is one of ${Object.keys(PROFILES).join(', ')}.`,
    );
  }
  return planOf(profile, {
    ...(options.rate === undefined ? {} : { ratePerSecond: numeric('--rate', options.rate) }),
    ...(options.vus === undefined ? {} : { clients: numeric('--vus', options.vus) }),
    ...(options.duration === undefined ? {} : { durationSeconds: parseDuration(options.duration) }),
    ...(options.warmup === undefined ? {} : { warmupSeconds: parseDuration(options.warmup) }),
    ...(arrivals === undefined ? {} : { arrivals }),
  });
}

export interface GeneratorOptions {
  arrivals?: string;
  maxOpen?: string;
  generatorCpus?: string;
}

export function withGeneratorOptions(command: Command): Command {
  return command
    .optionsGroup('How the load is generated:')
    .option(
      '--arrivals <kind>',
      'gaps between due requests: even or random (exponential); searches take random, others even',
    )
    .option('--max-open <count>', 'requests open at the same time (default: rate x timeout)')
    .option('--generator-cpus <cores>', 'CPU limit of the load generator, like 0.5');
}

export function chosenArrivals({ arrivals }: GeneratorOptions): Arrivals | undefined {
  if (arrivals === undefined || isArrivals(arrivals)) return arrivals;
  throw new Mistake(`--arrivals is '${arrivals}': it is ${ARRIVALS.join(' or ')}.`);
}

export function chosenGenerator(options: GeneratorOptions): GeneratorSettings {
  const { maxOpen, generatorCpus } = options;
  const settings: GeneratorSettings = {};
  if (maxOpen !== undefined) {
    settings.maxOpen = numeric('--max-open', maxOpen);
    if (!Number.isInteger(settings.maxOpen) || settings.maxOpen < 1) {
      throw new Mistake(`--max-open is '${maxOpen}': it is a whole number from 1.`);
    }
  }
  if (generatorCpus !== undefined) {
    settings.cores = numeric('--generator-cpus', generatorCpus);
    if (!(settings.cores >= 0.01)) {
      throw new Mistake(`--generator-cpus is '${generatorCpus}': it is at least 0.01 cores.`);
    }
  }
  return settings;
}

export function chosenSlos(options: ProfileOptions): Slo[] {
  return (options.slo ?? []).flatMap(parseSlos);
}

export interface TargetOptions extends TopologyChoice {
  target: string;
  url?: string;
  metricsUrl?: string[];
}

export function withTargetOptions(command: Command): Command {
  return command
    .optionsGroup('Where it runs:')
    .option(
      '--target <kind>',
      'process: n8n on this machine; url: what already runs at --url',
      'process',
    )
    .option('--url <url>', 'target url: its address')
    .option(
      '--metrics-url <[role=]url>',
      'target url: where a process of n8n shows its metrics, like worker=http://10.0.0.7:5678/metrics; may be repeated',
      collect,
    )
    .option('--topology <file>', 'a topology as YAML; the options below go over it')
    .option('--n8n <version>', 'version of n8n')
    .option('--mode <mode>', 'regular or queue')
    .option('--process <process>', 'n8n below 1.0: main or own')
    .option('--database <database>', 'sqlite or postgresql')
    .option('--workers <count>', 'queue mode: workers')
    .option('--concurrency <count>', 'queue mode: executions side by side in one worker')
    .option('--webhooks <count>', 'queue mode: webhook processors')
    .option('--cpu <amount>', 'CPU limit of each n8n process, like 500m or 1')
    .option('--memory <amount>', 'memory limit of each n8n process, like 1Gi')
    .option('--heap <amount>', "V8's old space: auto, none or an amount")
    .option('--tuning <name>', 'none, default, throughput, low-memory, io-bound or cpu-bound')
    .option(
      '--env <name=value>',
      'an environment variable of every n8n process; may be repeated',
      collect,
    );
}

export function milliseconds(option: string, text: string): number {
  try {
    return 1000 * parseDuration(text);
  } catch {
    throw new Mistake(`${option} is '${text}': write it like 30s or 5m.`);
  }
}

function numeric(option: string, text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) {
    throw new Mistake(`${option} is '${text}': it is a number.`);
  }
  return value;
}
