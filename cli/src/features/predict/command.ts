import { join } from 'node:path';
import { type Command, Option } from 'commander';
import { seededRandom } from '../../analysis/statistics/random';
import { workloadName } from '../../plan/chosen-workload';
import { runId } from '../../record/folder';
import { measurementOf, measurementOfRun, type MeasuredSize } from './analysis/measurement';
import { answer, groupsOf, sizes, type Group, type SizePrediction } from './analysis/answer';
import { readRecordFolders } from '../../record/archive';
import { findRecords, type FoundRecord } from '../../record/find-records';
import { readRun } from '../../record/read-run';
import { SweepFolder } from '../sweep/folder';
import { loadOf } from '../sweep/plan/plan-cells';
import { carriedTo } from '../find/analysis/carried';
import { foldersOfFinds, readFind, runOfFind } from '../find/read';
import { hasEstimate, type FindRecord } from '../find/record';
import { SCALES, type ScaleName } from './analysis/scale';
import { EXIT, Mistake } from '../../ui/exit';
import { printJson, warn, terminalStyle } from '../../ui/print';
import { outOption } from '../../options/options';
import { countFrom1, cpuOfRequest, parsed, positive } from '../../options/parsers';
import { renderTerminal } from '../../report/text/terminal';
import { reportFiles } from '../../report/files';
import { predictDocument } from './report/document';
import { otherMachineDocument, otherMachineSentence } from './report/other-machine';
import { writeBeside } from '../../record/write-beside';
import type { CommandHelp } from '../../options/help';

interface PredictOptions {
  from: string[];
  over: ScaleName;
  at?: number;
  /** Milliseconds. */
  atCpu?: number;
  workload?: string;
  group: number;
  out: string;
  json?: boolean;
}

/** The same searches give the same intervals. */
const SEED = 1;

export const help: CommandHelp = {
  summary: 'predict the capacity of a size or machine that was not measured',
  examples: [
    'n8n-tuned predict --from results/workers --at 6',
    'n8n-tuned predict --from results --over cpu --at 2 --workload last-node',
    'n8n-tuned predict --from results/capacity/latest/last-node --at-cpu 12ms',
  ],
  notes: [
    'To get the CPU time per request on another machine, run n8n-tuned run --vus 1 with the same n8n and workload on that machine; the report shows the value.',
    'A prediction for a size needs searches at four or more sizes. The largest size that can be predicted is three times the largest measured size.',
  ],
};

export function register(program: Command): Command {
  return program
    .command('predict')
    .description(
      'Predict the capacity at another size or machine speed from recorded sweeps or searches, and show what limits it',
    )
    .addOption(
      parsed(
        '--at <size>',
        'size to predict: the number of workers, webhook processors, or cores per process',
        positive,
      ),
    )
    .addOption(
      parsed(
        '--at-cpu <time>',
        'CPU time per request on another machine, to predict the capacity of that machine instead of another size',
        cpuOfRequest,
      ),
    )
    .addOption(
      new Option('--over <what>', 'unit of the size')
        .choices(Object.keys(SCALES))
        .default('workers'),
    )
    .option('--from <folder...>', 'folders with records of find or sweep', ['results'])
    .option('--workload <name>', 'workload of the searches (default: the only recorded workload)')
    .addOption(
      parsed(
        '--group <number>',
        'group of searches to use, if the searches differ in more than the size',
        countFrom1,
        '1',
      ),
    )
    .addOption(outOption())
    .option('--json', 'print the prediction as JSON')
    .action((options: PredictOptions) => {
      process.exitCode = run(options);
    });
}

function run(options: PredictOptions): number {
  const { at, atCpu } = options;
  if ((at === undefined) === (atCpu === undefined)) {
    throw new Mistake(
      'use either --at with a size, or --at-cpu with the CPU time per request on a machine.',
    );
  }
  return at === undefined ? onOtherMachine(atCpu ?? NaN, options) : atSize(at, options);
}

function atSize(at: number, options: PredictOptions): number {
  const { over } = options;
  const groups = groupsOf(ofWorkload(readMeasurements(options.from), options), over);
  const group = groups[options.group - 1];
  if (group === undefined) {
    throw new Mistake(
      groups.length === 0
        ? `no search in ${options.from.join(', ')} can be used to predict the capacity for ${SCALES[over].title}: measure several sizes with n8n-tuned sweep first.`
        : `--group is ${String(options.group)}, but the number of groups is ${String(groups.length)}.`,
    );
  }
  tellOfOthers(groups, group);
  const result = answer(group, at, seededRandom(SEED));
  const name = runId(new Date(), group.measurements[0]?.workload.name ?? '', 'predict');
  const folder = join(options.out, name);
  const problems = writeBeside(folder, reportFiles(predictDocument(result)));
  problems.forEach(warn);
  if (options.json === true) printJson(inShort(result, folder));
  else {
    process.stdout.write(
      `${renderTerminal(predictDocument(result), terminalStyle())}\n${folder}/report.html\n`,
    );
  }
  return result.lowest === null || problems.length > 0 ? EXIT.invalid : EXIT.fine;
}

