// What the comparison of charts aimed at, what it reached, and where n8n's CPU goes instead.
import { parse } from 'yaml';
import { peerRecord, ratioOf } from './peers.mjs';
import { has, link, median, number, read, readJson, table } from '../records.ts';

/** Times the responses of the official chart as it comes. */
const GOALS = [
  { workload: 'last-node', mode: 'regular', times: 7 },
  { workload: 'last-node', mode: 'queue', times: 3.5 },
  { workload: 'expressions', mode: 'regular', times: 3.5 },
  { workload: 'expressions', mode: 'queue', times: 3 },
  { workload: 'items', mode: 'regular', times: 2 },
  { workload: 'items', mode: 'queue', times: 2 },
];
/** Work that waits 5 s: as many responses as the slots of the default profile allow, in main or in the one worker. */
const WAITING = { workload: 'wait-5s', seconds: 5 };
const { tuning: SETTINGS } = parse(read('charts/n8n-tuned/files/environment.yaml'));
const DEFAULTS = Object.fromEntries(
  Object.entries(SETTINGS).map(([name, setting]) => [name, setting.default]),
);
const SLOTS = { regular: DEFAULTS.runnerConcurrency, queue: DEFAULTS.workerConcurrency };
/** Of what the slots allow: responses that a run has begun and not ended are not counted. */
const NEAR = 0.9;
const OURS = ['tuned', 'tuned-throughput'];
/** Packages named of a profile. */
const PACKAGES = 4;
const IDLE = 'idle';

/** Empty as long as nothing of it was measured. */
export function goals() {
  const rows = [...rowsOf(GOALS, rowOf), ...rowsOf(WAITS, waitingRowOf)];
  if (rows.length === 0) return '';
  return `### What was aimed at

A goal is a ratio of expected responses per second to those of the official chart. It is reached where the interval of one of
the two profiles begins at the goal or above, not reached where both intervals end below it, and otherwise not decided, as the
goal then lies within an interval. The last column shows what n8n spends its CPU on, from
[a profile of the same workload](studies/cpu-profile/README.md) with the chart's defaults. For wait-5s the goal is the number of
slots divided by 5 s, ${number(100 * NEAR)}% of it counts as reached, and the interval is that from the slowest turn to the fastest.

${table(
  ['workload', 'mode', 'goal', 'ours', 'ours, profile throughput', 'reached', 'where the CPU goes'],
  rows,
)}`;
}

const WAITS = Object.keys(SLOTS).map((mode) => ({ workload: WAITING.workload, mode }));

function rowsOf(goals, row) {
  return goals.flatMap((goal) => {
    const ours = OURS.map((contender) => peerRecord(goal.workload, goal.mode, contender));
    return ours.every((record) => record === null) ? [] : [row(goal, ours)];
  });
}

function waitingRowOf({ workload, mode }, ours) {
  const most = SLOTS[mode] / WAITING.seconds;
  const rates = ours.filter((record) => record !== null).map(ratesOf);
  return [
    ...[workload, mode, `${number(most)}/s`],
    ...ours.map((record) =>
      record === null ? 'not measured' : `${number(median(ratesOf(record)))}/s`,
    ),
    reached(
      NEAR * most,
      rates.map((some) => ({ low: Math.min(...some), high: Math.max(...some) })),
    ),
    'it waits',
  ];
}

const ratesOf = ({ b }) =>
  b.runs.filter((run) => run !== null).map(({ ratePerSecond }) => ratePerSecond);

/** By any of the intervals; one without an upper bound, of too few pairs, decides only where it begins at the goal. */
export function reached(goal, intervals) {
  if (intervals.some(({ low }) => low >= goal)) return 'yes';
  return intervals.some(({ high }) => high === null || high >= goal) ? 'not decided' : 'no';
}

function rowOf({ workload, mode, times }, ours) {
  const ratios = ours.filter((record) => record !== null).map(({ comparison }) => comparison.ratio);
  return [
    ...[workload, mode, `${number(times)}x`],
    ...ours.map((record) => (record === null ? 'not measured' : ratioOf(record))),
    reached(times, ratios),
    whereCpuGoes(workload, mode),
  ];
}

function whereCpuGoes(workload, mode) {
  const path = `studies/cpu-profile/results/${mode}-${workload}.json`;
  if (!has(path)) return 'not measured';
  const sums = new Map();
  for (const { groups } of readJson(path).processes) {
    for (const { name, ms } of groups) {
      if (name !== IDLE) sums.set(name, (sums.get(name) ?? 0) + ms);
    }
  }
  const all = [...sums.values()].reduce((sum, ms) => sum + ms, 0);
  const most = [...sums].toSorted(([, a], [, b]) => b - a).slice(0, PACKAGES);
  return `${most.map(([name, ms]) => `${name} ${number((100 * ms) / all)}%`).join(', ')} (${link(path)})`;
}
