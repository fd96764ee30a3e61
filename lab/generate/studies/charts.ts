// This chart and others on one cluster: loaded in turns, and through what happens to pods; and its two task runners.
import {
  CONTENDERS,
  contenders,
  MODES,
  pairsOf,
  WORKLOADS,
  type Contender,
} from '../../../studies/charts/sittings';
import { limitName } from '../../../cli/src/analysis/limits/table';
import type { CompareRecord, Side } from '../../../cli/src/features/compare/record';
import { has, link, median, number, readJson, seconds, spread, tableOf } from '../records';
import type { StudyPage } from '../study-page';
import { distinct, sum } from '../sweeps';
import { ratioText } from './capacity';

interface PeerRun {
  ratePerSecond: number | null;
  p95Ms: number | null;
  cpuMillisecondsPerRequest: number | null;
  memoryMiB: number | null;
  wrong: number;
  unanswered: number;
}
interface PeerSide extends Side {
  chart: string;
  runs: never;
}
export interface Peer {
  file: string;
  mode: string;
  contender: Contender;
  startedAt: string;
  comparison: Pick<CompareRecord, 'answer' | 'ratio' | 'workload' | 'versions'>;
  a: Omit<PeerSide, 'runs'> & { runs: (PeerRun | null)[] };
  b: Omit<PeerSide, 'runs'> & { runs: (PeerRun | null)[] };
}

const fileOf = (workload: string, mode: string, contender: string): string =>
  `studies/charts/results/peers/${workload}-${mode}-${contender}.json`;
export const peer = (workload: string, mode: string, contender: string): Peer => ({
  ...readJson<Peer>(fileOf(workload, mode, contender)),
  file: fileOf(workload, mode, contender),
});

/** With which n8n these were measured. */
export const n8nOfPeers = (all: readonly Peer[]): string[] =>
  distinct(all.flatMap(({ comparison }) => comparison.versions['n8n'] ?? []));

const allPeers = (): Peer[] =>
  MODES.flatMap((mode) =>
    WORKLOADS.flatMap((workload) =>
      contenders
        .filter((contender) => has(fileOf(workload, mode, contender)))
        .map((contender) => peer(workload, mode, contender)),
    ),
  );

type PeerSides = Peer['a'];
const known = ({ runs }: PeerSides, key: keyof PeerRun): number[] =>
  runs.flatMap((run) => run?.[key] ?? []);
const hasResponses = (side: PeerSides): boolean =>
  known(side, 'ratePerSecond').some((rate) => rate > 0);
const workloadOf = ({ comparison }: Peer): string => comparison.workload.name;
/** If the official chart had no expected response, a ratio says nothing. */
const compared = (record: Peer): string =>
  hasResponses(record.a)
    ? ratioText(record.comparison)
    : 'no ratio: the official one had no expected response';
export const middle = (side: PeerSides, key: keyof PeerRun): string =>
  known(side, key).length === 0 ? '-' : number(median(known(side, key)));

/** What a side ran into first; of several, in how many of its runs each. */
function limitsOf({ limits = [] }: PeerSides): string {
  const names = limits.flatMap((one) => (one === null ? [] : [limitName(one.limit)]));
  const timesOf = (name: string): number => names.filter((one) => one === name).length;
  const kinds = distinct(names).toSorted((a, b) => timesOf(b) - timesOf(a));
  if (kinds.length <= 1) return kinds[0] ?? 'not known';
  return kinds
    .map((name) => `${name} in ${number(timesOf(name))} of ${number(names.length)}`)
    .join(', ');
}

export const peersTable = (records: readonly Peer[]): string =>
  tableOf(records, {
    workload: workloadOf,
    chart: ({ contender, b }) => `${CONTENDERS[contender]} (${b.chart})`,
    'of the official one, 95% interval': compared,
    'expected responses per second': ({ a, b }) =>
      [b, a].map((side) => spread(known(side, 'ratePerSecond'))).join('; '),
    'p95, ms': ({ a, b }) => [b, a].map((side) => middle(side, 'p95Ms')).join('; '),
    "n8n's CPU per request, ms": ({ a, b }) =>
      [b, a].map((side) => middle(side, 'cpuMillisecondsPerRequest')).join('; '),
    "n8n's memory, MiB": ({ a, b }) => [b, a].map((side) => middle(side, 'memoryMiB')).join('; '),
    'wrong or no response': ({ a, b }) =>
      [b, a]
        .map((side) => number(sum(known(side, 'wrong')) + sum(known(side, 'unanswered'))))
        .join('; '),
    'first limit': ({ b }) => limitsOf(b),
    pairs: (record) => pairsOf(record),
    '': ({ file }) => link(file),
  });

