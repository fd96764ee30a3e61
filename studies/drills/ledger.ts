// What a record of a drill does not have, and ledger.csv and run.json beside it have. Pure.
import type { RunRecord } from '../../cli/src/record/run-record';

const LOST = ['lost', 'not-executed'];

/** From when a request is due until a worker has begun it: more than 1 s where four drills share two cores. */
const TO_BEGIN_MS = 2000;

/**
 * `doneTwice`: requests whose work was done more than once. `lostDue`: when the requests that were lost were due: before the
 * fault was begun, so that they were at work when it came, while it was being made, or after it. One that was due just
 * before it and had not begun was not at work.
 */
export function seenIn(csv: string, { faultMs, madeMs }: { faultMs: number; madeMs: number }) {
  const rows = rowsOf(csv);
  const lost = rows.filter((row) => LOST.includes(row['class'] ?? ''));
  const isBefore = ({ tMs, begun }: Row): boolean =>
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
export function waysIn(csv: string, faultsMs: readonly number[]) {
  const ways = new Map<string, Way>();
  for (const row of rowsOf(csv)) {
    const { tMs, class: name = '', executions = '', begun = '', done = '' } = row;
    if (name === 'once') continue;
    const key = [name, executions, begun, done].join();
    const way = ways.get(key) ?? { class: name, executions, begun, done, times: [] };
    way.times.push(Number(tMs));
    ways.set(key, way);
  }
  const farthest = (distances: readonly (number | undefined)[]): number | null => {
    const known = distances.filter((ms) => ms !== undefined);
    return known.length < distances.length ? null : Math.round(Math.max(...known) / 100) / 10;
  };
  return [...ways.values()]
    .map(({ times, ...way }) => ({
      ...way,
      requests: times.length,
      beforeSeconds: farthest(
        times.map((time) => faultsMs.map((at) => at - time).find((ms) => ms >= 0)),
      ),
      afterSeconds: farthest(
        times.map((time) =>
          faultsMs
            .map((at) => time - at)
            .filter((ms) => ms >= 0)
            .at(-1),
        ),
      ),
    }))
    .sort((a, b) => b.requests - a.requests);
}

type Row = Record<string, string>;

interface Way {
  class: string;
  executions: string;
  begun: string;
  done: string;
  times: number[];
}

function rowsOf(csv: string): Row[] {
  const [head = '', ...lines] = csv.trim().split('\n');
  const names = head.split(',');
  return lines.map((line) =>
    Object.fromEntries(line.split(',').map((value, index) => [names[index] ?? '', value])),
  );
}

/** What processes came to an end and were started again, in seconds after the fault. */
export const restartsIn = ({ events }: Pick<RunRecord, 'events'>, faultMs: number) =>
  events
    .filter(({ inFlight }) => inFlight !== undefined)
    .map(({ tMs, text }) => ({ afterSeconds: Math.round((tMs - faultMs) / 100) / 10, text }));
