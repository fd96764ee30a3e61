// docs/records/times/README.md, from docs/records/times/*.tsv.
import { runsIn } from '../../test/second-try';
import { read, table, type Generated } from './records';

interface Times {
  facts: Record<string, string>;
  stages: { stage: string; seconds: number; result: string }[];
}

/** One file per state of the machine: lines `# key: value`, then `stage<TAB>seconds<TAB>result`. */
function readTimes(file: string): Times {
  const lines = read(`docs/records/times/${file}`).trim().split('\n');
  const facts = Object.fromEntries(
    lines.filter((l) => l.startsWith('#')).map((l) => /^# ([^:]+): (.*)$/.exec(l)?.slice(1) ?? []),
  );
  const stages = lines
    .filter((l) => !l.startsWith('#'))
    .map((l) => l.split('\t'))
    .map(([stage = '', seconds, result = '']) => ({ stage, seconds: Number(seconds), result }));
  return { facts, stages };
}

/** Sums the stages that its line `# total: one + another` names; the others are parts of these. */
function totalSeconds({ facts, stages }: Times): number {
  const named = (facts['total'] ?? '').split(' + ');
  const counted = stages.filter(({ stage }) => named.includes(stage));
  if (counted.length !== named.length)
    throw new Error(`not all stages are there: ${named.join(' + ')}`);
  return counted.reduce((sum, { seconds }) => sum + seconds, 0);
}

const duration = (seconds: number): string =>
  seconds < 90
    ? `${Math.round(seconds)} s`
    : `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;

const sectionOf = ({ facts, stages }: Times): string => `## ${facts['title'] ?? ''}

${facts['machine'] ?? ''}; ${facts['date'] ?? ''}. ${facts['note'] ?? ''}

${table(
  ['stage', 'time', ''],
  stages.map(({ stage, seconds, result }) => [stage, duration(seconds), result]),
)}`;

/** Tests that failed and then passed, in each run that was recorded. */
const secondTries = (): string => `## Tests that passed on a second try

${table(
  ['date', 'tests', 'on a second try', 'which'],
  runsIn(read('docs/records/times/second-tries.tsv')).map(({ date, tests, secondTries }) => [
    date,
    tests.toLocaleString('en-US'),
    String(secondTries.length),
    secondTries.join('; '),
  ]),
)}`;

export function times(): Generated {
  const [cold, warm] = [readTimes('cold.tsv'), readTimes('warm.tsv')];
  const [installing, testing] = [totalSeconds(cold), totalSeconds(warm)];
  const page = [
    `# How long it takes

<!-- Written by lab/generate/times.ts from docs/records/times: change it there. -->

With nothing installed, \`.ci/run\` takes ${duration(installing)} to install what it needs, and ${duration(testing)} for its
tests: ${duration(installing + testing)}. With everything installed, only the tests remain.

Each table is one run, as the clock of the machine showed it. Wall times of one run vary with whatever else the
machine does: take them as an order of magnitude.`,
    sectionOf(cold),
    sectionOf(warm),
    secondTries(),
  ];
  return { files: { 'docs/records/times/README.md': page.join('\n\n') } };
}
