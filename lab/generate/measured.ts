// What was measured, in twelve answers of two sentences: docs/measured.md, and six of them in the table of README.md.
import type { CompareRecord } from '../../cli/src/features/compare/record';
import { link, number, readJson, runAt, table, type Generated } from './records';
import { ratioText } from './studies/capacity';
import { peer } from './studies/charts';
import { measuredDrills } from './studies/drills';
import { lessCpuWithPatches } from './studies/expressions';
import { heapMapAnswer, mapParts } from './studies/heap-map';
import { limits, namedLimits } from './studies/limits';
import { workersPayOff } from './studies/queue';
import { largestError, staircaseAnswer } from './studies/search';
import { smallPods } from './studies/small-pods';
import { gainOfDefault } from './studies/tuning';
import { linksFrom, pathOfPage, type StudyPage } from './study-page';

interface Measured {
  study: string;
  question: string;
  /** As short as a table has it. */
  figure: string;
  text: string;
  /** What follows for a reader. */
  means: string;
  record: string;
}

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);

function chart(): Measured {
  const of = (contender: string): string =>
    ratioText(peer('last-node', 'regular', contender).comparison);
  return {
    means:
      'Most of the gain on short workflows comes from [variables that you can copy](docs/only-settings.md).',
    study: 'charts',
    question: 'How many more requests does this chart respond to than the official one?',
    figure: of('tuned'),
    text: `With the same limits per pod, this chart responds to ${of('tuned')} as many requests of the workload last-node in regular mode. With nothing but the environment variables of this chart, the official one reaches ${number(peer('last-node', 'regular', 'official-same').comparison.ratio.value)}x.`,
    record: peer('last-node', 'regular', 'tuned').file,
  };
}

function settings(): Measured {
  const path = (name: string): string => `studies/comparisons/results/${name}/compare.json`;
  const of = (name: string): string => ratioText(readJson<CompareRecord>(path(name)));
  return {
    means: 'The gain depends on the workflow, so [compare](docs/compare.md) with your own.',
    study: 'comparisons',
    question: 'What do the settings of this kit gain over those of n8n?',
    figure: of('last-node-regular'),
    text: `One process of n8n responds to ${of('last-node-regular')} as many requests of the workload last-node. For a function that waits 5 s the ratio is ${of('wait-regular')}.`,
    record: path('last-node-regular'),
  };
}

const expressions = (): Measured => ({
  means: '[The patches](docs/chart/patches.md) are on by default, and each has a switch.',
  study: 'isolates',
  question: 'What do the patches gain for expressions?',
  figure: `${lessCpuWithPatches()} CPU`,
  text: `With the patches a sandbox and the expressions in it take ${lessCpuWithPatches()} CPU. In pods, this chart responds to ${ratioText(peer('expressions', 'regular', 'tuned').comparison)} as many requests with ten expressions as the official chart.`,
  record: 'studies/isolates/results/record.json',
});

interface Rollouts {
  runs: { side: string; requests: number; right: number }[];
}
const ROLLOUTS = 'studies/charts/results/rollouts.json';

export const rolloutsOfEach = (): number => readJson<Rollouts>(ROLLOUTS).runs.length / 2;

export function lostInRollouts(side: 'the chart' | "n8n's own"): string {
  const own = readJson<Rollouts>(ROLLOUTS).runs.filter((run) => run.side === side);
  const asked = sum(own.map(({ requests }) => requests));
  return `${number(asked - sum(own.map(({ right }) => right)))} of ${number(asked)}`;
}

function rollouts(): Measured {
  const lost = lostInRollouts;
  return {
    means:
      'The chart waits before it ends a process, so that [running work](docs/chart/upgrade.md#what-happens-to-running-work) can finish.',
    study: 'charts',
    question: 'How many requests are lost while webhook processors are replaced?',
    figure: `${lost('the chart')}; ${lost("n8n's own")} with n8n's own settings`,
    text: `With n8n's own settings ${lost("n8n's own")} requests are lost in ${number(rolloutsOfEach())} rollouts, half of them with little CPU. With those of the chart ${lost('the chart')} are lost.`,
    record: ROLLOUTS,
  };
}

export function lostInFaults(configuration: 'recovery' | 'as-it-comes' | 'defaults'): string {
  const ledgers = measuredDrills()
    .filter((record) => record.configuration === configuration)
    .map(({ drill }) => drill.ledger);
  return `${number(sum(ledgers.map((one) => one.lost)))} of ${number(sum(ledgers.map(({ exposed }) => exposed)))}`;
}

function faults(): Measured {
  const lost = lostInFaults;
  return {
    means:
      'The settings alone do not bring back the executions of a process that died: [recovery](docs/recovery.md) runs them again.',
    study: 'drills',
    question: 'How many requests are lost in faults under load?',
    figure: `${lost('recovery')} with recovery; ${lost('as-it-comes')} of n8n as it comes`,
    text: `n8n as it comes accepts and loses ${lost('as-it-comes')} requests that are exposed to a fault, the defaults of the chart ${lost('defaults')}. With recovery ${lost('recovery')} are lost.`,
    record: 'studies/drills/results/parts/kill-worker-process-recovery-1.json',
  };
}

