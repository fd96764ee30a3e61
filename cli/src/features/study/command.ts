import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { Command } from 'commander';
import { hasLab, repositoryRoot } from '../../lab/paths';
import { renderStudies, renderStudy } from './report/terminal';
import { runStep } from './run-step';
import { folderOf, lengthOf, runStudy } from './run-study';
import { findStudy, readStudies } from './studies';
import { EXIT, Mistake } from '../../ui/exit';
import { onInterrupt } from '../../ui/interrupt';
import { printJson, printLines, terminalStyle, warn } from '../../ui/print';
import { outOption } from '../../options/options';

interface StudyOptions {
  quick?: boolean;
  dryRun?: boolean;
  json?: boolean;
  out: string;
}

export function register(program: Command): void {
  program
    .command('study')
    .description('Repeat a published experiment; without a name, list them')
    .argument('[name]', 'the study to repeat')
    .option(
      '--quick',
      'a short form of less than 3 minutes, to see whether it runs; without it, the study as it was recorded',
    )
    .option('--dry-run', 'only print the commands of the study')
    .addOption(outOption())
    .option('--json', 'print the list or the record as JSON')
    .addHelpText(
      'after',
      `
A study is a list of commands in studies/NAME/study.yaml, each of which you can also run by itself. Their
records, and study.json, which says what ran, go to a folder study-NAME or study-NAME-quick. To continue a study
that was stopped, run the same command again: its sweeps measure only what is missing.

Examples:
  n8n-tuned study
  n8n-tuned study cluster-loop --quick`,
    )
    .action(async (name: string | undefined, options: StudyOptions) => {
      process.exitCode = await study(name, options);
    });
}

async function study(name: string | undefined, options: StudyOptions): Promise<number> {
  const { out, json = false } = options;
  const root = repositoryRoot();
  if (!hasLab(root)) {
    throw new Mistake(
      'studies are in the repository of n8n-tuned, not in its npm package: clone it, and run the command there.',
    );
  }
  const folder = join(root, 'studies');
  if (name === undefined) {
    const studies = readStudies(folder);
    if (json) printJson(studies);
    else printLines(renderStudies(studies, terminalStyle()));
    return EXIT.fine;
  }
  const chosen = findStudy(folder, name);
  const length = options.quick === true ? 'quick' : 'full';
  const { commands, minutes } = lengthOf(chosen, length);
  if (options.dryRun === true) {
    if (json) printJson({ name, length, minutes, commands });
    else printLines(commands);
    return EXIT.fine;
  }
  chosen.needs.forEach((tool) => {
    refuseMissing(tool, name, root);
  });
  warn(`study ${name}: ${chosen.question} About ${String(minutes)} min.`);
  const interrupt = onInterrupt();
  const order = {
    ...({ study: chosen, length, out } as const),
    runStep: (words: readonly string[], signal: AbortSignal) => runStep(words, root, json, signal),
    onStep: (index: number, all: readonly string[]) => {
      warn(`${String(index + 1)} of ${String(all.length)}: ${all[index] ?? ''}`);
    },
  };
  try {
    const record = await runStudy(order, interrupt.signal);
    if (json) printJson({ folder: folderOf(order), ...record });
    else printLines([...renderStudy(record), folderOf(order)]);
    return record.isWhole
      ? Math.max(...record.steps.map(({ exitCode }) => exitCode))
      : EXIT.invalid;
  } finally {
    interrupt.end();
  }
}

/** What is missing must not come out as a server that crashes in every cell. */
function refuseMissing(tool: string, name: string, root: string): void {
  const { status } = spawnSync('bash', ['lab/install.sh', '--check', tool], { cwd: root });
  if (status === 0) return;
  throw new Mistake(`study ${name} needs ${tool}, which is not installed: lab/install.sh ${tool}`);
}
