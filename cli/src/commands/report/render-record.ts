/** The reports of one record, written beside it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { comparedRuns, withoutRequests } from '../../features/compare/seen';
import type { FoundRecord } from '../../record/find-records';
import { readComparison } from '../../features/compare/record';
import { onlyNew, writeBeside } from '../../record/write-beside';
import { REQUESTS_FILE, SAMPLES_FILE } from '../../record/folder';
import { isComplete } from '../../record/read-run';
import { readDrill } from '../../features/drill/record';
import { readMigration } from '../../features/migrate/record';
import { migrateDocument } from '../../features/migrate/report/document';
import { readProof } from '../../features/recommend/record';
import { proofDocument } from '../../features/recommend/report/document';
import { readFind, readRate } from '../../features/find/read';
import {
  rowOfComparison,
  rowOfDrill,
  rowOfMigration,
  rowOfProof,
  rowOfRun,
  rowOfFind,
  rowOfRate,
  rowOfSweep,
  type IndexRow,
} from './index/row';
import { sweepSentence } from '../../features/sweep/report/figures';
import { readRunData } from '../../run/read';
import { rebuildInterruptedRun } from '../../run/rebuild-interrupted';
import { SweepFolder, writeSweepReports } from '../../features/sweep/folder';
import { Mistake } from '../../ui/exit';
import { reportFiles } from '../../report/files';
import { runDocument } from '../../run/report/document';
import { findDocument } from '../../features/find/report/document';
import { rateDocument } from '../../features/find/report/rate';
import { compareDocument } from '../../features/compare/report/document';
import { drillDocument } from '../../features/drill/report/document';
import { paragraph, section, type ReportDocument } from '../../report/document';

export interface Reported {
  record: object;
  sentence: string;
  /** What failed, a sentence each. */
  problems: string[];
  /** What the record is without though nothing failed, after `was kept`; null: nothing. */
  without: string | null;
  row: IndexRow;
}

/** Throws a Mistake where the record cannot be read. */
export const reportOn = async ({ kind, folder }: FoundRecord): Promise<Reported> =>
  REPORTERS[kind](folder);

const REPORTERS: Record<FoundRecord['kind'], (folder: string) => Reported | Promise<Reported>> = {
  run: async (folder) => {
    const data = await (isComplete(folder) ? readRunData(folder) : rebuildInterruptedRun(folder));
    const { record } = data;
    const written = write(folder, runDocument(data), missingOf(folder));
    return { record, sentence: record.verdict.sentence, row: rowOfRun(data), ...written };
  },
  find: (folder) => {
    const record = readFind(folder);
    const problems = writeBeside(folder, reportFiles(findDocument(record)));
    return { record, sentence: record.sentence, problems, without: null, row: rowOfFind(record) };
  },
  rate: (folder) => {
    const record = readRate(folder);
    const problems = writeBeside(folder, reportFiles(rateDocument(record)));
    return { record, sentence: record.sentence, problems, without: null, row: rowOfRate(record) };
  },
  compare: async (folder) => {
    const record = readComparison(folder);
    const runs = await comparedRuns(folder, record);
    const missing = withoutRequests(folder, record) ? ['the raw samples of the runs'] : [];
    const written = write(folder, compareDocument(record, runs), missing);
    return { record, sentence: record.sentence, row: rowOfComparison(record), ...written };
  },
  drill: async (folder) => {
    const record = readDrill(folder);
    const of = join(folder, record.run);
    const hasRun = isComplete(of);
    const parts = hasRun ? { run: await readRunData(of) } : null;
    const missing = hasRun ? missingOf(of) : ['the run'];
    const written = write(folder, drillDocument(record, parts), missing);
    const row = rowOfDrill(record, parts);
    return { record, sentence: record.verdict.sentence, row, ...written };
  },
  proof: (folder) => {
    const record = readProof(folder);
    const problems = writeBeside(folder, reportFiles(proofDocument(record)));
    return { record, sentence: record.sentence, problems, without: null, row: rowOfProof(record) };
  },
  migrate: (folder) => {
    const record = readMigration(folder);
    const problems = writeBeside(folder, reportFiles(migrateDocument(record)));
    return {
      record,
      sentence: record.sentence,
      problems,
      without: null,
      row: rowOfMigration(record),
    };
  },
  sweep: (folder) => {
    const sweep = new SweepFolder(folder);
    const record = sweep.sweep();
    if (record === null) throw new Mistake(`there is no sweep in ${folder}.`);
    const cells = sweep.records(record);
    return {
      ...{ record, without: null },
      sentence: sweepSentence(record, cells),
      problems: writeSweepReports(folder, record, cells),
      row: rowOfSweep(record, cells),
    };
  },
};

/** The tables of a run that are not beside its record. */
const missingOf = (run: string): string[] =>
  [REQUESTS_FILE, SAMPLES_FILE].filter((name) => !existsSync(join(run, name)));

/** A report without the raw samples says less than the one that was made of them. */
function write(
  folder: string,
  document: ReportDocument,
  missing: readonly string[],
): Pick<Reported, 'problems' | 'without'> {
  if (missing.length === 0) {
    return { problems: writeBeside(folder, reportFiles(document)), without: null };
  }
  const without = `without ${missing.join(' and ')}, so plots over time are left out`;
  const files = reportFiles({
    ...document,
    sections: [
      section('What is left out', paragraph(`This record was kept ${without}.`)),
      ...document.sections,
    ],
  });
  const written = onlyNew(folder, files);
  const kept = written.length === files.length ? '' : '; existing report files stay as they are';
  return {
    problems: writeBeside(folder, written),
    without: `${without}${kept}`,
  };
}
