// What a record of a drill does not have, and ledger.csv and run.json beside it have. Pure.

const LOST = ['lost', 'not-executed'];

/**
 * `doneTwice`: requests whose work was done more than once. `lostDue`: when the requests that were lost were due: before the
 * fault, so that they were at work when it came, or after it.
 */
export function seenIn(csv, faultMs) {
  const [head, ...lines] = csv.trim().split('\n');
  const names = head.split(',');
  const column = (line, name) => line.split(',').at(names.indexOf(name));
  const due = lines
    .filter((line) => LOST.includes(column(line, 'class')))
    .map((line) => Number(column(line, 'tMs')));
  return {
    doneTwice: lines.filter((line) => Number(column(line, 'done')) > 1).length,
    lostDue: {
      before: due.filter((tMs) => tMs < faultMs).length,
      after: due.filter((tMs) => tMs >= faultMs).length,
    },
  };
}

/** What processes came to an end and were started again, in seconds after the fault. */
export const restartsIn = ({ events }, faultMs) =>
  events
    .filter(({ inFlight }) => inFlight !== undefined)
    .map(({ tMs, text }) => ({ afterSeconds: Math.round((tMs - faultMs) / 100) / 10, text }));
