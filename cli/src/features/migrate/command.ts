import { join } from 'node:path';
import type { Command } from 'commander';
import { chosenWorkload, outOption, readyOption } from '../../options/options';
import { largeCount, parsed } from '../../options/parsers';
import type { CommandHelp } from '../../options/help';
import { withoutSecrets } from '../../plan/secrets/command';
import { MIGRATE_FILE } from '../../record/find-records';
import { makeFolder, writeWhole } from '../../record/folder';
import { writeBeside } from '../../record/write-beside';
import { reportFiles } from '../../report/files';
import { renderTerminal } from '../../report/text/terminal';
import { EXIT, messageOf, Mistake } from '../../ui/exit';
import { interruptible } from '../../ui/interrupt';
import { printJson, terminalStyle, warn } from '../../ui/print';
import { startProgress } from '../../ui/progress';
import { compareVersions } from '../../ui/versions';
import { dumpIn } from '../../targets/process/postgresql';
import { compareVersionsOf } from '../compare/command';
import { migrate } from './migrate';
import type { MigrateRecord } from './record';
import { migrateDocument } from './report/document';

interface MigrateOptions {
  from: string;
  to: string;
  executions?: number;
  database?: string;
  compare: boolean;
  /** Milliseconds. */
  ready: number;
  out: string;
  json?: boolean;
}

/** Below, the sizes at which it is rehearsed are too close to each other. */
const MIN_EXECUTIONS = 100;
const EXECUTIONS = 10_000;
const WORKLOAD = 'last-node';

export const help: CommandHelp = {
  summary: 'rehearse an upgrade of n8n on a database of any size',
  examples: [
    'n8n-tuned migrate --from 2.30.8 --to 2.41.1 --executions 100000',
    'n8n-tuned migrate --from 2.30.8 --to 2.41.1 --database n8n.dump',
    'n8n-tuned migrate --from 2.30.8 --to 2.41.1 --no-compare --json',
  ],
  common: [
    '--from',
    '--to',
    '--executions',
    '--database',
    '--no-compare',
    '--ready',
    '--out',
    '--json',
  ],
  notes: [
    'The old version stores one execution, and the command copies it until the database has the requested size. The new version then migrates the database, twice at each size. After each migration, the command restores a backup.',
    'The report shows the duration and WAL volume of each migration, the tables that it locked, the database size, and how long webhooks were blocked. It also shows which migrations n8n db:revert reverts, and an estimate for ten times as many executions. The command does not fill tables that only your own workflows use.',
    'With --database, the command restores your dump instead, and migrates it twice. In the restored database, it turns off all workflows and agents, and cancels all unfinished executions, so that none of them runs. It also removes the license, so that n8n does not contact the license server as your instance. The dump file is not changed. Restoring a dump in the custom format requires pg_restore in PATH.',
    'At the end, the command compares both versions like n8n-tuned compare --n8n FROM --n8n TO. The comparison can take 20 minutes, and does not change the exit code. Use --no-compare to skip it.',
    'Exit codes: 0 PASS, 1 FAIL (the old version does not work on the restored backup). The command needs about three times the disk space of the database.',
  ],
};

export function register(program: Command): Command {
  return program
    .command('migrate')
    .description(
      'Rehearse an upgrade: fill a PostgreSQL database with the old n8n version, migrate it with the new version, and roll back',
    )
    .requiredOption('--from <version>', 'n8n version before the upgrade')
    .requiredOption('--to <version>', 'n8n version after the upgrade')
    .addOption(
      parsed(
        '--executions <number>',
        'number of stored executions, such as 250k or 1M; the command also rehearses the upgrade with a tenth and a third of this number (default: 10000)',
        largeCount,
      ),
    )
    .option(
      '--database <file>',
      'a dump of your n8n database to restore instead of generated data, written by pg_dump with --format=custom or --format=plain',
    )
    .option('--no-compare', 'do not compare both versions under load at the end')
    .addOption(readyOption())
    .addOption(outOption())
    .option('--json', 'print the record as JSON')
    .action(async (options: MigrateOptions) => {
      process.exitCode = await run(options);
    });
}

async function run(options: MigrateOptions): Promise<number> {
  const { from, to, executions = EXECUTIONS } = options;
  if (compareVersions(from, to) >= 0) {
    throw new Mistake(
      `--to ${to} is not newer than --from ${from}: an upgrade goes to a newer version.`,
    );
  }
  if (from.startsWith('0.')) {
    throw new Mistake(
      `--from ${from} is older than n8n 1.0, which stores executions differently: use 1.0 or newer.`,
    );
  }
  if (options.database !== undefined && options.executions !== undefined) {
    throw new Mistake(
      '--executions does not apply with --database: the dump has its own executions.',
    );
  }
  const dump = options.database === undefined ? null : dumpIn(options.database);
  if (executions < MIN_EXECUTIONS) {
    throw new Mistake(
      `--executions ${String(executions)} is too few to compare sizes: use at least ${String(MIN_EXECUTIONS)}.`,
    );
  }
  const workload = chosenWorkload({ workload: WORKLOAD }, null);
  const progress = startProgress();
  try {
    const rehearsed = await interruptible((signal) =>
      migrate(
        {
          ...{ from, to, executions, dump, workload, readyTimeoutMs: options.ready },
          command: withoutSecrets(process.argv.slice(2)),
        },
        progress.tell,
        signal,
      ),
    );
    progress.end();
    const folder = join(options.out, rehearsed.id);
    makeFolder(folder);
    const keep = (one: MigrateRecord): void => {
      writeWhole(join(folder, MIGRATE_FILE), `${JSON.stringify(one, null, 2)}\n`);
    };
    // Whatever becomes of the comparison.
    keep(rehearsed);
    const record = options.compare ? await withComparison(rehearsed, folder, options) : rehearsed;
    keep(record);
    const problems = writeBeside(folder, reportFiles(migrateDocument(record)));
    problems.forEach(warn);
    if (options.json === true) printJson({ folder, ...record });
    else {
      const text = renderTerminal(migrateDocument(record), terminalStyle());
      process.stdout.write(`${text}\n${join(folder, 'report.html')}\n`);
    }
    if (problems.length > 0) return EXIT.invalid;
    return record.verdict === 'PASS' ? EXIT.fine : EXIT.notMet;
  } finally {
    progress.end();
  }
}

/** Before and after, as users notice it. */
async function withComparison(
  record: MigrateRecord,
  folder: string,
  { ready }: MigrateOptions,
): Promise<MigrateRecord> {
  const { from, to } = record;
  try {
    const found = await compareVersionsOf([from, to], {
      ...{ out: folder, ready, workload: WORKLOAD },
      // A rehearsal of an hour is not to end without it: the comparison says what disturbed it.
      anyway: true,
    });
    if (found === undefined) return record;
    const { answer, sentence } = found.record;
    return { ...record, compared: { folder: found.folder, answer, sentence } };
  } catch (error) {
    return { ...record, compared: { failure: messageOf(error) } };
  }
}
