import { join } from 'node:path';
import { exponential, normal } from '../../../../../../cli/src/analysis/statistics/random';
import { repositoryRoot } from '../../../../../../cli/src/lab/paths';
import { readArchive } from '../../../../../../cli/src/record/archive';
import type { Model, Now } from './simulate';

/** From a recorded trace of a real n8n to what the simulation replays. */

/** A trace in the form in which studies/search-traces/measure.ts writes it. */
interface RecordedTrace {
  cold: { seconds: number; answeredAtMs: number[] };
  steps: { ratePerSecond: number; latencyMs: (number | null)[] }[];
  last: { seconds: number; answeredAtMs: number[] };
}

interface Replay {
  /** Seconds of work of one request after the other, in the order in which they were seen. */
  serviceSeconds: Float64Array;
  /** How many times longer the first requests after a start take, and how many there are. */
  cold: { slower: number; requests: number };
}

/** Steps below this share of the highest have too little waiting to show how long the work takes. */
const BUSY_SHARE = 0.75;
/** The start of the cold loop that counts as cold. */
const COLD_SECONDS = 5;

/**
 * Each service time of a single first-come-first-served server is what lies between an answer and the later
 * of the answer before it and its own arrival. So a stall is one long service, and slow seconds are many.
 */
function replayOf({ cold, steps }: RecordedTrace): Replay {
  const max = Math.max(...steps.map(({ ratePerSecond }) => ratePerSecond));
  const busy = steps.filter(({ ratePerSecond }) => ratePerSecond >= BUSY_SHARE * max);
  const early = cold.answeredAtMs.filter((at) => at < 1_000 * COLD_SECONDS).length / COLD_SECONDS;
  const warmFrom = (1_000 * cold.seconds) / 2;
  const warm = cold.answeredAtMs.filter((at) => at >= warmFrom).length / (cold.seconds / 2);
  return {
    serviceSeconds: Float64Array.from(busy.flatMap(servicesOf)),
    cold: { slower: warm / early, requests: 2 * early * COLD_SECONDS },
  };
}

function servicesOf({ ratePerSecond, latencyMs }: RecordedTrace['steps'][number]): number[] {
  const answered = latencyMs
    .flatMap((ms, i) => (ms === null ? [] : [i / ratePerSecond + ms / 1_000]))
    .sort((a, b) => a - b);
  // The i-th answer belongs to some request that was due no later than the i-th that was answered.
  const due = latencyMs.flatMap((ms, i) => (ms === null ? [] : [i / ratePerSecond]));
  return answered.map((at, i) => at - Math.max(answered[i - 1] ?? 0, due[i] ?? 0));
}

/** This file is also run as part of a bundle, which lies elsewhere. */
const traces = readArchive(
  join(repositoryRoot(process.cwd()), 'studies/search-traces/results.jsonl.gz'),
);
const traceOf = (id: string): RecordedTrace => traces.get(id)?.record as RecordedTrace;

/** A simulated system with the SLO that a search has to meet. */
export interface System {
  name: string;
  family: string;
  model: Model;
  p95Seconds: number;
  /** A leak has no steady state: its capacity is that of a probe of full length. */
  steady: boolean;
  /** M/M/c has a closed form; the others need a very long simulation. */
  exponentialServiceSeconds?: number;
}

interface Options extends Partial<Omit<Model, 'service'>> {
  steady?: boolean;
  exponentialServiceSeconds?: number;
}

function system(
  family: string,
  name: string,
  p95Seconds: number,
  service: (now: Now) => number,
  { steady = true, exponentialServiceSeconds, ...model }: Options = {},
): System {
  return {
    name,
    family,
    p95Seconds,
    steady,
    ...(exponentialServiceSeconds === undefined ? {} : { exponentialServiceSeconds }),
    model: { servers: 1, arrivals: 'poisson', service, ...model },
  };
}

const mmc = (servers: number, mean: number, p95: number): System =>
  system(
    'M/M/c',
    `M/M/${String(servers)}, ${ms(mean)} ms, p95<${ms(p95)} ms`,
    p95,
    ({ random }) => exponential(random, mean),
    {
      servers,
      exponentialServiceSeconds: mean,
    },
  );

const mdc = (servers: number, fixed: number, p95: number): System =>
  system('M/D/c', `M/D/${String(servers)}, ${ms(fixed)} ms, p95<${ms(p95)} ms`, p95, () => fixed, {
    servers,
  });

