import { RateAttempt } from '../../../../../../cli/src/features/find/analysis/rate/attempt';
import { sampleOf } from '../../../../../support/sample-rate';
import { parseSlos } from '../../../../../../loadtests/lib/slo';

const SECONDS = 300;
const RATE = 20;
const WARMUP_SECONDS = 5;

interface Told {
  /** How long the request that is due then takes; null: it has no response. */
  ms: number | null;
  ok?: boolean;
}

/** An attempt that was told of requests at even gaps, in the order of their ends, until it had its answer. */
function attemptAt(told: (dueSeconds: number) => Told, slo = 'p95<300ms'): RateAttempt {
  const dueMs = Array.from({ length: SECONDS * RATE }, (_, i) => (1_000 * i) / RATE);
  const attempt = new RateAttempt({
    ...{ slos: parseSlos(slo), warmupSeconds: WARMUP_SECONDS, dueMs, yesAfterSeconds: 30 },
  });
  const samples = dueMs.flatMap((tMs) => {
    const { ms, ok = true } = told(tMs / 1_000);
    return ms === null ? [] : [sampleOf({ tMs, durationMs: ms, ok })];
  });
  samples.sort((a, b) => a.tMs + a.durationMs - b.tMs - b.durationMs);
  for (const sample of samples) if (attempt.answer === null) attempt.see(sample);
  return attempt;
}

const endOf = (attempt: RateAttempt): number => (attempt.knownUntilMs ?? NaN) / 1_000;

test('a system that is always in time gets YES, once what goes wrong slowly could have shown', () => {
  const attempt = attemptAt(() => ({ ms: 50 }));
  expect(attempt.answer).toBe('yes');
  expect(endOf(attempt)).toBeGreaterThanOrEqual(WARMUP_SECONDS + 30);
  expect(endOf(attempt)).toBeLessThan(WARMUP_SECONDS + 60);
});

test('a system whose queue grows gets NO at the first look', () => {
  const attempt = attemptAt((due) => ({ ms: 50 + 100 * due }));
  expect(attempt.answer).toBe('no');
  expect(endOf(attempt)).toBeLessThan(WARMUP_SECONDS + 15);
});

test('a system that responds to one request in a hundred gets NO by those that wait', () => {
  const attempt = attemptAt((due) =>
    Math.round(due * RATE) % 100 === 0 ? { ms: 50 } : { ms: null },
  );
  expect(attempt.answer).toBe('no');
});

test('the warm-up does not count', () => {
  const attempt = attemptAt((due) => ({ ms: due < WARMUP_SECONDS ? 2_000 : 50 }));
  expect(attempt.answer).toBe('yes');
  expect(attempt.made.at(-1)?.shares[0]?.share).toBe(0);
});

test('a burst at the beginning leaves the second half to answer', () => {
  const attempt = attemptAt((due) => ({ ms: due > 8 && due < 9.5 ? 2_000 : 50 }));
  expect(attempt.answer).toBe('yes');
  const last = attempt.made.at(-1);
  expect(last?.fromSeconds).toBeCloseTo((last?.seconds ?? 0) / 2, 0);
});

test('the same share of late requests is YES sooner if they are late alone than if they are in bursts', () => {
  const alone = attemptAt((due) => ({ ms: Math.round(due * RATE) % 50 === 0 ? 500 : 50 }));
  // As many of all, twenty together.
  const bursts = attemptAt((due) => ({ ms: (due + 20) % 50 < 1 ? 500 : 50 }));
  expect(alone.answer).toBe('yes');
  expect(bursts.answer === null || endOf(bursts) > endOf(alone)).toBe(true);
});

test('a share at the very bound stays open', () => {
  const attempt = attemptAt((due) => ({ ms: Math.round(due * RATE) % 20 === 0 ? 500 : 50 }));
  expect(attempt.answer).toBeNull();
  expect(attempt.knownUntilMs).toBeNull();
});

test('errors are judged by their own bound, and have no latency', () => {
  const wrong = (due: number): Told => ({ ms: 5, ok: Math.round(due * RATE) % 10 !== 0 });
  expect(attemptAt(wrong, 'errors<1%').answer).toBe('no');
  expect(attemptAt(wrong, 'errors<30%').answer).toBe('yes');
  expect(attemptAt(wrong, 'p95<300ms').answer).toBe('yes');
});

test('YES takes every SLO, and NO takes one', () => {
  const wrong = (due: number): Told => ({ ms: 5, ok: Math.round(due * RATE) % 10 !== 0 });
  expect(attemptAt(wrong, 'p95<300ms,errors<1%').answer).toBe('no');
  expect(attemptAt(() => ({ ms: 5 }), 'p95<300ms,errors<5%').answer).toBe('yes');
});
