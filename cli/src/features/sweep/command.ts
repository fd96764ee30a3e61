import { basename, dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Command } from 'commander';
import { k6For } from '../../load/k6';
import { findBundled } from '../../lab/kit';
import { remaining } from './analysis/drift-and-order';
import type { Step } from './plan/cells';
import { quickPlan, type SweepPlan, parseSweepPlan } from './plan/plan';
import { isServerCell, serverOf } from './plan/plan-cells';
import { withoutSecrets } from '../../plan/secrets/command';
import type { CellRecord, SweepRecord } from './record';
import { controlText } from './report/figures';
import { SweepFolder } from './folder';
import { loadTextOf, measureCells, workloadOf, type Bench } from './measure-cell';
import { prepareSweep } from './prepare';
import { writeSweepReports } from './folder';
import { timeLeftText, goThrough } from './sweep';
import { quietHere, quietOf, withQuietOptions, type QuietOptions } from '../find/quiet/quiet';
import { thisMachine } from '../../targets/machine';
import { askForHosts, type Consent } from '../../options/ask';
import { counted } from '../../ui/numbers';
import { EXIT, messageOf, Mistake } from '../../ui/exit';
import { onInterrupt } from '../../ui/interrupt';
import { printJson, warn, terminalStyle } from '../../ui/print';
import { startProgress } from '../../ui/progress';
import { withDeployerOptions, type DeployerFlags } from '../../options/kubernetes';
import { outOption, workflowsFolder } from '../../options/options';
import { chosenDeployer, deployerOrder } from '../../options/targets';
import { readPlainFile } from '../../linux/plain-file';
import { renderTerminal } from '../../report/text/terminal';
import { sweepDocument } from './report/document';
import type { CommandHelp } from '../../options/help';

export interface SweepOptions extends DeployerFlags, QuietOptions {
  file: string;
  out: string;
  quick?: boolean;
  dryRun?: boolean;
  json?: boolean;
}

export const help: CommandHelp = {
  summary: 'measure a matrix of topologies and loads, and resume if stopped',
  examples: [
    'n8n-tuned sweep -f plan.yaml --dry-run',
    'n8n-tuned sweep -f plan.yaml',
    'n8n-tuned sweep -f plan.yaml --target kubernetes',
  ],
  common: [
    '--file',
    '--out',
    '--quick',
    '--dry-run',
    '--json',
    '--target',
    '--context',
    '--namespace',
  ],
  notes: [
    'The folder has the name of the plan. To continue an interrupted sweep, even after kill -9, run the same command again; cells that have a record are not measured again. A cell in which n8n crashes is a valid result. Impossible combinations are skipped.',
    "Example of a plan:\n  slo: ['p95<1s', 'errors<1%']\n  measure: { profile: find, budget: 5m }\n  fixed: { workload: last-node, mode: queue }\n  dimensions:\n    workers: [1, 2, 4]\n    cpuMillicores: [500, 1000]\n  repeats: 3",
  ],
};

export function register(program: Command): Command {
  const command = program
    .command('sweep')
    .description(
      'Measure a matrix of topologies and loads; an interrupted sweep resumes where it stopped',
    )
    .requiredOption(
      '-f, --file <plan.yaml>',
      'plan of the sweep: dimensions or cells, load and SLO',
    )
    .addOption(outOption())
    .option('--quick', 'use the `quick` section of the plan, with a separate results folder')
    .option('--dry-run', 'only print the planned measurements, their order and their duration')
    .option('--json', 'print the sweep and its cells as JSON');
  return withDeployerOptions(withQuietOptions(command)).action(async (options: SweepOptions) => {
    process.exitCode = await run(options);
  });
}

/** What a sweep is told, in plain data: the same options give the same order. */
export function sweepOrder(options: SweepOptions) {
  const whole = readPlan(options.file);
  const plan = options.quick === true ? quickPlan(whole) : whole;
  if (plan === null) {
    throw new Mistake(
      `${options.file} has no quick section: add quick: { duration: 5s, warmup: 1s }, or remove --quick.`,
    );
  }
  const full = plan.name ?? basename(options.file).replace(/\.ya?ml$/, '');
  const name = options.quick === true ? `${full}-quick` : full;
  return {
    ...{ plan, name, folder: join(options.out, name), deployer: deployerOrder(options) },
    ...{ dryRun: options.dryRun ?? false, json: options.json ?? false, quiet: quietOf(options) },
    yes: options.yes ?? false,
  };
}

