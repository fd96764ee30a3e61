/** How many workers a rate needs, by the scalability law where enough sizes were measured. */
import { isEnough, plannedPerSecond } from '../../find/analysis/planned-share';
import { seededRandom } from '../../../analysis/statistics/random';
import { fitUsl, predictUsl, type UslFit, MAX_EXTRAPOLATION } from '../../predict/analysis/usl';
import { sameBut } from '../../predict/analysis/scale';
import type { CapacityEvidence } from './evidence';
import { counted, formatNumber, percent } from '../../../ui/numbers';

export interface WorkerCount {
  workers: number;
  /** At which the SLO is expected to hold with that many; the lower end of the interval for the law. */
  expectedPerSecond: number;
  basis: 'measured' | 'law' | 'proportion';
  why: string;
}

/** The same evidence gives the same intervals. */
const SEED = 1;

/** The fewest workers whose planned share is `wantedPerSecond`; null where what is known reaches no such rate. */
export function workersFor(
  evidence: CapacityEvidence,
  all: readonly CapacityEvidence[],
  wantedPerSecond: number,
): WorkerCount | null {
  const { topology, capacityPerSecond, source } = evidence;
  const measured = topology.workers.count;
  if (isEnough(capacityPerSecond, wantedPerSecond)) {
    return {
      workers: measured,
      expectedPerSecond: capacityPerSecond,
      basis: 'measured',
      why: `${counted(measured, 'worker')} sustained ${formatNumber(capacityPerSecond)}/s in ${source}`,
    };
  }
  const fit = lawOf(evidence, all);
  return typeof fit === 'string'
    ? inProportion(evidence, wantedPerSecond, fit)
    : byLaw(fit, wantedPerSecond);
}

/** The law over all evidence that differs from this in the number of workers only; or why there is none. */
export function lawOf(
  evidence: CapacityEvidence,
  all: readonly CapacityEvidence[],
): UslFit | string {
  const alike = all.filter((each) => keyOf(each) === keyOf(evidence));
  return fitUsl(
    alike.map(({ topology, capacityPerSecond }) => ({
      n: topology.workers.count,
      ratePerSecond: capacityPerSecond,
    })),
    seededRandom(SEED),
  );
}

const keyOf = ({ workload, slo, machine, topology }: CapacityEvidence): string =>
  JSON.stringify([workload, slo, machine.cpu, machine.cores, sameBut('workers', topology)]);

function byLaw(fit: UslFit, wantedPerSecond: number): WorkerCount | null {
  for (let workers = 1; workers <= MAX_EXTRAPOLATION * fit.largestMeasured; workers += 1) {
    const rate = predictUsl(fit, workers);
    if (typeof rate === 'string' || !isEnough(rate.low, wantedPerSecond)) continue;
    const worst = Math.max(...fit.leaveOneOut.map(({ error }) => Math.abs(error)));
    return {
      workers,
      expectedPerSecond: rate.low,
      basis: 'law',
      why: `the scalability law predicts ${formatNumber(rate.value)}/s, and at least ${formatNumber(rate.low)}/s (measurements differ from the law by up to ${percent(worst)}); this rate was not measured, so prove it`,
    };
  }
  return null;
}

function inProportion(
  { topology, capacityPerSecond, source }: CapacityEvidence,
  wantedPerSecond: number,
  whyNoLaw: string,
): WorkerCount | null {
  const measured = topology.workers.count;
  const workers = Math.ceil((measured * wantedPerSecond) / plannedPerSecond(capacityPerSecond));
  if (workers > MAX_EXTRAPOLATION * measured) return null;
  return {
    workers,
    expectedPerSecond: (capacityPerSecond * workers) / measured,
    basis: 'proportion',
    why: `WITHOUT EVIDENCE: in proportion to ${counted(measured, 'worker')} that sustained ${formatNumber(capacityPerSecond)}/s in ${source}, because ${whyNoLaw}; prove this rate`,
  };
}
