// What sending the settings of a session once is worth to n8n, by the distance of the database.
import { ratioOf } from './peers.mjs';
import { has, link, median, number, readJson, table } from '../records.ts';

const folderOf = (milliseconds) => `studies/patches/results/session-once-${milliseconds}ms`;
const ROUND_TRIPS_MS = [0, 0.5, 1, 3];

export function sessionOnce() {
  const rows = ROUND_TRIPS_MS.filter((milliseconds) =>
    has(`${folderOf(milliseconds)}/sides.json`),
  ).map(rowOf);
  if (rows.length === 0) return '';
  return `## What the settings of sessions cost n8n

The workload last-node in queue mode with one worker, 16 clients that each wait for their response, behind a proxy that
delays the responses of the database; first without the [patch](docs/chart/patches.md#session-once) \`session-once\`, then with
it, in turns. The wait is the mean of a sample, at most, in the process that waits longest. The
proxy looks every 50 us for what is due, in a thread of each process of n8n, and takes a part of a core for it.

${table(
  [
    ...['later by', 'expected responses with the patch, 95% interval', 'p95'],
    ...['longest mean wait for a connection', 'record'],
  ],
  rows,
)}`;
}

function rowOf(milliseconds) {
  const folder = folderOf(milliseconds);
  const sides = readJson(`${folder}/sides.json`);
  const both = (figure) => sides.map(({ runs }) => number(median(runs.map(figure)))).join('; ');
  return [
    `${milliseconds} ms`,
    ratioOf({ comparison: readJson(`${folder}/compare.json`) }),
    `${both(({ p95Ms }) => p95Ms)} ms`,
    `${both(longestWait)} ms`,
    link(`${folder}/compare.json`),
  ];
}

const longestWait = ({ acquireMs }) =>
  Math.max(0, ...Object.values(acquireMs).map(({ most }) => most));
