// This chart and others on one cluster, by the parts of studies/charts/peers.mjs that have a record.
import { CONTENDERS, LOADS, MODES, pairsOf } from '../../../studies/charts/parts.mjs';
import { has, link, median, number, readJson, spread, table, undecided } from './records.mjs';

const fileOf = (workload, mode, contender) =>
  `studies/charts/results/peers/${workload}-${mode}-${contender}.json`;

/** The record of a part, with its file; null where it was not measured. */
export function peerRecord(workload, mode, contender) {
  const file = fileOf(workload, mode, contender);
  return has(file) ? { file, ...readJson(file) } : null;
}

export const hasPeers = (mode) =>
  Object.keys(LOADS).some((workload) => recordsOf(workload, mode).length > 0);

const recordsOf = (workload, mode) =>
  Object.keys(CONTENDERS)
    .map((contender) => peerRecord(workload, mode, contender))
    .filter((record) => record !== null);

/** With the interval; where that contains 1, whether a difference is ruled out. */
export function ratioOf({ comparison: { answer, ratio } }) {
  const bounds = `${number(ratio.low)} to ${number(ratio.high)}`;
  const interval = `${number(ratio.value)}x (${ratio.high === null ? 'too few pairs for an interval' : bounds})`;
  return ['no difference', 'unknown'].includes(answer)
    ? `${undecided(ratio)}: ${interval}`
    : interval;
}

const hasResponses = ({ runs }) =>
  known(
    runs.filter((run) => run !== null),
    'ratePerSecond',
  ).some((rate) => rate > 0);

/** Where the official chart had no expected response, a ratio says nothing. */
const comparedWithOfficial = (record) =>
  hasResponses(record.a) ? ratioOf(record) : 'no ratio: the official one had no expected response';

export const clientsOf = ({ command }) => command[command.indexOf('--vus') + 1];

/** A table for each mode that has a record. */
export function peers() {
  const modes = MODES.filter(hasPeers);
  if (modes.length === 0) return '';
  return modes.map((mode) => `### In ${mode} mode\n\n${tableOf(mode)}`).join('\n\n');
}

function tableOf(mode) {
  const rows = Object.keys(LOADS).flatMap((workload) =>
    recordsOf(workload, mode).map((record) => {
      const { a, b, contender, file } = record;
      const sides = [b, a].map(({ runs }) => runs.filter((run) => run !== null));
      const both = (figure) => sides.map(figure).join('; ');
      return [
        `${workload}, ${clientsOf(record)} clients`,
        `${CONTENDERS[contender]} (${b.chart})`,
        comparedWithOfficial(record),
        both((runs) => spread(known(runs, 'ratePerSecond'))),
        both((runs) => middle(runs, 'p95Ms')),
        both((runs) => middle(runs, 'cpuMillisecondsPerRequest')),
        both((runs) => middle(runs, 'memoryMiB')),
        both(lost),
        pairsOf(record),
        link(file),
      ];
    }),
  );
  return table(
    [
      ...[
        'workload',
        'chart',
        'of the official one, 95 % interval',
        'expected responses per second',
      ],
      ...['p95, ms', "n8n's CPU per request, ms", "n8n's memory, MiB", 'wrong or no response'],
      ...['pairs', ''],
    ],
    rows,
  );
}

const known = (runs, key) => runs.map((run) => run[key]).filter((value) => value !== null);

function middle(runs, key) {
  const values = known(runs, key);
  return values.length === 0 ? '-' : number(median(values));
}

const lost = (runs) => runs.reduce((sum, { wrong, unanswered }) => sum + wrong + unanswered, 0);
