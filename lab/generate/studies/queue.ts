// One process, or a main with workers: by workload, by how many workers there are and how much each does at once; and what
// `n8n-tuned predict` says of numbers of workers.
import { seededRandom } from '../../../cli/src/analysis/statistics/random';
import { groupsOf, leftOut, sizes } from '../../../cli/src/features/predict/analysis/answer';
import { readMeasurements } from '../../../cli/src/features/predict/command';
import { signed } from '../../../cli/src/ui/numbers';
import {
  columns,
  link,
  listed,
  median,
  ms,
  number,
  perSecond,
  rangeOf,
  readUnpacked,
  share,
  tableOf,
  times,
} from '../records';
import type { StudyPage } from '../study-page';
import {
  cellsOf,
  cpuOf,
  cpuRange,
  disturbance,
  distinct,
  rateOf,
  sweepLink,
  sweepOf,
  type MeasuredCell,
  worstOthers,
} from '../sweeps';

const ONE = sweepOf('queue', 'queue-one-process');
const WITH_WORKERS = ['queue', 'queue-wait'].map((name) => sweepOf('queue', name));
const WORKLOADS = ['wait-5s', 'cpu', 'last-node', 'expressions', 'mixed'];

/** Work that waits takes as long as it takes: its rate follows from the slots, and one run shows it. */
const waits = (cells: readonly MeasuredCell[]): boolean =>
  cells.some(({ record }) => (record.workload.latencyFloorMs ?? 0) > 0);

/**
 * What a number of workers gets: of what waits with the most slots; of what takes CPU, where slots change little and each cell is
 * one run, the median over them, since the best of several runs is the luckiest.
 */
function rateWith(cells: readonly MeasuredCell[], count: number): number {
  const own = cells.filter(({ cell }) => cell['workers'] === count);
  const rates = own.map((cell) => rateOf(cell) ?? 0);
  return waits(cells) ? Math.max(...rates) : median(rates);
}

const numbers = (cells: readonly MeasuredCell[], dimension: string): number[] =>
  distinct(cells.map(({ cell }) => Number(cell[dimension]))).toSorted((a, b) => a - b);

function rows() {
  const [ones, queues] = [cellsOf(ONE), WITH_WORKERS.flatMap(cellsOf)];
  return WORKLOADS.map((workload) => {
    const cells = queues.filter(({ cell }) => cell['workload'] === workload);
    const single = ones.find(({ cell }) => cell['workload'] === workload);
    const one = (single === undefined ? null : rateOf(single)) ?? NaN;
    const [best] = cells.toSorted((a, b) => (rateOf(b) ?? 0) - (rateOf(a) ?? 0));
    const [workers = NaN] = numbers(cells, 'workers').toSorted(
      (a, b) => rateWith(cells, b) - rateWith(cells, a),
    );
    const oneCpu = single === undefined ? null : cpuOf(single);
    return { workload, cells, one, oneCpu, best, workers, gain: rateWith(cells, workers) / one };
  });
}

/** In two sentences, for the page of all answers. */
export function workersPayOff() {
  const named = (isMeant: (gain: number) => boolean): string =>
    listed(
      rows()
        .filter(({ gain }) => isMeant(gain))
        .map(({ workload }) => workload),
    ) || 'none';
  const gains = rows().map(({ gain }) => gain);
  return {
    sentence: `On two cores, a main with workers handles up to ${times(Math.max(...gains))} the rate of a single process (${rangeOf(gains)}, depending on the workload).`,
    means: `The rate is higher for ${named((gain) => gain > 1)}, but not for ${named((gain) => gain <= 1)}.`,
  };
}

function queueAnswer() {
  const named = (isMeant: (gain: number) => boolean): string =>
    rows()
      .filter(({ gain }) => isMeant(gain))
      .map(({ workload, workers, gain }) => `${workload} (${times(gain)} with ${number(workers)})`)
      .join(', ') || 'none';
  return {
    sentence: `A main with workers sustains a higher rate than one process for the workloads ${named((gain) => gain > 1)}. It does not for ${named((gain) => gain <= 1)}. The number of responses with ${number(largest().n)} workers, predicted from fewer, was off by ${signed(largest().error, share)}.`,
  };
}

function matrix(): string {
  const all = rows();
  const cells = all.flatMap((row) => row.cells);
  return `## One process, or workers

Closed-loop clients call a workload in regular mode, where one process does everything, or in queue mode. Each figure is the rate with so many workers over that of one process. It is the median over the executions that each worker runs at once (${numbers(cells, 'concurrency').join(', ')}),
and for a workload that waits, the best. Each cell is one run. ${disturbance(worstOthers(cells))}

${tableOf(all, {
  workload: ({ workload }) => workload,
  'one process': ({ one, oneCpu }) => `${perSecond(one)} at ${ms(oneCpu)} of CPU`,
  ...columns(
    numbers(cells, 'workers'),
    (count) => `workers: ${number(count)}`,
    ({ cells: own, one }: (typeof all)[number], count) => times(rateWith(own, count) / one),
  ),
  'best cell': ({ best }) =>
    best === undefined
      ? null
      : `${perSecond(rateOf(best))}: ${String(best.cell['workers'])} workers, ${String(best.cell['concurrency'])} at once`,
  'CPU per request with workers': ({ cells: own }) => cpuRange(own),
})}

${[ONE, ...WITH_WORKERS].map(sweepLink).join(', ')}`;
}

export const queue: StudyPage = {
  study: 'queue',
  answer: queueAnswer,
  parts: [matrix],
};

const WORKERS = 'studies/workers/results/workers';
/** The seed of the command. */
const SEED = 1;

function measurements() {
  const [group] = groupsOf(
    readUnpacked(WORKERS, (folder) => readMeasurements([folder])),
    'workers',
  );
  if (group === undefined) throw new Error(`${WORKERS} has no measurements`);
  return group;
}
function largest(): { n: number; error: number } {
  return leftOut(measurements(), seededRandom(SEED)).at(-1) ?? { n: NaN, error: NaN };
}

function prediction(): string {
  const group = measurements();
  const known = sizes(group);
  const rateAt = (n: number): number => {
    const rates = group.points.filter((point) => point.n === n).map((one) => one.ratePerSecond);
    return rates.reduce((all, rate) => all + rate, 0) / rates.length;
  };
  const [first] = group.measurements;
  return `## What a prediction says

The workload ${first?.workload.name ?? ''} ran with ${known.join(', ')} workers, each with ${number(first?.topology.workers.cpuMillicores)}m of CPU. For each number of workers \`n8n-tuned predict\` was
asked without having seen it; of the largest that is a prediction beyond what was measured.

${tableOf(leftOut(group, seededRandom(SEED)), {
  workers: ({ n }) => n,
  measured: ({ n }) => perSecond(rateAt(n)),
  'CPU per request': ({ n }) =>
    cpuRange(cellsOf(WORKERS).filter(({ cell }) => Number(cell['workers']) === n)),
  'predicted from the others': ({ n, error }) => perSecond(rateAt(n) * (1 + error)),
  'off by': ({ error }) => signed(error, share),
})}

${link(`${WORKERS}/sweep.json`)}, \`n8n-tuned predict --from studies/workers/results.jsonl.gz --over workers --at ${number(2 * (known.at(-1) ?? NaN))}\``;
}

export const workers: StudyPage = {
  study: 'workers',
  answer: () => ({
    sentence: `The responses with ${number(largest().n)} workers, predicted from fewer, were off by ${signed(largest().error, share)}.`,
  }),
  parts: [prediction],
};