/** Each request waits `hold` in a slot: worker concurrency, runner slots. Requests come evenly, as k6 sends them. */
const slots = (count: number, hold: number, p95: number): System =>
  system(
    'fixed slots',
    `${String(count)} slots of ${ms(hold)} ms, p95<${ms(p95)} ms`,
    p95,
    ({ random }) => hold * (1 + 0.02 * normal(random)),
    {
      servers: count,
      arrivals: 'even',
    },
  );

const eventLoop = (work: number, everyRequests: number, pause: number, p95: number): System =>
  system(
    'event loop with GC',
    `${ms(work)} ms, ${ms(pause)} ms pause every ${String(everyRequests)}, p95<${ms(p95)} ms`,
    p95,
    ({ random }) => work * (0.8 + 0.4 * random()),
    {
      arrivals: 'even',
      pause: { everyRequests, seconds: pause },
    },
  );

/** Every thousand requests make each request slower by this share, until the system rests. */
const leak = (servers: number, work: number, perThousand: number, p95: number): System =>
  system(
    'leak',
    `${String(servers)} x ${ms(work)} ms, +${String(perThousand * 100)}% per 1000, p95<${ms(p95)} ms`,
    p95,
    ({ random, served }) => exponential(random, work) * (1 + (perThousand * served) / 1_000),
    {
      servers,
      steady: false,
    },
  );

/** Every waiting request costs the others something, up to a limit: past the peak it does less, not the same. */
const collapse = (servers: number, work: number, perWaiting: number, p95: number): System =>
  system(
    'collapse',
    `${String(servers)} x ${ms(work)} ms, +${String(perWaiting * 100)}% per waiting, p95<${ms(p95)} ms`,
    p95,
    ({ random, waiting }) =>
      work * (0.5 + random()) * (1 + Math.min(3, perWaiting * Math.max(0, waiting - 4 * servers))),
    {
      servers,
      arrivals: 'even',
      timeoutSeconds: 10,
    },
  );

const noisy = (noise: number, servers: number, work: number, p95: number): System =>
  system(
    'noise',
    `${String(noise * 100)}% noise, ${String(servers)} x ${ms(work)} ms, p95<${ms(p95)} ms`,
    p95,
    ({ random }) => exponential(random, work),
    {
      servers,
      noise,
      arrivals: 'even',
    },
  );

const disturbed = (share: number, stall: number, work: number, p95: number): System =>
  system(
    'disturbed machine',
    `${String(share * 100)}% of probes stall ${ms(stall)} ms, ${ms(work)} ms, p95<${ms(p95)} ms`,
    p95,
    ({ random }) => exponential(random, work),
    {
      arrivals: 'even',
      hiccup: { share, seconds: stall },
    },
  );

/** Log-normal service times: `spread` 1 has a p99 of ten times the median. */
const heavy = (servers: number, median: number, spread: number, p95: number): System =>
  system(
    'heavy tail',
    `${String(servers)} x ${ms(median)} ms, spread ${String(spread)}, p95<${ms(p95)} ms`,
    p95,
    ({ random }) => Math.min(2, median * Math.exp(spread * normal(random))),
    {
      servers,
    },
  );

const coldStart = (
  slower: number,
  requests: number,
  servers: number,
  work: number,
  p95: number,
): System =>
  system(
    'warm-up',
    `${String(slower)}x slower for ${String(requests)}, ${String(servers)} x ${ms(work)} ms, p95<${ms(p95)} ms`,
    p95,
    ({ random, servedEver }) =>
      exponential(random, work) * (1 + (slower - 1) * Math.max(0, 1 - servedEver / requests)),
    {
      servers,
      arrivals: 'even',
    },
  );

/** A system like n8n on a machine that others use too: its cores change their speed, and now and then a major collection. */
const unsteady = (
  work: number,
  p95: number,
  drift: { spread: number; everySeconds: number },
  stallEverySeconds?: number,
): System =>
  system(
    'unsteady machine',
    `${ms(work)} ms, ${String(100 * drift.spread)}% faster or slower every ${String(drift.everySeconds)} s${stallEverySeconds === undefined ? '' : `, stalls of 1.6 s every ${String(stallEverySeconds)} s`}, p95<${ms(p95)} ms`,
    p95,
    ({ random }) => work * (0.5 + random()),
    {
      drift,
      ...(stallEverySeconds === undefined
        ? {}
        : { stalls: { everySeconds: stallEverySeconds, seconds: 1.6 } }),
    },
  );

