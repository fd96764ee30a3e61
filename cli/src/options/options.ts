/** Options that several commands share, under the same names everywhere. */
import { type Command, Option } from 'commander';
import { parametersFrom } from '../../../loadtests/lib/workload';
import { findBundled } from '../lab/kit';
import { chooseWorkload, type ChosenWorkload } from '../plan/chosen-workload';
import {
  ARRIVALS,
  planOf,
  PROFILES,
  type Arrivals,
  type LoadPlan,
  type ProfileName,
} from '../../../loadtests/lib/profile';
import { parseSlos, type Slo } from '../../../loadtests/lib/slo';
import type { TopologyChoice } from '../plan/chosen-topology';
import { DATABASES, MODES, PROCESSES, TUNINGS } from '../plan/topology';
import { WHERE } from './applies';
import { withContainerOptions, type ContainerFlags } from './container';
import { withKubernetesOptions, type KubernetesFlags } from './kubernetes';
import type { GeneratorSettings } from '../load/k6-order';
import type { MetricsEndpoint } from '../targets/target';
import {
  anyNumber,
  collect,
  countFrom0,
  countFrom1,
  heap,
  mebibytes,
  metricsEndpoints,
  standInAddress,
  millicores,
  milliseconds,
  numberThat,
  parsed,
  seconds,
  stopConditions,
  variables,
} from './parsers';

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
    .option('--variant <name>', 'which workflow of the workload: native, load-target or legacy')
    .option('--param <name=value>', 'a parameter of the workload; may be repeated', collect)
    .option('--request <request>', "your own request, like 'POST /webhook/order'")
    .option(
      '--header <header>',
      "a header of your own request, or besides those of the workload, like 'Name: value'; may be repeated",
      collect,
    )
    .option('--body <text>', 'body of the request, @FILE, or rows: @FILE.jsonl')
    .option(
      '--expect <expectation>',
      "what the expected response is, like 'status==200' or 'json.ok==true'; may be repeated",
      collect,
    )
    .option(
      '--id-at <place>',
      'where the response returns the header x-load-id, like json.headers.x-load-id',
    )
    .option(
      '--workflow <file>',
      'an exported workflow to import into n8n first, whose webhook is loaded; may be repeated',
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
  profile: ProfileName;
  rate?: number;
  vus?: number;
  /** Seconds. */
  duration?: number;
  /** Seconds. */
  warmup?: number;
  slo?: string[];
}

export function withProfileOptions(command: Command, usual: ProfileName = 'load'): Command {
  return command
    .optionsGroup('How it is loaded:')
    .addOption(
      new Option('--profile <name>', 'shape of the load over time')
        .choices(Object.keys(PROFILES))
        .default(usual),
    )
    .addOption(
      parsed(
        '--rate <per-second>',
        'requests per second, whether or not responses arrive',
        anyNumber,
      ),
    )
    .addOption(
      parsed(
        '--vus <clients>',
        'profile closed: clients, each waiting for its response',
        anyNumber,
      ),
    )
    .addOption(durationOption())
    .addOption(parsed('--warmup <time>', 'load before the measured part, not counted', seconds))
    .option(
      '--slo <slo>',
      "what must be met, like 'p95<300ms' or 'errors<1%'; may be repeated",
      collect,
    );
}

/** Without a default in `run`, where it is the profile's. */
export const durationOption = (usual?: string): Option =>
  parsed('--duration <time>', 'length of the measured part, like 30s or 5m', seconds, usual);

export function chosenPlan(options: ProfileOptions): LoadPlan {
  const { profile, rate, vus, duration, warmup, arrivals } = options;
  return planOf(profile, {
    ...(rate === undefined ? {} : { ratePerSecond: rate }),
    ...(vus === undefined ? {} : { clients: vus }),
    ...(duration === undefined ? {} : { durationSeconds: duration }),
    ...(warmup === undefined ? {} : { warmupSeconds: warmup }),
    ...(arrivals === undefined ? {} : { arrivals }),
  });
}

export interface GeneratorOptions {
  arrivals?: Arrivals;
  maxOpen?: number;
  /** Cores. */
  generatorCpus?: number;
}

export function withGeneratorOptions(command: Command): Command {
  return command
    .optionsGroup('How the load is generated:')
    .addOption(
      new Option(
        '--arrivals <kind>',
        'gaps between due requests: even, or random (exponential); searches default to random, others to even',
      ).choices(ARRIVALS),
    )
    .addOption(
      parsed(
        '--max-open <count>',
        'requests that may be open at the same time (default: rate x timeout)',
        countFrom1,
      ),
    )
    .addOption(
      parsed(
        '--generator-cpus <cores>',
        'CPU limit of the load generator, like 0.5',
        numberThat((cores) => cores >= 0.01, 'It must be at least 0.01 cores.'),
      ),
    );
}

export function chosenGenerator({ maxOpen, generatorCpus }: GeneratorOptions): GeneratorSettings {
  return {
    ...(maxOpen === undefined ? {} : { maxOpen }),
    ...(generatorCpus === undefined ? {} : { cores: generatorCpus }),
  };
}

export interface ProbeOptions {
  /** Seconds. */
  probe?: number;
  /** Seconds. */
  full?: number;
}

