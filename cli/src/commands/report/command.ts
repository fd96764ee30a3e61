import type { Command } from 'commander';
import { basename, join, relative, resolve, sep, dirname } from 'node:path';
import { NoAnswer } from '../../prometheus/address';
import type { PrometheusApi } from '../../prometheus/query';
import { writeBeside } from '../../record/write-beside';
import {
  heldRecord,
  kindOf,
  findRecords,
  type FoundRecord,
  isRecordFile,
} from '../../record/find-records';
import { PANELS_FILE } from '../../record/panels';
import { isComplete, readRun } from '../../record/read-run';
import type { RunRecord } from '../../record/run-record';
import { s3Place, s3UrlOf, uploadFolder } from '../../record/s3';
import { refuseForeign, writeUserFile, type UserFile } from '../../record/user-file';
import { renderIndexHtml } from './index/html';
import { PAGE_BEGIN } from '../../report/page/page';
import { renderCsv, RUNS_HEAD } from '../../run/report/csv';
import { askPanels } from './ask-panels';
import { EXIT, messageOf, Mistake } from '../../ui/exit';
import { onInterrupt } from '../../ui/interrupt';
import { printJson, printLines, warn } from '../../ui/print';
import { startProgress } from '../../ui/progress';
import { forceOption } from '../../options/options';
import {
  chosenPrometheus,
  withPrometheusOptions,
  type PrometheusOptions,
} from '../../options/prometheus';
import { reportOn, type Reported } from './render-record';
import { namedArchive, unpack, unpackNamed } from '../../record/archive';
import type { CommandHelp } from '../../options/help';

interface ReportOptions extends PrometheusOptions {
  s3?: string;
  csv?: string;
  force?: boolean;
  json?: boolean;
}

export const help: CommandHelp = {
  summary: 'create reports or a table from records',
  examples: [
    'n8n-tuned report results',
    'n8n-tuned report results --csv runs.csv --s3 s3://load-tests/n8n',
    'n8n-tuned report studies/capacity/results.jsonl.gz#last-node/find',
    'n8n-tuned report results --prometheus http://127.0.0.1:9090 \\\n    --prometheus-release prod',
  ],
};

export function register(program: Command): Command {
  const command = program
    .command('report')
    .description(
      'Rebuild the reports of runs, searches, comparisons, sweeps and drills, and complete interrupted runs from their records',
    )
    .argument(
      '<folders...>',
      'folders of records, or parent folders, which also get an index; FILE.jsonl.gz lists the records in an archive, and FILE.jsonl.gz#ID is a single record',
    )
    .option(
      '--s3 <place>',
      'also copy the folders to s3://bucket/prefix, with the same credentials as the AWS CLI',
    )
    .option('--csv <file>', 'write all runs to one CSV file, one line per run')
    .addOption(forceOption());
  return withPrometheusOptions(
    command,
    'add metrics from this Prometheus to the report of each run; on Kubernetes, only those of the loaded release',
  )
    .option('--json', 'print the records as JSON')
    .action(async (folders: string[], options: ReportOptions) => {
      process.exitCode = await report(folders, options);
    });
}

