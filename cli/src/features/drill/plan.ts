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
  /** Interval of an instantaneous fault that is repeated; left out if it is made once. */
  everySeconds?: number;
  returnSeconds: number;
  /** The load while the fault lasts, as a multiple of the rate. */
  rateFactor: number;
  arrivals?: Arrivals;
  /** How often a caller sends a request again that failed; left out: never. */
  retries?: number;
}

export const faultAtSeconds = ({ warmupSeconds, steadySeconds }: DrillLoad): number =>
  warmupSeconds + steadySeconds;

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
      stage(faultSeconds, rateFactor * ratePerSecond),
      stage(returnSeconds, ratePerSecond),
    ],
  };
}