/** Without a default of their own: they follow from the budget of the search. */
export function withProbeOptions(command: Command): Command {
  return command
    .addOption(
      parsed(
        '--probe <time>',
        'length of a short probe (default: 10s; with a budget, a part of it, at least 6s)',
        seconds,
      ),
    )
    .addOption(
      parsed(
        '--full <time>',
        'length of a full probe (default: 60s; with a budget, a sixth of it, at least 20s)',
        seconds,
      ),
    );
}

/** The budget of one search, for a command that makes several. */
export const findBudgetOption = (usual: string): Option =>
  parsed('--find-budget <time>', 'time for all probes of one find', seconds, usual);

export interface LimitOptions {
  /** Milliseconds, as the other two. */
  timeout: number;
  drain: number;
  ready: number;
}

export function withLimitOptions(command: Command): Command {
  return command
    .addOption(parsed('--timeout <time>', 'give up a request after this time', milliseconds, '60s'))
    .addOption(
      parsed(
        '--drain <time>',
        'how long to wait after the last request for late responses, and for n8n to finish',
        milliseconds,
        '30s',
      ),
    )
    .addOption(readyOption());
}

export const readyOption = (): Option =>
  parsed('--ready <time>', 'how long to wait for the first expected response', milliseconds, '60s');

/** Whatever a command records gets a folder of its own in it. */
/** The option --force of a command that writes a file of the user's choice. */
export const forceOption = (): Option =>
  new Option('--force', 'replace a file of that name that n8n-tuned did not write');

export const outOption = (): Option =>
  new Option('--out <folder>', 'where results go, each in a folder of its own').default('results');

export function chosenSlos({ slo = [] }: { slo?: readonly string[] }): Slo[] {
  return slo.flatMap(parseSlos);
}

export const stopIfOption = (): Option =>
  new Option(
    '--stop-if <condition>',
    "end the load when this is true, like 'https://shop.example.com/health fails for 30s', 'errors>5% of POST https://shop.example.com/webhook/order' or 'n8n_nodejs_eventloop_lag_p99_seconds>1 for 10s'; may be repeated (default at --url: its /healthz fails for 10s; never: nothing)",
  ).argParser(stopConditions);

export const TARGETS = ['process', 'container', 'kubernetes', 'url', 'server'] as const;

export interface TargetOptions extends TopologyChoice, KubernetesFlags, ContainerFlags {
  target: (typeof TARGETS)[number];
  url?: string;
  /** Target server: for the shell. */
  command?: string;
  metricsUrl?: MetricsEndpoint[];
  /** Target url. */
  standIn?: string;
  /** Targets url and kubernetes. */
  stopIf?: string[];
}

export function withTargetOptions(command: Command): Command {
  return withKubernetesOptions(
    withContainerOptions(
      withTopologyOptions(
        command
          .optionsGroup(WHERE)
          .addOption(
            new Option(
              '--target <kind>',
              'process: n8n on this machine; container: from its image; kubernetes: in pods; url: the n8n that runs at --url; server: what --command starts',
            )
              .choices(TARGETS)
              .default('process'),
          )
          .addOption(
            new Option(
              '--url <url>',
              'address of an n8n that already runs; implies --target url',
            ).implies({
              target: 'url',
            }),
          )
          // After --url, whose target it overrides.
          .addOption(
            new Option(
              '--command <command>',
              'starts any server here, which listens at --url and is loaded; implies --target server',
            ).implies({ target: 'server' }),
          )
          .option(
            '--metrics-url <[role=]url>',
            'where a process of n8n serves its metrics, like worker=http://10.0.0.7:5678/metrics; may be repeated',
            metricsEndpoints,
          )
          .option(
            '--stand-in <url>',
            'at which address of this machine the n8n at --url reaches the stand-in of a twin, like http://10.0.0.5:5690 (default: 127.0.0.1, for an n8n on this machine)',
            standInAddress,
          )
          .addOption(stopIfOption()),
      ),
    ),
  );
}

function withTopologyOptions(command: Command): Command {
  return command
    .option(
      '--topology <file>',
      'a topology, as values of the chart, or a server; the options below override it',
    )
    .option('--n8n <version>', 'version of n8n; n8n-tuned n8n install VERSION gets another one')
    .option('--n8n-program <file>', 'the program n8n of an installation of your own')
    .addOption(new Option('--mode <mode>', 'how n8n runs executions').choices(MODES))
    .addOption(
      new Option('--process <process>', 'n8n below 1.0: which process runs an execution').choices(
        PROCESSES,
      ),
    )
    .addOption(new Option('--database <database>', 'database of n8n').choices(DATABASES))
    .addOption(parsed('--workers <count>', 'queue mode: workers', countFrom0))
    .addOption(
      parsed(
        '--concurrency <count>',
        'queue mode: executions that one worker runs at the same time',
        countFrom1,
      ),
    )
    .addOption(parsed('--webhooks <count>', 'queue mode: webhook processors', countFrom0))
    .addOption(
      parsed(
        '--cpu <amount>',
        'CPU limit of each n8n process or of the server, like 500m or 1',
        millicores,
      ),
    )
    .addOption(
      parsed(
        '--memory <amount>',
        'memory limit of each n8n process or of the server, like 1Gi',
        mebibytes,
      ),
    )
    .addOption(parsed('--heap <amount>', "V8's old space: auto, none or an amount", heap))
    .addOption(new Option('--tuning <name>', 'a named set of measured settings').choices(TUNINGS))
    .option(
      '--env <name=value>',
      'an environment variable of every n8n process or of the server; may be repeated',
      variables,
    );
}
