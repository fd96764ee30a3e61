// What was measured, in twelve answers: docs/measured.md, and six of them in the table of README.md.
import type { CompareRecord } from '../../cli/src/features/compare/record';
import { versionsAt } from './conditions';
import {
  link,
  listed,
  number,
  outOf,
  range,
  rangeOf,
  readJson,
  runAt,
  table,
  type Generated,
} from './records';
import { onRealN8n, worstAgainstStaircase } from './studies/answers';
import { ratioText } from './studies/capacity';
import { peer } from './studies/charts';
import { lostInFaults, lostShare, spreadOfFaults, stillRunning } from './studies/drills';
import { lessCpuWithPatches } from './studies/expressions';
import { heapMapAnswer, mapParts } from './studies/heap-map';
import { limits, namedLimits, namedLimitsInterval, nearestLimit } from './studies/limits';
import { workersPayOff } from './studies/queue';
import { largest, largestError } from './studies/search';
import { smallPods } from './studies/small-pods';
import { gainOfDefault, pairedGain } from './studies/tuning';
import { sum } from './sweeps';
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
  /** The figure is computed from this record and all others of the study. */
  isOneOfMany?: true;
}

function chart(): Measured {
  const of = (contender: string): string =>
    ratioText(peer('last-node', 'regular', contender).comparison);
  return {
    means:
      'For short workflows, you get most of the gain from [variables that you can copy](docs/only-settings.md).',
    study: 'charts',
    question: 'How many more requests does this chart handle than the official chart?',
    figure: of('tuned'),
    text: `With the same limits per pod, this chart handles ${of('tuned')} as many requests as the official chart, for the last-node workload in regular mode.`,
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
    text: `For the last-node workload, one n8n process handles ${of('last-node-regular')} as many requests with this chart's settings as with n8n's defaults. ${otherDays()}`,
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
  text: `Without the patches, a sandbox and its expressions use ${withoutPatches()} as much CPU.`,
  record: 'studies/isolates/results/record.json',
});

type Side = 'the chart' | "n8n's own";
interface Rollouts {
  versions?: { n8n: string };
  runs: { side: Side; requests: number; right: number }[];
  /** Values of this chart, as `path=value`. */
  settings: Record<Side, string[]>;
}
const ROLLOUTS = 'studies/charts/results/rollouts.json';

/** Older records of rollouts do not name the n8n. */
export const n8nOfRollouts = (): string | null =>
  readJson<Rollouts>(ROLLOUTS).versions?.n8n ?? null;

export const rolloutsOfEach = (): number => readJson<Rollouts>(ROLLOUTS).runs.length / 2;

/** What the two sides differ in. */
export const valuesOfRollouts = (): string =>
  listed(
    readJson<Rollouts>(ROLLOUTS).settings["n8n's own"].map(
      (value) => `\`${value.replace(/=.*$/, '')}\``,
    ),
  );

const runsOf = (side: Side): Rollouts['runs'] =>
  readJson<Rollouts>(ROLLOUTS).runs.filter((run) => run.side === side);

/** Every response but the expected one counts, and every missing one: the work may be done all the same. */
export function errorsInRollouts(side: Side): string {
  const own = runsOf(side);
  const asked = sum(own.map(({ requests }) => requests));
  return outOf(asked - sum(own.map(({ right }) => right)), asked);
}

function rollouts(): Measured {
  const errors = errorsInRollouts;
  const each = runsOf("n8n's own").map(({ requests, right }) => requests - right);
  const withChart = errors('the chart').startsWith('0 ') ? 'none did' : errors('the chart');
  return {
    means: `With the chart's values, ${withChart}, and [running work](docs/chart/upgrade.md#what-happens-to-running-work) can finish.`,
    study: 'charts',
    question: 'How many callers get an error during a rollout of webhook processors?',
    figure: `${errors('the chart')}; ${errors("n8n's own")} with n8n's own settings`,
    text: `With n8n's own values of ${valuesOfRollouts()}, ${errors("n8n's own")} requests in ${number(rolloutsOfEach())} rollouts of this chart got an error or no response (${rangeOf(each)} per rollout).`,
    record: ROLLOUTS,
  };
}

function faults(): Measured {
  const lost = lostInFaults;
  const spread = range(spreadOfFaults('as-it-comes'));
  const less = lostShare('defaults') < lostShare('as-it-comes') ? 'fewer' : 'about as many';
  return {
    means: `With the chart's defaults, ${less} are lost: only [recovery](docs/recovery.md) reruns the executions of a process that died.`,
    study: 'drills',
    question: 'How much accepted work is lost when a fault occurs under load?',
    figure: `${lost('recovery')} with recovery; ${lost('as-it-comes')} with n8n's own settings`,
    text: `With n8n's own settings, n8n never finished the work of ${lost('as-it-comes')} requests that were exposed to a fault (${spread} per drill).${stillRunning()}`,
    record: 'studies/drills/results/parts/kill-worker-process-as-it-comes-1.json',
    isOneOfMany: true,
  };
}

