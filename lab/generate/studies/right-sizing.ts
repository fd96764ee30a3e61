// How much CPU and memory, and how many instances, documents take that are created, read and written.
import type { SweepRecord } from '../../../cli/src/features/sweep/record';
import {
  columns,
  median,
  mib,
  ms,
  number,
  perSecond,
  readJson,
  share,
  tableOf,
  times,
} from '../records';
import type { StudyPage } from '../study-page';
import {
  cellsOf,
  cpuRange,
  disturbance,
  figureRange,
  distinct,
  grouped,
  publishedAt,
  rateOf,
  sweepLink,
  sweepOf,
  type MeasuredCell,
  worstOthers,
} from '../sweeps';

const NAME = 'right-sizing';
const PODS = 'right-sizing-pods';
const SERVERS = sweepOf(NAME, 'right-size-servers');
const REGULAR = sweepOf(NAME, 'right-size');
const WORKERS = sweepOf(NAME, 'right-size-workers');
const IN_PODS = sweepOf(PODS, 'right-size-pods');
const APPLICATIONS: Record<string, string> = {
  'GET /json': 'makes a document',
  'GET /read': 'reads a document',
  'GET /write': 'writes a document',
};
const WORKLOADS = ['json', 'disk-read', 'disk-write'];
/** From this share of the best on, a result is as good, as far as single runs tell. */
const AS_GOOD = 0.9;

const by =
  (values: readonly ((cell: MeasuredCell) => number)[]) =>
  (a: MeasuredCell, b: MeasuredCell): number =>
    values.map((value) => value(a) - value(b)).find((difference) => difference !== 0) ?? 0;
const at =
  (dimension: string) =>
  ({ cell }: MeasuredCell): number =>
    Number(cell[dimension] ?? 0);

interface Point {
  instances: number;
  rate: number;
}

/** A crash has rate 0. */
function combinations() {
  const cells = cellsOf(SERVERS).toSorted(
    by([
      ({ cell }) => Object.keys(APPLICATIONS).indexOf(String(cell['request'])),
      ...[at('cpuMillicores'), at('memoryMiB'), at('env.INSTANCES')],
    ]),
  );
  const keyOf = ({ cell }: MeasuredCell): string =>
    [cell['request'], cell['cpuMillicores'], cell['memoryMiB']].join(' ');
  return [...grouped(cells, keyOf).values()].flatMap((same) => {
    const [first] = same;
    if (first === undefined) return [];
    const points: Point[] = same.map((one) => ({
      instances: at('env.INSTANCES')(one),
      rate: rateOf(one) ?? 0,
    }));
    const [best] = points.toSorted((a, b) => b.rate - a.rate);
    const common = points.find(({ instances }) => instances === always());
    return [
      {
        cpuPerRequest: cpuRange(same),
        ...{ request: String(first.cell['request']), points, best: best?.instances ?? NaN },
        ...{ cpu: at('cpuMillicores')(first), memory: at('memoryMiB')(first) },
        shareOfBest: (common?.rate ?? NaN) / (best?.rate ?? NaN),
      },
    ];
  });
}
const always = (): number => publishedAt(NAME, 'instances');

function answer() {
  const all = combinations();
  const shares = all.map(({ shareOfBest }) => shareOfBest).filter(Number.isFinite);
  const good = shares.filter((one) => one >= AS_GOOD).length;
  const common = median(all.map(({ best }) => best));
  return {
    sentence: `${number(always())} instances are as good as the best number, or nearly, in ${number(good)} of ${number(shares.length)} combinations of application, CPU and memory; at worst they do ${share(Math.min(...shares))} of it.`,
    published: `always ${number(always())} instances`,
    ours: `${number(common)} ${common === 1 ? 'instance' : 'instances'} in the median`,
  };
}

