import fc from 'fast-check';
import { parse } from 'yaml';
import {
  isEnough,
  plannedPerSecond,
} from '../../../../cli/src/features/find/analysis/planned-share';
import type { CapacityEvidence } from '../../../../cli/src/features/recommend/analysis/evidence';
import { plannedRate, recommend } from '../../../../cli/src/features/recommend/analysis/recommend';
import { valuesYaml } from '../../../../cli/src/features/recommend/values';
import { runs } from '../../../support/properties';
import { queue, regular } from './evidence';
import { formatNumber } from '../../../../cli/src/ui/numbers';
import type { Topology } from '../../../../cli/src/plan/topology';
import { readFinds, type KnownFind } from '../../../../cli/src/features/recommend/find-each';
import { candidates, findEach } from '../../../../cli/src/features/recommend/find-each';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readMeasurements } from '../../../../cli/src/features/predict/command';
import { hasEstimate, usedAt } from '../../../../cli/src/features/find/record';
import { FIND_FILE } from '../../../../cli/src/record/find-records';
import { sampleSearch } from '../../../support/sample-find';
import { sampleRun } from '../../../support/sample-run';

const capacity = fc.double({ min: 1e-3, max: 1e5, noNaN: true, minExcluded: true });

/** Searches of one layout or several, repeated or not, in any order. */
const searches: fc.Arbitrary<CapacityEvidence[]> = fc.array(
  fc.oneof(
    capacity.map((rate) => regular(rate)),
    fc.tuple(fc.integer({ min: 1, max: 8 }), capacity).map(([n, rate]) => queue(n, rate)),
  ),
  { minLength: 1, maxLength: 6 },
);

describe('whatever was recorded', () => {
  test('a recommendation without a wanted rate is made, and its values are written', () => {
    fc.assert(
      fc.property(searches, (evidence) => {
        const found = recommend(evidence, plannedRate(evidence));
        if (found === null) throw new Error('nothing is recommended');
        expect(parse(valuesYaml(found))).toHaveProperty('main.resources.requests.cpu');
      }),
      { numRuns: runs(300) },
    );
  });

  test('the planned rate of a capacity is enough, exactly and as a report shows it', () => {
    fc.assert(
      fc.property(capacity, (rate) => {
        expect(isEnough(rate, plannedPerSecond(rate))).toBe(true);
        expect(
          isEnough(rate, Number(formatNumber(plannedPerSecond(rate)).replaceAll(',', ''))),
        ).toBe(true);
        expect(isEnough(rate, 1.01 * plannedPerSecond(rate))).toBe(false);
      }),
      { numRuns: runs(10_000) },
    );
  });
});

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

// The records in studies/ keep each search, not the runs beneath it: they are evidence all the same.
const studies = join(__dirname, '../../../../studies');
const folder = mkdtempSync(join(tmpdir(), 'search-alone-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const archiveOf = (study: string): string => join(studies, study, 'results.jsonl.gz');
const measured = readdirSync(studies).filter((study) => existsSync(archiveOf(study)));

test.each(measured)('every search of the study %s can be planned with', (study) => {
  const searches = readFinds([archiveOf(study)]);
  for (const { record, evidence } of searches) {
    if (record.topology === null || !hasEstimate(record.verdict)) continue;
    if (evidence === null) throw new Error(`${record.id} tells nothing`);
    const recommendation = recommend([evidence], plannedRate([evidence]));
    expect(recommendation).not.toBeNull();
    if (recommendation !== null) expect(valuesYaml(recommendation)).toContain(record.id);
  }
  expect(() => readMeasurements([archiveOf(study)])).not.toThrow();
});

test('studies/capacity has searches of both workloads', () => {
  const names = readFinds([archiveOf('capacity')]).map(({ evidence }) => evidence?.workload);
  expect(names.sort()).toEqual(['items', 'last-node']);
});

test('a new search keeps what its roles used, and sizes them without its runs', () => {
  const { record: run } = sampleRun();
  const search = { ...sampleSearch(), topology: run.topology };
  const atCapacity = usedAt('probes/40', run.summary);
  writeFileSync(join(folder, FIND_FILE), JSON.stringify({ ...search, atCapacity }));
  const [known] = readFinds([folder]);
  expect(known?.evidence?.at).toMatchObject({ run: 'probes/40', roles: run.summary.roles });
  const [measured] = readMeasurements([folder]);
  expect(measured?.cpuMillisecondsPerRequest).toBe(run.summary.cpuMillisecondsPerRequest);
  expect(Object.keys(measured?.roleCpu ?? {})).toContain('main');
});
