/** What a drill that was recorded earlier says by the rules of today, as far as its record tells. */
import type { DrillRecord } from '../record';
import type { DrillPromise } from './promise';
import { drillVerdict } from './verdict';

type Known = Pick<
  DrillRecord,
  'fault' | 'ledger' | 'figures' | 'schedule' | 'recovery' | 'control' | 'verdict'
>;

/**
 * What a record does not have was fine when it was judged, or is among its reasons for being invalid. `promises`: those that it
 * is judged by; left out: its own.
 */
export function judgedAnew(
  { verdict, schedule, recovery, ...record }: Known,
  promises: readonly DrillPromise[] = verdict.promises.map(({ promise }) => promise),
): DrillRecord['verdict'] {
  const anew = drillVerdict({
    ...{ ...record, promises, schedule: schedule ?? null, recovery: recovery ?? null },
    run: {
      summary: { generator: { saturated: false, faults: [] } },
      verdict: { outcome: 'sustained', sentence: '' },
    },
    ...{ steadyMissed: null, steadyRequests: 1, faultFailed: null, stopped: null },
    ...{ isOver: true, isAnythingAtRisk: true, unexpected: [] },
  });
  const invalid = [...new Set([...verdict.invalid, ...anew.invalid])];
  const outcome = invalid.length > 0 ? 'invalid' : anew.outcome;
  return {
    ...{ outcome, promises: anew.promises, invalid, doubts: verdict.doubts },
    sentence:
      outcome === 'invalid' ? `The drill is invalid: ${invalid.join('; ')}.` : anew.sentence,
  };
}