/** A real n8n, replayed: its service times in their order, with their stalls, and its cold start. */
const replayed = (name: string, trace: RecordedTrace, p95: number): System => {
  const { serviceSeconds, cold } = replayOf(trace);
  return system(
    'recorded n8n',
    `${name}, p95<${ms(p95)} ms`,
    p95,
    ({ recorded, servedEver }) =>
      recorded * (1 + (cold.slower - 1) * Math.max(0, 1 - servedEver / cold.requests)),
    { arrivals: 'even', recorded: serviceSeconds },
  );
};

function ms(seconds: number): string {
  return String(Number((seconds * 1_000).toPrecision(3)));
}

/** Made up, each with one thing that real systems do. */
export const SYSTEMS: readonly System[] = [
  mmc(1, 0.01, 0.2),
  mmc(1, 0.01, 0.05),
  mmc(1, 0.025, 1),
  mmc(2, 0.02, 0.2),
  mmc(4, 0.02, 0.1),
  mmc(8, 0.05, 0.3),
  mmc(16, 0.1, 0.4),
  mdc(1, 0.01, 0.1),
  mdc(1, 0.025, 0.5),
  mdc(2, 0.01, 0.03),
  mdc(4, 0.02, 0.05),
  mdc(10, 0.1, 0.2),
  slots(10, 0.5, 1),
  slots(20, 0.5, 0.6),
  slots(5, 0.1, 0.3),
  slots(40, 0.25, 0.5),
  slots(50, 1, 2),
  eventLoop(0.008, 500, 0.08, 0.1),
  eventLoop(0.007, 800, 0.15, 0.15),
  eventLoop(0.02, 200, 0.1, 0.3),
  eventLoop(0.004, 1_000, 0.05, 0.05),
  eventLoop(0.012, 1_000, 0.3, 0.3),
  leak(1, 0.01, 0.02, 0.2),
  leak(2, 0.02, 0.03, 0.3),
  leak(4, 0.03, 0.05, 0.3),
  collapse(1, 0.01, 0.01, 0.1),
  collapse(4, 0.03, 0.02, 0.2),
  collapse(8, 0.05, 0.05, 0.3),
  collapse(2, 0.01, 0.005, 0.1),
  noisy(0.05, 2, 0.02, 0.2),
  noisy(0.1, 4, 0.03, 0.2),
  noisy(0.2, 4, 0.03, 0.3),
  noisy(0.3, 8, 0.05, 0.5),
  noisy(0.3, 1, 0.01, 0.3),
  disturbed(0.15, 1, 0.01, 0.2),
  disturbed(0.1, 2, 0.02, 0.5),
  disturbed(0.2, 0.5, 0.008, 0.15),
  heavy(4, 0.02, 0.8, 0.25),
  heavy(8, 0.02, 1, 0.3),
  heavy(2, 0.005, 1.2, 0.2),
  heavy(16, 0.05, 0.8, 0.4),
  coldStart(3, 1_000, 2, 0.02, 0.2),
  coldStart(2, 3_000, 4, 0.02, 0.15),
  coldStart(5, 500, 1, 0.01, 0.1),
];

/** Recorded from a real n8n; that of last-node on a machine that other work disturbed for seconds at a time. */
export const REPLAYED: readonly System[] = [
  replayed('last-node, busy machine', traceOf('last-node-regular'), 0.3),
  replayed('last-node, busy machine', traceOf('last-node-regular'), 1),
  replayed('items', traceOf('items-regular'), 0.3),
  replayed('items, queue mode', traceOf('items-queue'), 0.3),
];

/** Systems like a real n8n that was seen: cores that are slower for tens of seconds, and major collections of 1.6 s. */
export const UNSTEADY: readonly System[] = [
  unsteady(0.014, 0.3, { spread: 0.15, everySeconds: 20 }),
  unsteady(0.014, 0.3, { spread: 0.15, everySeconds: 60 }),
  unsteady(0.04, 0.3, { spread: 0.15, everySeconds: 30 }),
  unsteady(0.014, 1, { spread: 0.15, everySeconds: 30 }),
  unsteady(0.014, 0.3, { spread: 0, everySeconds: 30 }, 60),
  unsteady(0.014, 0.3, { spread: 0, everySeconds: 30 }, 120),
  unsteady(0.014, 0.3, { spread: 0.15, everySeconds: 30 }, 60),
  unsteady(0.014, 0.3, { spread: 0.15, everySeconds: 30 }, 90),
  unsteady(0.014, 0.3, { spread: 0.15, everySeconds: 30 }, 120),
  unsteady(0.04, 0.3, { spread: 0.15, everySeconds: 30 }, 90),
  unsteady(0.04, 1, { spread: 0.15, everySeconds: 30 }, 90),
];
