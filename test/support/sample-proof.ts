import { judge, type ProofAttempt } from '../../cli/src/features/recommend/prove';
import { sizingFor } from '../../cli/src/features/recommend/analysis/sizing';
import { proofRecord, type ProofRecord } from '../../cli/src/features/recommend/record';
import { loaded, queue, regular } from '../cli/features/recommend/evidence';

const RATE = 40;
const ID = '20261120-100000-last-node-proof-abcd';
const PRICES = { cpu: 0.04, memory: 0.005 };

/** Main alone is refuted, and a queue with two workers is proven. */
export function sampleProof(): ProofRecord {
  const known = [regular(60), queue(2, 90)];
  const attempts = known.map((evidence, index): ProofAttempt => {
    const best = sizingFor(evidence, known, RATE);
    if (best === null) throw new Error('it has no size');
    const outcome = index === 0 ? 'not sustained' : 'sustained';
    const measured = loaded(outcome, RATE, 0.2);
    const sentence = `n8n ${index === 0 ? 'did not sustain' : 'sustained'} 40 req/s of last-node.`;
    // What was missed at first is met by the values that are proven.
    const slos = measured.verdict.slos.map((slo) =>
      index === 0
        ? slo
        : { ...slo, state: 'met' as const, pressure: Math.min(slo.pressure ?? 0, 0.6) },
    );
    const verdict = { ...measured.verdict, sentence, slos };
    const record = { ...measured, verdict, topology: evidence.topology };
    const run = `results/${ID}/runs/${evidence.topology.mode}`;
    const recommendation = { best, others: [], prices: PRICES };
    return { record, run, ...judge(record, best), recommendation };
  });
  return proofRecord(
    { verdict: 'PROVEN', attempts },
    {
      ...{ folder: `results/${ID}`, id: ID, startedAt: '2026-11-20T10:00:00.000Z' },
      command: ['recommend', '--from', 'results', '--rate', '40', '--prove'],
      ...{ ratePerSecond: RATE, values: 'values.recommended.yaml', prices: PRICES },
    },
  );
}
