import { seededRandom } from '../../../../../../cli/src/analysis/statistics/random';
import { CapacitySearch } from '../../../../../../cli/src/features/find/analysis/search';
import type { Estimate } from '../../../../../../cli/src/features/find/analysis/estimate';
import type {
  ProbeOutcome,
  Probe,
  SearchSettings,
} from '../../../../../../cli/src/features/find/analysis/types';
import { stallCostSeconds, stallsOf } from '../../../../../../cli/src/run/analysis/stalls';
import type { Slo } from '../../../../../../loadtests/lib/slo';
import { measure, silencesOf } from './probe';
import { Simulation, type Load } from './simulate';
import type { System } from './systems';

const SIMULATED = { role: 'server', resource: 'CPU limit' } as const;

/** The same as in find/find.ts, which this file must not import: it starts processes. */
const FIRST_WARMUP = { clients: 4, durationSeconds: 8 };

export interface Found {
  estimate: Estimate;
  probes: { probe: Probe; outcome: ProbeOutcome }[];
  seconds: number;
}

/** Makes a probe of the simulated system, as a run of the real one would state it. */
export function prober(
  system: System,
  seed: number,
): (load: Load, seconds: number) => ProbeOutcome {
  const simulation = new Simulation(system.model, seededRandom(seed));
  const timeout = system.model.timeoutSeconds ?? Infinity;
  const bound = 1_000 * system.p95Seconds;
  const slos: Slo[] = [{ text: `p95<${String(bound)}ms`, metric: 'p95', operator: '<', bound }];
  return (load, seconds) => {
    const trace = simulation.run(load, seconds);
    const found = measure(trace, seconds, timeout);
    const share = found.achievedPerSecond / found.offeredPerSecond;
    const open = 'ratePerSecond' in load;
    const sustained =
      found.p95 < system.p95Seconds && found.errorShare < 0.01 && (!open || share >= 0.95);
    const { low, high } = found.p95Interval;
    return {
      result: sustained ? 'sustained' : 'not sustained',
      // It is decided like a verdict: the interval of the percentile decides where the percentile does.
      decided: !(
        low < system.p95Seconds &&
        system.p95Seconds <= high &&
        (sustained || found.p95 >= system.p95Seconds)
      ),
      achievedPerSecond: found.achievedPerSecond,
      pressure: found.p95 / system.p95Seconds,
      // The work of one server is that of a thread; a recorded service time holds stalls too.
      cpuMs:
        system.model.servers === 1 && system.model.recorded === undefined && found.workSeconds > 0
          ? 1_000 * found.workSeconds
          : null,
      stallCostsSeconds: stallsOf(
        silencesOf(trace, seconds, timeout),
        slos,
        found.achievedPerSecond,
      ).map(({ ms }) => stallCostSeconds(ms, slos)),
      limit: sustained ? null : SIMULATED,
      spentSeconds: null,
      trace: null,
    };
  };
}

/** Runs our search on a simulated system to its end. */
export function find(system: System, seed: number, settings: Partial<SearchSettings> = {}): Found {
  const search = new CapacitySearch(settings);
  const probeOnce = prober(system, seed);
  // The command does the same, before the first probe.
  probeOnce({ clients: FIRST_WARMUP.clients }, FIRST_WARMUP.durationSeconds);
  const probes: Found['probes'] = [];
  for (let probe = search.next(); probe !== null; probe = search.next()) {
    const load: Load =
      probe.kind === 'ladder' ? { clients: probe.clients } : { ratePerSecond: probe.ratePerSecond };
    const outcome = probeOnce(load, probe.durationSeconds);
    probes.push({ probe, outcome });
    search.record(outcome);
  }
  const seconds = probes.reduce((sum, { probe }) => sum + probe.durationSeconds, 0);
  return { estimate: search.estimate(), probes, seconds };
}

/**
 * Nighthawk's procedure as it is described: double from a start rate while everything holds, bisect until
 * the step is under 1%, then one longer test of the level that came out. A failed last test leaves no
 * answer there; here its level is taken all the same, which is kinder.
 */
export function doublingAndBisection(
  system: System,
  seed: number,
  { startRate = 10, probeSeconds = 10, lastSeconds = 30 } = {},
): { capacity: number; seconds: number; probes: number } {
  const probeOnce = prober(system, seed);
  let seconds = 0;
  let probes = 0;
  const sustains = (ratePerSecond: number) => {
    seconds += probeSeconds;
    probes += 1;
    return probeOnce({ ratePerSecond }, probeSeconds).result === 'sustained';
  };
  let low = 0;
  let high = startRate;
  while (sustains(high) && probes < 30) {
    low = high;
    high *= 2;
  }
  while ((high - low) / high > 0.01) {
    const middle = (low + high) / 2;
    if (sustains(middle)) low = middle;
    else high = middle;
  }
  return { capacity: (low + high) / 2, seconds: seconds + lastSeconds, probes: probes + 1 };
}
