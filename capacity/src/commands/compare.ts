import { basename, join } from 'node:path';
import type { Command } from 'commander';
import { compareTopologies } from '../compare/compare';
import { isMetric, COMPARE_METRICS } from '../analysis/compare-metric';
import { compareRecords, isRecord } from '../compare/records';
import type { CompareMetric, CompareRecord } from '../record/compare-record';
import { searchSettings, USUAL_SLOS } from '../find/settings';
import { findK6 } from '../load/find-k6';
import { findBundled } from '../lab/kit';
import { withoutSecrets } from '../plan/secrets';
import { renderCompareTerminal } from '../report/compare/terminal';
import { EXIT, Mistake } from '../ui/exit';
import { printJson, warn, terminalStyle } from '../ui/print';
import {
  chosenGenerator,
  chosenPlan,
  chosenSlos,
  chosenWorkload,
  milliseconds,
  withGeneratorOptions,
  withProfileOptions,
  withWorkloadOptions,
  type ProfileOptions,
  type TargetOptions,
  type WorkloadOptions,
} from './options';
import { onTargets } from './on-target';
import { chosenTarget, isLegacyChoice } from './targets';

interface CompareOptions extends WorkloadOptions, ProfileOptions {
  metric?: string;
  failOn?: string;
  pairs: string;
  budget: string;
  search: string;
  probe: string;
  full: string;
  timeout: string;
  drain: string;
  ready: string;
  out: string;
  json?: boolean;
}

export function register(program: Command): void {
  const command = program
    .command('compare')
    .description('Which of two sides is better, by which ratio, and is it more than noise')
    .argument('<A>', 'a topology (YAML), the URL of an n8n that runs, or the folder of a record')
    .argument('<B>', 'what it is compared with');
  withGeneratorOptions(withProfileOptions(withWorkloadOptions(command), 'closed'))
    .optionsGroup('How it is decided:')
    .option('--metric <name>', `${Object.keys(COMPARE_METRICS).join(', ')} (default: throughput)`)
    .option('--pairs <count>', 'at most so many runs of each', '10')
    .option('--budget <time>', 'no new round after this', '20m')
    .optionsGroup('With --metric capacity, of each search:')
    .option('--search <time>', 'of probes; the best answer so far when it is used up', '3m')
    .option('--probe <time>', 'length of a short probe', '8s')
    .option('--full <time>', 'length of the run that confirms the answer', '30s')
    .optionsGroup('Limits and results:')
    .option('--timeout <time>', 'a request is given up after this', '60s')
    .option('--drain <time>', 'for late answers after a run, and for n8n to finish', '30s')
    .option('--ready <time>', 'until the real request is answered right', '60s')
    .option('--out <folder>', 'where the folder of the comparison is made', 'results')
    .option('--fail-on <answer>', 'worse: exit with 1 when B is worse, for CI')
    .option('--json', 'print the answer, for machines')
    .addHelpText(
      'after',
      `
Both are up at the same time and measured in turns (ABBA), until the interval of the ratio excludes 1,
no difference larger than 2 % is left possible, or the budget is used up.

Two folders of records (runs or searches) are compared as they are: without an interval, since one
record of each does not tell how much the next one would differ.

Examples:
  n8n-tuned compare none.yaml tuned.yaml --workload last-node --vus 8 --duration 15s
  n8n-tuned compare two.yaml three-workers.yaml --profile load --rate 20 --metric p95
  n8n-tuned compare none.yaml tuned.yaml --metric capacity --slo 'p95<300ms' --budget 40m
  n8n-tuned compare http://old:5678 http://new:5678 --workload last-node --fail-on worse
  n8n-tuned compare results/20261120-110000-last-node-load-abcd results/20261121-110000-last-node-load-efgh`,
    )
    .action(async (a: string, b: string, options: CompareOptions) => {
      process.exitCode = await run(a, b, options);
    });
}

async function run(a: string, b: string, options: CompareOptions): Promise<number> {
  const metric = options.metric === undefined ? null : metricOf(options.metric);
  const failsOn = failOn(options.failOn);
  if (isRecord(a) || isRecord(b)) return besideEachOther(a, b, metric, options);
  return measured(a, b, metric ?? 'throughput', failsOn, options);
}

