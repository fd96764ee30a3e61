/** What a manager reads of a run: each SLO, what is left of the nearest limit, what it takes, what to change. */
import { adviceFor, limitName } from '../../analysis/limits/table';
import { costOfRun } from '../../analysis/cost';
import { assessAll } from '../analysis/verdict';
import type { RunRecord } from '../../record/run-record';
import { costFigures } from '../../report/text/cost';
import { type Figure } from '../../report/text/units';
import { perSecond, percent } from '../../ui/numbers';

export function firstFigures(record: RunRecord): Figure[] {
  const { summary, profile } = record;
  const offered =
    profile.loop === 'open'
      ? perSecond(summary.offered.ratePerSecond)
      : `what ${String(profile.clients ?? '?')} clients asked for`;
  return [
    {
      name: 'Expected responses',
      value: `${perSecond(summary.achieved.ratePerSecond)} of ${offered} (${percent(summary.achieved.shareOfOffered)})`,
    },
    ...sloFigures(record),
    ...roomFigures(record),
    ...costFigures(costOfRun(record), record.prices),
    ...adviceFigures(record),
  ];
}

/** The SLOs of an invalid run say nothing. */
function sloFigures({ slo: slos, summary, profile, verdict }: RunRecord): Figure[] {
  if (verdict.outcome === 'invalid' || verdict.outcome === 'aborted') return [];
  return assessAll(slos, summary, { profile: profile.name }).map(({ slo, state, text }) => ({
    name: slo.text,
    value: `${STATES[state]}: ${text}`,
  }));
}

const STATES = { met: 'met', missed: 'missed', undecided: 'not decided' } as const;

/** A run at one rate has no headroom; how full the fullest resource was, it has. */
function roomFigures({ verdict: { limitedBy } }: RunRecord): Figure[] {
  const [fullest] = limitedBy.ranked ?? [];
  if (fullest === undefined) return [];
  const { utilisation, isUsedUp } = fullest;
  const left = isUsedUp ? 'used up' : `${percent(1 - utilisation)} left`;
  return [
    {
      name: 'Nearest limit',
      value: `${limitName(fullest)}: ${percent(utilisation)} in use, ${left}`,
    },
  ];
}

export function adviceFigures({ verdict, topology }: RunRecord): Figure[] {
  const advice = adviceFor(verdict.limitedBy.limit, topology?.mode ?? null);
  return advice === null ? [] : [{ name: 'For more', value: advice }];
}