const sideBySide = (): string => `## This chart and others on one cluster

Each row is one comparison by \`n8n-tuned compare\` with the official chart as it comes. Both ran at the same time and were
loaded in turns. Both had the CPU and memory per pod of the official chart, the same stores and the same n8n. Figures are
the median of the turns, for the rates also from the least to the most: first those of the chart of the row, then those of the
official one in the same turns. The first limit is what a run of the chart of the row used up first; the CPU of the machine is
used by the load generator and the stores too. The official chart was measured in release 1.11.0, the newest one that could be
had as a whole ([what was read of later ones](studies/charts/peers.md#the-official-chart-after-1110)).

${MODES.map(
  (mode) => `### In ${mode} mode\n\n${peersTable(allPeers().filter((one) => one.mode === mode))}`,
).join('\n\n')}

${sameVariables(allPeers())}`;

/**
 * What the choice of environment variables is worth, and what is left for the chart and its patches. A difference of the two
 * rows is told only where their intervals are apart.
 */
export function sameVariables(records: readonly Peer[]): string {
  const cases = records.flatMap((same) => {
    if (same.contender !== 'official-same') return [];
    const ours = records.find(
      (one) =>
        one.contender === 'tuned' &&
        one.mode === same.mode &&
        workloadOf(one) === workloadOf(same) &&
        one.startedAt === same.startedAt,
    );
    return ours === undefined ? [] : [{ same, ours }];
  });
  return `### What the variables alone are worth

The official chart with the environment variables of ours, and ours, each compared with the official chart as it comes in
the same turns. A difference between the two is told only where their intervals do not overlap, which is stricter
than a direct comparison of the two. What is left is for the rest of the chart, above all its [patches](docs/chart/patches.md).

${tableOf(cases, {
  workload: ({ same }) => workloadOf(same),
  mode: ({ same }) => same.mode,
  'the variables alone': ({ same }) => compared(same),
  ours: ({ ours }) => compared(ours),
  'left for the chart and its patches': ({ same, ours }) => leftFor(same, ours),
  records: ({ same, ours }) => [same, ours].map(({ file }) => link(file)).join(' '),
})}`;
}

function leftFor(same: Peer, ours: Peer): string {
  if (!hasResponses(same.a)) return 'no ratio';
  const [without, all] = [same.comparison.ratio, ours.comparison.ratio];
  const [highWithout, highAll] = [without.high as number | null, all.high as number | null];
  if (highWithout === null || highAll === null) return 'not known: too few pairs';
  if (all.low <= highWithout && without.low <= highAll) return 'no difference is shown';
  return `${number(all.value / without.value)}x`;
}

const FOLDER = 'studies/charts/results';
interface Answers {
  requests: number;
  lost: number;
  clients: number;
  workload: string;
  runs: { ratePerSecond: number; maxMs: number; cpuMillisecondsPerRequest: number }[];
}
function everyCaller(): string {
  const path = `${FOLDER}/answers.json`;
  const { requests, lost, clients, workload, runs } = readJson<Answers>(path);
  return `## Every caller gets a response

In queue mode with every patch, the \`throughput\` profile gave ${number(clients)} clients of ${workload} ${spread(runs.map((run) => run.ratePerSecond))}/s at ${spread(runs.map((run) => run.cpuMillisecondsPerRequest))} ms of CPU per request.
Of ${number(requests)} requests, ${number(lost)} had no expected response; the longest wait was ${number(Math.max(...runs.map((run) => run.maxMs)))} ms. ${link(path)}`;
}

