import { predictUsl, type UslFit } from './usl';
import { duration, formatNumber, percent } from '../../../ui/numbers';

/** A value, and how far it may be off; null where too little was measured to know. */
export interface Uncertain {
  value: number;
  low: number | null;
  high: number | null;
}

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
  ratePerSecond: Uncertain;
  evidence: string;
}

export interface Prediction {
  /**
   * The lowest bound, with the interval of all of them; null without a scalability law: what slots and CPU allow is an upper
   * bound, however far above the truth.
   */
  lowest: Bound | null;
  bounds: Bound[];
  /** Why a bound is missing, in one sentence each. */
  refused: string[];
}

/** What is asked for, and what is known about it. */
export interface PredictQuestion {
  /** Executions that may be under way at once, and how long one holds its slot. */
  slots?: { name: 'worker slots' | 'runner slots'; count: number; heldSeconds: Uncertain };
  /** What all have together, and what each role has by itself. */
  cpu?: CpuShare[];
  scaling?: { fit: UslFit | string; n: number; of: string };
}

export interface CpuShare {
  name: Extract<Bound['name'], `CPU${string}`>;
  cores: number;
  millisecondsPerRequest: Uncertain;
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

/** A core has 1,000 ms of CPU a second to give. */
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
  const lowest = lowestOf(bounds);
  const hasLaw = bounds.some(({ name }) => name === 'scaling');
  return {
    lowest:
      lowest !== null && hasLaw ? { ...lowest, ratePerSecond: answerOf(lowest, bounds) } : null,
    bounds,
    refused,
  };
}

export const lowestOf = (bounds: readonly Bound[]): Bound | null =>
  bounds.reduce<Bound | null>(
    (min, bound) =>
      min === null || bound.ratePerSecond.value < min.ratePerSecond.value ? bound : min,
    null,
  );

/** The least of several uncertain rates lies between the least of their low ends and the least of their high ends. */
function answerOf({ ratePerSecond }: Bound, bounds: readonly Bound[]): Uncertain {
  if (ratePerSecond.low === null) return ratePerSecond;
  const ends = (end: 'low' | 'high'): number[] =>
    bounds.flatMap((bound) => bound.ratePerSecond[end] ?? []);
  return {
    value: ratePerSecond.value,
    low: Math.min(...ends('low')),
    high: Math.min(...ends('high')),
  };
}

function inverse(amount: number, { value, low, high }: Uncertain): Uncertain {
  return {
    value: amount / value,
    low: high === null ? null : amount / high,
    high: low === null ? null : amount / low,
  };
}
