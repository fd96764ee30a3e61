import { seededRandom } from '../../../../../cli/src/analysis/statistics/random';
import { heldBy, heldMs } from '../../../../../cli/src/features/find/analysis/held';
import { findDocument } from '../../../../../cli/src/features/find/report/document';
import { speedFigures } from '../../../../../cli/src/features/find/report/speed';
import type { FindProbe, FindRecord } from '../../../../../cli/src/features/find/record';
import { topologySchema } from '../../../../../cli/src/plan/topology';
import type { Limit } from '../../../../../cli/src/record/run-record';
import { sampleSearch } from '../../../../support/sample-find';
import { measure } from './simulated/probe';
import { Simulation, type Load } from './simulated/simulate';

const SLOTS: Limit = { role: 'worker', resource: 'slots' };
const HELD_SECONDS = 0.5;

/** Without some of its values. */
const omitted = <Given extends object, Name extends keyof Given>(
  given: Given,
  ...names: Name[]
): Omit<Given, Name> =>
  Object.fromEntries(
    Object.entries(given).filter(([name]) => !names.includes(name as Name)),
  ) as Omit<Given, Name>;

/** Probes of two workers with ten slots each, which every request holds for half a second. */
function probesOf(...loads: Load[]): FindProbe[] {
  const [sample] = sampleSearch().probes;
  if (sample === undefined) throw new Error('the sample has no probe');
  const rest = omitted(sample, 'clients', 'ratePerSecond');
  const system = new Simulation(
    { servers: 20, arrivals: 'poisson', service: () => HELD_SECONDS },
    seededRandom(7),
  );
  return loads.map((load) => {
    const seconds = 20;
    const { achievedPerSecond } = measure(system.run(load, seconds), seconds);
    return {
      ...{ ...rest, ...load, result: 'not sustained', achievedPerSecond, durationSeconds: seconds },
      limitedBy: { limit: SLOTS, evidence: null, next: null },
    };
  });
}

const { machine, workload } = sampleSearch();
const at = {
  ...{ machine, workload },
  topology: topologySchema.parse({ mode: 'queue', workers: { count: 2, concurrency: 10 } }),
};
const probes = probesOf({ clients: 64 }, { ratePerSecond: 38 }, { ratePerSecond: 60 });

describe('a capacity that slots limit', () => {
  const held = heldBy(SLOTS, probes, at);

  test('is told by how many there are, and by how long a request holds one', () => {
    expect(held).toMatchObject({ of: SLOTS, count: 20 });
    expect(held?.ratePerSecond).toBeCloseTo(20 / HELD_SECONDS, -0.3);
    const ms = held === null ? null : heldMs(held, held.ratePerSecond);
    expect(Math.abs((ms ?? NaN) / (1_000 * HELD_SECONDS) - 1)).toBeLessThan(0.05);
  });

  test('takes that from probes alone that used all of them up', () => {
    expect(heldBy(SLOTS, probes.slice(1, 2), at)).toBeNull();
    const invalid = probes.map((probe) => ({ ...probe, result: 'invalid' as const }));
    expect(heldBy(SLOTS, invalid, at)).toBeNull();
    expect(heldBy({ role: 'runner', resource: 'slots' }, probes, at)).toBeNull();
  });

  test('says in its report how many are in use, and for how long each', () => {
    if (held === null) throw new Error('nothing was held');
    const capacity = omitted(sampleSearch().capacity, 'at', 'speeds');
    const record: FindRecord = {
      ...sampleSearch(),
      limit: SLOTS,
      capacity: { ...capacity, ratePerSecond: 36, low: 35, high: 37, held },
    };
    const [figure] = speedFigures(record);
    expect(figure).toEqual({
      name: 'In use',
      value: expect.stringMatching(
        /^(89|9\d)(\.\d)?% of the worker slots at the capacity, and 100% at (39|40)\S*\/s \(at \S+\/s in the slowest probe\): a request holds one of 20 for (49\d|50\d|51\d)(\.\d)? ms \(for /,
      ),
    });
    expect(findDocument(record).summary).toContainEqual(figure);
  });
});

test('of a pool, whose connections nobody counts, it is told by the rate that uses it up', () => {
  const pool: Limit = { role: 'main', resource: 'connection pool' };
  const of = probes.map((probe) => ({
    ...probe,
    limitedBy: { ...probe.limitedBy, limit: pool },
  }));
  const held = heldBy(pool, of, at);
  expect(held).toMatchObject({ of: pool, count: null });
  expect(held === null ? NaN : heldMs(held, held.ratePerSecond)).toBeNull();
});

test('a limit that computes has its price in CPU instead', () => {
  const loop: Limit = { role: 'main', resource: 'event loop' };
  const of = probes.map((probe) => ({ ...probe, limitedBy: { ...probe.limitedBy, limit: loop } }));
  expect(heldBy(loop, of, at)).toBeNull();
});
