import { Option, type Command } from 'commander';
import { findAnnotations } from '../../analysis/annotations';
import { maxSeconds } from './analysis/propose';
import { CapacitySearch } from './analysis/search';
import { secondsOf, withDefaults, type SearchSettings } from './analysis/types';
import { continueCommand, fullSecondsOf, readEarlier, refuseOther, trialsOf } from './continue';
import { isImprecise } from './analysis/doubts';
import { find } from './find';
import { quietHere, quietOf, withQuietOptions, type QuietOptions } from './quiet/quiet';
import { refuseTooShort, searchSettings, DEFAULT_SLOS } from './settings';
import { planText, searchText } from '../../options/load-text';
import { planOf } from '../../../../loadtests/lib/profile';
import { FIRST_LOOK_SECONDS, isSeenAtOnce } from './analysis/rate/attempt';
import { askRate, warmupSecondsOf } from './rate';
import type { RateRecord } from './rate-record';
import { rateDocument } from './report/rate';
import type { ReportDocument } from '../../report/document';
import { SPEEDS, type FindRecord, type Speed } from './record';
import type { Slo } from '../../../../loadtests/lib/slo';
import { formatNumber } from '../../ui/numbers';
import { EXIT, Mistake } from '../../ui/exit';
import { printJson, warn, terminalStyle } from '../../ui/print';
import {
  chosenGenerator,
  chosenLimits,
  chosenSlos,
  outOption,
  withGeneratorOptions,
  withLimitOptions,
  withProbeOptions,
  withTargetOptions,
  withWorkloadOptions,
  type GeneratorOptions,
  type LimitOptions,
  type ProbeOptions,
  type TargetOptions,
  type WorkloadOptions,
} from '../../options/options';
import { collect, countFrom1, numberThat, parsed, seconds, share } from '../../options/parsers';
import {
  chosenMonitoring,
  monitoringOf,
  withMonitoringOptions,
  type MonitoringOptions,
} from '../../options/monitoring';
import { onTargets } from '../../options/on-target';
import { chosenPrices, withPriceOptions, type PriceOptions } from '../../options/prices';
import { chosenLoad, makeTarget, targetOrder, withoutWebhook } from '../../options/targets';
import { reportFiles } from '../../report/files';
import { findDocument } from './report/document';
import { writeBeside } from '../../record/write-beside';
import { renderTerminal } from '../../report/text/terminal';
import type { CommandHelp } from '../../options/help';

export interface FindOptions
  extends
    WorkloadOptions,
    TargetOptions,
    GeneratorOptions,
    ProbeOptions,
    LimitOptions,
    MonitoringOptions,
    PriceOptions,
    QuietOptions {
  /** The one rate that is asked about; left out: the capacity is searched for. */
  rate?: number;
  slo?: string[];
  /** Seconds. */
  budget?: number;
  /** A share of 1. */
  precision?: number;
  gentle?: boolean;
  maxClients?: number;
  speed?: Speed;
  continue?: string;
  out: string;
  json?: boolean;
}

export const help: CommandHelp = {
  summary: 'find the highest rate that meets every SLO, and what limits it',
  examples: [
    "n8n-tuned find --workload last-node --slo 'p95<300ms'",
    "n8n-tuned find --url https://n8n.test.example.com \\\n    --request 'POST /webhook/order' --body @body.json --slo 'p95<1s'",
    "n8n-tuned find --target kubernetes --mode queue --workers 2 --slo 'p95<1s'",
    "n8n-tuned find --workload last-node --slo 'p95<300ms' --rate 30",
    "n8n-tuned find --workload wait-5s --slo 'p95<6s' --workers 2 --budget 10m",
  ],
  common: [
    '--workload',
    '--request',
    '--body',
    '--target',
    '--url',
    '--workers',
    '--cpu',
    '--slo',
    '--rate',
    '--budget',
  ],
};

