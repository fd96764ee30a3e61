import type { Command } from 'commander';
import { findAnnotations } from '../../analysis/annotations';
import { maxSeconds } from './analysis/propose';
import { CapacitySearch } from './analysis/search';
import { secondsOf, withDefaults, type SearchSettings } from './analysis/types';
import { continueCommand, fullSecondsOf, readEarlier, refuseOther, trialsOf } from './continue';
import { find, isHere } from './find';
import { awaitQuiet, type QuietChoice } from './quiet/quiet';
import { searchSettings, DEFAULT_SLOS } from './settings';
import { searchText } from '../../options/load-text';
import type { BeforeSearch, FindRecord } from './record';
import { EXIT, Mistake } from '../../ui/exit';
import { interruptible } from '../../ui/interrupt';
import { printJson, warn, terminalStyle } from '../../ui/print';
import { startProgress } from '../../ui/progress';
import {
  chosenGenerator,
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
import { collect, parsed, seconds } from '../../options/parsers';
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
    PriceOptions {
  slo?: string[];
  /** Seconds. */
  budget?: number;
  /** Seconds. */
  waitForQuiet?: number;
  anyway?: boolean;
  continue?: string;
  out: string;
  json?: boolean;
}

export const help: CommandHelp = {
  summary: 'find the highest rate that meets every SLO, and what limits it',
  examples: [
    "n8n-tuned find --workload last-node --slo 'p95<300ms' --budget 5m",
    "n8n-tuned find --url https://n8n.test.example.com \\\n    --request 'POST /webhook/order' --body @order.json --slo 'p95<1s'",
    "n8n-tuned find --target kubernetes --mode queue --workers 2 --slo 'p95<1s'",
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
    '--memory',
    '--slo',
    '--budget',
  ],
};

export function register(program: Command): Command {
  const command = program
    .command('find')
    .description(
      'Raise the load until something breaks: estimate the highest rate at which every SLO is met, and what limits it',
    );
  withMonitoringOptions(withGeneratorOptions(withTargetOptions(withWorkloadOptions(command))))
    .optionsGroup('What must be met, and how long it may take:')
    .option(
      '--slo <slo>',
      `like 'p95<300ms' or 'backlog=0'; may be repeated (default: ${DEFAULT_SLOS.join(', ')})`,
      collect,
    )
    .addOption(
      parsed(
        '--budget <time>',
        'time for all measurements; a smaller budget gives a wider interval',
        seconds,
      ),
    )
    .addOption(
      parsed(
        '--wait-for-quiet <time>',
        'wait at most this time until the machine is quiet (default: refuse to search on a busy one)',
        seconds,
      ),
    )
    .option('--anyway', 'search on a busy machine, and say in the answer what was seen')
    .option(
      '--continue <folder>',
      'add the budget to the search recorded there, with the same options (default budget: as before)',
    );
  withPriceOptions(command);
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
    budgetSeconds: options.budget ?? earlier?.record.budgetSeconds ?? null,
    slos,
    latencyFloorMs: workload.recorded.latencyFloorMs,
  });
  // What was spent counts as well, so that what is added is left.
  if (earlier !== null) settings.budgetSeconds = secondsOf(trials) + addedSeconds(settings);
  const { timeout: timeoutMs, drain: drainMs, arrivals, out, json = false } = options;
  if (timeoutMs <= workload.recorded.latencyFloorMs) {
    throw new Mistake(
      `--timeout is ${String(timeoutMs / 1000)} s, but no response of ${workload.recorded.name} can come within ${String(workload.recorded.latencyFloorMs)} ms: use a longer one.`,
    );
  }
  const whole = withDefaults(settings);
  const load = searchText(whole.maxClients, maxSeconds(whole));
  return {
    measure: {
      ...{ workload, slos, out, timeoutMs, drainMs, generator: chosenGenerator(options) },
      ...(arrivals === undefined ? {} : { arrivals }),
      ...chosenPrices(options),
      ...(earlier === null ? {} : { earlier }),
    },
    settings,
    trials,
    target: targetOrder(options, workload.workflows, options.ready, { load }),
    monitoring: monitoringOf(options),
    quiet: { waitSeconds: options.waitForQuiet ?? 0, anyway: options.anyway === true },
    stopIf: options.stopIf ?? [],
    json,
  };
}

async function run(options: FindOptions): Promise<number> {
  const order = findOrder(options);
  const { settings } = order;
  const told = await chosenMonitoring(order.monitoring);
  const { workload, slos: slo, earlier } = order.measure;
  // The rest is known once the target is up.
  if (earlier !== undefined) refuseOther(earlier, { workload: workload.recorded, slo });
  const before = isHere(order.target.kind) ? await quietHere(order.quiet) : null;
  return onTargets(
    [makeTarget(order.target)],
    workload,
    async ({ running: [running], tell, signal, progress, means }) => {
      const finished = await find(
        running,
        {
          ...order.measure,
          ...means,
          search: new CapacitySearch(settings, order.trials),
          budgetSeconds: settings.budgetSeconds ?? null,
          ...(before === null ? {} : { before }),
          ...told.observe,
        },
        tell,
        signal,
      );
      progress.end();
      const problems = [
        ...finished.problems,
        ...writeBeside(finished.folder, reportFiles(findDocument(finished.record))),
        ...(await told.annotate(findAnnotations(finished.record))),
      ];
      problems.forEach(warn);
      show(finished.folder, finished.record, order.json);
      return problems.length > 0 || signal.aborted ? EXIT.invalid : exitCodeOf(finished.record);
    },
    order.stopIf,
  );
}

/** Before anything is started, so that it is seen without it. */
async function quietHere(choice: QuietChoice): Promise<BeforeSearch> {
  const progress = startProgress();
  try {
    return await interruptible((signal) => awaitQuiet(choice, { tell: progress.tell, signal }));
  } finally {
    progress.end();
  }
}

function show(folder: string, record: FindRecord, json: boolean): void {
  if (json) {
    printJson({ folder, ...record });
    return;
  }
  const text = renderTerminal(findDocument(record), terminalStyle());
  process.stdout.write(`${text}\n${folder}/report.html\n`);
  if (record.verdict !== 'inconclusive' && record.verdict !== 'not confirmed') return;
  process.stdout.write(`To narrow the interval: ${continueCommand(record.command, folder)}\n`);
}

function exitCodeOf({ verdict }: FindRecord): number {
  if (verdict === 'found') return EXIT.fine;
  return verdict === 'nothing sustained' ? EXIT.notMet : EXIT.invalid;
}
