import { join } from 'node:path';
import { type Command, Option } from 'commander';
import { drillAnnotations } from '../analysis/annotations';
import { drill } from '../drill/drill';
import type { Fault } from '../drill/fault';
import { FAULTS, findFault } from '../drill/faults';
import { findBundled } from '../lab/kit';
import { findK6 } from '../load/find-k6';
import { chooseTopology } from '../plan/chosen-topology';
import { ARRIVALS, type Arrivals } from '../plan/profile';
import { parsePromises, type DrillPromise } from '../plan/promise';
import { withoutSecrets } from '../plan/secrets';
import { parseSlos, type Slo } from '../plan/slo';
import { readRun } from '../record/read';
import { renderDrillTerminal } from '../report/drill/terminal';
import { EXIT, Mistake } from '../ui/exit';
import { printJson, printLines, terminalStyle, warn } from '../ui/print';
import { chosenMonitoring, withMonitoringOptions, type MonitoringOptions } from './monitoring';
import { onTargets } from './on-target';
import {
  chosenSlos,
  chosenWorkload,
  outOption,
  readyOption,
  withTargetOptions,
  withWorkloadOptions,
  type TargetOptions,
  type WorkloadOptions,
} from './options';
import { collect, milliseconds, parsed, positive, seconds } from './parsers';
import { chosenTarget, isLegacyChoice } from './targets';

interface DrillOptions extends WorkloadOptions, TargetOptions, MonitoringOptions {
  rate: number;
  arrivals?: Arrivals;
  /** Seconds, as the next three. */
  warmup: number;
  steady: number;
  for?: number;
  return: number;
  slo?: string[];
  promise?: string[];
  /** Milliseconds, as the next one. */
  patience: number;
  ready: number;
  /** False with --no-control. */
  control: boolean;
  out: string;
  json?: boolean;
}

const LIST = 'list';
/** Its effects are counted outside n8n. */
const USUAL_WORKLOAD = 'side-effect';

export function register(program: Command): void {
  const command = program
    .command('drill')
    .description(
      'Make a fault under load and account for every request; PASS when all was as promised',
    )
    .argument('<fault>', `the name of a fault, or ${LIST}: what there is`);
  withTargetOptions(withWorkloadOptions(command, USUAL_WORKLOAD))
    .optionsGroup('How it is loaded:')
    .addOption(parsed('--rate <per-second>', 'requests per second, all the time', positive, '3'))
    .addOption(new Option('--arrivals <kind>', 'gaps between due requests').choices(ARRIVALS))
    .addOption(parsed('--warmup <time>', 'before it, not judged', seconds, '5s'))
    .addOption(parsed('--steady <time>', 'before the fault: the SLO must be met', seconds, '20s'))
    .addOption(parsed('--for <time>', 'how long the fault lasts, where it lasts', seconds))
    .addOption(parsed('--return <time>', 'after the fault, to come back', seconds, '40s'))
    .option('--no-control', 'without the same load before, without the fault')
    .optionsGroup('What is asked of it:')
    .option(
      '--slo <slo>',
      "met before the fault and again after it (default: errors<1% and p95 below the workload's floor + 1s); may be repeated",
      collect,
    )
    .option(
      '--promise <promise>',
      "what passes, like 'lost=0', 'errors<1%' or 'recover<60s' (default: the fault's own); may be repeated",
      collect,
    );
  withMonitoringOptions(command)
    .optionsGroup('Limits and results:')
    .addOption(
      parsed(
        '--patience <time>',
        'callers wait so long for a response, and the drill then for n8n to finish',
        milliseconds,
        '150s',
      ),
    )
    .addOption(readyOption())
    .addOption(outOption())
    .option('--json', 'print the record, for machines')
    .addHelpText(
      'after',
      `
Exit codes: 0 PASS, 1 FAIL (a promise was broken), 3 INVALID (the SLO was missed before the fault already, or the
load generator was at fault). Every request ends in exactly one class of the ledger; see docs/drills.md.

Examples:
  n8n-tuned drill list
  n8n-tuned drill kill-worker --workers 2 --rate 3
  n8n-tuned drill stop-redis --workers 2 --for 30s --promise lost=0 --promise 'recover<20s'
  n8n-tuned drill burst --workers 2 --workload last-node --rate 5 --no-control`,
    )
    .action(async (fault: string, options: DrillOptions) => {
      process.exitCode = fault === LIST ? list(options) : await run(findFault(fault), options);
    });
}