export function register(program: Command): Command {
  const command = program
    .command('find')
    .description(
      'Increase the load until an SLO is missed, to estimate the highest sustained rate and find what limits n8n',
    );
  withMonitoringOptions(withGeneratorOptions(withTargetOptions(withWorkloadOptions(command))))
    .optionsGroup('Goal and search:')
    .addOption(
      parsed(
        '--rate <per-second>',
        'check whether n8n meets every SLO at this rate, instead of searching: YES (exit code 0), NO (1), or NOT YET (3) if the answer is still uncertain at the end of the budget',
        numberThat((rate) => rate > 0, 'It must be above 0 requests per second.'),
      ),
    )
    .option(
      '--slo <slo>',
      `an SLO, such as 'p95<300ms' or 'backlog=0'; repeatable (default: ${DEFAULT_SLOS.join(', ')})`,
      collect,
    )
    .addOption(
      parsed(
        '--budget <time>',
        'time for all measurements; a shorter budget gives a wider interval (default: 5m; with --full, ten times its length)',
        seconds,
      ),
    )
    .addOption(
      parsed(
        '--precision <percent>',
        'interval width at which the search ends early (default: 10%)',
        share,
      ),
    )
    .option(
      '--gentle',
      'after the first estimate, keep fixed-rate probes below 95% of the estimate',
    )
    .addOption(
      parsed(
        '--max-clients <count>',
        'maximum number of clients in the first probes; lower it if others also use the n8n instance (default: 1024)',
        countFrom1,
      ),
    )
    .addOption(
      new Option(
        '--speed <speed>',
        'machine speed for which the planning rate is computed: the speed in the slowest minute, or the median speed (default: slow)',
      ).choices(SPEEDS),
    )
    .option(
      '--continue <folder>',
      'continue the search recorded in this folder, with a new budget and the same options (default budget: as before)',
    );
  withQuietOptions(withPriceOptions(command));
  return withLimitOptions(withProbeOptions(command).optionsGroup('Limits and results:'))
    .addOption(outOption())
    .option('--json', 'print the answer as JSON')
    .action(async (options: FindOptions) => {
      process.exitCode = await run(options);
    });
}

const addedSeconds = (settings: Partial<SearchSettings>): number =>
  maxSeconds(withDefaults(settings));

/** All that a search is told, in plain data: the same options give the same order. */
export function findOrder(given: FindOptions) {
  const options = withoutWebhook(given);
  const workload = chosenLoad(options);
  const slos = chosenSlos({ slo: options.slo ?? DEFAULT_SLOS });
  const earlier = options.continue === undefined ? null : readEarlier(options.continue);
  const trials = earlier === null ? [] : trialsOf(earlier.record);
  const settings = searchSettings({
    probeSeconds: options.probe ?? null,
    fullSeconds: options.full ?? fullSecondsOf(earlier?.record.probes ?? []),
    budgetSeconds: options.budget ?? (earlier ? earlier.record.budgetSeconds : budgetOf(options)),
    slos,
    latencyFloorMs: workload.recorded.latencyFloorMs,
    ...(options.arrivals === undefined ? {} : { arrivals: options.arrivals }),
    options: {
      ...(options.gentle === undefined ? {} : { isGentle: options.gentle }),
      ...(options.precision === undefined ? {} : { precision: options.precision }),
      ...(options.maxClients === undefined ? {} : { maxClients: options.maxClients }),
    },
  });
  const question = questionOf(options, slos, workload.recorded.latencyFloorMs);
  if (question === null) refuseTooShort(settings, { isGoneOnWith: earlier !== null });
  // What was spent counts as well, so that what is added is left.
  if (earlier !== null) settings.budgetSeconds = secondsOf(trials) + addedSeconds(settings);
  const { arrivals, out, json = false } = options;
  const { timeoutMs, drainMs } = chosenLimits(options, slos);
  if (timeoutMs <= workload.recorded.latencyFloorMs) {
    throw new Mistake(
      `--timeout is ${String(timeoutMs / 1000)} s, but ${workload.recorded.name} never responds within ${String(workload.recorded.latencyFloorMs)} ms: use a longer --timeout.`,
    );
  }
  const whole = withDefaults(settings);
  const load =
    question === null
      ? searchText(whole.maxClients, maxSeconds(whole))
      : planText(
          planOf('load', {
            ratePerSecond: question.ratePerSecond,
            durationSeconds: question.budgetSeconds,
            warmupSeconds: 0,
          }),
        );
  return {
    measure: {
      ...{ workload, slos, out, timeoutMs, drainMs, generator: chosenGenerator(options) },
      ...(arrivals === undefined ? {} : { arrivals }),
      ...chosenPrices(options),
      ...(earlier === null ? {} : { earlier }),
      ...(options.speed === undefined ? {} : { speed: options.speed }),
      ...(options.precision === undefined ? {} : { precision: options.precision }),
    },
    settings,
    trials,
    question,
    target: targetOrder(options, workload.workflows, options.ready, { load }),
    monitoring: monitoringOf(options),
    quiet: quietOf(options),
    stopIf: options.stopIf ?? [],
    json,
  };
}

