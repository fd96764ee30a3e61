// What is lost of very many requests while a worker is killed again and again (studies/many-kills).
import {
  grouped,
  linksOf,
  most,
  OUTCOME_HEAD,
  outcomeCells,
  recordsIn,
  total,
  verdictsOf,
  WORDS,
} from './drill-cells.mjs';
import { number, table } from '../records.ts';

const HEAD = [
  'drills',
  'workers killed',
  'sent',
  'answered and executed once',
  ...OUTCOME_HEAD,
  'verdict',
];

const rowOf = (records) => [
  linksOf(records),
  total(records.map(({ drill }) => drill.fault.done.length)),
  total(records.map(({ drill }) => drill.ledger.sent)),
  total(records.map(({ drill }) => drill.ledger.classes.once.requests)),
  ...outcomeCells(records),
  verdictsOf(records),
];

const WAY_HEAD = [
  ...['class', 'requests', "n8n's executions of it", 'work begun', 'work done'],
  ...['due before a kill, at most', 'due after a kill, at most'],
];

const timeOf = (seconds) => (seconds === null ? '-' : `${number(seconds)} s`);

const wayOf = (way) => [
  ...[WORDS[way.class], way.requests, way.executions || 'none'],
  ...[way.begun, way.done].map((times) => (times === '1' ? 'once' : `${times} times`)),
  ...[way.beforeSeconds, way.afterSeconds].map(timeOf),
];

/** The same way in several drills is one way. */
const together = (ways) =>
  [...grouped(ways, (way) => [way.class, way.executions, way.begun, way.done].join()).values()]
    .map((same) => ({
      ...same[0],
      requests: total(same.map(({ requests }) => requests)),
      beforeSeconds: farthest(same.map(({ beforeSeconds }) => beforeSeconds)),
      afterSeconds: farthest(same.map(({ afterSeconds }) => afterSeconds)),
    }))
    .toSorted((a, b) => b.requests - a.requests);

const farthest = (distances) => (distances.includes(null) ? null : most(distances));

function retriesOf(recoveries) {
  const sumOf = (name) => total(recoveries.map((recovery) => recovery[name]));
  const outcomes = grouped(
    recoveries.flatMap(({ attempts }) => Object.entries(attempts)),
    ([outcome]) => outcome,
  );
  const retries = [...outcomes].map(
    ([outcome, counts]) => `${total(counts.map(([, count]) => count))} ${outcome}`,
  );
  const failed =
    sumOf('failedPasses') === 0 ? '' : `; ${sumOf('failedPasses')} more could not ask n8n or Redis`;
  return `Recovery made ${sumOf('passes')} passes${failed}. Its retries by outcome: ${retries.join(', ') || 'none'}.`;
}

export function manyKills(records = recordsIn('studies/many-kills/results/parts/')) {
  if (records.length === 0) return '';
  const { fault, ratePerSecond, workload } = records[0].drill;
  const minutes = number(fault.lastsSeconds / 60);
  return `
## Many requests, a worker killed every minute

[Drills](studies/many-kills/parts.mjs) on processes with the chart's defaults and recovery, each with ${minutes} minutes at ${number(ratePerSecond)}/s of work
that takes ${number(workload.latencyFloorMs)} ms. Every ${number(fault.everySeconds)} s one of the two workers is killed. n8n keeps all executions. The time to the first
error counts from the first kill, the times until the SLO was met again and until the backlog was worked off from the last one.

${table(HEAD, [rowOf(records)])}

${retriesOf(records.map(({ drill }) => drill.recovery))}

Every request that was not simply answered and executed once, by what its sources say. A request that a worker had begun when it was killed
is executed again from its trigger, so its work begins twice; it is done twice where the worker had finished the work,
but n8n had not stored that yet. One that the worker had been given and had not begun is executed once, after its caller got an
error. The times say how far from a kill these requests were due; there is none where some were due before the first kill, or after
the last.

${table(WAY_HEAD, together(records.flatMap(({ ways }) => ways)).map(wayOf))}
`;
}
