import { exponential, type Random } from '../../../../../../cli/src/analysis/statistics/random';
import type { ProbeTrace } from '../../../../../../cli/src/features/find/analysis/virtual-queue/trace';

const BIN_SECONDS = 0.5;

/** A probe of one server that works off requests in their order; `costAt` says what a request takes then. */
export function probeOfOneServer(
  random: Random,
  load: { ratePerSecond: number } | { clients: number },
  seconds: number,
  costAt: (second: number) => number,
  given: Partial<ProbeTrace> = {},
): ProbeTrace {
  const due: number[] = [];
  const latency: number[] = [];
  const bins = Math.ceil(seconds / BIN_SECONDS);
  const cpu = new Float64Array(bins);
  const done = new Float64Array(bins);
  const ready = 'clients' in load ? Array<number>(load.clients).fill(0) : [];
  let free = 0;
  let at = 0;
  for (;;) {
    at =
      'clients' in load ? (ready.shift() ?? 0) : at + exponential(random, 1 / load.ratePerSecond);
    if (at >= seconds) break;
    const begin = Math.max(at, free);
    free = begin + costAt(begin) * exponential(random, 1);
    due.push(at);
    latency.push(free - at);
    ready.push(free);
    for (let time = begin; time < Math.min(free, seconds);) {
      const bin = Math.floor(time / BIN_SECONDS + 1e-9);
      const until = Math.min(free, seconds, (bin + 1) * BIN_SECONDS);
      cpu[bin] = (cpu[bin] ?? 0) + until - time;
      time = until;
    }
    const last = Math.floor(free / BIN_SECONDS);
    if (last < bins) done[last] = (done[last] ?? 0) + 1;
  }
  return {
    ratePerSecond: 'clients' in load ? null : load.ratePerSecond,
    plannedSeconds: seconds,
    seconds,
    due: Float64Array.from(due),
    latency: Float64Array.from(latency),
    binSeconds: BIN_SECONDS,
    resource: { role: 'main', resource: 'event loop' },
    servers: 1,
    coresOfEach: 1,
    cpu,
    done,
    disturbed: [],
    ...given,
  };
}
