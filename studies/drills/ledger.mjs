// What a record of a drill does not have, and ledger.csv and run.json beside it have. Pure.

const LOST = ['lost', 'not-executed'];

/** From when a request is due until a worker has begun it: more than 1 s where four drills share two cores. */
const TO_BEGIN_MS = 2000;

/**
 * `doneTwice`: requests whose work was done more than once. `lostDue`: when the requests that were lost were due: before the
 * fault was begun, so that they were at work when it came, while it was being made, or after it. One that was due just
 * before it and had not begun was not at work.
 */
export function seenIn(csv, { faultMs, madeMs }) {
  const rows = rowsOf(csv);
  const lost = rows.filter((row) => LOST.includes(row.class));
  const isBefore = ({ tMs, begun }) =>
    faultMs - Number(tMs) > (Number(begun) > 0 ? 0 : TO_BEGIN_MS);
  const before = lost.filter(isBefore).length;
  const during = lost.filter(({ tMs }) => Number(tMs) >= faultMs && Number(tMs) < madeMs).length;
  return {
    doneTwice: rows.filter(({ done }) => Number(done) > 1).length,
    lostDue: { before, during, after: lost.length - before - during },
  };
}

/**
 * What became of the requests that were not simply answered and executed once, where a fault was made again and again: a
 * line for each way, with how many went it, and at most how long before the next fault and after the last one they were
 * due, in seconds; null where there is none.
 */
export function waysIn(csv, faultsMs) {
  const ways = new Map();
  for (const { tMs, class: name, executions, begun, done } of rowsOf(csv)) {
    if (name === 'once') continue;
    const key = [name, executions, begun, done].join();
    if (!ways.has(key)) ways.set(key, { class: name, executions, begun, done, times: [] });
    ways.get(key).times.push(Number(tMs));
  }
  const farthest = (distances) =>
    distances.includes(undefined) ? null : Math.round(Math.max(...distances) / 100) / 10;
  return [...ways.values()]
    .map(({ times, ...way }) => ({
      ...way,
      requests: times.length,
      beforeSeconds: farthest(
        times.map((time) => faultsMs.map((at) => at - time).find((ms) => ms >= 0)),
      ),
      afterSeconds: farthest(
        times.map((time) => faultsMs.map((at) => time - at).findLast((ms) => ms >= 0)),
      ),
    }))
    .toSorted((a, b) => b.requests - a.requests);
}

function rowsOf(csv) {
  const [head, ...lines] = csv.trim().split('\n');
  const names = head.split(',');
  return lines.map((line) =>
    Object.fromEntries(line.split(',').map((value, index) => [names[index], value])),
  );
}

/** What processes came to an end and were started again, in seconds after the fault. */
export const restartsIn = ({ events }, faultMs) =>
  events
    .filter(({ inFlight }) => inFlight !== undefined)
    .map(({ tMs, text }) => ({ afterSeconds: Math.round((tMs - faultMs) / 100) / 10, text }));