function onOtherMachine(cpuMs: number, options: PredictOptions): number {
  const record = oneSearch(options);
  if (!hasEstimate(record.verdict)) {
    throw new Mistake(
      `the search ${record.id} did not find a capacity that predict can use: ${record.sentence}`,
    );
  }
  const carried = carriedTo(cpuMs, record);
  if (carried === null) {
    throw new Mistake(
      `the search ${record.id} did not measure n8n's CPU time near its capacity: search again with another target, or with --metrics-url in addition to --url.`,
    );
  }
  const command = ['predict', '--from', ...options.from, '--at-cpu', `${String(cpuMs)}ms`];
  const document = otherMachineDocument(carried, record, command);
  const folder = join(options.out, runId(new Date(), record.workload.name, 'predict'));
  const problems = writeBeside(folder, reportFiles(document));
  problems.forEach(warn);
  if (options.json === true) {
    const sentence = otherMachineSentence(carried, record);
    printJson({ folder, source: record.id, ...carried, sentence });
  } else {
    process.stdout.write(`${renderTerminal(document, terminalStyle())}\n${folder}/report.html\n`);
  }
  return problems.length > 0 ? EXIT.invalid : EXIT.fine;
}

/** With several searches it would not be known which one the answer rests on. */
function oneSearch({ from, workload }: PredictOptions): FindRecord {
  const all = readRecordFolders(from, (folders) =>
    folders.flatMap(foldersOfFinds).map(readFind),
  ).filter((record) => workload === undefined || workloadName(record.workload) === workload);
  const [only, ...others] = all;
  if (only === undefined || others.length > 0) {
    throw new Mistake(
      `--at-cpu requires a single search, but ${from.join(', ')} has ${String(all.length)}${workload === undefined ? '' : ` of ${workload}`}: select one search with --from.`,
    );
  }
  return only;
}

/** All that the searches, and the closed-loop cells of sweeps, in these folders tell. */
export function readMeasurements(folders: readonly string[]): MeasuredSize[] {
  return readRecordFolders(folders, (named) => measurementsIn(named.flatMap(findRecords)));
}

function measurementsIn(found: readonly FoundRecord[]): MeasuredSize[] {
  const searches = found.filter(({ kind }) => kind === 'find').map(({ folder }) => ofFind(folder));
  const sweeps = found.filter(({ kind }) => kind === 'sweep').map(({ folder }) => folder);
  return [...searches, ...sweeps.flatMap(ofSweep)].filter((one) => one !== null);
}

const ofFind = (folder: string): MeasuredSize | null =>
  measurementOf(readFind(folder), (run) => runOfFind(folder, run));

/** Searches among its cells are found by themselves. */
function ofSweep(path: string): (MeasuredSize | null)[] {
  const folder = new SweepFolder(path);
  const sweep = folder.sweep();
  if (sweep === null) return [];
  return folder.records(sweep).map(({ id, run, outcome }) => {
    const index = sweep.steps.findIndex((step) => step.id === id);
    const step = sweep.steps[index];
    if (step === undefined || run === null || outcome === 'invalid') return null;
    if (loadOf(step.cell, sweep.plan) === null) return null;
    return measurementOfRun(readRun(join(folder.cell(step, index), run)));
  });
}

function ofWorkload(
  all: readonly MeasuredSize[],
  { workload, from }: PredictOptions,
): MeasuredSize[] {
  const names = [...new Set(all.map((one) => workloadName(one.workload)))];
  if (names.length === 0) {
    throw new Mistake(
      `no search in ${from.join(', ')} found a capacity: record searches with n8n-tuned sweep.`,
    );
  }
  if (workload === undefined && names.length > 1) {
    throw new Mistake(
      `--from contains searches with several workloads (${names.join(', ')}): choose one with --workload.`,
    );
  }
  const chosen = all.filter((one) => workloadName(one.workload) === (workload ?? names[0]));
  if (chosen.length === 0) {
    throw new Mistake(
      `${from.join(', ')} contains no search with the workload '${workload ?? ''}': choose ${names.join(' or ')}.`,
    );
  }
  return chosen;
}

function tellOfOthers(groups: readonly Group[], chosen: Group): void {
  if (groups.length < 2) return;
  const text = groups.map(
    (group, index) =>
      `${String(index + 1)} with sizes ${sizes(group).join(', ')}${group === chosen ? ' (selected)' : ''}`,
  );
  warn(
    `the searches differ in more than the size, so they form groups: ${text.join('; ')}; select a group with --group`,
  );
}

/** Without the hundreds of resampled fits. */
function inShort({ group, fit, topology, ...rest }: SizePrediction, folder: string): object {
  return {
    folder,
    ...rest,
    fit: typeof fit === 'string' ? fit : { ...fit, resampled: undefined },
    topology,
    points: group.points,
    sources: group.measurements.map(({ source }) => source),
  };
}