function servers(): string {
  const all = combinations();
  const rateAt = ({ points }: (typeof all)[number], count: number): string => {
    const point = points.find(({ instances }) => instances === count);
    return point === undefined || point.rate === 0 ? 'none' : perSecond(point.rate);
  };
  return `## Instances of a bare server under PM2

64 clients ask a server that makes, reads or writes a JSON document of 100 KiB. PM2 runs it in cluster mode; limits are those of all instances together. ${disturbance(worstOthers(cellsOf(SERVERS)))}

${tableOf(all, {
  'a request': ({ request }) => APPLICATIONS[request] ?? '',
  CPU: ({ cpu }) => `${number(cpu)}m`,
  memory: ({ memory }) => mib(memory),
  'expected responses with the best number': (row) =>
    `${rateAt(row, row.best)} with ${number(row.best)}`,
  [`with ${number(always())}`]: (row) => rateAt(row, always()),
  'of the best': ({ shareOfBest }) => times(shareOfBest),
  'CPU per request': ({ cpuPerRequest }) => cpuPerRequest,
})}

**Why it differs from what was published.** The machine has two cores, which the load generator shares: more instances than
cores only cost memory and make requests wait. The published machine and load are not known.

${sweepLink(SERVERS)}`;
}

const n8nCells = (sweep: string): MeasuredCell[] =>
  cellsOf(sweep).toSorted(
    by([
      ({ cell }) => WORKLOADS.indexOf(String(cell['workload'])),
      ...[at('workers'), at('cpuMillicores'), at('memoryMiB')],
    ]),
  );
/** Cells that share a workload and another dimension, in the order of the cells. */
const rowsBy = (sweep: string, dimension: string): MeasuredCell[][] => [
  ...grouped(n8nCells(sweep), ({ cell }) => [cell['workload'], cell[dimension]].join(' ')).values(),
];
const workloadOf = ([first]: readonly MeasuredCell[]): string =>
  String(first?.cell['workload'] ?? '');
const cpuOfRow = ([first]: readonly MeasuredCell[]): string =>
  `${String(first?.cell['cpuMillicores'] ?? '')}m`;
const RANGES = {
  'CPU per request': cpuRange,
  'memory, most': (cells: readonly MeasuredCell[]) =>
    figureRange(cells, ({ figures }) => figures.memoryMiB, mib),
};
/** The rate with each number of workers. */
const byWorkers = (sweep: string) =>
  columns(
    distinct(n8nCells(sweep).map(at('workers'))),
    (count) => `with ${number(count)}`,
    (cells: readonly MeasuredCell[], count) =>
      figureRange(
        cells.filter((cell) => at('workers')(cell) === count),
        rateOf,
        perSecond,
      ),
  );

function regular(): string {
  const { slo, measure } = readJson<SweepRecord>(`${REGULAR}/sweep.json`).plan;
  const limits = distinct(n8nCells(REGULAR).map((one) => mib(at('memoryMiB')(one)))).join(' and ');
  return `## One n8n, by CPU

n8n in regular mode makes, reads or writes a document for each of ${number(measure.ratePerSecond)} requests per second; what is asked for is
${slo.map(({ text }) => text).join(' and ')}. Ranges are over memory limits of ${limits}.

${tableOf(rowsBy(REGULAR, 'cpuMillicores'), {
  workload: workloadOf,
  CPU: cpuOfRow,
  verdict: (cells) => distinct(cells.map(({ outcome }) => outcome)).join(' or '),
  p99: (cells) => figureRange(cells, ({ figures }) => figures.p99Ms, ms),
  'memory, most': RANGES['memory, most'],
})}

${sweepLink(REGULAR)}`;
}

const workers = (): string => `## Workers of n8n

Queue mode: main and each worker have ${cpuOfRow(n8nCells(WORKERS))} of CPU. Expected responses, by the number of workers.

${tableOf(rowsBy(WORKERS, ''), { workload: workloadOf, ...byWorkers(WORKERS), ...RANGES })}

${sweepLink(WORKERS)}`;

const pods = (): string => `## The same in pods

The chart in queue mode on a cluster of one node. Requests come through main, whose CPU is the limit; ranges are over memory limits.

${tableOf(rowsBy(IN_PODS, 'cpuMillicores'), { workload: workloadOf, CPU: cpuOfRow, ...byWorkers(IN_PODS), ...RANGES })}

${sweepLink(IN_PODS)}; \`lab/cluster/cluster exec ./n8n-tuned study ${PODS}\` repeats it.`;

export const rightSizing: StudyPage = {
  study: NAME,
  answer,
  parts: [servers, regular, workers, pods],
};
