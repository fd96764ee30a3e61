// This chart and others on one cluster: loaded in turns, and through what happens to pods; and its two task runners.
import {
  CONTENDERS,
  contenders,
  MODES,
  WORKLOADS,
  type Contender,
} from '../../../studies/charts/sittings';
import type { CompareRecord, Side } from '../../../cli/src/features/compare/record';
import { columns, has, link, median, number, readJson, seconds, spread, tableOf } from '../records';
import type { StudyPage } from '../study-page';
import { distinct, grouped, sum } from '../sweeps';
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
  hasResponses(record.a) ? ratioText(record.comparison) : 'no ratio';
export const middle = (side: PeerSides, key: keyof PeerRun): string =>
  known(side, key).length === 0 ? '-' : number(median(known(side, key)));

/** Those of one workload in one mode, by their charts. */
interface Case {
  workload: string;
  mode: string;
  at: (contender: Contender) => Peer | undefined;
}
const casesOf = (records: readonly Peer[]): Case[] =>
  [...grouped(records, (one) => `${one.mode} ${workloadOf(one)}`).values()].flatMap((own) =>
    own[0] === undefined
      ? []
      : [
          {
            ...{ workload: workloadOf(own[0]), mode: own[0].mode },
            at: (contender) => own.find((one) => one.contender === contender),
          },
        ],
  );

/** Each chart over the official one; a part of the gain is left for the chart and its patches where the intervals are apart. */
export function peersTable(records: readonly Peer[]): string {
  const charts = (['official-same', 'tuned', 'community'] as const).filter((contender) =>
    records.some((one) => one.contender === contender),
  );
  const nameOf = (contender: Contender): string =>
    `${CONTENDERS[contender]} (${records.find((one) => one.contender === contender)?.b.chart ?? ''})`;
  const both =
    (key: keyof PeerRun) =>
    ({ at }: Case): string | null => {
      const ours = at('tuned');
      return ours === undefined
        ? null
        : [ours.a, ours.b].map((side) => middle(side, key)).join('; ');
    };
  return tableOf(casesOf(records), {
    workload: ({ workload }) => workload,
    mode: ({ mode }) => mode,
    ...columns(charts, nameOf, ({ at }: Case, contender) => {
      const found = at(contender);
      return found === undefined ? null : compared(found);
    }),
    'left for the chart and its patches': ({ at }) => leftFor(at('official-same'), at('tuned')),
    'official; ours: responses per second': both('ratePerSecond'),
    'CPU per request, ms': both('cpuMillisecondsPerRequest'),
  });
}

const sideBySide = (): string => `## This chart and others on one cluster

Each figure is the ratio to the official chart as it comes, with its 95% interval, by \`n8n-tuned compare\`. Both charts were up at the same time, loaded in turns, with the CPU and memory per
pod of the official chart, the same stores and the same n8n. What is left for the chart and its [patches](docs/chart/patches.md) is told only where
the intervals do not overlap, which is stricter than a direct comparison. There is no ratio where the official one had no expected response. The official chart was measured in release 1.11.0, the newest one that could be
had as a whole ([what was read of later ones](studies/charts/peers.md#the-official-chart-after-1110)).

${peersTable(allPeers())}

A record is \`peers/WORKLOAD-MODE-CHART\`, such as this ${link(fileOf('last-node', 'regular', 'tuned'))}, and has the other figures of each side; the profile throughput is there as well.`;

