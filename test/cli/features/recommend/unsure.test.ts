import type { FindRecord } from '../../../../cli/src/features/find/record';
import { evidenceOf } from '../../../../cli/src/features/recommend/analysis/evidence';
import { plannedRate } from '../../../../cli/src/features/recommend/analysis/recommend';
import { sampleSearch } from '../../../support/sample-find';
import { sampleRun } from '../../../support/sample-run';

const { record: run } = sampleRun();

test.each<FindRecord['verdict']>(['not confirmed', 'inconclusive'])(
  'of an answer that is %s no more is planned with than the search advises',
  (verdict) => {
    const capacity = { ratePerSecond: 98.3, low: 47.3, high: 115, confirmed: true };
    const advised = { share: 0.8, ratePerSecond: 0.8 * 47.3 };
    const search = { ...sampleSearch(), topology: run.topology, verdict, capacity, advised };
    const evidence = evidenceOf(search);
    if (evidence === null) throw new Error('the search says nothing');
    expect(plannedRate([evidence])).toBeCloseTo(advised.ratePerSecond, 6);
  },
);
