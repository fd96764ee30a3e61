// What was measured, in twelve answers of two sentences: docs/measured.md, and six of them in the table of README.md.
import type { CompareRecord } from '../../cli/src/features/compare/record';
import { link, number, readJson, runAt, table, type Generated } from './records';
import { ratioText } from './studies/capacity';
import { peer } from './studies/charts';
import { measuredDrills } from './studies/drills';
import { lessCpuWithPatches } from './studies/expressions';
import { heapMapAnswer, mapParts } from './studies/heap-map';
import { limits, namedLimits } from './studies/limits';
import { queueAnswer } from './studies/queue';
import { largestError, staircaseAnswer } from './studies/search';
import { smallPods } from './studies/small-pods';
import { linksFrom, pathOfPage, type StudyPage } from './study-page';

interface Measured {
  study: string;
  question: string;
  /** As short as a table has it. */
  figure: string;
  text: string;
  record: string;
}

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);

function chart(): Measured {
  const of = (contender: string): string =>
    ratioText(peer('last-node', 'regular', contender).comparison);
  return {
    study: 'charts',
    question: 'How many more requests does this chart respond to than the official one?',
    figure: of('tuned'),
    text: `With the same limits per pod, this chart responds to ${of('tuned')} the requests of the workload last-node in regular mode. With nothing but the environment variables of this chart, the official one reaches ${of('official-same')}.`,
    record: peer('last-node', 'regular', 'tuned').file,
  };
}

function settings(): Measured {
  const path = (name: string): string => `studies/comparisons/results/${name}/compare.json`;
  const of = (name: string): string => ratioText(readJson<CompareRecord>(path(name)));
  return {
    study: 'comparisons',
    question: 'What do the settings of this kit gain over those of n8n?',
    figure: of('last-node-regular'),
    text: `One process of n8n responds to ${of('last-node-regular')} the requests of the workload last-node. Of a function that waits 5 s it responds to ${of('wait-regular')}.`,
    record: path('last-node-regular'),
  };
}

const expressions = (): Measured => ({
  study: 'isolates',
  question: 'What do the patches gain for expressions?',
  figure: `${lessCpuWithPatches()} CPU`,
  text: `With the patches a sandbox and the expressions in it take ${lessCpuWithPatches()} CPU. In pods this chart responds to ${ratioText(peer('expressions', 'regular', 'tuned').comparison)} the requests of ten expressions that the official chart responds to.`,
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
    study: 'drills',
    question: 'How many requests are lost in faults under load?',
    figure: `${lost('recovery')} with recovery; ${lost('as-it-comes')} of n8n as it comes`,
    text: `n8n as it comes accepts and loses ${lost('as-it-comes')} requests that are exposed to a fault, the defaults of the chart ${lost('defaults')}. With recovery ${lost('recovery')} are lost.`,
    record: 'studies/drills/results/parts/kill-worker-process-recovery-1.json',
  };
}

const search = (): Measured => ({
  study: 'known-capacity',
  question: 'How far off is the capacity that `find` names?',
  figure: largestError(),
  text: `${largestError()} ${staircaseAnswer()}`,
  record: 'studies/known-capacity/results/waiting.json',
});

const bottleneck = (): Measured => ({
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
    study: 'own-main',
    question: 'What does a process for each execution cost, in n8n below 1.0?',
    figure: `one process for all responds to ${number(rate)}x the requests`,
    text: `One process for all executions responds to ${number(rate)}x the requests of one process per execution. It takes ${number(memory(own) / memory(main))}x less memory.`,
    record: path('main'),
  };
}

/** Pages with an answer of their own, which the record of it is behind. */
const answered = (
  study: string,
  question: string,
  record: string,
  answer: StudyPage['answer'],
): Measured => {
  const { sentence, ours = '' } = answer?.() ?? { sentence: '' };
  return { study, question, record, figure: ours, text: sentence };
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
      queueAnswer,
    ),
  () =>
    answered(
      'small-pods',
      'How little memory and CPU does n8n need?',
      'studies/small-pods/results/parts/memory-main.json',
      smallPods.answer,
    ),
  () =>
    answered(
      'heap',
      'How much of a container may the heap of n8n take?',
      'studies/heap/results/map/parts/held-main.json',
      () => heapMapAnswer(mapParts()),
    ),
  search,
  bottleneck,
  () =>
    answered(
      'limits',
      'How far is n8n from what it is built on?',
      'studies/limits/results/limits/sweep.json',
      limits.answer,
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
  .map((one) => `## ${one.question}\n\n${one.text} (${leads(one)})`)
  .join('\n\n')}
`;
  return { files: { [PAGE]: linksFrom(PAGE, text) } };
}

/** What README.md does not say elsewhere, and what nobody asks who deploys n8n. */
const NOT_IN_TABLE = ['charts', 'drills', 'limits', 'own-main'];

/** The answers that fit into a row. */
export const measuredTable = (): string =>
  table(
    ['question', 'answer', 'evidence'],
    MEASURED.map((make) => make())
      .filter(({ figure, study }) => figure !== '' && !NOT_IN_TABLE.includes(study))
      .map((one) => [one.question, one.figure, leads(one)]),
  );