function leftFor(same: Peer | undefined, ours: Peer | undefined): string {
  if (same?.startedAt !== ours?.startedAt || same === undefined || ours === undefined)
    return 'not in one sitting';
  if (!hasResponses(same.a)) return 'no ratio';
  const [without, all] = [same.comparison.ratio, ours.comparison.ratio];
  const [highWithout, highAll] = [without.high as number | null, all.high as number | null];
  if (highWithout === null || highAll === null) return 'not known: too few pairs';
  if (all.low <= highWithout && without.low <= highAll) return 'no difference is shown';
  return `${number(all.value / without.value)}x`;
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

/** What becomes of requests while pods are replaced under load, by settings in turns. */
function replaced(
  title: string,
  name: string,
  text: (record: Rollouts) => string,
  more: Record<string, (row: { cores: number | null | undefined }) => string> = {},
): string {
  const path = `studies/charts/results/${name}.json`;
  const record = readJson<Rollouts>(path);
  const rows = distinct(record.runs.map(({ cores }) => cores)).flatMap((cores) =>
    Object.keys(record.settings).map((side) => ({
      ...{ cores, side },
      runs: record.runs.filter((run) => run.side === side && run.cores === cores),
    })),
  );
  const settings = Object.entries(record.settings)
    .map(([side, set]) => `${side}: ${set.map((one) => `\`${one}\``).join(', ')}`)
    .join('; ');
  return `## ${title}

${text(record)} In turns, with these settings: ${settings}. ${record.conditions}

${tableOf(rows, {
  ...more,
  settings: ({ side }) => side,
  rollouts: ({ runs }) => runs.length,
  requests: ({ runs }) => number(sum(runs.map(({ requests }) => requests))),
  'error or no response': ({ runs }) =>
    number(sum(runs.map(({ requests, right }) => requests - right))),
  how: ({ runs }) => kindsOf(runs.flatMap(({ wrong }) => Object.entries(wrong))),
})}

${link(path)}`;
}

/** Callers that keep their connections, while the pods that they are connected to are replaced. */
const rollouts = (): string =>
  replaced(
    'Rollouts',
    'rollouts',
    ({ callers, workload }) =>
      `Two webhook processors are replaced while ${number(callers)} callers call ${workload} over connections that they keep; they never repeat a request. With little CPU n8n's event loops stall for seconds, as
on a node that starts many pods at once.`,
    {
      'cores of all pods': ({ cores }) => (cores == null ? 'all that the node has' : number(cores)),
    },
  );

/** What becomes of the jobs of workers that are replaced under load. */
const workerEnds = (): string =>
  replaced(
    'Workers that end',
    'worker-ends',
    ({ callers, workload, pauseMs }) =>
      `Two workers are replaced while ${number(callers)} callers call ${workload} again ${number(pauseMs)} ms after each response ([what the patch changes](docs/chart/patches.md#finish-jobs)).`,
  );

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
  records: () => allPeers().map(({ file }) => ({ path: file })),
  parts: [sideBySide, rollouts, workerEnds],
};

interface Turn extends PeerRun {
  workload: string;
}
interface Hog {
  requests: number;
  wrong: number;
  unanswered: number;
  restarts: number;
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
  const rows = loads.flatMap(({ workload }) =>
    SIDES.map((side) => {
      const turns = blocks.flatMap(({ sides }) => sides[side].turns);
      const own = turns.filter((turn) => turn.workload === workload);
      return {
        workload,
        side,
        of: (key: keyof PeerRun) => spread(own.map((one) => one[key] ?? NaN)),
      };
    }),
  );
  const hogs = SIDES.map((side) => ({
    ...{ side, seen: blocks.flatMap(({ sides }) => sides[side].hog ?? []) },
  })).filter(({ seen }) => seen.length > 0);
  return `## In ${mode} mode

${number(clients)} clients, turns of ${seconds(turnSeconds)}. ${link(path)}

${tableOf(rows, {
  workload: ({ workload }) => workload,
  runner: ({ side }) => side,
  'expected responses': ({ of }) => `${of('ratePerSecond')}/s`,
  'CPU of all containers per request': ({ of }) => `${of('cpuMillisecondsPerRequest')} ms`,
  'their memory': ({ of }) => `${of('memoryMiB')} MiB`,
})}

Beside the hog, ${number(beside.clients)} clients on ${beside.workload} for ${seconds(beside.seconds)}:

${tableOf(hogs, {
  runner: ({ side }) => side,
  requests: ({ seen }) => sum(seen.map(({ requests }) => requests)),
  'without the expected response': ({ seen }) =>
    sum(seen.map(({ wrong, unanswered }) => wrong + unanswered)),
  restarts: ({ seen }) => sum(seen.map(({ restarts }) => restarts)),
})}`;
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
