// What a record of a drill does not have, and ledger.csv and run.json beside it have. Pure.

const LOST = ['lost', 'not-executed'];

/** From when a request is due until a worker has begun it: more than 1 s where four drills share two cores. */
const TO_BEGIN_MS = 2000;

/**
 * `doneTwice`: requests whose work was done more than once. `lostDue`: when the requests that were lost were due: before the
 * fault, so that they were at work when it came, or after it. One that was due just before it and had not begun was not at
 * work.
 */
export function seenIn(csv, faultMs) {
  const [head, ...lines] = csv.trim().split('\n');
  const names = head.split(',');
  const column = (line, name) => line.split(',').at(names.indexOf(name));
  const lost = lines.filter((line) => LOST.includes(column(line, 'class')));
  const isBefore = (line) => {
    const aheadMs = faultMs - Number(column(line, 'tMs'));
    return aheadMs > (Number(column(line, 'begun')) > 0 ? 0 : TO_BEGIN_MS);
  };
  const before = lost.filter(isBefore).length;
  return {
    doneTwice: lines.filter((line) => Number(column(line, 'done')) > 1).length,
    lostDue: { before, after: lost.length - before },
  };
}

/** What processes came to an end and were started again, in seconds after the fault. */
export const restartsIn = ({ events }, faultMs) =>
  events
    .filter(({ inFlight }) => inFlight !== undefined)
    .map(({ tMs, text }) => ({ afterSeconds: Math.round((tMs - faultMs) / 100) / 10, text }));
