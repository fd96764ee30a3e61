import { limitOfRun } from '../../../analysis/limits/limit-seen';
import { donePerSecond } from '../../../analysis/cost';
import { lostGenerators } from '../../../analysis/generator';
import { costOfBusiest, cpuPerRequest } from './machine-speed';
import { askedSlos } from '../../../analysis/slo/slo';
import { stallCostSeconds } from '../../../run/analysis/stalls';
import type { Probe, ProbeOutcome } from './types';
import type { FindProbe } from '../record';
import type { RunRecord } from '../../../record/run-record';
import type { Slo } from '../../../../../loadtests/lib/slo';
import type { ProbeTrace } from './virtual-queue/trace';

type Decided = 'sustained' | 'not sustained';

/** What came of the run of one probe, for the search and its record alike. */
export function resultOf({ summary, verdict }: RunRecord): FindProbe['result'] {
  // What was left of the load is not the rate that was asked for.
  const isWhole = lostGenerators(summary.generator).length === 0;
  return isWhole && verdict.outcome !== 'aborted' ? verdict.outcome : 'invalid';
}

/** What its record says of it; of a run that lost a generator, which was judged by what was left, that it did. */
export function sentenceOf({ summary, verdict }: RunRecord): string {
  const [lost] = lostGenerators(summary.generator);
  return lost === undefined ? verdict.sentence : `${lost.charAt(0).toUpperCase()}${lost.slice(1)}.`;
}

/** The worst SLO's measured value over its bound. */
function pressureOf(record: RunRecord): number | null {
  const pressures = askedSlos(record).flatMap(({ pressure }) => pressure ?? []);
  return pressures.length === 0 ? null : Math.max(...pressures);
}

/** To which side an inconclusive run leans. */
function leaningOf({ verdict }: RunRecord): Decided {
  const open = verdict.slos.filter(({ state }) => state === 'undecided');
  return open.every(({ seemsMet }) => seemsMet) ? 'sustained' : 'not sustained';
}

/** What find.json keeps of it. */
export function probeOf(probe: Probe, record: RunRecord, run: string): FindProbe {
  const { summary, verdict } = record;
  return {
    kind: probe.kind,
    ...(probe.kind === 'ladder'
      ? { clients: probe.clients }
      : { ratePerSecond: probe.ratePerSecond }),
    durationSeconds: probe.durationSeconds,
    result: resultOf(record),
    achievedPerSecond: donePerSecond(summary),
    p95Ms: summary.latencyMs?.p95 ?? null,
    errorShare: summary.errors.share,
    cpuPerRequest: cpuPerRequest(summary),
    stallsMs: summary.stallsMs ?? [],
    ...(summary.stallCauses === undefined ? {} : { stallCauses: summary.stallCauses }),
    littlesLaw: summary.littlesLaw?.ratio ?? null,
    limitedBy: limitOfRun(verdict),
    sentence: verdict.sentence,
    missed:
      (verdict.breaches[0] ?? verdict.slos.find(({ state }) => state === 'undecided'))?.text ??
      null,
    doubts: verdict.doubts,
    run,
    pressure: pressureOf(record),
    ...(resultOf(record) === 'inconclusive' ? { leans: leaningOf(record) } : {}),
  };
}

/**
 * What a probe tells the search, which weighs what it saw: a run too short for a verdict still leans to one side. All of
 * it comes from the record of the search, so that a search can be judged again, and gone on with.
 */
export function outcomeOf(
  probe: FindProbe,
  slos: readonly Slo[],
  trace: ProbeTrace | null = null,
): ProbeOutcome {
  const { result, leans, achievedPerSecond, pressure = null, stallsMs, limitedBy } = probe;
  return {
    result: result === 'inconclusive' ? (leans ?? 'not sustained') : result,
    decided: result !== 'inconclusive',
    achievedPerSecond,
    pressure,
    cpuMs: costOfBusiest(probe.cpuPerRequest),
    stallCostsSeconds: stallsMs.map((ms) => stallCostSeconds(ms, slos)),
    limit: limitedBy.limit,
    spentSeconds: spentOn(probe),
    trace,
  };
}

/** Null: as long as planned. What was left out is given back. */
function spentOn({ durationSeconds, endedAfterSeconds, leftOut }: FindProbe): number | null {
  if (endedAfterSeconds === undefined && leftOut === undefined) return null;
  const lost = (leftOut ?? []).reduce((sum, { from, to }) => sum + to - from, 0);
  return Math.max(0, (endedAfterSeconds ?? durationSeconds) - lost);
}
