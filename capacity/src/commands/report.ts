import type { Command } from 'commander';
import { basename, join, relative, resolve, sep } from 'node:path';
import { writeCompareReports } from '../compare/reports';
import { writeDrillReports } from '../drill/reports';
import { writeFindReports } from '../find/reports';
import { NoAnswer } from '../prometheus/address';
import type { PrometheusApi } from '../prometheus/query';
import { writeBeside } from '../record/beside';
import { kindOf, readComparison, recordsBeneath, type FoundRecord } from '../record/beneath';
import { writeWhole } from '../record/folder';
import { PANELS_FILE } from '../record/panels';
import { isComplete, readRun } from '../record/read';
import { readDrill } from '../record/read-drill';
import { readSearch } from '../record/read-find';
import type { RunRecord } from '../record/record';
import { s3Place, s3UrlOf, uploadFolder } from '../record/s3';
import { renderIndexHtml } from '../report/index/html';
import {
  rowOfComparison,
  rowOfDrill,
  rowOfRun,
  rowOfSearch,
  rowOfSweep,
  type IndexRow,
} from '../report/index/row';
import { renderCsv } from '../report/run/csv';
import { sweepSentence } from '../report/sweep/figures';
import { askPanels } from '../run/ask-panels';
import { readRunData } from '../run/read';
import { recoverRun } from '../run/recover';
import { writeReports } from '../run/reports';
import { SweepFolder } from '../sweep/folder';
import { writeSweepReports } from '../sweep/reports';
import { EXIT, messageOf, Mistake } from '../ui/exit';
import { onInterrupt } from '../ui/interrupt';
import { printJson, printLines, warn } from '../ui/print';
import { startProgress } from '../ui/progress';
import { chosenPrometheus, withPrometheusOptions, type PrometheusOptions } from './prometheus';

interface ReportOptions extends PrometheusOptions {
  s3?: string;
  csv?: string;
  json?: boolean;
}

export function register(program: Command): void {
  const command = program
    .command('report')
    .description(
      'Rebuild the reports of runs, searches, comparisons, sweeps and drills; interrupted runs are completed from what they recorded',
    )
    .argument('<folders...>', 'folders of records, or folders that hold them, which get an index')
    .option(
      '--s3 <place>',
      'also copy the folders to s3://bucket/prefix; credentials as for the AWS CLI',
    )
    .option('--csv <file>', 'write all runs to one table, one line per run');
  withPrometheusOptions(
    command,
    'add the series of this Prometheus from the time of each run to its report, on Kubernetes those of its release',
  )
    .option('--json', 'print the records as JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  n8n-tuned report results\n  n8n-tuned report results --csv runs.csv --s3 s3://load-tests/n8n\n  n8n-tuned report results --prometheus http://127.0.0.1:9090 --prometheus-release prod',
    )
    .action(async (folders: string[], options: ReportOptions) => {
      process.exitCode = await report(folders, options);
    });
}

interface Reported {
  record: object;
  sentence: string;
  problems: string[];
  row: IndexRow;
}

async function report(folders: string[], options: ReportOptions): Promise<number> {
  const place = options.s3 === undefined ? null : await s3Place(options.s3);
  const api = await chosenPrometheus(options);
  const found = folders.flatMap(recordsBeneath);
  if (found.length === 0) {
    throw new Mistake(`there is no record in ${folders.join(', ')}: n8n-tuned run makes one.`);
  }
  const interrupt = onInterrupt();
  const progress = startProgress();
  const all: (FoundRecord & Reported)[] = [];
  try {
    const unasked = new Map<string, string[]>();
    if (api !== null) {
      // First, since the report of a drill also shows its run.
      for (const { folder } of found.filter(({ kind }) => kind === 'run')) {
        progress.tell(`asking ${api.url} about ${folder}`);
        unasked.set(folder, await addPanels(folder, api, options));
      }
    }
    for (const one of found) {
      progress.tell(`reporting ${one.folder}`);
      const { problems, ...reported } = await REPORTERS[one.kind](one.folder);
      const missing = unasked.get(one.folder) ?? [];
      all.push({ ...one, ...reported, problems: [...missing, ...problems] });
    }
    // Once the parts have their reports too.
    if (place !== null) {
      for (const { folder, problems } of all.filter(({ isTop }) => isTop)) {
        progress.tell(`copying ${folder} to ${s3UrlOf(place, folder)}`);
        await uploadFolder(place, folder, interrupt.signal).catch((error: unknown) => {
          problems.push(messageOf(error));
        });
      }
    }
  } finally {
    progress.end();
    interrupt.end();
  }
  const top = all.filter(({ isTop }) => isTop);
  const problems = [
    ...all.flatMap((one) => one.problems),
    ...folders.flatMap((folder) => writeIndex(folder, top)),
  ];
  problems.forEach(warn);
  const runs = all.filter(({ kind }) => kind === 'run').map(({ record }) => record as RunRecord);
  if (options.csv !== undefined) writeWhole(options.csv, renderCsv(runs));
  if (options.json === true) printJson(top.map(({ record }) => record));
  else {
    printLines(top.map(({ sentence, folder }) => `${sentence}\n  ${join(folder, 'report.html')}`));
    printLines(
      folders.filter(isIndexed).map((folder) => `All of them: ${join(folder, INDEX_FILE)}`),
    );
  }
  return problems.length > 0 ? EXIT.invalid : EXIT.fine;
}

