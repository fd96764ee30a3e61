import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { hasLab, repositoryRoot } from '../../lab/paths';
import { outOption } from '../../options/options';
import { collect, countFrom1, parsed, seconds } from '../../options/parsers';
import { Mistake } from '../../ui/exit';
import { onInterrupt } from '../../ui/interrupt';
import { printJson, printLines, terminalStyle, warn } from '../../ui/print';
import { runProgram } from './call';
import { commandParts } from './command-parts';
import { archivedRecords, recordsInFolder } from './kept';
import {
  entriesOf,
  exitCodeOf,
  measureParts,
  stateOf,
  type Entry,
  type StudySection,
} from './measure-parts';
import { renderParts, renderResults, renderStudies } from './report/terminal';
import { findStudy, loadCode, readStudies, type NamedStudy } from './studies';
import type { CommandHelp } from '../../options/help';

interface StudyOptions {
  list?: boolean;
  part?: string[];
  within?: number;
  atOnce: number;
  quick?: boolean;
  keep?: boolean;
  json?: boolean;
  out: string;
}

export const help: CommandHelp = {
  summary: 'repeat a published experiment or the measurement behind a default',
  examples: [
    'n8n-tuned study',
    'n8n-tuned study cluster-loop --quick',
    'n8n-tuned study drills --within 60m',
    'n8n-tuned study drills --list',
  ],
  notes: [
    'A study is a folder studies/NAME in the repository, and consists of parts. When a part is measured, its record is saved in the folder study-NAME or study-NAME-quick. To continue an interrupted study, run the same command again; it measures only the missing parts. Ctrl-C ends the current part and discards it.',
  ],
};

export function register(program: Command): Command {
  return program
    .command('study')
    .description(
      'Repeat a published experiment or the measurement behind a default; without a name, list all studies',
    )
    .argument('[name]', 'the study to repeat')
    .option('--list', 'list the parts, with their states and durations')
    .option(
      '--part <name>',
      'measure this part, even if it is already measured, or all unmeasured parts whose names start with this text; repeatable',
      collect,
    )
    .addOption(
      parsed(
        '--within <time>',
        'start no part that would end after this time, such as 60m',
        seconds,
      ),
    )
    .addOption(
      parsed(
        '--at-once <number>',
        'number of parts to measure at the same time, if the study allows it',
        countFrom1,
        '1',
      ),
    )
    .option(
      '--quick',
      'run a short version of the study, in less than 3 minutes, to check that it works',
    )
    .option(
      '--keep',
      "save records in the study's results.jsonl.gz, and measure the parts that are missing from this file",
    )
    .addOption(outOption())
    .option('--json', 'print the list or the results as JSON')
    .action(async (name: string | undefined, options: StudyOptions) => {
      process.exitCode = await (name === undefined ? list(options) : study(name, options));
    });
}

function checkout(): { root: string; folder: string } {
  const root = repositoryRoot();
  if (hasLab(root)) return { root, folder: join(root, 'studies') };
  throw new Mistake(
    'studies are in the n8n-tuned repository, not in its npm package: clone the repository, and run the command there.',
  );
}

/** The parts of study.yaml and those of measure.ts, with their records in the archive or in a folder. */
async function sectionsOf(
  study: NamedStudy,
  { quick: isQuick = false, keep: isKept = false, folder }: StudyOptions & { folder: string },
): Promise<StudySection[]> {
  const { root } = checkout();
  const recordsOf = (inside = ''): StudySection['records'] =>
    isKept
      ? archivedRecords(study.archive, root, `${isQuick ? 'quick/' : ''}${inside}`)
      : recordsInFolder(folder, inside);
  const { name, plan, code } = study;
  const length = isQuick ? 'quick' : 'full';
  const commands = commandParts({ name, plan, length, isKept });
  const coded = code === null ? [] : [await loadCode(code)];
  return [commands, ...coded].map((one) => ({ study: one, records: recordsOf(one.inside) }));
}

async function list({ json = false, out }: StudyOptions): Promise<number> {
  const rows = await Promise.all(
    readStudies(checkout().folder).map(async (study) => {
      const entries = await entriesIn(study, { out, atOnce: 1, keep: true });
      const { question, published, needs, quick } = study.plan;
      const isOf = (state: string) => entries.filter((entry) => stateOf(entry) === state);
      const all = entries.filter((entry) => stateOf(entry) !== 'not needed');
      return {
        ...{ name: study.name, question, published, needs, hasQuick: quick !== undefined },
        ...{ parts: all.length, measured: isOf('done').length },
        seconds: all.reduce((sum, { part }) => sum + part.seconds, 0),
      };
    }),
  );
  if (json) printJson(rows);
  else printLines(renderStudies(rows, terminalStyle()));
  return 0;
}

const folderOf = (name: string, { out, quick = false }: StudyOptions): string =>
  join(out, `study-${name}${quick ? '-quick' : ''}`);

async function entriesIn(study: NamedStudy, options: StudyOptions): Promise<Entry[]> {
  const folder = folderOf(study.name, options);
  const sections = await sectionsOf(study, { ...options, folder });
  return entriesOf({ sections, isQuick: options.quick ?? false });
}

async function study(name: string, options: StudyOptions): Promise<number> {
  const { json = false, quick: isQuick = false, part: named = [], within, atOnce } = options;
  const { root, folder: studies } = checkout();
  const chosen = findStudy(studies, name);
  if (options.list === true) {
    const kept = await entriesIn(chosen, { ...options, keep: true });
    const rows = kept.map((entry) => ({ ...entry.part, state: stateOf(entry) }));
    if (json) printJson(rows);
    else printLines(renderParts(rows));
    return 0;
  }
  const { plan, code } = chosen;
  if (isQuick && plan.quick === undefined && (code === null || named.length === 0)) {
    throw new Mistake(
      `study ${name} has no short version: remove --quick${code === null ? '' : ', or name a part to try'}.`,
    );
  }
  for (const tool of plan.needs) refuseMissing(tool, name, root);
  const folder = resolve(folderOf(name, options));
  const sections = await sectionsOf(chosen, { ...options, folder });
  warn(`study ${name}: ${plan.question}`);
  const interrupt = onInterrupt();
  try {
    const results = await measureParts(
      {
        ...{ name, sections, isQuick, named, atOnce, folder, root },
        withinSeconds: within ?? null,
        run: (words, call, signal) =>
          runProgram([process.execPath, process.argv[1] ?? '', ...words], call, signal),
        // With --json standard output is for the record alone.
        shows: json ? 2 : 'inherit',
        tell: warn,
      },
      interrupt.signal,
    );
    const left = entriesOf({ sections, isQuick }).filter((entry) => stateOf(entry) === 'missing');
    if (json) printJson({ folder, results, missing: left.map(({ part }) => part.name) });
    else printLines(renderResults(results, left.length, folder));
    return exitCodeOf(results);
  } finally {
    interrupt.end();
  }
}

/** What is missing must not come out as a server that crashes in every cell. */
function refuseMissing(tool: string, name: string, root: string): void {
  const { status } = spawnSync('bash', ['lab/install.sh', '--check', tool], { cwd: root });
  if (status === 0) return;
  throw new Mistake(
    `study ${name} needs ${tool}, which is not installed: run lab/install.sh ${tool}`,
  );
}
