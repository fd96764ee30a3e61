import { seededRandom } from '../../../../../../cli/src/analysis/statistics/random';
import { median, percentile } from '../../../../../../cli/src/analysis/statistics/statistics';
import { meanCost } from '../../../../../../cli/src/features/find/analysis/virtual-queue/trace';
import { boundOf, P, WARM_UP_SHARE } from './drive';
import { MACHINES, SimulatedN8n, type MachineName } from './machine';
import truths from './truth.json';

/** truth.json holds what `truthOf` gives with 100 runs: minutes of work. */

/** At one speed of a machine. */
export interface TruePoint {
  /** Milliseconds of CPU per request. */
  cpuMs: number;
  ratePerSecond: number;
}

const RUN_SECONDS = 60;
/** Logarithms of the mean cost over a run. */
const LEVELS = [-0.5, -0.25, 0, 0.25, 0.5];
/** A rate is found within this ratio. */
const NEAR = 1.004;

/**
 * The rate at which the median run of full length is at its bound, at five speeds of the machine: it goes up and down
 * within the runs, and its mean is that speed.
 */
export const truthOf = (name: MachineName, runs: number): TruePoint[] =>
  LEVELS.map((level) => pointOf(name, level, runs));

function pointOf(name: MachineName, level: number, runs: number): TruePoint {
  const { cpuSeconds } = MACHINES[name].work;
  const max = 1.1 / cpuSeconds / Math.exp(level);
  let [low, high] = [max / 6, max];
  while (high / low > NEAR) {
    const middle = Math.sqrt(low * high);
    const { p95 } = runsAt(name, level, middle, runs);
    if (p95 > boundOf(name)) high = middle;
    else low = middle;
  }
  const ratePerSecond = Math.sqrt(low * high);
  return { ratePerSecond, cpuMs: runsAt(name, level, ratePerSecond, runs).cpuMs };
}

function runsAt(
  name: MachineName,
  fixedLevel: number,
  ratePerSecond: number,
  runs: number,
): { p95: number; cpuMs: number } {
  const all = Array.from({ length: runs }, (_, seed) => {
    const random = seededRandom(500_000 + seed);
    const system = new SimulatedN8n(MACHINES[name], random, {
      ...{ seconds: 4 * RUN_SECONDS, fixedLevel },
    });
    const trace = system.run({ ratePerSecond }, RUN_SECONDS);
    const from = WARM_UP_SHARE * RUN_SECONDS;
    const measured = trace.latency.filter((_latency, i) => (trace.due[i] ?? 0) >= from).sort();
    return { p95: percentile(measured, P), cpuMs: 1_000 * meanCost(trace) };
  });
  return { p95: median(all.map(({ p95 }) => p95)), cpuMs: median(all.map(({ cpuMs }) => cpuMs)) };
}

/** What a machine sustains at that price; between and beyond the speeds of the table along a power of the price. */
export function trueCapacity(name: MachineName, cpuMs: number): number {
  const points = [...truths[name]].sort((a, b) => a.cpuMs - b.cpuMs);
  const above = points.findIndex((point) => point.cpuMs > cpuMs);
  const last = Math.min(points.length - 1, Math.max(1, above < 0 ? points.length - 1 : above));
  const [one, other] = [points[last - 1], points[last]];
  if (one === undefined || other === undefined) throw new Error(`no truth of ${name}`);
  const along = Math.log(cpuMs / one.cpuMs) / Math.log(other.cpuMs / one.cpuMs);
  return one.ratePerSecond * (other.ratePerSecond / one.ratePerSecond) ** along;
}