interface Waiting {
  clients: string;
  runs: {
    tuning: string;
    n8n: string;
    requests: number;
    ratePerSecond: number;
    errors: { byKind: Record<string, number> };
    main: { oomKills: number; rssPeakMiB: number };
  }[];
}
/** Why a row of the comparison has no expected response. */
function waiting(): string {
  const path = `${FOLDER}/waiting.json`;
  const { clients, runs } = readJson<Waiting>(path);
  return `## ${clients} callers of work that takes 5 s

This experiment shows the likely reason why a chart has no expected response there in regular mode. One process of n8n ran on this
machine, not in a pod, with the CPU and the memory of a pod of the comparison. As it comes, n8n builds a sandbox for expressions for every execution
and keeps it until the execution ends. The record does not have the CPU per request.

${tableOf(runs, {
  settings: ({ tuning }) => (tuning === 'none' ? 'n8n as it comes' : `the profile ${tuning}`),
  requests: ({ requests }) => requests,
  'expected responses per second': ({ ratePerSecond }) => number(ratePerSecond),
  errors: ({ errors }) => kindsOf(Object.entries(errors.byKind)),
  'killed for memory': ({ main }) => main.oomKills,
  'most memory': ({ main }) => `${number(main.rssPeakMiB)} MiB`,
})}

${link(path)}`;
}

function kindsOf(entries: readonly [string, number][]): string {
  const kinds = distinct(entries.map(([kind]) => kind)).toSorted();
  const count = (kind: string): number =>
    sum(entries.filter(([one]) => one === kind).map(([, times]) => times));
  return kinds.map((kind) => `${kind} ${number(count(kind))}`).join(', ') || 'none';
}

interface RolloutRun {
  side: string;
  cores?: number | null;
  requests: number;
  right: number;
  wrong: Record<string, number>;
}
interface Rollouts {
  runs: RolloutRun[];
  callers: number;
  pauseMs?: number;
  workload: string;
  settings: Record<string, string[]>;
  conditions: string;
}
const settingsText = ({ settings }: Rollouts): string =>
  Object.entries(settings)
    .map(([side, set]) => `${side}: ${set.map((one) => `\`${one}\``).join(', ')}`)
    .join('; ');
const LOSSES = {
  rollouts: ({ runs }: { runs: RolloutRun[] }) => runs.length,
  requests: ({ runs }: { runs: RolloutRun[] }) => number(sum(runs.map(({ requests }) => requests))),
  'error or no response': ({ runs }: { runs: RolloutRun[] }) =>
    number(sum(runs.map(({ requests, right }) => requests - right))),
  how: ({ runs }: { runs: RolloutRun[] }) =>
    kindsOf(runs.flatMap(({ wrong }) => Object.entries(wrong))),
};

/** Callers that keep their connections, while the pods that they are connected to are replaced. */
function rollouts(): string {
  const path = `${FOLDER}/rollouts.json`;
  const record = readJson<Rollouts>(path);
  const rows = distinct(record.runs.map(({ cores }) => cores)).flatMap((cores) =>
    Object.keys(record.settings).map((side) => ({
      ...{ cores, side },
      runs: record.runs.filter((run) => run.side === side && run.cores === cores),
    })),
  );
  return `## Rollouts

Two webhook processors are replaced while ${number(record.callers)} callers call ${record.workload}. Each keeps its connection, never repeats a request,
and waits a second between a response and its next request. With little CPU n8n's event loops stall for seconds, as they
do on a node that starts many pods at once. In turns, with these settings: ${settingsText(record)}. ${record.conditions}

${tableOf(rows, {
  'cores of all pods': ({ cores }) => (cores == null ? 'all that the node has' : number(cores)),
  settings: ({ side }) => side,
  ...LOSSES,
})}

${link(path)}`;
}

/** What becomes of the jobs of workers that are replaced under load. */
function workerEnds(): string {
  const path = `${FOLDER}/worker-ends.json`;
  const record = readJson<Rollouts>(path);
  const rows = Object.keys(record.settings).map((side) => ({
    ...{ side, runs: record.runs.filter((run) => run.side === side) },
  }));
  return `## Workers that end