const INDEX_FILE = 'index.html';

/** A folder that is a record has its own report. */
const isIndexed = (folder: string): boolean => kindOf(folder) === null;

/** Of what lies beneath it; says what could not be written. */
function writeIndex(folder: string, all: readonly (FoundRecord & Reported)[]): string[] {
  if (!isIndexed(folder)) return [];
  const entries = all
    .map((one) => ({ ...one.row, inside: relative(folder, one.folder) }))
    .filter(({ inside }) => inside !== '..' && !inside.startsWith(`..${sep}`))
    .map(({ inside, ...row }) => ({
      ...row,
      href: [...inside.split(sep), 'report.html'].map(encodeURIComponent).join('/'),
    }));
  const title = `Results in ${basename(resolve(folder))}`;
  return writeBeside(folder, [{ name: INDEX_FILE, content: renderIndexHtml(title, entries) }]);
}

/** Beside a run that is complete; says what is missing. */
async function addPanels(
  folder: string,
  api: PrometheusApi,
  { prometheusNamespace: namespace, prometheusRelease: release }: ReportOptions,
): Promise<string[]> {
  if (!isComplete(folder)) return [];
  try {
    const panels = await askPanels(api, readRun(folder), {
      ...(namespace === undefined ? {} : { namespace }),
      ...(release === undefined ? {} : { release }),
    });
    if (panels.panels.length === 0) {
      return [`${api.url} has no series of n8n for the time of ${folder}.`];
    }
    return writeBeside(folder, [{ name: PANELS_FILE, content: `${JSON.stringify(panels)}\n` }]);
  } catch (error) {
    if (error instanceof NoAnswer) return [`${error.message}, so ${folder} is without its series.`];
    throw error;
  }
}

/** Each reads its record and writes its reports beside it. */
const REPORTERS: Record<FoundRecord['kind'], (folder: string) => Reported | Promise<Reported>> = {
  run: async (folder) => {
    const data = await (isComplete(folder) ? readRunData(folder) : recoverRun(folder));
    const { record } = data;
    const problems = writeReports(folder, data);
    return { record, sentence: record.verdict.sentence, problems, row: rowOfRun(data) };
  },
  find: (folder) => {
    const record = readSearch(folder);
    const problems = writeFindReports(folder, record);
    return { record, sentence: record.sentence, problems, row: rowOfSearch(record) };
  },
  compare: async (folder) => {
    const record = readComparison(folder);
    const problems = await writeCompareReports(folder, record);
    return { record, sentence: record.sentence, problems, row: rowOfComparison(record) };
  },
  drill: async (folder) => {
    const { record, entries } = readDrill(folder);
    const run = await readRunData(join(folder, record.run));
    const parts = { run, entries };
    return {
      ...{ record, sentence: record.verdict.sentence, row: rowOfDrill(record, parts) },
      problems: writeDrillReports(folder, record, parts),
    };
  },
  sweep: (folder) => {
    const sweep = new SweepFolder(folder);
    const record = sweep.sweep();
    if (record === null) throw new Mistake(`there is no sweep in ${folder}.`);
    const cells = sweep.records(record);
    return {
      record,
      sentence: sweepSentence(record, cells),
      problems: writeSweepReports(folder, record, cells),
      row: rowOfSweep(record, cells),
    };
  },
};
