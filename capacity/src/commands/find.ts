import type { Command } from 'commander';
import { CapacitySearch } from '../analysis/search/search';
import { find } from '../find/find';
import { searchSettings, USUAL_SLOS } from '../find/settings';
import { findK6 } from '../load/find-k6';
import { findBundled } from '../lab/kit';
import { withoutSecrets } from '../plan/secrets';
import type { FindRecord } from '../record/find-record';
import { writeFindReports } from '../find/reports';
import { renderFindTerminal } from '../report/find/terminal';
import { EXIT, Mistake } from '../ui/exit';
import { printJson, warn, terminalStyle } from '../ui/print';
import {
  chosenArrivals,
  chosenGenerator,
  collect,
  chosenSlos,
  chosenWorkload,
  milliseconds,
  withGeneratorOptions,
  withTargetOptions,
  withWorkloadOptions,
  type GeneratorOptions,
  type TargetOptions,
  type WorkloadOptions,
} from './options';
import { onTargets } from './on-target';
import { chosenTarget, isLegacyChoice } from './targets';

interface FindOptions extends WorkloadOptions, TargetOptions, GeneratorOptions {
  slo?: string[];
  budget?: string;
  probe?: string;
  full?: string;
  timeout: string;
  drain: string;
  ready: string;
  out: string;
  json?: boolean;
}

export function register(program: Command): void {
  const command = program
    .command('find')
    .description(
      'Estimate the highest rate at which every SLO is met, with its interval, and what limits it',
    );
  withGeneratorOptions(withTargetOptions(withWorkloadOptions(command)))
    .optionsGroup('What must hold, and how long it may take:')
    .option(
      '--slo <slo>',
      `like 'p95<300ms' or 'backlog=0'; may be repeated (${USUAL_SLOS.join(', ')})`,
      collect,
    )
    .option('--budget <time>', 'for all probes; a smaller one gives a wider interval')
    .option('--probe <time>', 'length of a short probe (10s; with a budget a part of it, from 6s)')
    .option('--full <time>', 'length of a full probe (60s; with a budget a sixth of it, from 20s)')
    .optionsGroup('Limits and results:')
    .option('--timeout <time>', 'a request is given up after this', '30s')
    .option('--drain <time>', 'for late answers after a probe, and for n8n to finish', '30s')
    .option('--ready <time>', 'until the real request is answered right', '60s')
    .option('--out <folder>', 'where the folder of the search is made', 'results')
    .option('--json', 'print the answer, for machines')
    .addHelpText(
      'after',
      `
Examples:
  n8n-tuned find --workload last-node --slo 'p95<300ms' --slo 'errors<1%'
  n8n-tuned find --workload wait-5s --slo 'p95<6s' --workers 2 --budget 10m
  n8n-tuned find --target url --url http://127.0.0.1:5678 --request 'GET /webhook/x' --slo 'p95<1s'`,
    )
    .action(async (options: FindOptions) => {
      process.exitCode = await run(options);
    });
}

async function run(options: FindOptions): Promise<number> {
  const workload = chosenWorkload(options, isLegacyChoice(options));
  const slos = chosenSlos({ profile: 'load', slo: options.slo ?? USUAL_SLOS });
  const settings = searchSettings({
    probeSeconds: seconds('--probe', options.probe),
    fullSeconds: seconds('--full', options.full),
    budgetSeconds: seconds('--budget', options.budget),
    slos,
    latencyFloorMs: workload.recorded.latencyFloorMs,
  });
  const timeoutMs = milliseconds('--timeout', options.timeout);
  if (timeoutMs <= workload.recorded.latencyFloorMs) {
    throw new Mistake(
      `--timeout is ${options.timeout}, but no reply of ${workload.recorded.name} can come within ${String(workload.recorded.latencyFloorMs)} ms: give it more.`,
    );
  }
  const generator = chosenGenerator(options);
  const arrivals = chosenArrivals(options);
  const k6 = findK6();
  const target = chosenTarget(options, workload.workflows, milliseconds('--ready', options.ready));
  return onTargets([target], workload, async ({ running: [running], tell, signal, progress }) => {
    const finished = await find(
      running,
      {
        workload,
        slos,
        out: options.out,
        k6,
        scripts: findBundled('loadtests', 'load.ts'),
        timeoutMs,
        drainMs: milliseconds('--drain', options.drain),
        generator,
        ...(arrivals === undefined ? {} : { arrivals }),
        command: withoutSecrets(process.argv.slice(2)),
        search: new CapacitySearch(settings),
        budgetSeconds: settings.budgetSeconds ?? null,
      },
      tell,
      signal,
    );
    progress.end();
    const problems = [...finished.problems, ...writeFindReports(finished.folder, finished.record)];
    problems.forEach(warn);
    show(finished.folder, finished.record, options.json === true);
    return problems.length > 0 || signal.aborted ? EXIT.invalid : exitCodeOf(finished.record);
  });
}

function show(folder: string, record: FindRecord, json: boolean): void {
  if (json) {
    printJson({ folder, ...record });
    return;
  }
  const text = renderFindTerminal(record, terminalStyle());
  process.stdout.write(`${text}\n${folder}/report.html\n`);
}

function exitCodeOf({ verdict }: FindRecord): number {
  if (verdict === 'found') return EXIT.fine;
  return verdict === 'nothing sustained' ? EXIT.notMet : EXIT.invalid;
}

function seconds(option: string, text: string | undefined): number | null {
  return text === undefined ? null : milliseconds(option, text) / 1000;
}