const DEFAULT_BUDGET_SECONDS = 300;

/** Null: as many lengths of a full probe as can still teach something. */
const budgetOf = ({ full }: FindOptions): number | null =>
  full === undefined ? DEFAULT_BUDGET_SECONDS : null;

/** What is asked about one rate; null for a search. */
function questionOf(
  { rate, budget = DEFAULT_BUDGET_SECONDS }: FindOptions,
  slos: readonly Slo[],
  latencyFloorMs: number,
): { ratePerSecond: number; budgetSeconds: number } | null {
  if (rate === undefined) return null;
  if (!slos.some(isSeenAtOnce)) {
    throw new Mistake(
      `--rate requires an SLO that is judged per request, such as p95<300ms or errors<1%: ${slos.map(({ text }) => text).join(', ')} can be judged only at the end of a run.`,
    );
  }
  const min = Math.ceil(warmupSecondsOf(latencyFloorMs) + FIRST_LOOK_SECONDS);
  if (budget < min) {
    throw new Mistake(
      `--budget is ${formatNumber(budget)} s, but an attempt takes at least ${formatNumber(min)} s: use a longer budget, such as 5m.`,
    );
  }
  return { ratePerSecond: rate, budgetSeconds: budget };
}

async function run(options: FindOptions): Promise<number> {
  const order = findOrder(options);
  const { settings, question } = order;
  const told = await chosenMonitoring(order.monitoring);
  const { workload, slos: slo, earlier } = order.measure;
  // The rest is known once the target is up.
  if (earlier !== undefined) refuseOther(earlier, { workload: workload.recorded, slo });
  const target = makeTarget(order.target);
  const before = await quietHere([order.target], order.quiet);
  return onTargets(
    [target],
    workload,
    async ({ running: [running], tell, signal, progress, means }) => {
      const common = {
        ...order.measure,
        ...means,
        ...told.observe,
        ...(before === null ? {} : { before }),
      };
      const { folder, record, document, problems } =
        question === null
          ? withDocument(
              await find(
                running,
                {
                  ...common,
                  search: new CapacitySearch(settings, order.trials),
                  budgetSeconds: settings.budgetSeconds ?? null,
                },
                tell,
                signal,
              ),
              findDocument,
            )
          : withDocument(
              await askRate(running, { ...common, ...question }, tell, signal),
              rateDocument,
            );
      progress.end();
      const all = [
        ...problems,
        ...writeBeside(folder, reportFiles(document)),
        ...(await told.annotate(findAnnotations(record))),
      ];
      all.forEach(warn);
      show({ folder, record, document }, order.json);
      return all.length > 0 || signal.aborted ? EXIT.invalid : exitCodeOf(record);
    },
    order.stopIf,
  );
}

/** What came of a search, or of a question about one rate, with its report. */
interface Shown {
  folder: string;
  record: FindRecord | RateRecord;
  document: ReportDocument;
}

const withDocument = <Found extends { record: FindRecord | RateRecord }>(
  found: Found,
  documentOf: (record: Found['record']) => ReportDocument,
): Found & { document: ReportDocument } => ({ ...found, document: documentOf(found.record) });

function show({ folder, record, document }: Shown, json: boolean): void {
  if (json) {
    printJson({ folder, ...record });
    return;
  }
  process.stdout.write(`${renderTerminal(document, terminalStyle())}\n${folder}/report.html\n`);
  if (record.kind === 'rate') return;
  const { verdict, capacity } = record;
  const isOpen = verdict === 'inconclusive' || verdict === 'not confirmed';
  // By pass and miss alone, more time may teach it nothing: a doubt says which.
  const isWide = isImprecise(record) && capacity.method?.name === 'virtual queue';
  if (!isOpen && !isWide) return;
  process.stdout.write(`To continue the search: ${continueCommand(record.command, folder)}\n`);
}

const isAnswer = (verdict: FindRecord['verdict']): boolean =>
  verdict === 'found' || verdict === 'rough';

function exitCodeOf(record: FindRecord | RateRecord): number {
  const isMet = record.kind === 'rate' ? record.answer === 'yes' : isAnswer(record.verdict);
  if (isMet) return EXIT.fine;
  const isMissed =
    record.kind === 'rate' ? record.answer === 'no' : record.verdict === 'nothing sustained';
  return isMissed ? EXIT.notMet : EXIT.invalid;
}
