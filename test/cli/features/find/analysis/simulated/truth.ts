import { seededRandom } from '../../../../../../cli/src/analysis/statistics/random';
import { percentile } from '../../../../../../cli/src/analysis/statistics/statistics';
import { measure } from './probe';
import { Simulation, type Model } from './simulate';
import type { System } from './systems';

/*
 * truth.json holds what these functions give with 100 probes and a million requests: minutes of work,
 * so the test works out only a few of them again.
 */

/** What a probe of full length lasts, everywhere in this test. */
export const FULL_SECONDS = 60;

/**
 * The capacity as the command defines it: the rate at which a probe of full length is as likely to
 * hold as to fail. So it is the rate at which the median p95 of many such probes is at its bound.
 */
export function fullLengthCapacity(system: System, probes: number): number {
  return solve(system, (rate) => {
    const all = Array.from({ length: probes }, (_, seed) => {
      const simulation = new Simulation(undisturbed(system), seededRandom(1_000 + seed), WARM);
      return measure(simulation.run({ ratePerSecond: rate }, FULL_SECONDS), FULL_SECONDS).p95;
    });
    return percentile(Float64Array.from(all).sort(), 0.5) > system.p95Seconds;
  });
}

/**
 * The rate at which the p95 of an endless run is at its bound: a little lower, as 60 s seldom see the
 * longest queues. Null for a leak, which has no steady state.
 */
export function steadyCapacity(system: System, requests: number): number | null {
  const { exponentialServiceSeconds: mean, model, p95Seconds } = system;
  if (!system.steady) return null;
  if (mean !== undefined) {
    return solve(system, (rate) => mmcTail(model.servers, mean, rate, p95Seconds) > 0.05);
  }
  return solve(system, (rate) => {
    const simulation = new Simulation(undisturbed(system), seededRandom(5), WARM);
    const { latency, count } = simulation.run({ ratePerSecond: rate }, requests / rate);
    return percentile(latency.slice(Math.floor(count * 0.1)).sort(), 0.95) > p95Seconds;
  });
}

/** So many requests it has served before. */
const WARM = 1e9;

function undisturbed({ model: { hiccup: _none, ...model } }: System): Model {
  return model;
}

function solve(system: System, tooFast: (rate: number) => boolean): number {
  const max = (system.model.servers / meanService(system)) * 1.1;
  let low = max / 10;
  let high = max;
  while (high / low > 1.0005) {
    const middle = (low + high) / 2;
    if (tooFast(middle)) high = middle;
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

/** The mean of a replayed system: the place in the trace does not matter for the mean. */
function meanRecorded({ recorded }: Model): number {
  return recorded === undefined ? 0 : recorded.reduce((a, b) => a + b, 0) / recorded.length;
}

/** Mean work a request at rest, warm, pauses included. */
function meanService({ model }: System): number {
  const random = seededRandom(99);
  let sum = 0;
  const n = 200_000;
  for (let i = 0; i < n; i += 1) {
    sum += model.service({
      random,
      waiting: 0,
      served: 0,
      servedEver: 1e9,
      recorded: meanRecorded(model),
    });
  }
  const { pause } = model;
  return (
    sum / n + (pause === undefined ? 0 : (pause.seconds * model.servers) / pause.everyRequests)
  );
}
