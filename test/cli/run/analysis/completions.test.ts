import { completed, countedOnce } from '../../../../cli/src/run/analysis/completions';
import type { TracedExecution } from '../../../../cli/src/analysis/traced-execution';
import type { RequestSample } from '../../../../cli/src/record/run-record';

/** 40 a second for 30 s, accepted within 5 ms each, whatever becomes of them. */
const requests = Array.from({ length: 1_200 }, (_, i): RequestSample => ({
  ...{ tMs: i * 25, durationMs: 5, status: 200, ok: true, errorKind: '' },
  ...{ id: String(i), workload: 'async', ranBy: '' },
}));
const order = {
  measured: { fromMs: 0, toMs: 30_000 },
  offered: 1_200,
  executionsPerRequest: 1,
};
/** By the clock of a machine that is an hour ahead. */
const AHEAD_MS = 3_600_000;
const traced = (doneMs: (index: number) => number) => ({
  ...{ source: 'database', made: 1_200 },
  executions: requests.map(({ id }, index): TracedExecution => ({
    ...{ loadId: id, outcome: 'succeeded', endedAtMs: AHEAD_MS + doneMs(index) },
  })),
});

test('an n8n that accepts 40/s and executes 22.5/s completed 22.5/s, however well it drains', () => {
  const found = completed(
    requests,
    traced((i) => (i + 1) * (1_000 / 22.5)),
    null,
    order,
  );
  expect(found?.completions.ratePerSecond).toBeCloseTo(22.5, 0);
  expect(found?.completions.shareOfOffered).toBeCloseTo(22.5 / 40, 2);
  expect(found?.completions.openAtEnd).toBeGreaterThan(500);
  const values = found?.open.map(({ value }) => value) ?? [];
  expect((values.at(-1) ?? 0) - (values[0] ?? 0)).toBeGreaterThan(500);
});

test('work that takes 5 s by design, at the offered rate, is all completed', () => {
  const found = completed(
    requests,
    traced((i) => i * 25 + 5_000 + (i % 7)),
    null,
    order,
  );
  expect(found?.completions.shareOfOffered).toBeGreaterThan(0.99);
});

test('where executions are only counted, the two looks tell', () => {
  const counted = { executions: 675, seconds: 30, openAtEnd: 525, source: 'database' };
  const found = completed(requests, { skipped: 'too many' }, counted, order);
  expect(found?.completions).toMatchObject({ requests: 675, ratePerSecond: 22.5, openAtEnd: 525 });
  expect(completed(requests, { skipped: 'too many' }, null, order)).toBeNull();
});

test('each execution is counted once, though the statistics count a crash twice', () => {
  const counts = { succeeded: 143, failed: 16, unfinished: 0, source: 'database' };
  const rows = (failed: number): TracedExecution[] =>
    Array.from({ length: 151 }, (_, i) => ({
      ...{ loadId: String(i), outcome: i < failed ? 'failed' : 'succeeded' },
    }));
  expect(countedOnce(counts, { source: 'database', made: 151, executions: rows(8) })).toEqual({
    ...{ ...counts, failed: 8 },
  });
  // Some rows are gone already: their number is still known.
  const some = rows(8).slice(20);
  expect(countedOnce(counts, { source: 'database', made: 151, executions: some })?.failed).toBe(8);
  expect(countedOnce(counts, { skipped: 'too many' })).toEqual(counts);
});