function list({ json }: DrillOptions): number {
  if (json === true) {
    printJson(
      FAULTS.map(({ name, title, kind, usualSeconds, promise }) => ({
        ...{ name, title, kind, usualSeconds, promise },
      })),
    );
    return EXIT.fine;
  }
  const width = Math.max(...FAULTS.map(({ name }) => name.length)) + 2;
  printLines(
    FAULTS.flatMap(({ name, title, kind, usualSeconds, promise }) => [
      `${name.padEnd(width)}${title}${usualSeconds === 0 ? '' : `, ${String(usualSeconds)} s`}`,
      `${' '.repeat(width)}${kind}; promised: ${promise.replaceAll(',', ', ')}`,
    ]),
  );
  return EXIT.fine;
}

async function run(fault: Fault, options: DrillOptions): Promise<number> {
  if (options.target !== 'process') {
    throw new Mistake(
      `--target is ${options.target}, but a drill needs processes that it may end: it is process.`,
    );
  }
  const lacks = fault.lacks(chooseTopology(options));
  if (lacks !== null) {
    throw new Mistake(`the topology has nothing for ${fault.name} to hit: add ${lacks}.`);
  }
  if (options.for !== undefined && fault.usualSeconds === 0) {
    throw new Mistake(`${fault.name} is a moment and does not last: leave --for out.`);
  }
  const workload = chosenWorkload(
    options.request === undefined ? { workload: USUAL_WORKLOAD, ...options } : options,
    isLegacyChoice(options),
  );
  const told = await chosenMonitoring(options);
  const order = {
    ...told.observe,
    fault,
    load: {
      ratePerSecond: options.rate,
      warmupSeconds: options.warmup,
      steadySeconds: options.steady,
      faultSeconds: options.for ?? fault.usualSeconds,
      returnSeconds: options.return,
      rateFactor: fault.rateFactor ?? 1,
      ...(options.arrivals === undefined ? {} : { arrivals: options.arrivals }),
    },
    promises: promisesOf(fault, options),
    hasControl: options.control,
    workload,
    slos: slosOf(options, workload.recorded.latencyFloorMs),
    out: options.out,
    k6: findK6(),
    scripts: findBundled('loadtests', 'load.ts'),
    timeoutMs: options.patience,
    drainMs: options.patience,
    command: withoutSecrets(process.argv.slice(2)),
  };
  const target = chosenTarget(options, workload.workflows, options.ready);
  return onTargets([target], workload, async ({ running: [running], tell, signal, progress }) => {
    const { folder, record, problems } = await drill(running, order, tell, signal);
    const run = readRun(join(folder, record.run));
    problems.push(...(await told.annotate(drillAnnotations(record, run))));
    progress.end();
    problems.forEach(warn);
    if (options.json === true) printJson({ folder, ...record });
    else {
      const text = renderDrillTerminal(record, terminalStyle());
      process.stdout.write(`${text}\n${join(folder, 'report.html')}\n`);
    }
    if (problems.length > 0 || record.verdict.outcome === 'invalid') return EXIT.invalid;
    return record.verdict.outcome === 'pass' ? EXIT.fine : EXIT.notMet;
  });
}

const promisesOf = ({ promise }: Fault, options: DrillOptions): DrillPromise[] =>
  (options.promise ?? [promise]).flatMap(parsePromises);

function slosOf(options: DrillOptions, latencyFloorMs: number): Slo[] {
  const usual = `errors<1%,p95<${String(latencyFloorMs + 1000)}ms`;
  return options.slo === undefined ? parseSlos(usual) : chosenSlos(options);
}
