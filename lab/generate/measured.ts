// What was measured, in twelve answers of two sentences: docs/measured.md, and six of them in the table of README.md.
import type { CompareRecord } from '../../cli/src/features/compare/record';
import { link, number, readJson, runAt, table, type Generated } from './records';
import { ratioText } from './studies/capacity';
import { peer } from './studies/charts';
import { caveatOfRecovery, lostInFaults } from './studies/drills';
import { lessCpuWithPatches } from './studies/expressions';
import { heapMapAnswer, mapParts } from './studies/heap-map';
import { limits, namedLimits } from './studies/limits';
import { workersPayOff } from './studies/queue';
import { largestError, staircaseAnswer } from './studies/search';
import { smallPods } from './studies/small-pods';
import { gainOfDefault, pairedGain } from './studies/tuning';
import { linksFrom, pathOfPage, type StudyPage } from './study-page';

interface Measured {
  study: string;
  question: string;
  /** The figure in a form short enough for a table. */
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
      'For short workflows, you get most of the gain from [variables that you can copy](docs/only-settings.md).',
    study: 'charts',
    question: 'How many more requests does this chart handle than the official chart?',
    figure: of('tuned'),
    text: `With the same limits per pod, this chart handles ${of('tuned')} as many requests as the official chart, for the last-node workload in regular mode. If you only set the environment variables of this chart in the official chart, the ratio is ${number(peer('last-node', 'regular', 'official-same').comparison.ratio.value)}x.`,
    record: peer('last-node', 'regular', 'tuned').file,
  };
}

function settings(): Measured {
  const path = (name: string): string => `studies/comparisons/results/${name}/compare.json`;
  const of = (name: string): string => ratioText(readJson<CompareRecord>(path(name)));
  return {
    means:
      'The gain depends on the workflow, so [compare](docs/compare.md) both settings with your own workflow.',
    study: 'comparisons',
    question: "How much faster is n8n with this chart's settings?",
    figure: of('last-node-regular'),
    text: `For the last-node workload, one n8n process handles ${of('last-node-regular')} as many requests with this chart's settings as with n8n's defaults. For a workflow that waits 5 s, the ratio is ${of('wait-regular')}.`,
    record: path('last-node-regular'),
  };
}

const withoutPatches = (): string => lessCpuWithPatches().replace(/ less$/, '');

const expressions = (): Measured => ({
  means:
    '[The patches](docs/chart/patches.md) are on by default, and you can turn off each of them.',
  study: 'isolates',
  question: 'How much CPU do the patches save for expressions?',
  figure: `${withoutPatches()} as much CPU without patches`,
  text: `Without the patches, a sandbox and its expressions use ${withoutPatches()} as much CPU. In pods, with ten expressions per request, this chart handles ${ratioText(peer('expressions', 'regular', 'tuned').comparison)} as many requests as the official chart.`,
  record: 'studies/isolates/results/record.json',
});

interface Rollouts {
  versions?: { n8n: string };
  runs: { side: string; requests: number; right: number }[];
}
const ROLLOUTS = 'studies/charts/results/rollouts.json';

/** Older records of rollouts do not name the n8n. */
export const n8nOfRollouts = (): string | null =>
  readJson<Rollouts>(ROLLOUTS).versions?.n8n ?? null;

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
      'The chart gives each process enough time to finish [its running executions](docs/chart/upgrade.md#what-happens-to-running-work).',
    study: 'charts',
    question: 'How many requests are lost during a rollout of webhook processors?',
    figure: `${lost('the chart')}; ${lost("n8n's own")} with n8n's own settings`,
    text: `With n8n's own settings, ${lost("n8n's own")} requests were lost in ${number(rolloutsOfEach())} rollouts. In half of these rollouts, the pods had little CPU. With the chart's settings, ${lost('the chart')} requests were lost.`,
    record: ROLLOUTS,
  };
}

function faults(): Measured {
  const lost = lostInFaults;
  return {
    means:
      'No setting restores the executions of a process that died. [Recovery](docs/recovery.md) runs them again.',
    study: 'drills',
    question: 'How many requests are lost when a fault occurs under load?',
    figure: `${lost('recovery')} with recovery; ${lost('as-it-comes')} with n8n's own settings`,
    text: `With n8n's own settings, ${lost('as-it-comes')} requests that were exposed to a fault were lost. With the chart's defaults, ${lost('defaults')} were lost. With recovery, ${lost('recovery')} ${lost('recovery').startsWith('1 ') ? 'was' : 'were'} lost.${caveatOfRecovery()}`,
    record: 'studies/drills/results/parts/kill-worker-process-recovery-1.json',
  };
}

