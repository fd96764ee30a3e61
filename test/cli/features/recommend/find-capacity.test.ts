import type { Topology } from '../../../../cli/src/plan/topology';
import type { KnownFind } from '../../../../cli/src/features/recommend/read';
import { candidates, findEach } from '../../../../cli/src/features/recommend/find-each';
import { regular } from './evidence';

/** Searches that find so much, by the number of workers (0: regular mode). */
async function searched(capacities: Record<number, number>, rate: number): Promise<number[]> {
  const made: number[] = [];
  await findEach(candidates(0, 4), rate, (topology) => {
    const workers = topology.mode === 'queue' ? topology.workers.count : 0;
    made.push(workers);
    const capacity = capacities[workers] ?? 0;
    const evidence = capacity > 0 ? regular(capacity) : null;
    return Promise.resolve({ evidence } as KnownFind);
  });
  return made;
}

test('one process is tried first, and is enough where it sustains the rate with 20% to spare', async () => {
  expect(await searched({ 0: 50 }, 40)).toEqual([0]);
  expect(await searched({ 0: 49, 1: 60 }, 40)).toEqual([0, 1]);
});

test('larger ones follow until one will do, or none does', async () => {
  expect(await searched({ 0: 30, 1: 40, 3: 90 }, 60)).toEqual([0, 1, 3]);
  expect(await searched({}, 60)).toEqual([0, 1, 3]);
});

test('workers keep to the cores there are; work that waits gets more slots', () => {
  const counts = (all: Topology[]): number[] =>
    all.filter(({ mode }) => mode === 'queue').map(({ workers }) => workers.count);
  expect(counts(candidates(0, 2))).toEqual([1]);
  expect(counts(candidates(0, 8))).toEqual([1, 7]);
  expect(candidates(5000, 2).map(({ tuning }) => tuning)).toEqual(['io-bound', 'io-bound']);
});
