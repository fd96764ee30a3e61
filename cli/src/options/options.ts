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
import { parseSlos, waitingMs, type Slo } from '../../../loadtests/lib/slo';
import { VARIABLES } from '../../../loadtests/lib/variables';
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

export function withWorkloadOptions(command: Command, fallback = 'last-node'): Command {
  return command
    .optionsGroup('Workload:')
    .option(
      '--workload <name>',
      `name of a bundled workload or path of a workload file (default: ${fallback})`,
    )
    .option('--variant <name>', 'variant of the workload: native, load-target or legacy')
    .option('--param <name=value>', 'a workload parameter; repeatable', collect)
    .option('--request <request>', "your own request, such as 'POST /webhook/order'")
    .option(
      '--header <header>',
      "a request header, such as 'Name: value', also added to the requests of a workload; repeatable",
      collect,
    )
    .option('--body <text>', 'request body, @FILE, or @FILE.jsonl with one body per line')
    .option(
      '--expect <expectation>',
      "a condition on the response, such as 'status==200' or 'json.ok==true'; repeatable",
      collect,
    )
    .option(
      '--id-at <place>',
      'where the response contains the value of the header x-load-id, such as json.headers.x-load-id',
    )
    .option(
      '--workflow <file>',
      'an exported workflow to import into n8n before its webhook is called; repeatable',
      collect,
    );
}

export function chosenWorkload(options: WorkloadOptions, n8n: string | null): ChosenWorkload {
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
    n8n,
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

export function withProfileOptions(command: Command, fallback: ProfileName = 'load'): Command {
  return command
    .optionsGroup('Load:')
    .addOption(
      new Option('--profile <name>', 'shape of the load over time')
        .choices(Object.keys(PROFILES))
        .default(fallback),
    )
    .addOption(
      parsed('--rate <per-second>', 'requests per second, independent of the responses', anyNumber),
    )
    .addOption(
      parsed(
        '--vus <clients>',
        'number of clients in the closed profile; each waits for its response',
        anyNumber,
      ),
    )
    .addOption(durationOption())
    .addOption(
      parsed(
        '--warmup <time>',
        'load before the measured part; not counted in the results',
        seconds,
      ),
    )
    .option('--slo <slo>', "an SLO, such as 'p95<300ms' or 'errors<1%'; repeatable", collect);
}

/** Without a default in `run`, where it is the profile's. */
export const durationOption = (fallback?: string): Option =>
  parsed('--duration <time>', 'length of the measured part, such as 30s or 5m', seconds, fallback);

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
    .optionsGroup('Load generation:')
    .addOption(
      new Option(
        '--arrivals <kind>',
        'gaps between requests: even or random (exponential); default: random for searches, otherwise even',
      ).choices(ARRIVALS),
    )
    .addOption(
      parsed(
        '--max-open <count>',
        'maximum number of open requests (default: rate x timeout)',
        countFrom1,
      ),
    )
    .addOption(
      parsed(
        '--generator-cpus <cores>',
        'CPU limit of the load generator, such as 0.5',
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
        'length of a short probe (default: 10s; with a budget, a fraction of it, at least 6s)',
        seconds,
      ),
    )
    .addOption(
      parsed(
        '--full <time>',
        'length of a full-length probe (default: 60s; with a budget, a sixth of it, at least 20s)',
        seconds,
      ),
    );
}

/** The budget of one search, for a command that makes several. */
export const findBudgetOption = (fallback: string): Option =>
  parsed('--find-budget <time>', 'time for all probes of one search', seconds, fallback);

const { TIMEOUT, DRAIN } = VARIABLES;

/** The default of a time for which a response is awaited. */
export const longerThan = (fallback: string): string =>
  `${fallback}, or twice the largest latency that an SLO allows if that is longer`;

export interface LimitOptions {
  /** Milliseconds, as the other two. */
  timeout?: number;
  drain?: number;
  ready: number;
}

export function withLimitOptions(command: Command): Command {
  return command
    .addOption(
      parsed(
        '--timeout <time>',
        `abandon a request after this time (default: ${longerThan(TIMEOUT.default)})`,
        milliseconds,
      ),
    )
    .addOption(
      parsed(
        '--drain <time>',
        `how long to wait, after the last request, for late responses and for n8n to finish (default: ${longerThan(DRAIN.default)})`,
        milliseconds,
      ),
    )
    .addOption(readyOption());
}