/** Two records that are there already. */
function besideEachOther(
  a: string,
  b: string,
  metric: CompareMetric | null,
  options: CompareOptions,
): number {
  const other = [a, b].find((folder) => !isRecord(folder));
  if (other !== undefined) {
    throw new Mistake(`${other} is no record of a run or a search: give the folders of two.`);
  }
  if (options.failOn !== undefined) {
    throw new Mistake(
      '--fail-on needs a comparison that is measured: two records have no interval, so leave it out.',
    );
  }
  const record = compareRecords(a, b, metric);
  if (options.json === true) printJson(record);
  else process.stdout.write(`${terminalText(record)}\n`);
  return EXIT.fine;
}

function terminalText(record: CompareRecord): string {
  return renderCompareTerminal(record, terminalStyle());
}

function failOn(answer: string | undefined): boolean {
  if (answer === undefined || answer === 'worse') return answer === 'worse';
  throw new Mistake(`--fail-on is '${answer}': it can only be worse.`);
}

const isUrl = (text: string): boolean => /^https?:\/\//.test(text);

const choiceOf = (side: string): TargetOptions =>
  isUrl(side) ? { target: 'url', url: side } : { target: 'process', topology: side };

async function measured(
  a: string,
  b: string,
  metric: CompareMetric,
  failsOnWorse: boolean,
  options: CompareOptions,
): Promise<number> {
  const readyMs = milliseconds('--ready', options.ready);
  const [choiceA, choiceB] = [choiceOf(a), choiceOf(b)];
  const legacy = isLegacyChoice(choiceA);
  if (legacy !== isLegacyChoice(choiceB)) {
    throw new Mistake(
      `${a} and ${b} are n8n below and above 1.0, which run different workflows: compare within one of them.`,
    );
  }
  const workload = chosenWorkload(options, legacy);
  const plan = chosenPlan(options);
  const mustHold = metric === 'capacity' ? { ...options, slo: options.slo ?? USUAL_SLOS } : options;
  const slos = chosenSlos(mustHold);
  const targets = [
    chosenTarget(choiceA, workload.workflows, readyMs),
    chosenTarget(choiceB, workload.workflows, readyMs),
  ] as const;
  const k6 = findK6();
  const order = {
    workload,
    plan,
    slos,
    out: options.out,
    k6,
    scripts: findBundled('loadtests', 'load.ts'),
    timeoutMs: milliseconds('--timeout', options.timeout),
    drainMs: milliseconds('--drain', options.drain),
    generator: chosenGenerator(options),
    ...(options.arrivals === undefined ? {} : { arrivals: plan.arrivals }),
    command: withoutSecrets(process.argv.slice(2)),
    metric,
    search: searchSettings({
      probeSeconds: milliseconds('--probe', options.probe) / 1000,
      fullSeconds: milliseconds('--full', options.full) / 1000,
      budgetSeconds: milliseconds('--search', options.search) / 1000,
      latencyFloorMs: workload.recorded.latencyFloorMs,
      slos,
    }),
    names: { a: nameOf(a), b: nameOf(b) === nameOf(a) ? `${nameOf(b)} again` : nameOf(b) },
    mostPairs: evenPairs(options.pairs),
    budgetSeconds: milliseconds('--budget', options.budget) / 1000,
  };
  return onTargets(targets, workload, async ({ running: [A, B], tell, signal, progress }) => {
    const finished = await compareTopologies({ A, B }, order, tell, signal);
    progress.end();
    finished.problems.forEach(warn);
    if (options.json === true) printJson({ folder: finished.folder, ...finished.record });
    else {
      const text = terminalText(finished.record);
      process.stdout.write(`${text}\n${join(finished.folder, 'report.html')}\n`);
    }
    const { answer } = finished.record;
    if (failsOnWorse && answer === 'worse') return EXIT.notMet;
    return answer === 'unknown' ? EXIT.invalid : EXIT.fine;
  });
}

function metricOf(name: string): CompareMetric {
  if (isMetric(name)) return name;
  throw new Mistake(
    `there is no metric '${name}': it is one of ${Object.keys(COMPARE_METRICS).join(', ')}.`,
  );
}

/** Half an ABBA would count a drift as a difference. */
function evenPairs(text: string): number {
  const pairs = Number(text);
  if (!Number.isInteger(pairs) || pairs < 2 || pairs % 2 === 1) {
    throw new Mistake(`--pairs is '${text}': it is an even number from 2 on.`);
  }
  return pairs;
}

const nameOf = (side: string): string =>
  isUrl(side) ? side : basename(side).replace(/\.ya?ml$/, '');
