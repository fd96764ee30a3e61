import {
  drift,
  minDifference,
  order,
  remaining,
  secondsLeft,
} from '../../../../../cli/src/features/sweep/analysis/drift-and-order';
import { normal, seededRandom } from '../../../../../cli/src/analysis/statistics/random';
import { median } from '../../../../../cli/src/analysis/statistics/statistics';
import { figuresOfFind, figuresOfRun } from '../../../../../cli/src/features/sweep/measure-cell';
import { cellKey, matrix, sift, type Cell } from '../../../../../cli/src/features/sweep/plan/cells';
import { sampleSearch } from '../../../../support/sample-find';
import { sampleRun } from '../../../../support/sample-run';

const onlyInQueueMode = (cell: Cell) =>
  cell.mode === 'regular' && cell.workers !== 0 ? 'only queue mode has workers' : null;

const cells = matrix({ mode: ['regular', 'queue'], workers: [0, 1, 2], cpu: [500, 1000] }, [
  onlyInQueueMode,
]);
const settings = {
  repeats: 3,
  control: { mode: 'regular', workers: 0, cpu: 500 },
  controlEvery: 4,
  seed: 5,
};
const steps = order(cells.possible, settings);

describe('cells', () => {
  test('are every combination, less the impossible ones with their reason', () => {
    expect(cells.possible).toHaveLength(8);
    expect(cells.skipped).toHaveLength(4);
    expect(cells.skipped[0]).toEqual({
      cell: { mode: 'regular', workers: 1, cpu: 500 },
      reason: 'only queue mode has workers',
    });
  });

  test('listed twice are made once', () => {
    const { possible, skipped } = sift(
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      [],
    );
    expect(possible).toEqual([{ a: 1, b: 2 }]);
    expect(skipped[0]?.reason).toBe('the plan already has this cell');
  });
});

describe('order', () => {
  test('holds every cell once a block, in an order of its own', () => {
    const blocks = [1, 2, 3].map((block) =>
      steps
        .filter((step) => step.block === block && !step.isControl)
        .map(({ cell }) => cellKey(cell)),
    );
    const all = cells.possible.map(cellKey).sort();
    for (const block of blocks) expect([...block].sort()).toEqual(all);
    expect(new Set(blocks.map((block) => block.join(';'))).size).toBe(3);
  });

  test('begins and ends with the control, and comes back to it', () => {
    const at = steps.flatMap((step, i) => (step.isControl ? [i] : []));
    expect(at[0]).toBe(0);
    expect(at.at(-1)).toBe(steps.length - 1);
    expect(at).toHaveLength(7);
  });

  test('is the same when planned again, with ids that no two steps share', () => {
    expect(order(cells.possible, settings)).toEqual(steps);
    expect(new Set(steps.map(({ id }) => id)).size).toBe(steps.length);
    expect(order(cells.possible, { ...settings, seed: 6 })).not.toEqual(steps);
  });
});

describe('resuming', () => {
  test('goes on exactly with the steps that have no record', () => {
    const recorded = new Set(steps.slice(0, 11).map(({ id }) => id));
    expect(remaining(steps, recorded)).toEqual(steps.slice(11));
    expect(remaining(steps, new Set(steps.map(({ id }) => id)))).toEqual([]);
  });

  test('states the time left at the pace so far', () => {
    const planned = () => 60;
    expect(secondsLeft(steps, planned, [])).toBe(60 * steps.length);
    const done = steps.slice(0, 2).map((step) => ({ step, seconds: 90 }));
    expect(secondsLeft(steps.slice(2), planned, done)).toBe(90 * (steps.length - 2));
  });
});

describe('drift of the controls', () => {
  test('is seen and measured', () => {
    const found = drift(
      [100, 98, 95.9, 94.1, 92].map((value, i) => ({ atSeconds: i * 600, value })),
    );
    expect(found?.isReal).toBe(true);
    expect(found?.change).toBeCloseTo(-0.083, 2);
  });

  test('is not seen in noise', () => {
    const found = drift(
      [100, 103, 99, 101, 98, 102].map((value, i) => ({ atSeconds: i * 600, value })),
    );
    expect(found?.isReal).toBe(false);
    expect(found?.noise).toBeCloseTo(0.0186, 3);
  });

  test('says from where on two cells differ: of equal ones, the best and the worst seldom do', () => {
    const random = seededRandom(9);
    const RUNS = 1_000;
    const told = (controls: number, cells: number, repeats: number): number => {
      // It is proportional to the noise, and takes some milliseconds to compute.
      const steady = { controls, noise: 1, change: 0, isReal: false };
      const factor = minDifference(steady, cells, repeats);
      let count = 0;
      for (let run = 0; run < RUNS; run += 1) {
        const value = (): number => 100 + normal(random);
        const found = drift(
          Array.from({ length: controls }, (_, i) => ({ atSeconds: i, value: value() })),
        );
        const all = Array.from({ length: cells }, () =>
          median(Array.from({ length: repeats }, value)),
        );
        const max = Math.max(...all);
        const apart = (max - Math.min(...all)) / max;
        if (found !== null && apart > factor * found.noise) count += 1;
      }
      return count / RUNS;
    };
    for (const [controls, cells, repeats] of [
      [3, 2, 1],
      [3, 8, 1],
      [5, 16, 1],
      [9, 4, 3],
    ] as const) {
      const share = told(controls, cells, repeats);
      expect(share).toBeLessThan(0.07);
      expect(share).toBeGreaterThan(0.01);
    }
  });

  test('needs three controls', () => {
    expect(
      drift([
        { atSeconds: 0, value: 1 },
        { atSeconds: 9, value: 2 },
      ]),
    ).toBeNull();
  });
});

test('a cell whose workload answers at once has the rate of its executions, not of acceptances', () => {
  const { summary } = sampleRun().record;
  const completions = {
    ...{ requests: 60, ratePerSecond: 10, shareOfOffered: 0.25 },
    ...{ openAtEnd: 180, source: 'database' },
  };
  expect(figuresOfRun({ summary }).achievedPerSecond).toBe(summary.achieved.ratePerSecond);
  const { memoryMiB, ...behind } = figuresOfRun({ summary: { ...summary, completions } });
  expect(behind.achievedPerSecond).toBe(10);
  expect(behind.memoryMiBPerRequestPerSecond).toBeCloseTo((memoryMiB ?? NaN) / 10, 9);
});

test('a cell keeps the interval of its search', () => {
  const search = sampleSearch();
  const { capacity } = search;
  expect(figuresOfFind(search, null)).toMatchObject({
    capacityPerSecond: capacity.ratePerSecond,
    capacityLow: capacity.low,
    capacityHigh: capacity.high,
  });
  const none = { ...search, verdict: 'invalid' as const };
  expect(figuresOfFind(none, null)).toMatchObject({ capacityPerSecond: null, capacityLow: null });
});
