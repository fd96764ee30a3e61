import { basename, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { Command, Option } from 'commander';
import { compareTopologies, type FinishedComparison, type FinishedComparisons } from './compare';
import { COMPARE_METRICS } from './analysis/metric';
import { withDefaults } from '../find/analysis/types';
import { compareRecords, isRecord } from './compare-records';
import { comparedCosts } from './seen';
import type { CompareMetric, CompareRecord } from './record';
import { quietHere, quietOf, withQuietOptions, type QuietOptions } from '../find/quiet/quiet';
import { refuseTooShort, searchSettings, DEFAULT_SLOS } from '../find/settings';
import { isChartFile } from '../../plan/chart-file';
import { isServerFile } from '../../plan/chosen-server';
import type { ChosenWorkload } from '../../plan/chosen-workload';
import { planText, searchText } from '../../options/load-text';
import type { LoadPlan } from '../../../../loadtests/lib/profile';
import { EXIT, Mistake } from '../../ui/exit';
import { counted, times } from '../../ui/numbers';
import { printJson, printLines, warn, terminalStyle } from '../../ui/print';
import {
  chosenGenerator,
  chosenLimits,
  chosenPlan,
  chosenSlos,
  outOption,
  findBudgetOption,
  stopIfOption,
  withGeneratorOptions,
  withLimitOptions,
  withProbeOptions,
  withProfileOptions,
  withWorkloadOptions,
  type GeneratorOptions,
  type LimitOptions,
  type ProbeOptions,
  type ProfileOptions,
  type TargetOptions,
  type WorkloadOptions,
} from '../../options/options';
import { collect, numberThat, parsed, seconds, share } from '../../options/parsers';
import { chosenPrices, withPriceOptions, type PriceOptions } from '../../options/prices';
import { refuseVain } from '../../options/applies';
import {
  withDeployerOptions,
  type DeployerFlags,
  type DeployFlags,
} from '../../options/kubernetes';
import { onTargets } from '../../options/on-target';
import {
  chosenLoad,
  isLegacyChoice,
  makeTarget,
  targetOrder,
  withoutWebhook,
} from '../../options/targets';
import { renderTerminal } from '../../report/text/terminal';
import { compareDocument } from './report/document';
import type { CommandHelp } from '../../options/help';

export interface CompareOptions
  extends
    WorkloadOptions,
    ProfileOptions,
    ProbeOptions,
    LimitOptions,
    DeployerFlags,
    PriceOptions,
    QuietOptions {
  metric?: CompareMetric;
  failOn?: 'worse';
  pairs: number;
  precision?: number;
  /** Seconds. */
  budget: number;
  /** Seconds. */
  findBudget: number;
  duet?: boolean;
  stopIf?: string[];
  out: string;
  json?: boolean;
}

export const help: CommandHelp = {
  summary: 'compare two topologies: which is better, and by what ratio',
  examples: [
    'n8n-tuned compare none.yaml tuned.yaml --workload last-node --vus 8',
    'n8n-tuned compare --n8n 2.40.7 --n8n 2.41.1 --workflow order.json \\\n    --fail-on worse',
    'n8n-tuned compare http://old:5678 http://new:5678 --fail-on worse',
    "n8n-tuned compare none.yaml tuned.yaml --metric capacity \\\n    --slo 'p95<300ms' --budget 40m",
    'n8n-tuned compare one.yaml two-workers.yaml four-workers.yaml --vus 32',
    'n8n-tuned compare a.yaml b.yaml --profile load --rate 20 --metric p95',
    'n8n-tuned compare a.yaml b.yaml --vus 8 --duet',
    'n8n-tuned compare results/20261120-110000-last-node-load-abcd \\\n    results/20261121-110000-last-node-load-efgh',
  ],
  common: [
    ...['--workload', '--profile', '--rate', '--vus', '--duration'],
    ...['--metric', '--slo', '--budget', '--fail-on'],
  ],
  notes: [
    'All sides run at the same time. They are measured alternately (ABBA), or simultaneously with --duet. The command ends when the interval of each ratio excludes 1, when a difference of more than 2% is ruled out, or when the budget is used up. With --precision, the precision of each interval replaces the first two conditions.',
    'If you compare two folders with records of runs or searches, the result has no interval, because a single record per side does not show how much results vary.',
  ],
};

export function register(program: Command): Command {
  const command = program
    .command('compare')
    .description(
      'Compare topologies, servers or records, to find out which is better, by what ratio, and whether the difference exceeds the noise',
    )
    .argument(
      '[A]',
      'a YAML file with chart values or a server, the URL of a running n8n, or the folder of a record',
    )
    .argument(
      '[B...]',
      'what to compare with A; several sides are each compared with A, in the same rounds',
    )
    .option(
      '--n8n <version>',
      'compare this n8n version, with default settings; give the option once per version',
      collect,
    );
  withGeneratorOptions(withProfileOptions(withWorkloadOptions(command), 'closed')).optionsGroup(
    'Comparison:',
  );
  withQuietOptions(withPriceOptions(command))
    .addOption(
      new Option('--metric <name>', 'metric to compare (default: throughput)').choices(
        Object.keys(COMPARE_METRICS),
      ),
    )
    // Half an ABBA would count a drift as a difference.
    .addOption(
      parsed(
        '--pairs <count>',
        'maximum number of runs per side',
        numberThat(
          (pairs) => pairs >= 2 && pairs % 2 === 0,
          'It must be an even number of at least 2.',
        ),
        '10',
      ),
    )
    .addOption(
      parsed(
        '--precision <percent>',
        'continue until the ends of each interval are at most this far from the ratio (default: until the interval excludes 1)',
        share,
      ),
    )
    .addOption(
      parsed(
        '--budget <time>',
        'time for all measurements; no new round starts after this time',
        seconds,
        '20m',
      ),
    )
    .option(
      '--duet',
      'load all sides at the same time instead of alternately, so that the same disturbances affect all sides',
    )
    .optionsGroup('With --metric capacity:')
    .addOption(findBudgetOption('3m'));
  withDeployerOptions(command).addOption(stopIfOption());
  return withLimitOptions(withProbeOptions(command).optionsGroup('Limits and results:'))
    .addOption(outOption())
    .addOption(
      new Option(
        '--fail-on <answer>',
        'for CI: with worse, exit with code 1 if B is worse',
      ).choices(['worse']),
    )
    .option('--json', 'print the answer as JSON')
    .action(async (_a: unknown, _others: unknown, given: CompareOptions, of: Command) => {
      const [sides, options] = sidesOf(of.args, given);
      refuseVain(of, kindsOf(sides, options));
      process.exitCode = await run(sides, options);
    });
}

/** What was named, then versions of n8n; and the options that are left. */
export function sidesOf(
  named: readonly string[],
  { n8n = [], ...options }: CompareOptions & { n8n?: string[] },
): [sides: string[], options: CompareOptions] {
  const sides = [...named, ...n8n.map((version) => `${OF_VERSION}${version}`)];
  if (sides.length < 2) {
    throw new Mistake(
      'compare requires two sides: topology files, values, servers, URLs or records, or --n8n once per version.',
    );
  }
  return [sides, options];
}

/** A side that is a version of n8n is called by this and the version. */
const OF_VERSION = 'n8n ';
const versionIn = (side: string): string | null =>
  side.startsWith(OF_VERSION) ? side.slice(OF_VERSION.length) : null;

/** The first is what each other one is compared with. */
async function run(sides: readonly string[], options: CompareOptions): Promise<number> {
  if (sides.some(isRecord)) return besideEachOther(sides, options);
  return measured(sides, options);
}

/** What the sides are, by which it is told which options apply to them. */
export const kindsOf = (sides: readonly string[], options: CompareOptions): string[] =>
  sides.some(isRecord)
    ? ['records']
    : [...new Set(sides.map((side) => choiceOf(side, options).target))];

/** Records that are there already. */
function besideEachOther(sides: readonly string[], options: CompareOptions): number {
  const other = sides.find((folder) => !isRecord(folder));
  if (other !== undefined) {
    throw new Mistake(
      `${other} is not the record of a run or a search: specify folders of records.`,
    );
  }
  const { prices = null } = chosenPrices(options);
  const [a = '', ...others] = sides;
  const records = others.map((b) => compareRecords(a, b, options.metric ?? null, prices));
  if (options.json === true) printJson(oneOrAll(records));
  else printLines(records.map((record) => terminalText(record, '')));
  return EXIT.fine;
}

/** Two sides make one comparison. */
const oneOrAll = <Each>(all: readonly Each[]): Each | readonly Each[] =>
  all.length === 1 ? (all[0] as Each) : all;

const terminalText = (record: CompareRecord, folder: string): string =>
  renderTerminal(compareDocument(record, comparedCosts(folder, record)), terminalStyle());

const isUrl = (text: string): boolean => /^https?:\/\//.test(text);

/** On kubernetes all of a values file applies, and a file may also describe another chart. */
function choiceOf(
  side: string,
  { target, ...flags }: CompareOptions,
): TargetOptions & GeneratorOptions & Pick<WorkloadOptions, 'request'> {
  if (isUrl(side)) {
    const { url, request } = withoutWebhook({ ...flags, target: 'url', url: side });
    return {
      ...consentOf(flags),
      target: 'url',
      url,
      ...(request === undefined ? {} : { request }),
    };
  }
  const n8n = versionIn(side);
  if (n8n !== null)
    return { ...(target === 'kubernetes' ? deployFlagsOf(flags) : {}), target, n8n };
  if (isServerFile(side)) return { target: 'server', topology: side };
  if (target !== 'kubernetes') return { target, topology: side };
  return {
    ...deployFlagsOf(flags),
    target,
    ...(isChartFile(side) ? { chart: side } : { values: [side] }),
  };
}

/** All get the same requests; servers name theirs by their URLs. */
function workloadOfAll(
  sides: readonly string[],
  choices: readonly TargetOptions[],
  options: CompareOptions,
): ChosenWorkload {
  const [first, ...others] = choices.map((choice) => chosenLoad({ ...options, ...choice }));
  if (first === undefined) throw new Error('there is nothing to compare');
  const index = others.findIndex(({ requests }) => !isDeepStrictEqual(requests, first.requests));
  const other = others[index];
  if (other !== undefined) {
    throw new Mistake(
      `${sides[0] ?? ''} and ${sides[index + 1] ?? ''} would get different requests (${first.recorded.title}, and ${other.recorded.title}): use --request to send the same request to both.`,
    );
  }
  return first;
}

/** By the name of each: a topology has options of the same names as other parts of the command. */
const DEPLOY_FLAGS = [
  ...(['kubeconfig', 'context', 'namespace', 'protect', 'yes', 'release'] as const),
  ...(['deployTimeout', 'generatorImage', 'generators', 'via', 'viaAddress'] as const),
  'generatorCpus',
] as const;

const deployFlagsOf = (flags: DeployFlags & GeneratorOptions): DeployFlags & GeneratorOptions =>
  Object.fromEntries(
    DEPLOY_FLAGS.flatMap((name) => (flags[name] === undefined ? [] : [[name, flags[name]]])),
  );

/** All that a comparison is told, in plain data: the same options give the same order. */
export function compareOrder(sides: readonly string[], options: CompareOptions) {
  const { ready: readyMs, metric = 'throughput', failOn, json = false } = options;
  const choices = sides.map((side) => choiceOf(side, options));
  const legacy = choices.map(isLegacyChoice);
  const different = legacy.findIndex((is) => is !== legacy[0]);
  const isOwn = options.request !== undefined || options.workflow !== undefined;
  if (different > 0 && !isOwn) {
    throw new Mistake(
      `${sides[0] ?? ''} and ${sides[different] ?? ''} are n8n versions before and after 1.0. The bundled workloads have different workflows for these versions: use your own workflow or request with --workflow or --request.`,
    );
  }
  const workload = workloadOfAll(sides, choices, options);
  // A search makes plans of its own.
  const { arrivals, ...others } = options;
  const plan = chosenPlan(metric === 'capacity' ? others : options);
  const mustHold =
    metric === 'capacity' ? { ...options, slo: options.slo ?? DEFAULT_SLOS } : options;
  const slos = chosenSlos(mustHold);
  const load = loadText(plan, metric, options);
  const search = searchSettings({
    probeSeconds: options.probe ?? null,
    fullSeconds: options.full ?? null,
    budgetSeconds: options.findBudget,
    latencyFloorMs: workload.recorded.latencyFloorMs,
    slos,
  });
  if (metric === 'capacity') refuseTooShort(search, { option: '--find-budget' });
  return {
    targets: choices.map((choice) => targetOrder(choice, workload.workflows, readyMs, { load })),
    measure: {
      ...{ workload, plan, slos, out: options.out, metric },
      ...chosenLimits(options, slos),
      generator: chosenGenerator(options),
      ...(arrivals === undefined ? {} : { arrivals }),
      ...chosenPrices(options),
      search,
      names: namesOf(sides),
      maxPairs: options.pairs,
      ...(options.precision === undefined ? {} : { precision: options.precision }),
      budgetSeconds: options.budget,
      ...(options.duet === true ? { isDuet: true } : {}),
    },
    ...{ failOn, json, stopIf: options.stopIf ?? [], quiet: quietOf(options) },
  };
}

async function measured(sides: readonly string[], options: CompareOptions): Promise<number> {
  const order = compareOrder(sides, options);
  const { failOn, json } = order;
  return compareInOrder(order, ({ comparisons, problems }, isStopped) => {
    problems.forEach(warn);
    if (json) {
      printJson(oneOrAll(comparisons.map(({ folder, record }) => ({ folder, ...record }))));
    } else {
      printLines(
        comparisons.flatMap(({ folder, record }) => [
          terminalText(record, folder),
          join(folder, 'report.html'),
        ]),
      );
    }
    const answers = comparisons.map(({ record }) => record.answer);
    if (failOn === 'worse' && answers.includes('worse')) return EXIT.notMet;
    return isStopped || answers.includes('unknown') ? EXIT.invalid : EXIT.fine;
  });
}

async function compareInOrder<Result>(
  { targets: orders, measure, stopIf, quiet }: ReturnType<typeof compareOrder>,
  tell: (finished: FinishedComparisons, isStopped: boolean) => Result,
): Promise<Result> {
  const targets = orders.map(makeTarget);
  const before = await quietHere(orders, quiet);
  return onTargets(
    targets,
    measure.workload,
    async ({ running, tell: progressed, signal, progress, means }) => {
      const finished = await compareTopologies(
        running,
        {
          ...measure,
          ...means,
          ...(before === null ? {} : { before }),
        },
        progressed,
        signal,
      );
      progress.end();
      return tell(finished, signal.aborted);
    },
    stopIf,
  );
}

/** Plans the comparison that `compare --n8n A --n8n B` makes with its defaults. */
export function compareVersionsOf(
  versions: readonly [string, string],
  given: Pick<CompareOptions, 'out' | 'ready' | 'workload' | 'anyway'>,
): Promise<FinishedComparison | undefined> {
  const defaults = register(new Command()).opts<CompareOptions>();
  const [sides, options] = sidesOf([], { ...defaults, ...given, n8n: [...versions] });
  return compareInOrder(compareOrder(sides, options), ({ comparisons, problems }) => {
    problems.forEach(warn);
    return comparisons[0];
  });
}

/** What each side gets. */
function loadText(plan: LoadPlan, metric: CompareMetric, options: CompareOptions): string {
  return metric === 'capacity'
    ? `${searchText(withDefaults({}).maxClients, options.findBudget)}, up to ${times(options.pairs)}`
    : `${planText(plan)}, in each of up to ${counted(options.pairs, 'run')}`;
}

const consentOf = ({ yes }: DeployFlags): DeployFlags => (yes === undefined ? {} : { yes });

/** One that was named before is told apart. */
function namesOf(sides: readonly string[]): string[] {
  const names: string[] = [];
  for (const side of sides) {
    let name = nameOf(side);
    while (names.includes(name)) name += ' again';
    names.push(name);
  }
  return names;
}

const nameOf = (side: string): string =>
  isUrl(side) || versionIn(side) !== null ? side : basename(side).replace(/\.ya?ml$/, '');
