import { judgedAnew } from '../../../../../cli/src/features/drill/analysis/judged-anew';
import { parsePromises } from '../../../../../cli/src/features/drill/analysis/promise';
import { sampleDrill } from '../../../../support/sample-drill';

const { record } = sampleDrill();
const { classes } = record.ledger;
const running = {
  ...record,
  ledger: {
    ...record.ledger,
    lost: 0,
    classes: { ...classes, lost: { requests: 0, ids: [] }, running: { requests: 8, ids: [] } },
  },
};

test('a drill that was recorded is judged as it was where no rule has changed', () => {
  const { promises, outcome } = judgedAnew(record);
  expect([outcome, promises]).toEqual([record.verdict.outcome, record.verdict.promises]);
});

test('a promise that it stored as kept, and that nobody could judge, is not kept by the rules of today', () => {
  expect(judgedAnew(running)).toMatchObject({
    outcome: 'fail',
    promises: [{ kept: null }, { kept: true }, { kept: false }, {}],
  });
  const lostAlone = judgedAnew(running, parsePromises('lost=0'));
  expect(lostAlone).toMatchObject({ outcome: 'invalid', promises: [{ kept: null }] });
  expect(lostAlone.sentence).toContain('8 requests were still running at the end');
});

test('what made a drill invalid still does', () => {
  const verdict = { ...record.verdict, invalid: ['the SLO was missed before the fault'] };
  expect(judgedAnew({ ...record, verdict })).toMatchObject({
    ...{
      outcome: 'invalid',
      sentence: 'The drill is invalid: the SLO was missed before the fault.',
    },
  });
});
