import { ledgerOf } from '../../../../../cli/src/features/drill/analysis/ledger';
import { momentsOf } from '../../../../../cli/src/features/drill/analysis/moments';
import { sourcesOf } from './histories';

/** Requests of 5 s, due every 300 ms from 0 on, unless they are due at `dueMs`. */
function told(
  names: string[],
  {
    dueMs = [],
    spans = [],
    answers = 'when-done',
  }: { dueMs?: number[]; spans?: [number, number][]; answers?: 'when-done' | 'at-once' },
) {
  const sources = sourcesOf(names);
  const requests = sources.requests.map((request, index) => ({
    ...request,
    tMs: dueMs[index] ?? request.tMs,
    durationMs: 5_000,
  }));
  const { entries } = ledgerOf({ ...sources, requests, answers });
  return momentsOf({
    ...{ requests, entries, answers },
    spans: spans.map(([fromMs, toMs]) => ({ fromMs, toMs })),
  });
}

test('each lost or repeated request is put down to the first fault at which it was open', () => {
  const { moments, cases } = told(['crashes at work', 'duplicates', 'works', 'crashes at work'], {
    dueMs: [1_000, 18_000, 18_000, 38_000],
    spans: [
      [4_000, 4_000],
      [20_000, 20_000],
      [22_000, 22_000],
      [40_000, 40_000],
    ],
  });
  expect(moments).toEqual([
    { tMs: 4_000, atRisk: 1, lost: 1, doneTwice: 0 },
    { tMs: 20_000, atRisk: 2, lost: 0, doneTwice: 1 },
    { tMs: 22_000, atRisk: 2, lost: 0, doneTwice: 0 },
    { tMs: 40_000, atRisk: 1, lost: 1, doneTwice: 0 },
  ]);
  expect(cases.map(({ class: name, moment }) => [name, moment])).toEqual([
    ['lost', 0],
    ['repeated', 1],
    ['lost', 3],
  ]);
});

test('a request that was due between two faults and open at none is put down to the one before it', () => {
  const { cases } = told(['crashes at work'], {
    dueMs: [10_000],
    spans: [
      [4_000, 5_000],
      [30_000, 30_000],
    ],
  });
  expect(cases).toMatchObject([{ moment: 0, effects: { begun: 1, done: 0 } }]);
});

test('work that was answered before it was done is put down to the next fault, as it was still to come', () => {
  const given = {
    dueMs: [10_000],
    spans: [
      [4_000, 5_000],
      [30_000, 30_000],
    ] as [number, number][],
  };
  expect(told(['crashes at work'], { ...given, answers: 'at-once' }).cases[0]?.moment).toBe(1);
});

test('a request that was open at no fault, and due before the first, is put down to none', () => {
  const { moments, cases } = told(['crashes at work'], { dueMs: [0], spans: [[30_000, 30_000]] });
  expect([moments[0]?.lost, cases[0]?.moment]).toEqual([0, null]);
});

test('what n8n says with a lost execution is kept, and the rows of requests that were neither lost nor repeated are not', () => {
  const sources = sourcesOf(['crashes at work', 'fails at work', 'works']);
  const { executions } = sources;
  if (!('executions' in executions)) throw new Error('there are executions');
  const withErrors = executions.executions.map((one) => ({ ...one, error: 'timeout expired' }));
  const { entries } = ledgerOf({
    ...sources,
    executions: { ...executions, executions: withErrors },
  });
  const { cases } = momentsOf({
    ...{ requests: sources.requests, entries, answers: 'when-done' },
    spans: [{ fromMs: 1_000, toMs: 1_000 }],
  });
  expect(cases).toHaveLength(1);
  expect(cases[0]).toMatchObject({ class: 'lost', errors: ['timeout expired'] });
});
