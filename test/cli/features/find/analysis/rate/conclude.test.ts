import {
  attemptOf,
  concludeRate,
  type RateHead,
} from '../../../../../../cli/src/features/find/analysis/rate/conclude';
import type {
  Attempt,
  RateLook,
  RateRecord,
} from '../../../../../../cli/src/features/find/rate-record';
import type { RunRecord } from '../../../../../../cli/src/record/run-record';
import { sampleRate } from '../../../../../support/sample-rate';
import { sampleRun } from '../../../../../support/sample-run';

const { record: run } = sampleRun();
const sample = sampleRate();
const [missed, kept] = sample.attempts as [Attempt, Attempt];

const concluded = (
  attempts: Attempt[],
  {
    stoppedBy = null,
    budgetSeconds = 300,
  }: { stoppedBy?: string | null; budgetSeconds?: number } = {},
): RateRecord => {
  const head: RateHead = { ...sample, attempts, budgetSeconds };
  return concludeRate(head, { stoppedBy, failure: null, restless: [] });
};

const open = (share: number, low: number, high: number, seconds = 100): Attempt => ({
  ...{ ...kept, answer: null, seconds: seconds + 5 },
  looks: [
    {
      ...{ seconds, fromSeconds: 0, answer: null },
      shares: [{ slo: 'p95<300ms', share, low, high, allowed: 0.05, requests: 3_000 }],
    },
  ],
});

test('a second NO counts where more requests were due than before, as random arrivals differ in number', () => {
  const [few, many] = [18, 22].map((achievedPerSecond) => ({
    ...{ ...missed, achievedPerSecond, achievedShare: 1 },
  }));
  expect(concluded([few, many] as Attempt[]).answer).toBe('no');
});

test('YES says what was seen and how long it took, and doubts name an attempt that missed', () => {
  expect(concluded([missed, kept])).toMatchObject({
    answer: 'yes',
    sentence:
      'n8n sustains 30 req/s of last-node with p95<300ms: p95 84 ms, 0% errors in 64 s of load.',
    doubts: [expect.stringMatching(/^The first attempt missed/)],
  });
  expect(concluded([kept]).doubts).toEqual([]);
});

test('NO names what was missed and what limited it', () => {
  const { answer, sentence, limit } = concluded([missed, missed]);
  expect(answer).toBe('no');
  expect(limit).toEqual({ role: 'main', resource: 'event loop' });
  expect(sentence).toContain('does not sustain 30 req/s');
  expect(sentence).toContain('p95 2.4 s, limit 300 ms, in 2 attempts; limited by the');
});

test('NOT YET says what is open, what would decide it, and how long that takes', () => {
  const { answer, sentence, decidesAfterSeconds } = concluded([open(0.03, 0.01, 0.07)]);
  expect(answer).toBe('not yet');
  // Half of the interval is twice the distance to what is allowed: four times the time, and a fifth more.
  expect(decidesAfterSeconds).toBeCloseTo(5 + 1.2 * 4 * 100, 3);
  expect(sentence).toContain(
    '3% of the requests missed p95<300ms (interval: 1% to 7%), and at most 5% may miss it',
  );
  expect(sentence).toContain('about 9 min of load would decide it (--budget)');
});

test('NOT YET at the very capacity does not ask for more time, which would not help', () => {
  const { sentence, decidesAfterSeconds } = concluded([open(0.0499, 0.02, 0.09)]);
  expect(decidesAfterSeconds).toBeNull();
  expect(sentence).toContain('so close to the capacity that more time would hardly help');
});

test('an attempt that missed once when the budget was spent is NOT YET, and needs one more', () => {
  const { answer, sentence, decidesAfterSeconds } = concluded([missed], { budgetSeconds: 20 });
  expect(answer).toBe('not yet');
  expect(decidesAfterSeconds).toBeGreaterThan(missed.seconds);
  expect(sentence).toContain('p95 2.4 s, limit 300 ms once');
});

test('a question that was interrupted is NOT YET and says so', () => {
  const { answer, sentence, doubts } = concluded([], { stoppedBy: 'stopped by Ctrl-C' });
  expect(answer).toBe('not yet');
  expect(sentence).toContain('no attempt was completed');
  expect(doubts).toEqual(['The check did not finish: it was stopped by Ctrl-C.']);
});

describe('an attempt', () => {
  const look = (answer: RateLook['answer']): RateLook => ({
    ...{ seconds: 44, fromSeconds: 0, answer, shares: [] },
  });
  const attemptFrom = (verdict: Partial<RunRecord['verdict']>, answer: RateLook['answer']) =>
    attemptOf(
      { ...run, verdict: { ...run.verdict, breaches: [], slos: [], ...verdict } },
      [look(answer)],
      'one',
    ).answer;

  test('says what its last look says', () => {
    expect(attemptFrom({ outcome: 'sustained' }, 'yes')).toBe('yes');
    expect(attemptFrom({ outcome: 'sustained' }, null)).toBeNull();
    expect(attemptFrom({ outcome: 'not sustained' }, 'no')).toBe('no');
  });

  test('says NO where the run as a whole missed what no single request shows', () => {
    const breaches = [{ slo: 'no restart', measured: 1, text: 'main restarted once' }];
    expect(attemptFrom({ outcome: 'not sustained', breaches }, 'yes')).toBe('no');
  });

  test('says nothing where the load was not made as asked for', () => {
    expect(attemptFrom({ outcome: 'invalid' }, 'yes')).toBe('invalid');
  });
});
