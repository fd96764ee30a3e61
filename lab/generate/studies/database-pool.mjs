// What a small pool of database connections costs in bursts.
import { has, link, namesIn, number, readJson, spread, table } from '../records.ts';

const FOLDER = 'studies/database-pool/results';
const MEASURE = 'studies/database-pool/measure.mjs';
/** Errors that are no response at all. */
const WITHOUT_RESPONSE = ['timeout', 'unanswered'];

export function databasePool() {
  if (!has(FOLDER)) return '';
  const conditions = namesIn(FOLDER)
    .filter((name) => name.endsWith('.json'))
    .map((name) => ({ path: `${FOLDER}/${name}`, ...readJson(`${FOLDER}/${name}`) }));
  if (conditions.length === 0) return '';
  const nearestFirst = conditions.toSorted(
    (a, b) => a.roundTripMs - b.roundTripMs || a.pingTimeoutMs - b.pingTimeoutMs,
  );
  return `## Pool of database connections

Queue mode with one worker and one webhook processor, a PostgreSQL some milliseconds away, and a rate that is five times as
high for 10 s. While n8n's own ping waits for a connection for too long, main and webhook processors respond to every
request with status 503. Errors are those of the requests of the measured time, whenever they came. An expected response counts
if it came within that time (a few may be those of the warm-up): where the columns are less than the requests, the others got
theirs later.

${nearestFirst.map(partOf).join('\n\n')}`;
}

export function partOf(condition) {
  const { path, roundTripMs, pingTimeoutMs, cells } = condition;
  const hasOthers = cells.some((cell) => errorsOf(cell, isOther) > 0);
  return `### ${number(roundTripMs)} ms away, DB_PING_TIMEOUT_MS ${String(pingTimeoutMs)}

${fromWhichPool(cells)}

${table(
  [
    ...['rate, in the burst', "worker's concurrency", 'pool', 'requests', 'expected responses'],
    ...['status 503', 'status 500', 'no response', ...(hasOthers ? ['other errors'] : []), 'p95'],
    ...['longest mean wait for a connection', 'most waiting', 'pings failed'],
  ],
  groupsOf(cells).map((group) => rowOf(group, hasOthers)),
)}

${link(path)}. Repeat it with \`${commandOf(condition)}\`.`;
}

/** From which size on something was so in every cell, at any rate and concurrency. */
function fromWhichPool(cells) {
  const sizes = [...new Set(cells.map(({ poolSize }) => poolSize))].toSorted((a, b) => a - b);
  const where = (isSo) => {
    const least = sizes.find((size) =>
      // Where n8n did not live, nothing was requested.
      cells.every((cell) => cell.poolSize < size || (cell.requests > 0 && isSo(cell))),
    );
    if (least === undefined) return 'not even with the largest pool';
    return least === sizes[0] ? 'with every pool' : `from a pool of ${least} on`;
  };
  const isInTime = ({ requests, expected }) => expected >= requests;
  return `Pools of ${sizes.join(', ')} were tried. No status 503: ${where(({ status503 }) => status503 === 0)}. No error of any kind:
${where((cell) => errorsOf(cell, () => true) === 0)}. Every expected response within the measured time: ${where(isInTime)}.`;
}

/** That of the record; of one that has none, by what it measured. */
function commandOf({ command, roundTripMs, pingTimeoutMs, cells }) {
  const isShort = cells.every((cell) => cell.isControl || cell.concurrency === 10);
  return (
    command ??
    [
      `node ${MEASURE} --round-trip ${roundTripMs} --ping-timeout ${pingTimeoutMs / 1000}`,
      ...(isShort ? ['--short'] : []),
    ].join(' ')
  );
}

const errorsOf = ({ errors }, isMeant) =>
  Object.entries(errors).reduce((sum, [kind, times]) => sum + (isMeant(kind) ? times : 0), 0);
const isWithoutResponse = (kind) => WITHOUT_RESPONSE.includes(kind);
const isOther = (kind) => !isWithoutResponse(kind) && !['status 503', 'status 500'].includes(kind);

/** Cells alike, such as the controls, are one row. */
function groupsOf(cells) {
  const groups = new Map();
  const sorted = cells.toSorted(
    (a, b) =>
      a.ratePerSecond - b.ratePerSecond || a.concurrency - b.concurrency || a.poolSize - b.poolSize,
  );
  for (const cell of sorted) {
    const key = [cell.ratePerSecond, cell.concurrency, cell.poolSize].join(' ');
    groups.set(key, [...(groups.get(key) ?? []), cell]);
  }
  return [...groups.values()];
}

function rowOf(cells, hasOthers) {
  const [{ ratePerSecond, concurrency, poolSize }] = cells;
  const sum = (figure) => cells.reduce((all, cell) => all + figure(cell), 0);
  const p95s = cells.map(({ p95Ms }) => p95Ms).filter((p95) => p95 !== null);
  return [
    `${number(ratePerSecond)}/s, ${number(5 * ratePerSecond)}/s`,
    ...[concurrency, poolSize],
    sum(({ requests }) => requests),
    sum(({ expected }) => expected),
    sum(({ status503 }) => status503),
    sum((cell) => errorsOf(cell, (kind) => kind === 'status 500')),
    sum((cell) => errorsOf(cell, isWithoutResponse)),
    ...(hasOthers ? [sum((cell) => errorsOf(cell, isOther))] : []),
    p95s.length === 0 ? '' : `${p95s.length === 1 ? number(p95s[0]) : spread(p95s)} ms`,
    withRole(
      cells.map(({ acquireMs }) => acquireMs),
      ' ms',
    ),
    withRole(
      cells.map(({ waiting }) => waiting),
      '',
    ),
    sum(({ pingsFailed }) => pingsFailed),
  ];
}

/** The highest of all processes, and whose it is. */
function withRole(cells, unit) {
  const all = cells.flatMap((roles) => Object.entries(roles));
  const [role, { most }] = all.toSorted(([, a], [, b]) => b.most - a.most)[0] ?? ['', { most: 0 }];
  return most === 0 ? '0' : `${number(most)}${unit} (${role})`;
}
