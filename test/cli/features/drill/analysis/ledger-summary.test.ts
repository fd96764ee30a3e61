import fc from 'fast-check';
import {
  lossesIn,
  ledgerOf,
  workByResponse,
} from '../../../../../cli/src/features/drill/analysis/ledger';
import { ledgerSummary } from '../../../../../cli/src/features/drill/analysis/ledger-summary';
import { fates, sourcesOf } from './histories';
import { drillLedgerSchema } from '../../../../../cli/src/features/drill/record';
import { endedUnderLoad } from '../../../../../cli/src/features/drill/analysis/phases';

const SOURCES = { executions: 'database', effects: 'service outside n8n' };
const NONE = new Set<string>();

test('what n8n accepted at once and did not do was exposed to the fault, however long before the fault it was answered', () => {
  fc.assert(
    fc.property(fates(), (names) => {
      const ledger = ledgerOf({ ...sourcesOf(names), answers: 'at-once' });
      const told = ledgerSummary(ledger, { exposed: NONE, answers: 'at-once', sources: SOURCES });
      expect(told.lost).toBe(lossesIn(ledger.counts));
      expect(told.exposed).toBe(told.lost + ledger.counts.failed);
    }),
  );
});

test('every request is counted by how often its work was done, and by what its caller got', () => {
  fc.assert(
    fc.property(fates(), (names) => {
      const ledger = ledgerOf(sourcesOf(names));
      const { workByResponse: counts, sent } = ledgerSummary(ledger, {
        ...{ exposed: NONE, answers: 'when-done', sources: SOURCES },
      });
      const all = Object.values(counts ?? {}).flatMap((row) => Object.values(row));
      expect(all.reduce((sum, count) => sum + count, 0)).toBe(sent);
      expect(counts?.once.expected).toBeGreaterThanOrEqual(ledger.counts.once);
      expect(counts?.more.expected).toBeLessThanOrEqual(ledger.counts.repeated);
    }),
  );
  const one = ledgerOf(sourcesOf(['works', 'crashes at work']));
  expect(workByResponse(one.entries)).toEqual({
    never: { expected: 0, error: 1, nothing: 0 },
    once: { expected: 1, error: 0, nothing: 0 },
    more: { expected: 0, error: 0, nothing: 0 },
  });
  const blind = one.entries.map((entry) => ({ ...entry, executions: null, effects: null }));
  expect(workByResponse(blind)).toBeNull();
});

test('what was in flight on the victims is counted, where each victim tells', () => {
  const ledger = ledgerOf(sourcesOf(['crashes at work', 'works', 'works', 'works']));
  const exposed = new Set(ledger.entries.map(({ id }) => id));
  const inFlight = (...counts: (number | null | undefined)[]): unknown =>
    ledgerSummary(ledger, {
      ...{ exposed, answers: 'when-done', sources: SOURCES },
      victims: counts.map((executions, at) => ({
        ...{ tMs: at, name: 'worker-1' },
        ...(executions === undefined ? {} : { executions }),
      })),
    }).inFlight;
  expect(inFlight(2, 0, 8)).toEqual({ executions: 10, faults: 2 });
  expect(inFlight(2, null)).toBeUndefined();
  expect(inFlight(undefined)).toBeUndefined();
  expect(inFlight()).toBeUndefined();
});

test('lost work whose caller got an error is counted apart from that whose caller was told nothing', () => {
  const ledger = ledgerOf(
    sourcesOf([
      'crashes at work',
      'crashes before work',
      'fails with an error that is of no node',
      'fails at work',
    ]),
  );
  const told = ledgerSummary(ledger, { exposed: NONE, answers: 'when-done', sources: SOURCES });
  expect(told).toMatchObject({ classes: { lost: { requests: 3 } }, lostWithError: 2 });
  // Drills that were recorded before have it by another name.
  const { lostWithError, ...rest } = told;
  expect(drillLedgerSchema.parse({ ...rest, lostAndTold: lostWithError })).toEqual(told);
});

test('work that was done, and that another execution is still at, is counted as such', () => {
  const sources = sourcesOf(['works', 'works', 'does not end']);
  const { executions } = sources;
  if (!('executions' in executions)) throw new Error('there are executions');
  const twin = { loadId: null, retryFor: sources.requests[0]?.id ?? '' };
  executions.executions.push({ ...twin, outcome: 'unfinished' });
  executions.made = 4;
  const told = ledgerSummary(ledgerOf(sources), {
    ...{ exposed: NONE, answers: 'when-done', sources: SOURCES },
  });
  expect(told.unfinishedTwins).toBe(1);
});

test('what was answered with its result before the fault was not exposed to it', () => {
  const sources = sourcesOf(['crashes at work', 'works', 'crashes at work', 'works']);
  const exposed = new Set(sources.requests.slice(1).map(({ id }) => id));
  const ledger = ledgerOf(sources);
  expect(ledgerSummary(ledger, { exposed, answers: 'when-done', sources: SOURCES })).toMatchObject({
    exposed: 3,
    lost: 1,
  });
});

test.each([
  ['ended while the load went on', 40_000, true],
  ['ended with the load', 75_000, true],
  ['ended while n8n finished what the load had left', 90_984, false],
  ['never ended', null, false],
])('the sources show the end of a fault under load or not where it %s', (_, overMs, isSeen) => {
  expect(endedUnderLoad({ overMs, endMs: 75_000 })).toBe(isSeen);
});
