import type { Interval } from '../../../analysis/statistics/statistics';
import { predictUsl, type UslFit } from './usl';
import { duration, formatNumber, percent } from '../../../ui/numbers';

/** One reason why a rate cannot be exceeded. */
export interface Bound {
  name:
    | 'worker slots'
    | 'runner slots'
    | 'CPU'
    | 'CPU of main'
    | 'CPU of the workers'
    | 'CPU of the webhook processors'
    | 'scaling';
  ratePerSecond: Interval;
  evidence: string;
}

export interface Prediction {
  /** The lowest bound; null where there is none to go by. */
  lowest: Bound | null;
  bounds: Bound[];
  /** Why a bound is missing, in one sentence each. */
  refused: string[];
}

/** What is asked for, and what is known about it. */
export interface PredictQuestion {
  /** Executions that may be under way at once, and how long one holds its slot. */
  slots?: { name: 'worker slots' | 'runner slots'; count: number; heldSeconds: Interval };
  /** What all have together, and what each role has by itself. */
  cpu?: CpuShare[];
  scaling?: { fit: UslFit | string; n: number; of: string };
}

export interface CpuShare {
  name: Extract<Bound['name'], `CPU${string}`>;
  cores: number;
  millisecondsPerRequest: Interval;
}

/** A slot that is held for s seconds serves 1 / s requests a second. */
export function slotsBound({
  name,
  count,
  heldSeconds,
}: NonNullable<PredictQuestion['slots']>): Bound {
  return {
    name,
    ratePerSecond: inverse(count, heldSeconds),
    evidence: `${String(count)} slots, each held for ${formatNumber(heldSeconds.value)} s`,
  };
}

/** A core has 1 000 ms of CPU a second to give. */
export function cpuBound({ name, cores, millisecondsPerRequest }: CpuShare): Bound {
  return {
    name,
    ratePerSecond: inverse(1_000 * cores, millisecondsPerRequest),
    evidence: `${formatNumber(cores)} cores, ${duration(millisecondsPerRequest.value)} of CPU per request`,
  };
}

/** The lowest of all bounds that the evidence allows, named. */
export function predict({ slots, cpu = [], scaling }: PredictQuestion): Prediction {
  const bounds: Bound[] = [];
  const refused: string[] = [];
  if (slots !== undefined) bounds.push(slotsBound(slots));
  bounds.push(...cpu.map(cpuBound));
  if (scaling !== undefined) {
    const { fit, n, of } = scaling;
    const rate = typeof fit === 'string' ? fit : predictUsl(fit, n);
    if (typeof fit === 'string' || typeof rate === 'string') {
      refused.push(String(rate));
    } else {
      const worst = Math.max(...fit.leaveOneOut.map(({ error }) => Math.abs(error)));
      bounds.push({
        name: 'scaling',
        ratePerSecond: rate,
        evidence: `scalability law over ${of}, which differs from measured points by up to ${percent(worst)}`,
      });
    }
  }
  const lowest = bounds.reduce<Bound | null>(
    (least, bound) =>
      least === null || bound.ratePerSecond.value < least.ratePerSecond.value ? bound : least,
    null,
  );
  return { lowest, bounds, refused };
}

function inverse(amount: number, { value, low, high }: Interval): Interval {
  return { value: amount / value, low: amount / high, high: amount / low };
}
