import fc from 'fast-check';
import {
  MAX_POINTS,
  ProcessesSeen,
} from '../../../../../cli/src/features/sample/analysis/process-history';
import type { ProcessRow } from '../../../../../cli/src/features/sample/record';
import { runs } from '../../../../support/properties';

const rowAt = (tMs: number, pid: number, rssMiB: number, cpuCores: number | null): ProcessRow => ({
  ...{ tMs, pid, parent: 1, command: `node ${String(pid)}.js`, rssMiB, cpuCores, threads: 7 },
});

test('a process that comes and goes has its own figures, and counts in those of all together', () => {
  const seen = new ProcessesSeen();
  seen.add([rowAt(0, 10, 50, null)]);
  seen.add([rowAt(1000, 10, 60, 0.5), rowAt(1000, 11, 40, 0.3)]);
  seen.add([rowAt(2000, 10, 55, 0.7)]);
  expect(seen.history()).toEqual({
    durationMs: 2000,
    samples: 3,
    together: {
      processes: { max: 2 },
      rssMiB: { first: 50, last: 55, max: 100 },
      cpuCores: { mean: 0.75, max: 0.8 },
    },
    processes: [
      {
        ...{ pid: 10, parent: 1, command: 'node 10.js', firstMs: 0, lastMs: 2000, samples: 3 },
        rssMiB: { first: 50, last: 55, max: 60 },
        cpuCores: { mean: 0.6, max: 0.7 },
        threads: { max: 7 },
      },
      {
        ...{ pid: 11, parent: 1, command: 'node 11.js', firstMs: 1000, lastMs: 1000, samples: 1 },
        rssMiB: { first: 40, last: 40, max: 40 },
        cpuCores: { mean: 0.3, max: 0.3 },
        threads: { max: 7 },
      },
    ],
  });
});

test('however long it takes, points are few, in order, and show the highest memory', () => {
  const ticks = fc.array(fc.double({ min: 0, max: 4096, noNaN: true }), {
    minLength: 1,
    maxLength: 5 * MAX_POINTS,
    size: 'max',
  });
  fc.assert(
    fc.property(ticks, (memory) => {
      const seen = new ProcessesSeen();
      for (const [at, rssMiB] of memory.entries()) seen.add([rowAt(at, 10, rssMiB, 0.25)]);
      const points = seen.points();
      expect(points.length).toBeLessThanOrEqual(MAX_POINTS);
      const times = points.map(({ tMs }) => tMs);
      expect(times).toEqual([...times].sort((a, b) => a - b));
      const max = memory.reduce((a, b) => Math.max(a, b));
      expect(Math.max(...points.map(({ rssMiB }) => rssMiB))).toBe(max);
      expect(Math.max(...points.map(({ rssMiBOf }) => rssMiBOf.get(10) ?? 0))).toBe(max);
      expect(points.slice(1).every(({ cpuCores }) => cpuCores === 0.25)).toBe(true);
      expect(seen.history()).toMatchObject({
        samples: memory.length,
        together: { rssMiB: { first: memory[0], last: memory.at(-1), max } },
      });
    }),
    { numRuns: runs(20) },
  );
});
