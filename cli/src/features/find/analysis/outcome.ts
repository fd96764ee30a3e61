import { limitOfRun } from '../../../analysis/limits/limit-seen';
import { donePerSecond } from '../../../analysis/throughput';
import { lostGenerators } from '../../../analysis/generator';
import { busiestCost, cpuPerRequest } from './machine-speed';
import { askedSlos } from '../../../analysis/slo/slo';
import { stallCostSeconds } from '../../../run/analysis/stalls';
import type { Probe, ProbeOutcome } from './types';
import type { FindProbe } from '../record';
import type { RunRecord } from '../../../record/run-record';

/** What came of the run of one probe, for the search and its record alike. */
function resultOf({ summary, verdict }: RunRecord): FindProbe['result'] {
  // What was left of the load is not the rate that was asked for.
  const isWhole = lostGenerators(summary.generator).length === 0;
  return isWhole && verdict.outcome !== 'aborted' ? verdict.outcome : 'invalid';
}

/** What it tells the search, which weighs what it saw: a run too short for a verdict still leans to one side. */
export function outcomeOf(record: RunRecord): ProbeOutcome {
  const { slo, summary, verdict } = record;
  const result = resultOf(record);
  const open = verdict.slos.filter(({ state }) => state === 'undecided');
  const leaning = open.every(({ seemsMet }) => seemsMet) ? 'sustained' : 'not sustained';
  const pressures = askedSlos(record).flatMap(({ pressure }) => pressure ?? []);
  return {
    result: result === 'inconclusive' ? leaning : result,
    decided: result !== 'inconclusive',
    achievedPerSecond: donePerSecond(summary),
    pressure: pressures.length === 0 ? null : Math.max(...pressures),
    cpuMs: busiestCost(summary),
    stallCostsSeconds: (summary.stallsMs ?? []).map((ms) => stallCostSeconds(ms, slo)),
    limit: verdict.limitedBy.limit,
    spentSeconds: null,
    trace: null,
  };
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
  };
}