const search = (): Measured => ({
  means: 'For planning, use the interval that the search reports on your machine.',
  study: 'known-capacity',
  question: 'How accurate is the capacity from `find`?',
  figure: largestError(),
  text: `${largestError()} ${staircaseAnswer()}`,
  record: 'studies/known-capacity/results/waiting.json',
});

const bottleneck = (): Measured => ({
  means:
    'Every report shows [the current limit and the next limit](docs/read-a-report.md#what-limited-n8n).',
  study: 'planted-limits',
  question: 'Do reports identify the right bottleneck?',
  figure: namedLimits(),
  text: `We created one bottleneck at a time in a real system with n8n, its task runner, PostgreSQL and Redis. The report identified the bottleneck in ${namedLimits()} cases.`,
  record: 'studies/planted-limits/results/record.json',
});

function ownProcess(): Measured {
  const path = (name: string): string => `studies/closed-loop/results/legacy-${name}/run.json`;
  const [main, own] = [runAt(path('main')), runAt(path('own'))];
  const memory = (run: typeof main): number =>
    sum(run.summary.roles.map(({ role, rssPeakMiB }) => (role === 'main' ? (rssPeakMiB ?? 0) : 0)));
  const rate = main.summary.achieved.ratePerSecond / own.summary.achieved.ratePerSecond;
  return {
    means: 'n8n 1.0 and newer always use one process for all executions.',
    study: 'own-main',
    question: 'What does one process per execution cost in n8n before 1.0?',
    figure: `one shared process handles ${number(rate)}x as many requests`,
    text: `With one process for all executions, n8n handled ${number(rate)}x as many requests as with one process per execution, which used ${number(memory(own) / memory(main))}x as much memory.`,
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
      'When does a main with workers handle more load than a single process?',
      'studies/queue/results/queue/sweep.json',
      () => ({ sentence: workersPayOff() }),
      'Workflows that wait for other systems benefit most.',
    ),
  () =>
    answered(
      'small-pods',
      'How little memory and CPU does n8n need?',
      'studies/small-pods/results/parts/memory-main.json',
      smallPods.answer,
      '[Tuning](docs/chart/tuning.md#memory) explains how to reduce memory usage, and at what cost.',
    ),
  () =>
    answered(
      'heap',
      "How much of a container can n8n's heap use?",
      'studies/heap/results/map/parts/held-main.json',
      () => heapMapAnswer(mapParts()),
      'The chart stays below both limits.',
    ),
  search,
  bottleneck,
  () =>
    answered(
      'limits',
      'How close does n8n get to the limits of its queue and database?',
      'studies/limits/results/limits/sweep.json',
      limits.answer,
      "n8n's own work accounts for most of the time per job.",
    ),
  ownProcess,
];

const PAGE = 'docs/measured.md';
const leads = ({ study, record }: Measured): string =>
  `[study](${pathOfPage({ study })}), ${link(record)}`;

export function measured(): Generated {
  const text = `# What we measured

<!-- Written by lab/generate/all.ts from the records of studies. -->

Every figure on this page comes from a record in this repository. We used small machines, usually with two cores that n8n and the load generator
shared. On your system, both the figures and the ratios will differ: measure your own with \`n8n-tuned\`. A range in brackets is the 95% interval, or the range over several rounds. [The overview of studies](studies/README.md) explains how to repeat each study. Some tests also [keep records](docs/records/README.md).

${MEASURED.map((make) => make())
  .map((one) => `## ${one.question}\n\n${one.text} ${one.means} (${leads(one)})`)
  .join('\n\n')}
`;
  return { files: { [PAGE]: linksFrom(PAGE, text) } };
}

/** What README.md does not say elsewhere, and what nobody asks who deploys n8n. */
const NOT_IN_TABLE = ['charts', 'drills', 'limits', 'own-main'];

/** One comparison on several days: a ratio does not carry over as it is. */
function betweenDays(): string {
  const path = 'studies/comparisons/results/last-node-regular/compare.json';
  const { startedAt } = readJson<CompareRecord>(path);
  const [paired, single] = [pairedGain(), gainOfDefault()];
  return `The first row was measured on ${startedAt.slice(0, 10)}. The same comparison on ${paired.day} gave ${paired.ratio} (${link(paired.path)}), and a single run of each side on ${single.day} gave ${single.ratio} (${link(single.path)}).
On a different type of machine, the ratio can differ more: use \`n8n-tuned compare\` on yours.`;
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