Two workers are replaced while ${number(record.callers)} callers call ${record.workload}, each again ${number(record.pauseMs)} ms after its last response, so that a worker
has jobs when it has to end. "200 without data" is n8n's response for an execution that its worker could not store: nothing was
executed. In turns, with these settings: ${settingsText(record)}
([what it changes](docs/chart/patches.md#finish-jobs)). ${record.conditions}

${tableOf(rows, { settings: ({ side }) => side, ...LOSSES })}

${link(path)}`;
}

export const charts: StudyPage = {
  study: 'charts',
  answer: () => {
    const inBoth = (workload: string): string =>
      `${workload} ${ratioText(peer(workload, 'regular', 'tuned').comparison)} in regular mode, ${ratioText(peer(workload, 'queue', 'tuned').comparison)} in queue mode`;
    return {
      sentence:
        'It responds to more requests per second than the official chart with the same limits per pod.',
      ours: `${inBoth('last-node')}; ${inBoth('expressions')}`,
    };
  },
  parts: [sideBySide, waiting, everyCaller, rollouts, workerEnds],
};

interface Turn extends PeerRun {
  workload: string;
}
interface Hog {
  requests: number;
  wrong: number;
  unanswered: number;
  restarts: number;
  outOfMemory: string[];
}
const SIDES = ['internal', 'external'] as const;
interface TaskRunners {
  clients: number;
  turnSeconds: number;
  loads: { workload: string }[];
  beside: { workload: string; clients: number; seconds: number };
  blocks: { sides: Record<(typeof SIDES)[number], { turns: Turn[]; hog?: Hog }> }[];
}

function inMode(mode: string): string {
  const path = `studies/task-runners/results/${mode}.json`;
  const { blocks, loads, clients, turnSeconds, beside } = readJson<TaskRunners>(path);
  const turnsOf = (side: (typeof SIDES)[number], workload: string): Turn[] =>
    blocks.flatMap(({ sides }) => sides[side].turns.filter((turn) => turn.workload === workload));
  const rows = loads.flatMap(({ workload }) =>
    SIDES.map((side) => {
      const [own, internal] = [turnsOf(side, workload), turnsOf('internal', workload)];
      const of = (
        key: 'ratePerSecond' | 'p95Ms' | 'cpuMillisecondsPerRequest' | 'memoryMiB',
      ): string => spread(own.map((turn) => turn[key] ?? NaN));
      const ratios = own
        .slice(0, internal.length)
        .map((turn, at) => (turn.ratePerSecond ?? NaN) / (internal[at]?.ratePerSecond ?? NaN));
      return { workload, side, own, of, ratios };
    }),
  );
  const hogs = SIDES.map((side) => ({
    ...{ side, seen: blocks.flatMap(({ sides }) => sides[side].hog ?? []) },
  })).filter(({ seen }) => seen.length > 0);
  const total = (seen: readonly Hog[], figure: (hog: Hog) => number): number =>
    sum(seen.map(figure));
  return `## In ${mode} mode

${number(clients)} clients, turns of ${seconds(turnSeconds)}.

${tableOf(rows, {
  workload: ({ workload }) => workload,
  runner: ({ side }) => side,
  'expected responses': ({ of }) => `${of('ratePerSecond')}/s`,
  'of internal': ({ ratios }) => spread(ratios),
  p95: ({ of }) => `${of('p95Ms')} ms`,
  'CPU of all containers per request': ({ of }) => `${of('cpuMillisecondsPerRequest')} ms`,
  'memory of all containers': ({ of }) => `${of('memoryMiB')} MiB`,
  errors: ({ own }) => sum(own.map(({ wrong, unanswered }) => wrong + unanswered)),
})}

Beside the hog, ${number(beside.clients)} clients on ${beside.workload} for ${seconds(beside.seconds)}:

${tableOf(hogs, {
  runner: ({ side }) => side,
  requests: ({ seen }) => total(seen, ({ requests }) => requests),
  'without the expected response': ({ seen }) => total(seen, (hog) => hog.wrong + hog.unanswered),
  'restarts of containers': ({ seen }) => total(seen, ({ restarts }) => restarts),
  'killed for memory': ({ seen }) =>
    distinct(seen.flatMap(({ outOfMemory }) => outOfMemory))
      .toSorted()
      .join(', ') || 'none',
})}

${link(path)}`;
}

export const taskRunners: StudyPage = {
  study: 'task-runners',
  parts: [
    () => `Both in real pods with the same total memory, in turns: medians of the turns, and from the least to the most. The external
one runs with a stand-in for n8n's launcher ([what that is](docs/chart/task-runners.md#what-is-tested)). Then the workflow
\`memory-hog\` builds 512 MB every 5 s beside Code nodes of 5 s.`,
    () => inMode('regular'),
    () => inMode('queue'),
  ],
};