/** What servers of known capacity do not show: a real n8n is harder to measure. */
function search(): Measured {
  if (worstAgainstStaircase() <= largest())
    throw new Error(
      'the staircases agree as well as the servers: say so in lab/generate/measured.ts',
    );
  const text = `${largestError()} ${onRealN8n()}`;
  return {
    means: `[Each comparison](${pathOfPage({ study: 'answers' })}) is in its study; plan with the interval that the search reports.`,
    study: 'known-capacity',
    question: 'How accurate is the capacity from `find`?',
    figure: text,
    text,
    record: 'studies/known-capacity/results/waiting.json',
  };
}

const bottleneck = (): Measured => ({
  means:
    'The reports of runs and searches show [the current limit and the next limit](docs/read-a-report.md#what-limited-n8n).',
  study: 'planted-limits',
  question: 'Do reports identify the right bottleneck?',
  figure: namedLimits(),
  text: `In a real system with one bottleneck at a time, the report identified the bottleneck in ${namedLimits()} cases (${namedLimitsInterval()}).`,
  record: 'studies/planted-limits/results/record.json',
});

function ownProcess(): Measured {
  const path = (name: string): string => `studies/closed-loop/results/legacy-${name}/run.json`;
  const [main, own] = [runAt(path('main')), runAt(path('own'))];
  const rate = main.summary.achieved.ratePerSecond / own.summary.achieved.ratePerSecond;
  return {
    means: 'Newer versions always use one process for all executions.',
    study: 'own-main',
    question: 'What does one process per execution cost in n8n before 1.0?',
    figure: `one shared process handles ${number(rate)}x as many requests`,
    text: `With one process for all executions, n8n handled ${number(rate)}x as many requests as with one process per execution (one run of each).`,
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
      workersPayOff,
      workersPayOff().means,
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
      () => ({ sentence: heapMapAnswer(mapParts()).heap, ours: heapMapAnswer(mapParts()).max }),
      "The chart's default heap limit is lower.",
    ),
  search,
  bottleneck,
  () =>
    answered(
      'limits',
      'How close does n8n get to the limits of its queue and database?',
      'studies/limits/results/limits/sweep.json',
      () => ({ ...limits.answer?.(), sentence: nearestLimit() }),
      "n8n's own work accounts for most of the time per job.",
    ),
  ownProcess,
];

const PAGE = 'docs/measured.md';
function leads({ study, record, isOneOfMany }: Measured): string {
  const records =
    isOneOfMany === true ? `[records](studies/${study}/results.jsonl.gz)` : link(record);
  return `[study](${pathOfPage({ study })}), ${records}`;
}

/** The n8n of a record that has not the one of most. */
function otherN8n({ record }: Measured, common: string): string {
  const n8n = versionsAt(record);
  return n8n.length === 0 || n8n.includes(common) ? '' : ` with n8n ${listed(n8n)}`;
}

/** The n8n of most records. */
function commonN8n(all: readonly Measured[]): string {
  const named = all.flatMap(({ record }) => versionsAt(record));
  const count = (one: string): number => named.filter((other) => other === one).length;
  return named.toSorted((one, other) => count(other) - count(one))[0] ?? '';
}

export function measured(): Generated {
  const all = MEASURED.map((make) => make());
  const common = commonN8n(all);
  const text = `# What we measured

<!-- Written by lab/generate/all.ts from the records of studies. -->

Every figure on this page comes from a record in this repository. We used small machines, usually with two cores that n8n and the load generator
shared. On your system, both the figures and the ratios will differ, so measure your own with \`n8n-tuned\`. Where a record names an n8n version, it is ${common}, unless the answer says otherwise. A range in brackets, if not explained, is the 95% interval, or the range over several rounds. [Studies](studies/README.md) can be repeated; [records of the tests](docs/records/README.md) have other measurements.

${all
  .map(
    (one) =>
      `## ${one.question}\n\n${one.text} ${one.means} (${leads(one)}${otherN8n(one, common)})`,
  )
  .join('\n\n')}
`;
  return { files: { [PAGE]: linksFrom(PAGE, text) } };
}

/** What README.md does not say elsewhere, and what nobody asks who deploys n8n. */
const NOT_IN_TABLE = ['charts', 'drills', 'limits', 'own-main'];

/** One comparison on several days: a ratio does not carry over as it is. */
function otherDays(): string {
  const [paired, single] = [pairedGain(), gainOfDefault()];
  return `The same comparison on ${paired.day} gave ${paired.ratio} (${link(paired.path)}), and a single run of each configuration on ${single.day} gave ${single.ratio} (${link(single.path)}).`;
}

function betweenDays(): string {
  const path = 'studies/comparisons/results/last-node-regular/compare.json';
  const { startedAt } = readJson<CompareRecord>(path);
  return `The first row was measured on ${startedAt.slice(0, 10)}. ${otherDays()}`;
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
