import { seededRandom } from '../../../../../../cli/src/analysis/statistics/random';
import {
  percentile,
  percentileInterval,
} from '../../../../../../cli/src/analysis/statistics/statistics';
import type { Estimate } from '../../../../../../cli/src/features/find/analysis/estimate';
import { CapacitySearch } from '../../../../../../cli/src/features/find/analysis/search';
import type { Probe, ProbeOutcome } from '../../../../../../cli/src/features/find/analysis/types';
import {
  stallsIn,
  meanCost,
  type ProbeTrace,
} from '../../../../../../cli/src/features/find/analysis/virtual-queue/trace';
import { defaultLengths } from '../../../../../../cli/src/features/find/settings';
import { stallCostSeconds, stallsOf } from '../../../../../../cli/src/run/analysis/stalls';
import type { Slo } from '../../../../../../loadtests/lib/slo';
import { MACHINES, SimulatedN8n, type MachineName } from './machine';

/** The first fifth of every probe is warm-up, as it is in a real one. */
export const WARM_UP_SHARE = 0.2;
export const P = 0.95;
/** A run ends early once so many requests are late that it misses its SLO in any case. */
const LATE_SHARE = 1 - P;

export const boundOf = (name: MachineName): number => (name === 'slots' ? 1 : 0.3);

export interface Searched {
  estimate: Estimate;
  probes: { probe: Probe; outcome: ProbeOutcome }[];
  /** CPU that the search itself took to propose its probes and to answer. */
  secondsOfEstimator: number;
}

/** A search as the command makes it, of a simulated n8n. */
export function searchMachine(name: MachineName, seed: number, budgetSeconds: number): Searched {
  const system = new SimulatedN8n(MACHINES[name], seededRandom(seed * 7_919 + 13));
  const boundSeconds = boundOf(name);
  const { shortSeconds, fullSeconds } = defaultLengths(budgetSeconds);
  const search = new CapacitySearch({
    ...{ budgetSeconds, shortSeconds, fullSeconds, ladderSeconds: shortSeconds / 2 },
    percentile: { p: P, boundSeconds },
  });
  const probes: Searched['probes'] = [];
  let worked = 0;
  const timed = <T>(work: () => T): T => {
    const before = process.cpuUsage();
    const result = work();
    worked += process.cpuUsage(before).user / 1e6;
    return result;
  };
  system.run({ clients: 4 }, 8);
  for (let probe = timed(() => search.next()); probe !== null; probe = timed(() => search.next())) {
    const outcome = outcomeOfMachine(probeOf(system, probe, boundSeconds), boundSeconds);
    probes.push({ probe, outcome });
    search.record(outcome);
  }
  const estimate = timed(() => search.estimate());
  return { estimate, probes, secondsOfEstimator: worked };
}

function probeOf(system: SimulatedN8n, probe: Probe, boundSeconds: number): ProbeTrace {
  const { durationSeconds } = probe;
  if (probe.kind === 'ladder') return system.run({ clients: probe.clients }, durationSeconds);
  const { ratePerSecond } = probe;
  const fromSecond = WARM_UP_SHARE * durationSeconds;
  const planned = ratePerSecond * (durationSeconds - fromSecond);
  return system.run({ ratePerSecond }, durationSeconds, {
    stopAfterLate: { count: Math.ceil(LATE_SHARE * planned), seconds: boundSeconds, fromSecond },
  });
}

/** What a run of this probe would tell the search. */
export function outcomeOfMachine(trace: ProbeTrace, boundSeconds: number): ProbeOutcome {
  const { ratePerSecond, plannedSeconds, seconds, due, latency } = trace;
  const from = WARM_UP_SHARE * plannedSeconds;
  const measured = latency.filter((_, i) => (due[i] ?? 0) >= from).sort();
  const p95 = percentile(measured, P);
  const isEarly = seconds < plannedSeconds;
  const ended = due.filter((at, i) => {
    const end = at + (latency[i] ?? 0);
    return end >= from && end < seconds;
  }).length;
  const measuredSeconds = Math.max(0.1, seconds - from);
  const achievedPerSecond = ended / measuredSeconds;
  const offeredPerSecond = measured.length / measuredSeconds;
  const isMet =
    !isEarly &&
    p95 < boundSeconds &&
    (ratePerSecond === null || achievedPerSecond >= 0.95 * offeredPerSecond);
  const { low, high } = percentileInterval(measured, P);
  const bound = 1_000 * boundSeconds;
  const slos: Slo[] = [{ text: `p95<${String(bound)}ms`, metric: 'p95', operator: '<', bound }];
  const cpuMs = 1_000 * meanCost(trace);
  const silences = stallsIn(trace, 0).map((span) => ({
    fromMs: 1_000 * span.from,
    ms: 1_000 * (span.to - span.from),
  }));
  return {
    result: isMet ? 'sustained' : 'not sustained',
    decided: isEarly || boundSeconds <= low || high < boundSeconds,
    achievedPerSecond,
    pressure: p95 / boundSeconds,
    cpuMs: Number.isFinite(cpuMs) ? cpuMs : null,
    stallCostsSeconds: stallsOf(silences, slos, achievedPerSecond).map(({ ms }) =>
      stallCostSeconds(ms, slos),
    ),
    limit: isMet ? null : { role: 'main', resource: 'event loop' },
    spentSeconds: isEarly ? seconds : null,
    trace,
  };
}
