/** The load of a drill: steady, through the fault, and on until the system has had time to come back. */
import {
  planOf,
  type Arrivals,
  type LoadPlan,
  type Stage,
} from '../../../../loadtests/lib/profile';

export interface DrillLoad {
  ratePerSecond: number;
  warmupSeconds: number;
  steadySeconds: number;
  /** How long the fault lasts, or is repeated; 0: it is a moment. */
  faultSeconds: number;
  /** Interval of a fault that is repeated; left out if it is made once. */
  everySeconds?: number;
  /** How long one that is repeated lasts each time; left out: it is a moment. */
  turnSeconds?: number;
  returnSeconds: number;
  /** The load while the fault lasts, as a multiple of the rate. */
  rateFactor: number;
  arrivals?: Arrivals;
  /** How often a caller sends a request again that failed; left out: never. */
  retries?: number;
}

export const faultAtSeconds = ({ warmupSeconds, steadySeconds }: DrillLoad): number =>
  warmupSeconds + steadySeconds;

/** In seconds: how long it lasts each time, and how long it is until the next time, or until it is over. */
function turnsOf({ faultSeconds, everySeconds, turnSeconds }: DrillLoad): Turn[] {
  if (everySeconds === undefined || turnSeconds === undefined) {
    return [{ lasts: faultSeconds, rests: 0 }];
  }
  return Array.from({ length: Math.ceil(faultSeconds / everySeconds) }, (_, index) => ({
    lasts: turnSeconds,
    rests: Math.max(0, Math.min(everySeconds, faultSeconds - index * everySeconds) - turnSeconds),
  }));
}

interface Turn {
  lasts: number;
  rests: number;
}

export function planOfDrill(load: DrillLoad): LoadPlan {
  const { ratePerSecond, steadySeconds, faultSeconds, returnSeconds, rateFactor } = load;
  const plan = planOf('load', {
    ratePerSecond,
    warmupSeconds: load.warmupSeconds,
    durationSeconds: steadySeconds + faultSeconds + returnSeconds,
    ...(load.arrivals === undefined ? {} : { arrivals: load.arrivals }),
    ...(load.retries === undefined ? {} : { retries: load.retries }),
  });
  if (rateFactor === 1) return plan;
  const stage = (durationSeconds: number, rate: number): Stage => ({
    ...{ durationSeconds, fromRatePerSecond: rate, toRatePerSecond: rate },
  });
  const warmup = plan.stages.slice(0, load.warmupSeconds > 0 ? 1 : 0);
  return {
    ...plan,
    stages: [
      ...warmup,
      stage(steadySeconds, ratePerSecond),
      ...turnsOf(load).flatMap(({ lasts, rests }) => [
        stage(lasts, rateFactor * ratePerSecond),
        ...(rests > 0 ? [stage(rests, ratePerSecond)] : []),
      ]),
      stage(returnSeconds, ratePerSecond),
    ],
  };
}