async function report(named: string[], options: ReportOptions): Promise<number> {
  const folders = reportedFolders(named);
  if (folders.length === 0) return EXIT.fine;
  const place = options.s3 === undefined ? null : await s3Place(options.s3);
  const api = await chosenPrometheus(options);
  const found = folders.flatMap(findRecords);
  const csv = csvOf(options);
  const indexes = folders.filter(isIndexed).map((folder) => indexOf(folder, options));
  for (const file of [csv ?? [], indexes].flat()) refuseForeign(file);
  if (found.length === 0) {
    throw new Mistake(`no records found in ${folders.join(', ')}: n8n-tuned run creates a record.`);
  }
  const interrupt = onInterrupt();
  const progress = startProgress();
  const all: (FoundRecord & Reported)[] = [];
  const unread: string[] = [];
  try {
    const unasked = new Map<string, string[]>();
    if (api !== null) {
      // First, since the report of a drill also shows its run.
      for (const { folder } of found.filter(({ kind }) => kind === 'run')) {
        progress.tell(`asking ${api.url} about ${folder}`);
        unasked.set(folder, await addPanels(folder, api, options).catch(unlessMistake));
      }
    }
    for (const one of found) {
      progress.tell(`reporting ${one.folder}`);
      const reported = await reportOn(one).catch((error: unknown) => {
        unread.push(...unlessMistake(error));
        return null;
      });
      if (reported === null) continue;
      const missing = unasked.get(one.folder) ?? [];
      all.push({ ...one, ...reported, problems: [...missing, ...reported.problems] });
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
  if (all.length === 0) throw new Mistake(unread.join('\nn8n-tuned: '));
  const top = all.filter(({ isTop }) => isTop);
  const problems = [...unread, ...all.flatMap((one) => one.problems)];
  for (const { folder, ...file } of indexes) writeUserFile(file, indexPage(folder, top));
  [...notesOn(all), ...problems].forEach(warn);
  const runs = all.filter(({ kind }) => kind === 'run').map(({ record }) => record as RunRecord);
  if (csv !== null) writeUserFile(csv, renderCsv(runs));
  if (options.json === true) printJson(top.map(({ record }) => record));
  else {
    printLines(top.map(({ sentence, folder }) => `${sentence}\n  ${join(folder, 'report.html')}`));
    printLines(indexes.map(({ path }) => `Index of all reports: ${path}`));
  }
  return problems.length > 0 ? EXIT.invalid : EXIT.fine;
}

const INDEX_FILE = 'index.html';

/** A folder that is a record has its own report. */
const isIndexed = (folder: string): boolean => kindOf(folder) === null;

type IndexFile = UserFile & { folder: string };

const indexOf = (folder: string, { force = false }: ReportOptions): IndexFile => ({
  ...{ folder, path: join(folder, INDEX_FILE), option: 'the index', begins: PAGE_BEGIN, force },
});

const csvOf = ({ csv, force = false }: ReportOptions): UserFile | null =>
  csv === undefined ? null : { path: csv, option: '--csv', begins: RUNS_HEAD, force };

/** The index page of the records below the folder. */
function indexPage(folder: string, all: readonly (FoundRecord & Reported)[]): string {
  const entries = all
    .map((one) => ({ ...one.row, inside: relative(folder, one.folder) }))
    .filter(({ inside }) => inside !== '..' && !inside.startsWith(`..${sep}`))
    .map(({ inside, ...row }) => ({
      ...row,
      href: [...inside.split(sep), 'report.html'].map(encodeURIComponent).join('/'),
    }));
  return renderIndexHtml(`Results in ${basename(resolve(folder))}`, entries);
}

/** What records are without, in a line for all that are without the same. */
function notesOn(all: readonly (FoundRecord & Reported)[]): string[] {
  const folders = new Map<string, string[]>();
  for (const { without, folder } of all) {
    if (without !== null) folders.set(without, [...(folders.get(without) ?? []), folder]);
  }
  return [...folders].map(([without, [first = '', ...others]]) =>
    others.length === 0
      ? `${first} was kept ${without}.`
      : `${String(1 + others.length)} records were kept ${without}; the first is ${first}.`,
  );
}

/** A record that cannot be read keeps no other from its report. */
function unlessMistake(error: unknown): string[] {
  if (error instanceof Mistake) return [error.message];
  throw error;
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
      return [`${api.url} has no n8n metrics for the time of the run in ${folder}.`];
    }
    return writeBeside(folder, [{ name: PANELS_FILE, content: `${JSON.stringify(panels)}\n` }]);
  } catch (error) {
    if (error instanceof NoAnswer)
      return [`${error.message}, so the report of ${folder} has no metrics from Prometheus.`];
    throw error;
  }
}

/**
 * The folders to report on. A record of an archive is unpacked to results/records/STUDY first. What has no report is
 * printed: the ids of a whole archive, and a part of a study that is no record and holds none.
 */
const reportedFolders = (names: readonly string[]): string[] =>
  names.flatMap((name) => {
    const named = namedArchive(name);
    if (named === null) return [name];
    const { file, archive, id } = named;
    if (id === null) {
      printLines([...archive.keys()]);
      return [];
    }
    const to = join('results/records', basename(dirname(resolve(file))));
    if (isRecordFile(`${basename(id)}.json`)) return [unpackNamed(named, to)];
    const entry = archive.get(id);
    const held = heldRecord(entry?.record);
    if (held !== null) {
      const inside = `${id}/${held.file.replace(/\.json$/, '')}`;
      unpack(new Map([[inside, { ...entry, record: held.record }]]), '', to);
      return [join(to, id)];
    }
    printJson(entry?.record);
    return [];
  });
