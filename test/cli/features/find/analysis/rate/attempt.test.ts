import { RateAttempt } from '../../../../../../cli/src/features/find/analysis/rate/attempt';
import { sampleOf } from '../../../../../support/sample-rate';
import { parseSlos } from '../../../../../../loadtests/lib/slo';
import truths from '../simulated/truth.json';
import { SYSTEMS } from '../simulated/systems';
import { ask, type Asked } from './ask';
import {
  nextStep,
  type SeenAttempt,
} from '../../../../../../cli/src/features/find/analysis/rate/steps';

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
  // There are as many of all, twenty together.
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

/** A few of the simulated systems; rate-quality.long.test.ts asks all of them. */
const NAMES = [
  'M/M/1, 25 ms, p95<1000 ms',
  '10 slots of 500 ms, p95<1000 ms',
  '20 ms, 100 ms pause every 200, p95<300 ms',
  '10% of probes stall 2000 ms, 20 ms, p95<500 ms',
  '5x slower for 500, 1 x 10 ms, p95<100 ms',
] as const;

function asked(name: (typeof NAMES)[number], share: number): Asked {
  const system = SYSTEMS.find((one) => one.name === name);
  if (system === undefined) throw new Error(`there is no system ${name}`);
  return ask(system, share * truths[name].fullLength, 7);
}

test.each(NAMES)('at 0.7 times its capacity the answer is YES, and at 1.3 times NO: %s', (name) => {
  expect(asked(name, 0.7).answer).toBe('yes');
  expect(asked(name, 1.3).answer).toBe('no');
});

test('a cold system misses at first, and is asked again when it is warm', () => {
  const { attempts } = asked('5x slower for 500, 1 x 10 ms, p95<100 ms', 0.7);
  expect(attempts.map(({ answer }) => answer)).toEqual(['no', 'yes']);
});

const attempt = (
  answer: SeenAttempt['answer'],
  { seconds = 20, achievedShare = 1 } = {},
): SeenAttempt => ({ answer, seconds, achievedShare });

test('the first attempt has all of the budget, and one YES is the answer', () => {
  expect(nextStep([], 300)).toEqual({ step: { seconds: 300, yesAfterSeconds: 30 } });
  expect(nextStep([attempt('yes')], 300)).toEqual({ answer: 'yes' });
});

test('NO takes two attempts, and a YES between them has to last longer', () => {
  expect(nextStep([attempt('no')], 300)).toEqual({ step: { seconds: 280, yesAfterSeconds: 40 } });
  expect(nextStep([attempt('no'), attempt('no')], 300)).toEqual({ answer: 'no' });
  expect(nextStep([attempt('no'), attempt('yes')], 300)).toEqual({ answer: 'yes' });
});

test('a system that became faster is asked again, but not for ever', () => {
  const faster = [0.2, 0.4, 0.6, 0.8].map((achievedShare) => attempt('no', { achievedShare }));
  expect(nextStep(faster.slice(0, 2), 300)).toHaveProperty('step');
  expect(nextStep(faster.slice(0, 3), 300)).toHaveProperty('step');
  expect(nextStep(faster, 300)).toEqual({ answer: 'not yet' });
});

test('an attempt that left it open, or too little time for another, is NOT YET', () => {
  expect(nextStep([attempt(null, { seconds: 300 })], 300)).toEqual({ answer: 'not yet' });
  expect(nextStep([attempt('no', { seconds: 290 })], 300)).toEqual({ answer: 'not yet' });
});

test('a load that was not made as asked for answers nothing', () => {
  expect(nextStep([attempt('invalid')], 300)).toEqual({ answer: 'invalid' });
});
