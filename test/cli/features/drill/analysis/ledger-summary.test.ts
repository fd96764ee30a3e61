import fc from 'fast-check';
import { lossesIn, ledgerOf } from '../../../../../cli/src/features/drill/analysis/ledger';
import { ledgerSummary } from '../../../../../cli/src/features/drill/analysis/ledger-summary';
import { fates, sourcesOf } from './histories';

const SOURCES = { executions: 'database', effects: 'service outside n8n' };
const NONE = new Set<string>();

test('what n8n accepted at once and did not do counts as lost, however long before the fault it was answered', () => {
  fc.assert(
    fc.property(fates(), (names) => {
      const ledger = ledgerOf({ ...sourcesOf(names), answers: 'at-once' });
      const told = ledgerSummary(ledger, { exposed: NONE, answers: 'at-once', sources: SOURCES });
      expect(told.lost).toBe(lossesIn(ledger.counts));
      expect(told.exposed).toBe(told.lost);
    }),
  );
});

test('lost work whose caller got an error is counted apart from that whose caller was told nothing', () => {
  const ledger = ledgerOf(sourcesOf(['crashes at work', 'crashes before work', 'fails at work']));
  const told = ledgerSummary(ledger, { exposed: NONE, answers: 'when-done', sources: SOURCES });
  expect(told).toMatchObject({ classes: { lost: { requests: 3 } }, lostAndTold: 2 });
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