const search = (): Measured => ({
  means: 'A search on your machine reports an interval of its own, which is the one to plan with.',
  study: 'known-capacity',
  question: 'How far off is the capacity that `find` names?',
  figure: largestError(),
  text: `${largestError()} ${staircaseAnswer()}`,
  record: 'studies/known-capacity/results/waiting.json',
});

const bottleneck = (): Measured => ({
  means: 'Every report names what ran out, and [what comes next](docs/read-a-report.md).',
  study: 'planted-limits',
  question: 'Is the bottleneck named correctly?',
  figure: namedLimits(),
  text: `One limit at a time was planted in a real system of n8n, its task runner, PostgreSQL and Redis. In ${namedLimits()} cases it was named.`,
  record: 'studies/planted-limits/results/record.json',
});

function ownProcess(): Measured {
  const path = (name: string): string => `studies/closed-loop/results/legacy-${name}/run.json`;
  const [main, own] = [runAt(path('main')), runAt(path('own'))];
  const memory = (run: typeof main): number =>
    sum(run.summary.roles.map(({ role, rssPeakMiB }) => (role === 'main' ? (rssPeakMiB ?? 0) : 0)));
  const rate = main.summary.achieved.ratePerSecond / own.summary.achieved.ratePerSecond;
  return {
    means: 'n8n 1.0 and newer always runs one process for all.',
    study: 'own-main',
    question: 'What does a process for each execution cost, in n8n below 1.0?',
    figure: `one process for all responds to ${number(rate)}x the requests`,
    text: `One process for all executions responds to ${number(rate)}x as many requests as one process per execution. It takes ${number(memory(own) / memory(main))}x less memory.`,
    record: path('main'),
  };
}

/** Pages with an answer of their own, which the record of it is behind. */
const answered = (
  study: string,
  question: string,
  record: string,
  answer: StudyPage['answer'],
  means: string,
): Measured => {
  const { sentence, ours = '' } = answer?.() ?? { sentence: '' };
  return { study, question, record, figure: ours, text: sentence, means };
};

export const MEASURED: readonly (() => Measured)[] = [
  chart,
  settings,
  expressions,
  rollouts,
  faults,
  () =>
    answered(
      'queue',
      'When does a main with workers beat one process?',
      'studies/queue/results/queue/sweep.json',
      () => ({ sentence: workersPayOff() }),
      'Work that waits gains most.',
    ),
  () =>
    answered(
      'small-pods',
      'How little memory and CPU does n8n need?',
      'studies/small-pods/results/parts/memory-main.json',
      smallPods.answer,
      '[Tuning](docs/chart/tuning.md#memory) says what lowers it, and what that costs.',
    ),
  () =>
    answered(
      'heap',
      'How much of a container may the heap of n8n take?',
      'studies/heap/results/map/parts/held-main.json',
      () => heapMapAnswer(mapParts()),
      'The chart stays below both.',
    ),
  search,
  bottleneck,
  () =>
    answered(
      'limits',
      'How far is n8n from what it is built on?',
      'studies/limits/results/limits/sweep.json',
      limits.answer,
      'What n8n does around a job costs more than the queue and the database behind it.',
    ),
  ownProcess,
];

const PAGE = 'docs/measured.md';
const leads = ({ study, record }: Measured): string =>
  `[study](${pathOfPage({ study })}), ${link(record)}`;

export function measured(): Generated {
  const text = `# What we measured

<!-- Written by lab/generate/all.ts from the records of studies. -->

Every figure comes from a record in this repository. Most of it ran on one small machine with two cores, with the load
generator beside n8n: take ratios from it, not absolutes, and measure your own with \`n8n-tuned\`. A range in
brackets is the 95% interval, or from the least to the most of several rounds, as the study says.
[Studies](studies/README.md) says how to repeat each, and lists those that have no answer here; [tests](docs/records/README.md) keep records too.

${MEASURED.map((make) => make())
  .map((one) => `## ${one.question}\n\n${one.text} ${one.means} (${leads(one)})`)
  .join('\n\n')}
`;
  return { files: { [PAGE]: linksFrom(PAGE, text) } };
}

/** What README.md does not say elsewhere, and what nobody asks who deploys n8n. */
const NOT_IN_TABLE = ['charts', 'drills', 'limits', 'own-main'];

/** One comparison, twice: a ratio does not carry over as it is. */
function betweenDays(): string {
  const path = 'studies/comparisons/results/last-node-regular/compare.json';
  const { startedAt, ratio } = readJson<CompareRecord>(path);
  const other = gainOfDefault();
  return `The first row was measured on ${startedAt.slice(0, 10)}. One run of each side on ${other.day} gave ${other.ratio} in place of ${number(ratio.value)}x (${link(other.path)}), on
the same kind of machine. Between kinds of machines the difference may be larger, so measure your own: \`n8n-tuned compare\` does it in turns.`;
}

/** The answers that fit into a row. */
export const measuredTable = (): string => `${answersTable()}\n\n${betweenDays()}`;

const answersTable = (): string =>
  table(
    ['question', 'answer', 'evidence'],
    MEASURED.map((make) => make())
      .filter(({ figure, study }) => figure !== '' && !NOT_IN_TABLE.includes(study))
      .map((one) => [one.question, one.figure, leads(one)]),
  );
