import { seededRandom } from '../../../../capacity/src/analysis/random';
import { percentile } from '../../../../capacity/src/analysis/statistics';
import { measure } from './probe';
import { Simulation } from './simulate';
import type { System } from './systems';

/** The highest rate at which the system's p95 holds. */
export function trueCapacity(system: System, effort: number): number {
  const { exponentialServiceSeconds: mean, model, p95Seconds, steady } = system;
  const most = model.servers / meanService(system);
  const tooSlow = (rate: number) => {
    if (mean !== undefined) return mmcTail(model.servers, mean, rate, p95Seconds) > 0.05;
    return (steady ? longP95(system, rate, effort) : fullLengthP95(system, rate, effort)) > p95Seconds;
  };
  let low = 0;
  let high = most * 1.2;
  while (high / Math.max(low, most / 1e3) > 1.001) {
    const middle = (low + high) / 2;
    if (middle >= most * 1.02 || tooSlow(middle)) high = middle;
    else low = middle;
  }
  return (low + high) / 2;
}

/** P(time in system > t) of M/M/c, in closed form. */
export function mmcTail(servers: number, mean: number, rate: number, t: number): number {
  const load = rate * mean;
  if (load >= servers) return 1;
  let term = 1;
  let sum = 1;
  for (let k = 1; k < servers; k += 1) {
    term *= load / k;
    sum += term;
  }
  const all = (term * load) / servers / (1 - load / servers);
  const waits = all / (sum + all);
  const drain = servers / mean - rate;
  const each = 1 / mean;
  const both =
    Math.abs(drain - each) < 1e-9
      ? (1 + each * t) * Math.exp(-each * t)
      : (drain * Math.exp(-each * t) - each * Math.exp(-drain * t)) / (drain - each);
  return (1 - waits) * Math.exp(-each * t) + waits * both;
}

/** Mean work a request at rest, warm, pauses included. */
function meanService({ model }: System): number {
  const random = seededRandom(99);
  let sum = 0;
  const n = 200_000;
  for (let i = 0; i < n; i += 1) {
    sum += model.service({ random, waiting: 0, served: 0, servedEver: 1e9 });
  }
  const { pause } = model;
  return sum / n + (pause === undefined ? 0 : (pause.seconds * model.servers) / pause.everyRequests);
}

/** The p95 of one very long run in steady state; the same seed at every rate. */
function longP95(system: System, rate: number, effort: number): number {
  const { hiccup: _none, ...model } = system.model;
  const { latency, count } = new Simulation(model, seededRandom(5)).run({ ratePerSecond: rate }, effort / rate);
  return percentile(latency.slice(Math.floor(count * 0.1)).sort(), 0.95);
}

/** The median p95 of many probes of full length. */
function fullLengthP95(system: System, rate: number, effort: number): number {
  const runs = Math.max(9, Math.round(effort / (rate * FULL_SECONDS)));
  const all = Array.from({ length: runs }, (_, seed) => {
    const simulation = new Simulation(system.model, seededRandom(1_000 + seed));
    return measure(simulation.run({ ratePerSecond: rate }, FULL_SECONDS), FULL_SECONDS, Infinity).p95;
  });
  return percentile(Float64Array.from(all).sort(), 0.5);
}

export const FULL_SECONDS = 60;
