// How much CPU and memory, and how many instances, documents take that are created, read and written.
import type { SweepRecord } from '../../../cli/src/features/sweep/record';
import {
  link,
  median,
  mib,
  ms,
  number,
  perSecond,
  readJson,
  seconds,
  share,
  tableOf,
  times,
} from '../records';
import type { StudyPage } from '../study-page';
import {
  cellsOf,
  cpuRange,
  disturbance,
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
const APPLICATIONS: Record<string, [id: string, title: string]> = {
  'GET /json': ['json', 'makes a document'],
  'GET /read': ['read', 'reads a document'],
  'GET /write': ['write', 'writes a document'],
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
  type Row = (typeof all)[number];
  const same = [...grouped(all, ({ request, cpu }) => `${request} ${String(cpu)}`).values()];
  const rateAt = ({ points }: Row, count: number): string => {
    const point = points.find(({ instances }) => instances === count);
    return point === undefined || point.rate === 0 ? 'none' : perSecond(point.rate);
  };
  const each = (rows: readonly Row[], cellOf: (row: Row) => string): string =>
    rows.map(cellOf).join('; ');
  return `## Instances of a bare server under PM2

64 clients ask a server that makes, reads or writes a JSON document of 100 KiB. PM2 runs it in cluster mode; limits are those of all instances together. Rates of expected responses with ${distinct(all.map(({ memory }) => mib(memory))).join('; ')}. ${disturbance(worstOthers(cellsOf(SERVERS)))}

${tableOf(same, {
  'a request': ([row]) => APPLICATIONS[row?.request ?? '']?.[1] ?? '',
  CPU: ([row]) => `${number(row?.cpu)}m`,
  'the best number': (rows) =>
    each(rows, (row) => `${rateAt(row, row.best)} with ${number(row.best)}`),
  [`with ${number(always())}`]: (rows) => each(rows, (row) => rateAt(row, always())),
  'of the best': (rows) => each(rows, ({ shareOfBest }) => times(shareOfBest)),
  'CPU per request': (rows) => each(rows, ({ cpuPerRequest }) => cpuPerRequest),
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
const rangeOf = (
  cells: readonly MeasuredCell[],
  figure: (cell: MeasuredCell) => number | null,
  unit: (value: number) => string,
): string => {
  const known = cells.flatMap((cell) => figure(cell) ?? []);
  const [low, high] = [Math.min(...known), Math.max(...known)];
  return low === high ? unit(low) : `${number(low)} to ${unit(high)}`;
};
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
    rangeOf(cells, ({ figures }) => figures.memoryMiB, mib),
};
/** The rate with each number of workers. */
const byWorkers = (sweep: string) =>
  Object.fromEntries(
    distinct(n8nCells(sweep).map(at('workers'))).map((count) => [
      `with ${number(count)}`,
      (cells: readonly MeasuredCell[]) =>
        rangeOf(
          cells.filter((cell) => at('workers')(cell) === count),
          rateOf,
          perSecond,
        ),
    ]),
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
  p99: (cells) => rangeOf(cells, ({ figures }) => figures.p99Ms, ms),
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

const STORED = `studies/${NAME}/results/s3.json`;
interface Stored {
  server: string;
  objects: number;
  bytes: number;
  missing: string[];
  different: string[];
  seconds: number;
}
function stored(): string {
  const { server, objects, bytes, missing, different, seconds: took } = readJson<Stored>(STORED);
  return `## In a folder and in S3

\`n8n-tuned report FOLDER --s3 s3://BUCKET/PREFIX\` copied what this study recorded to ${server} in ${seconds(took)}: ${number(objects)} objects,
${mib(bytes / 1024 ** 2)}. Read again, ${number(missing.length)} were missing and ${number(different.length)} were not as in the folder. ${link(STORED)}`;
}

export const rightSizing: StudyPage = {
  study: NAME,
  answer,
  parts: [servers, regular, workers, pods, stored],
};
