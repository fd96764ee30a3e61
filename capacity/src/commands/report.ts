import type { Command } from 'commander';
import { join } from 'node:path';
import { writeWhole } from '../record/folder';
import { findRuns, isComplete, readRun, type RunData } from '../record/read';
import { s3Place, s3UrlOf, uploadRun } from '../record/s3';
import { renderCsv } from '../report/csv';
import { recoverRun } from '../run/recover';
import { writeReports } from '../run/reports';
import { EXIT, messageOf, UserError } from '../ui/exit';
import { onInterrupt } from '../ui/interrupt';
import { printJson, printLines, warn } from '../ui/print';
import { startProgress } from '../ui/progress';

interface ReportOptions {
  s3?: string;
  csv?: string;
  json?: boolean;
}

export function register(program: Command): void {
  program
    .command('report')
    .description('Make the reports of recorded runs again; runs that were broken off are concluded')
    .argument('<folders...>', 'folders of runs, or folders that hold them')
    .option(
      '--s3 <place>',
      'copy them to s3://bucket/prefix (again), with AWS_* from the environment',
    )
    .option('--csv <file>', 'all runs in one table, a line each')
    .option('--json', 'print the records, for machines')
    .addHelpText(
      'after',
      '\nExamples:\n  n8n-tuned report results\n  n8n-tuned report results --csv runs.csv --s3 s3://load-tests/n8n',
    )
    .action(async (folders: string[], options: ReportOptions) => {
      process.exitCode = await report(folders, options);
    });
}

async function report(folders: string[], options: ReportOptions): Promise<number> {
  const place = options.s3 === undefined ? null : s3Place(options.s3, process.env);
  const paths = folders.flatMap(findRuns);
  if (paths.length === 0) {
    throw new UserError(`there is no run in ${folders.join(', ')}: n8n-tuned run makes one.`);
  }
  const interrupt = onInterrupt();
  const progress = startProgress();
  const runs: RunData[] = [];
  let failed = false;
  try {
    for (const path of paths) {
      progress.tell(`reporting ${path}`);
      const data = isComplete(path) ? readRun(path) : recoverRun(path);
      runs.push(data);
      const problems = writeReports(path, data);
      if (place !== null) {
        progress.tell(`copying ${path} to ${s3UrlOf(place, path)}`);
        await uploadRun(place, path, interrupt.signal).catch((error: unknown) => {
          problems.push(messageOf(error));
        });
      }
      problems.forEach(warn);
      failed ||= problems.length > 0;
    }
  } finally {
    progress.end();
    interrupt.end();
  }
  const records = runs.map(({ record }) => record);
  if (options.csv !== undefined) writeWhole(options.csv, renderCsv(records));
  if (options.json === true) printJson(records);
  else
    printLines(
      paths.map(
        (path, at) => `${records[at]?.verdict.sentence ?? ''}\n  ${join(path, 'report.html')}`,
      ),
    );
  return failed ? EXIT.invalid : EXIT.fine;
}
