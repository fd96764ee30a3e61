import type { Probe } from './analysis/types';
import { planOf, type Arrivals, type LoadPlan } from '../../../../loadtests/lib/profile';

/** Share of each probe that is discarded: connections, caches and V8's optimiser settle. */
export const WARMUP_SHARE = 0.2;

/** The load of one probe. */
export function planOfProbe(probe: Probe, latencyFloorMs: number, arrivals: Arrivals): LoadPlan {
  const warmupSeconds = Math.max(WARMUP_SHARE * probe.durationSeconds, latencyFloorMs / 1000);
  const durationSeconds = Math.max(1, probe.durationSeconds - warmupSeconds);
  return probe.kind === 'ladder'
    ? planOf('closed', { clients: probe.clients, warmupSeconds, durationSeconds })
    : planOf('load', {
        ratePerSecond: probe.ratePerSecond,
        warmupSeconds,
        durationSeconds,
        arrivals,
      });
}
