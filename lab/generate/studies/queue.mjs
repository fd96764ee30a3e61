// One process, or a main with workers: by workload, by how many workers there are and how much each does at once.
import { link, median, number, table } from '../records.ts';
import { predictionSentence } from './queue-prediction.mjs';
import { cellsOf, conditionsText, otherCores, recordOf, sweepOf } from './study.mjs';

const NAME = 'queue';
const ONE = 'queue-one-process';
const WITH_WORKERS = ['queue', 'queue-wait'];
const WORKLOADS = ['wait-5s', 'cpu', 'last-node', 'expressions', 'mixed'];

function cellsIn(sweep) {
  const path = sweepOf(NAME, sweep);
  return path === null ? [] : cellsOf(path);
}

const rateOf = (cell) => cell?.figures.achievedPerSecond ?? null;

/** Work that waits takes as long as it takes: its rate follows from the slots, and one run shows it. */
const waits = (cells) => cells.some(({ record }) => (record?.workload.latencyFloorMs ?? 0) > 0);

/**
 * What so many workers get: of what waits with the most slots; of what takes CPU, where slots change little and each cell is
 * one run, the median over them, since the best of several runs is the luckiest.
 */
function rateWith(cells, count) {
  const rates = cells.filter(({ cell }) => cell.workers === count).map((cell) => rateOf(cell) ?? 0);
  return waits(cells) ? Math.max(...rates) : median(rates);
}

/**
 * {workload, cells, one, best, workers, gain}: `one` process; the `best` cell; the number of `workers` that gets most, and its
 * gain over one process, null where that is not known.
 */
function rows() {
  const [ones, queues] = [cellsIn(ONE), WITH_WORKERS.flatMap(cellsIn)];
  return WORKLOADS.map((workload) => {
    const cells = queues.filter(({ cell }) => cell.workload === workload);
    const one = rateOf(ones.find(({ cell }) => cell.workload === workload));
    const best = cells.toSorted((a, b) => (rateOf(b) ?? 0) - (rateOf(a) ?? 0))[0];
    const counts = [...new Set(cells.map(({ cell }) => cell.workers))];
    const [workers] = counts.toSorted((a, b) => rateWith(cells, b) - rateWith(cells, a));
    const gain = one === null || workers === undefined ? null : rateWith(cells, workers) / one;
    return { workload, cells, one, best, workers, gain };
  }).filter(({ cells }) => cells.length > 0);
}

function answer() {
  const all = rows().filter(({ gain }) => gain !== null);
  if (all.length === 0) {
    return {
      sentence: `Not answered yet: no record has one process to compare with.${predictionSentence()}`,
    };
  }
  const named = (some) =>
    some
      .map(({ workload, workers, gain }) => `${workload} (${number(gain)}x with ${workers})`)
      .join(', ') || 'none';
  const [won, lost] = [all.filter(({ gain }) => gain > 1), all.filter(({ gain }) => gain <= 1)];
  return {
    sentence: `Workers get more than one process of ${named(won)}, and not of ${named(lost)}.${predictionSentence()}`,
  };
}

function matrix() {
  const all = rows();
  if (all.length === 0) return '';
  const folder = recordOf(NAME);
  const values = (name) =>
    [...new Set(all.flatMap(({ cells }) => cells.map(({ cell }) => cell[name])))].toSorted(
      (a, b) => a - b,
    );
  const [workers, slots] = [values('workers'), values('concurrency')];
  const lines = all.flatMap(({ workload, cells, one, best }) =>
    workers.map((count) => {
      const at = (concurrency) =>
        cells.find(({ cell }) => cell.workers === count && cell.concurrency === concurrency);
      const those = cells.filter(({ cell }) => cell.workers === count);
      const others = those.flatMap(({ record }) => (record === null ? [] : [otherCores(record)]));
      return [
        workload,
        count,
        ...slots.map((concurrency) => {
          const cell = at(concurrency);
          if (cell === undefined) return '-';
          const text = rateOf(cell) === null ? 'none' : `${number(rateOf(cell))}/s`;
          return cell === best ? `**${text}**` : text;
        }),
        one === null ? '-' : `${number(one)}/s`,
        one === null ? '-' : `${number(rateWith(cells, count) / one)}x`,
        others.length === 0 ? '-' : number(Math.max(...others)),
      ];
    }),
  );
  const sweeps = [ONE, ...WITH_WORKERS]
    .map((sweep) => sweepOf(NAME, sweep))
    .filter((path) => path !== null);
  return `## One process, or workers

Closed-loop clients, enough to fill the slots of most layouts, call a workload: in regular mode, where one process does
everything, or in queue mode, by the number of workers and by how many executions each runs at once. Expected responses;
bold is the best of a workload. Each cell is one run, so a row is compared by its median; that
of a workload that waits, whose rate follows from the slots, by its best. ${conditionsText(folder)}

${table(
  [
    ...['workload', 'workers', ...slots.map((count) => `${count} at once`)],
    ...['one process', 'the row, of one process', 'cores used by other work'],
  ],
  lines,
)}

![The best with workers, compared with one process](studies/${NAME}/${NAME}.svg)

${all.some(({ workload }) => workload === 'wait-5s') ? `![Responses over workers for what waits](studies/${NAME}/${NAME}-wait.svg)\n\n` : ''}What waits gains from every slot, in whatever process it is. What takes CPU gains from a worker only as long as there is a
core for it: main, the workers, their stores and the load generator share two here.

${sweeps.map((path) => link(`${path}/sweep.json`)).join(', ')}, \`n8n-tuned study ${NAME}\``;
}

function plots() {
  const all = rows();
  const waiting = all.find(({ workload }) => workload === 'wait-5s')?.cells ?? [];
  const slots = [...new Set(waiting.map(({ cell }) => cell.concurrency))].toSorted((a, b) => a - b);
  const known = all.filter(({ gain }) => gain !== null);
  const gains = {
    ...{ kind: 'bar', id: NAME, unit: 'times the responses of one process' },
    title: 'The best number of workers, compared with one process',
    bars: known.map(({ workload, gain, workers }) => ({
      label: `${workload}: ${workers} ${workers === 1 ? 'worker' : 'workers'}`,
      value: gain,
    })),
  };
  const wait = {
    ...{ kind: 'line', id: `${NAME}-wait`, title: 'Responses over workers: wait-5s' },
    x: { label: 'workers' },
    y: { label: 'expected responses', unit: 'per second', min: 0 },
    series: slots.map((concurrency) => ({
      label: `${concurrency} at once`,
      points: waiting
        .filter(({ cell }) => cell.concurrency === concurrency)
        .map((cell) => [cell.cell.workers, rateOf(cell)])
        .toSorted(([a], [b]) => a - b),
    })),
  };
  return [...(known.length === 0 ? [] : [gains]), ...(waiting.length === 0 ? [] : [wait])];
}

export const queue = { answer, matrix, plots };
