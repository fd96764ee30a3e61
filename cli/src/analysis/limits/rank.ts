import type { RankedLimit } from '../../record/run-record';
import type { Reading, LimitRow } from './row';

export interface Read {
  row: LimitRow;
  reading: Reading;
}

/**
 * What is used up comes first, and of it the cause: a generator that could do no more says nothing about
 * the system; a process killed for memory explains its queue; a slot is held only as long as the work in
 * it takes, so that full slots over a busy CPU are no limit of their own; and the machine is the limit
 * only where no part of it, such as a thread, was at its own. Then, and among equals, by utilisation.
 */
export function rank(readings: readonly Read[]): RankedLimit[] {
  const usedUp = readings.filter(({ reading }) => reading.isUsedUp);
  const placeOf = ({ row, reading }: Read): number => {
    if (!reading.isUsedUp) return PLACES.length;
    const isExplained = usedUp.some(
      (other) => other.row !== row && row.explainedBy?.(other.row, other.reading) === true,
    );
    return PLACES.indexOf(isExplained ? 'explained' : row.kind);
  };
  return [...readings]
    .map((read) => ({ ...read, place: placeOf(read) }))
    .sort((a, b) => a.place - b.place || b.reading.utilisation - a.reading.utilisation)
    .map(({ row: { role, resource }, reading }) => ({ role, resource, ...reading }));
}

const PLACES: readonly (LimitRow['kind'] | 'explained')[] = [
  'generator',
  'space',
  'held',
  'work',
  'shared',
  'explained',
];