/** Nothing is given up before it is too slow for every SLO. */
export const chosenLimits = (
  { timeout, drain }: Pick<LimitOptions, 'timeout' | 'drain'>,
  slos: readonly Slo[],
): { timeoutMs: number; drainMs: number } => ({
  timeoutMs: waitingMs('--timeout', timeout, TIMEOUT.default, slos),
  drainMs: waitingMs('--drain', drain, DRAIN.default, slos),
});

export const readyOption = (): Option =>
  parsed('--ready <time>', 'how long to wait for the first expected response', milliseconds, '60s');

/** Whatever a command records gets a folder of its own in it. */
/** The option --force of a command that writes a file of the user's choice. */
export const forceOption = (): Option =>
  new Option(
    '--force',
    'replace an existing file of that name, even if n8n-tuned did not write it or you have edited it',
  );

export const outOption = (): Option =>
  new Option(
    '--out <folder>',
    'folder for the results; each result gets its own subfolder',
  ).default('results');

export function chosenSlos({ slo = [] }: { slo?: readonly string[] }): Slo[] {
  return slo.flatMap(parseSlos);
}

export const stopIfOption = (): Option =>
  new Option(
    '--stop-if <condition>',
    "end the load when this condition is true, such as 'https://shop.example.com/health fails for 30s', 'errors>5% of POST https://shop.example.com/webhook/order' or 'n8n_nodejs_eventloop_lag_p99_seconds>1 for 10s'; repeatable (default with --url: /healthz fails for 10s; never: no condition)",
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
              'process: n8n on this machine; container: n8n from its image; kubernetes: n8n in pods; url: a running n8n at --url; server: another server, started by --command',
            )
              .choices(TARGETS)
              .default('process'),
          )
          .addOption(
            new Option('--url <url>', 'address of a running n8n; implies --target url').implies({
              target: 'url',
            }),
          )
          // After --url, whose target it overrides.
          .addOption(
            new Option(
              '--command <command>',
              'command that starts the server under test, which must listen at --url; implies --target server',
            ).implies({ target: 'server' }),
          )
          .option(
            '--metrics-url <[role=]url>',
            'metrics address of an n8n process, such as worker=http://10.0.0.7:5678/metrics; repeatable',
            metricsEndpoints,
          )
          .option(
            '--stand-in <url>',
            'address at which n8n can reach the stand-in that runs on this machine, such as http://10.0.0.5:5690 (default: 127.0.0.1, if n8n also runs on this machine)',
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
      'file that describes a topology (as chart values) or a server; the options below override it',
    )
    .option(
      '--compose <file>',
      'Compose file whose services are measured in new containers; the options below override it',
    )
    .option(
      '--n8n <version>',
      'n8n version; n8n-tuned n8n install VERSION installs another version',
    )
    .option(
      '--n8n-program <file>',
      'the n8n program in your own installation, which runs with the Node.js in your PATH',
    )
    .addOption(new Option('--mode <mode>', 'execution mode of n8n').choices(MODES))
    .addOption(
      new Option('--process <process>', 'n8n before 1.0: the process that runs executions').choices(
        PROCESSES,
      ),
    )
    .addOption(new Option('--database <database>', 'database that n8n uses').choices(DATABASES))
    .addOption(parsed('--workers <count>', 'queue mode: number of workers', countFrom0))
    .addOption(
      parsed(
        '--concurrency <count>',
        'queue mode: number of executions that one worker runs at the same time',
        countFrom1,
      ),
    )
    .addOption(parsed('--webhooks <count>', 'queue mode: number of webhook processors', countFrom0))
    .addOption(
      parsed(
        '--cpu <amount>',
        'CPU limit per n8n process or server, such as 500m or 1',
        millicores,
      ),
    )
    .addOption(
      parsed('--memory <amount>', 'memory limit per n8n process or server, such as 1Gi', mebibytes),
    )
    .addOption(parsed('--heap <amount>', "size of V8's old space: auto, none or an amount", heap))
    .addOption(new Option('--tuning <name>', 'tuning profile').choices(TUNINGS))
    .option(
      '--env <name=value>',
      'an environment variable for every n8n process or the server; repeatable',
      variables,
    );
}
