// A test of real programs can fail for a reason of the machine: a stall of seconds, a neighbour. Its file is run again
// once, alone, with the same seed. What passes then is named, counted, and counts as passed; a defect fails twice.
import { relative } from 'node:path';

/** The parts of Jest's `--json` that are read here. */
export interface FileReport {
  name: string;
  status: string;
  startTime?: number;
  endTime?: number;
  assertionResults: Array<{ status: string; fullName: string }>;
}

/** More failed files than these are no accident. */
const MAX_FILES = 8;

/** The files to run again: none if nothing failed, or too much. */
export function filesToRunAgain(files: FileReport[]): string[] {
  const failed = files.filter(({ status }) => status === 'failed');
  return failed.length <= MAX_FILES ? failed.map(({ name }) => name) : [];
}

const failedTests = ({ assertionResults }: FileReport): string[] =>
  assertionResults.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName);

/** The first report with the second's answer for each file that ran again, and the names of those that passed then. */
export function afterSecondTry(
  first: FileReport[],
  second: FileReport[],
  root: string,
): { files: FileReport[]; secondTries: string[] } {
  const again = new Map(second.map((file) => [file.name, file]));
  const secondTries = first
    .filter(({ status, name }) => status === 'failed' && again.get(name)?.status === 'passed')
    .flatMap((file) =>
      (failedTests(file).length > 0 ? failedTests(file) : ['(the file itself)']).map(
        (test) => `${relative(root, file.name)}: ${test}`,
      ),
    );
  return { files: first.map((file) => again.get(file.name) ?? file), secondTries };
}

/** One run in the list of runs: when it was, how many tests it had, and which of them passed on a second try. */
export interface RunWithTries {
  date: string;
  tests: number;
  secondTries: string[];
}

export const lineOf = ({ date, tests, secondTries }: RunWithTries): string =>
  `${[date, String(tests), String(secondTries.length), secondTries.join('; ')].join('\t')}\n`;

export const runsIn = (list: string): RunWithTries[] =>
  list
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [date = '', tests, , which = ''] = line.split('\t');
      return { date, tests: Number(tests), secondTries: which === '' ? [] : which.split('; ') };
    });

/** What the last runs say together, this one among them: a file that needs a second try again and again stands first. */
export function sumOfTries(runs: RunWithTries[], last = 10): string {
  const shown = runs.slice(-last);
  const all = shown.flatMap(({ secondTries }) => secondTries);
  const withTries = shown.filter(({ secondTries }) => secondTries.length > 0).length;
  const counts = new Map<string, number>();
  for (const test of all) {
    const [file = ''] = test.split(': ');
    counts.set(file, (counts.get(file) ?? 0) + 1);
  }
  const files = [...counts]
    .sort(([, a], [, b]) => b - a)
    .map(([file, n]) => `${file} ${String(n)}`);
  const which = files.length === 0 ? '' : `: ${files.join(', ')}`;
  return `second tries in the last ${String(shown.length)} runs: ${String(all.length)} in ${String(withTries)} of them${which}`;
}

/** Tests that passed, failed and were left out. A file that could not be loaded has no tests, yet it failed. */
export function countTests(files: FileReport[]): {
  passed: number;
  failed: number;
  skipped: number;
} {
  const count = (...statuses: string[]): number =>
    files.flatMap((file) => file.assertionResults).filter((test) => statuses.includes(test.status))
      .length;
  const failedWithout = files.filter(
    (file) => file.status === 'failed' && failedTests(file).length === 0,
  ).length;
  return {
    passed: count('passed'),
    failed: count('failed') + failedWithout,
    skipped: count('pending', 'todo', 'skipped', 'disabled'),
  };
}

/** What six letters of chance end, as `mkdtemp` and `mktemp` name it. */
const TEMPORARY = /^(.+[-.])[A-Za-z0-9]{6}$/;

/** By the beginnings of their names, the new temporary folders that nobody removed: "27 proof-*, 14 own-*". */
export function leftFolders(before: readonly string[], after: readonly string[]): string {
  const known = new Set(before);
  const counts = new Map<string, number>();
  for (const name of after.filter((one) => !known.has(one))) {
    const beginning = TEMPORARY.exec(name)?.[1];
    if (beginning !== undefined) counts.set(beginning, (counts.get(beginning) ?? 0) + 1);
  }
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .map(([beginning, count]) => `${String(count)} ${beginning}*`)
    .join(', ');
}
