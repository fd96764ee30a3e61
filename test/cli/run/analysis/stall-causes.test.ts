import { stallCauses } from '../../../../cli/src/run/analysis/stall-causes';
import type { Metric } from '../../../../cli/src/record/metrics';
import type { MetricSample } from '../../../../cli/src/record/run-record';

/** A minute of main, a look each second; `at` says what it looked like in a second. */
const watched = (
  at: (second: number) => Partial<Record<Metric, number>>,
  role: MetricSample['role'] = 'main',
): MetricSample[] =>
  Array.from({ length: 60 }, (_, second) =>
    Object.entries({ throttledMs: 0, heapUsedMiB: 200 + second, gcShare: 0.01, ...at(second) }).map(
      ([metric, value]) => ({
        ...{ tMs: 1_000 * second + 700, role, instance: role, metric: metric as Metric, value },
      }),
    ),
  ).flat();
const STALL = { fromMs: 29_900, ms: 600 };

// What the looks of a real run said of a main with a CPU limit of one core, where a stall of 593 ms ended at 12.3 s.
const COLLECTED = { heapUsedMiB: 160, gcShare: 0.038 };

test('a group that its CPU limit stops for a good part of a stall is seen, one that it stops for a moment is not', () => {
  const stopped = (throttledMs: number) =>
    stallCauses(
      [STALL],
      watched((second) => (second === 30 ? { throttledMs } : {})),
    );
  expect(stopped(435)).toEqual({ cpuLimit: 1, collection: 0 });
  expect(stopped(20)).toEqual({ cpuLimit: 0, collection: 0 });
});

test('a heap that shrinks while collecting takes longer than usual is seen; one alone of both is not', () => {
  const collected = (seen: Partial<Record<Metric, number>>) =>
    stallCauses(
      [STALL],
      watched((second) => (second === 30 ? seen : {})),
    ).collection;
  expect(collected(COLLECTED)).toBe(1);
  expect(collected({ heapUsedMiB: 160 })).toBe(0);
  expect(collected({ gcShare: 0.038 })).toBe(0);
});

test('what happens at another time, to a database or to nobody known is not taken for the cause', () => {
  const early = watched((second) => (second === 20 ? { ...COLLECTED, throttledMs: 435 } : {}));
  const other = watched(() => ({ ...COLLECTED, throttledMs: 435 }), 'postgresql');
  for (const samples of [early, other, []]) {
    expect(stallCauses([STALL], samples)).toEqual({ cpuLimit: 0, collection: 0 });
  }
});

test('each stall counts once, however many processes it concerns', () => {
  const both = (['main', 'worker'] as const).flatMap((role) =>
    watched((second) => (second === 30 ? { ...COLLECTED, throttledMs: 435 } : {}), role),
  );
  expect(stallCauses([STALL, { fromMs: 50_000, ms: 600 }], both)).toEqual({
    ...{ cpuLimit: 1, collection: 1 },
  });
});