async function run(options: SweepOptions): Promise<number> {
  const { plan, name, dryRun, json, quiet, yes, ...ordered } = sweepOrder(options);
  const folder = new SweepFolder(ordered.folder);
  const before = folder.sweep();
  if (before !== null && !isDeepStrictEqual(before.plan, toJson(plan))) {
    throw new Mistake(
      `${folder.path} contains a sweep of another plan: choose another --out, or rename this plan.`,
    );
  }
  folder.refuseForeign();
  const deployer = chosenDeployer(options);
  const command = withoutSecrets(process.argv.slice(2));
  const sweep = before ?? prepareSweep(plan, name, command, deployer);
  const bench = {
    k6: k6For(deployer.loadsFromHere),
    scripts: findBundled('loadtests', 'load.ts'),
    workflows: workflowsFolder(),
    planFolder: dirname(options.file),
    command: sweep.command,
    deployer,
  };
  // What is wrong with a workload or a parameter must not come out hours into the sweep.
  for (const { cell } of sweep.steps) workloadOf(cell, bench);
  const done = before === null ? [] : folder.records(sweep);
  announce(sweep, done.length);
  if (dryRun) {
    if (json) printJson({ folder: folder.path, ...sweep });
    else for (const { id } of sweep.steps) process.stdout.write(`${id}\n`);
    return EXIT.fine;
  }
  const todo = remaining(sweep.steps, new Set(done.map(({ id }) => id)));
  await askForServers(todo, sweep.plan, bench, { yes });
  const seen = await quietHere(
    [{ kind: deployer.loadsFromHere ? 'process' : 'kubernetes' }],
    quiet,
  );
  if (before === null) folder.begin(sweep);
  const release = folder.claim();
  const interrupt = onInterrupt();
  const progress = startProgress();
  try {
    const records = await goThrough(
      folder,
      sweep,
      {
        measureCell: measureCells(sweep.plan, bench, seen),
        disturbances: seen?.disturbances ?? [],
        machine: thisMachine(),
        progress: progress.tell,
        onCell: (record, all) => {
          progress.tell('');
          process.stderr.write(`${lineOf(record, all.length, sweep)}\n`);
          if (record.isControl) process.stderr.write(`control: ${controlText(sweep, all)}\n`);
          // To be looked at while it goes on, and after a kill.
          writeSweepReports(folder.path, sweep, all);
        },
      },
      interrupt.signal,
    );
    progress.end();
    const problems = writeSweepReports(folder.path, sweep, records);
    problems.forEach(warn);
    show(folder.path, sweep, records, json);
    return records.length < sweep.steps.length || problems.length > 0 ? EXIT.invalid : EXIT.fine;
  } finally {
    progress.end();
    interrupt.end();
    release();
  }
}

/** Before the first cell, since nobody may sit there hours later. */
async function askForServers(
  steps: readonly Step[],
  plan: SweepPlan,
  bench: Bench,
  consent: Consent,
): Promise<void> {
  const places = steps
    .filter(({ cell }) => isServerCell(cell))
    .map(({ cell }) => ({ url: serverOf(cell).url, cell }));
  await askForHosts(
    places,
    (reached) => {
      const loads = new Set(reached.map(({ cell }) => loadTextOf(cell, plan, bench)));
      return `${[...loads].join(', or ')}, in each of ${counted(reached.length, 'cell')}`;
    },
    consent,
  );
}

function readPlan(file: string): SweepPlan {
  let text: string;
  try {
    text = readPlainFile(file);
  } catch (error) {
    throw new Mistake(`the plan cannot be read: ${messageOf(error)}.`);
  }
  return parseSweepPlan(text, file);
}

/** The plan as sweep.json keeps it, without undefined values. */
const toJson = (plan: SweepPlan): unknown => JSON.parse(JSON.stringify(plan));

function announce({ steps, skipped, estimatedSeconds }: SweepRecord, done: number): void {
  const controls = steps.filter(({ isControl }) => isControl).length;
  warn(
    done > 0
      ? `resuming: ${String(done)} of ${String(steps.length)} measurements are done`
      : `${String(steps.length)} measurements, including ${String(controls)} of the control cell, in about ${timeLeftText(estimatedSeconds)}`,
  );
  const reasons = new Map<string, number>();
  for (const { reason } of skipped) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  for (const [reason, count] of reasons) {
    warn(`${String(count)} ${count === 1 ? 'cell is' : 'cells are'} left out: ${reason}`);
  }
}

const lineOf = (record: CellRecord, done: number, { steps }: SweepRecord): string =>
  `${String(done)}/${String(steps.length)}  ${record.outcome.padEnd(15)}${record.id}: ${record.sentence}`;

function show(path: string, sweep: SweepRecord, records: CellRecord[], json: boolean): void {
  if (json) {
    printJson({ folder: path, ...sweep, cells: records });
    return;
  }
  process.stdout.write(
    `${renderTerminal(sweepDocument(sweep, records), terminalStyle())}\n${path}/report.html\n`,
  );
}
