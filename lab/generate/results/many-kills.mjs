// What is lost of very many requests while a worker is killed again and again (studies/many-kills).
import {
  linksOf,
  OUTCOME_HEAD,
  outcomeCells,
  recordsIn,
  verdictsOf,
  WORDS,
} from './drill-cells.mjs';
import { number, table } from './records.mjs';

const HEAD = [
  'drill',
  'workers killed',
  'sent',
  'answered and executed once',
  ...OUTCOME_HEAD,
  'verdict',
];

const rowOf = (record) => [
  linksOf([record]),
  record.drill.fault.done.length,
  record.drill.ledger.sent,
  record.drill.ledger.classes.once.requests,
  ...outcomeCells([record]),
  verdictsOf([record]),
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

function retriesOf({ passes, failedPasses, attempts }) {
  const retries = Object.entries(attempts).map(([outcome, count]) => `${count} ${outcome}`);
  const failed = failedPasses === 0 ? '' : `; ${failedPasses} more could not ask n8n or Redis`;
  return `Recovery made ${passes} passes${failed}. Its retries by outcome: ${retries.join(', ') || 'none'}.`;
}

export function manyKills(records = recordsIn('studies/many-kills/results/parts/')) {
  if (records.length === 0) return '';
  const [{ drill, ways }] = records;
  const { fault, ratePerSecond, workload } = drill;
  return `
## Many requests, a worker killed every minute

[One drill](../studies/many-kills/parts.mjs) on processes with the chart's defaults and recovery: ${number(fault.lastsSeconds / 60)} minutes at ${number(ratePerSecond)}/s of work
that takes ${number(workload.latencyFloorMs)} ms, and every ${number(fault.everySeconds)} s one of the two workers is killed. n8n kept all executions. The first
error counts from the first kill; until the SLO was met again and until the backlog was worked off, from the last one.

${table(HEAD, records.map(rowOf))}

${retriesOf(drill.recovery)}

Every request that was not simply answered and executed once, by what its sources say. A request that a worker had begun when it was killed
is executed again from its trigger, so its work begins twice; it is done twice where the worker had finished the work,
but n8n had not stored that yet. The times say how far from a kill these requests were due.

${table(WAY_HEAD, ways.map(wayOf))}
`;
}
