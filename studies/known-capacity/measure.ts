// find on small servers of this machine whose capacity follows from their own figures.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { FindRecord } from '../../cli/src/features/find/record';
import type { Measuring, Part, Study } from '../../cli/src/features/study/study';
import type { Behaviour } from './server';

/** For which the capacity of these servers is known in closed form. */
const ARRIVALS = 'even';
const SATURATE_MS = 15_000;
const SATURATING_CLIENTS = 8;

interface System {
  name: string;
  server: Behaviour;
  slo: string;
  /** Responses per second, by the mean time of a service. */
  truth: (meanServiceMs: number) => number;
}

/** D/D/c: every slot busy all the time. Below it nobody waits, above it the queue grows without end. */
const fixedSlots = (slots: number) => (meanServiceMs: number) => (1000 * slots) / meanServiceMs;

/**
 * D/M/1: the time in the system is exponential with rate mu (1 - sigma), where sigma is the root below 1
 * of sigma = exp(-mu (1 - sigma) / lambda). The highest rate whose 95th percentile is within the bound.
 */
const exponentialServer = (p95Ms: number) => (meanServiceMs: number) => {
  const mu = 1000 / meanServiceMs;
  let [low, high] = [0, mu];
  while (high - low > 1e-6 * mu) {
    const lambda = (low + high) / 2;
    let sigma = 0;
    for (let i = 0; i < 10_000; i += 1) sigma = Math.exp((-mu * (1 - sigma)) / lambda);
    const p95 = (1000 * Math.log(20)) / (mu * (1 - sigma));
    if (p95 <= p95Ms) low = lambda;
    else high = lambda;
  }
  return low;
};

/** A limiter refuses what is above its rate; a share of errors just within the bound is still sustained. */
const limiter = (perSecond: number, maxErrors: number) => () => perSecond / (1 - maxErrors);

/** They wait and hardly compute, so that their searches can be made side by side. */
const WAITING: System[] = [
  {
    name: '1 slot of 20 ms',
    server: { slots: 1, serviceMs: 20 },
    slo: 'p95<200ms',
    truth: fixedSlots(1),
  },
  {
    name: '4 slots of 50 ms',
    server: { slots: 4, serviceMs: 50 },
    slo: 'p95<150ms',
    truth: fixedSlots(4),
  },
  {
    name: '16 slots of 500 ms',
    server: { slots: 16, serviceMs: 500 },
    slo: 'p95<1s',
    truth: fixedSlots(16),
  },
  {
    name: 'exponential, 20 ms',
    server: { slots: 1, serviceMs: 20, spread: 'exponential' },
    slo: 'p95<200ms',
    truth: exponentialServer(200),
  },
  {
    name: 'limiter, 60/s',
    server: { maxPerSecond: 60 },
    slo: 'errors<1%',
    truth: limiter(60, 0.01),
  },
];
/** It computes, alone: its capacity is what it answers when saturated, before and after the search. */
const COMPUTING = { name: '5 ms of CPU', server: { cpuMs: 5 }, slo: 'p95<100ms' };

async function withServer<Result>(
  behaviour: Behaviour,
  use: (url: string, meanServiceMs: () => Promise<number>) => Promise<Result>,
): Promise<Result> {
  const file = join(import.meta.dirname, 'server.ts');
  const words = ['--import', 'tsx', file, JSON.stringify(behaviour)];
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const line = async (): Promise<string> => String((await lines.next()).value);
  try {
    return await use(await line(), async () => {
      child.kill('SIGTERM');
      return (JSON.parse(await line()) as { meanServiceMs: number }).meanServiceMs;
    });
  } finally {
    child.kill('SIGKILL');
  }
}

const LONG = ['--probe', '8s', '--full', '30s'];
const SHORT = ['--probe', '1s', '--full', '2s', '--budget', '20s'];

async function find(
  { slo }: Pick<System, 'slo'>,
  url: string,
  { call, scratch, isShort }: Measuring,
): Promise<FindRecord> {
  const { record } = await call<FindRecord>([
    ...['find', '--anyway', '--target', 'url', '--url', url, '--request', 'GET /x', '--slo', slo],
    ...['--arrivals', ARRIVALS, '--expect', 'status=200', ...(isShort ? SHORT : LONG)],
    ...['--out', scratch],
  ]);
  return record;
}

/** Expected responses a second to clients that never pause. */
async function saturated(url: string): Promise<number> {
  const until = performance.now() + SATURATE_MS;
  let responses = 0;
  const client = async (): Promise<void> => {
    while (performance.now() < until) {
      await (await fetch(url)).arrayBuffer();
      responses += 1;
    }
  };
  await Promise.all(Array.from({ length: SATURATING_CLIENTS }, client));
  return (1000 * responses) / SATURATE_MS;
}

function rowOf(
  { name, slo }: Pick<System, 'name' | 'slo'>,
  truth: number,
  { capacity, verdict, probes }: FindRecord,
) {
  const { ratePerSecond, low, high, confirmed } = capacity;
  return {
    ...{ name, slo, truth, found: ratePerSecond, error: ratePerSecond / truth - 1, low, high },
    holdsTruth: low <= truth && truth <= (high ?? Infinity),
    ...{ confirmed, verdict, probes: probes.length },
    probeSeconds: probes.reduce((sum, { durationSeconds }) => sum + durationSeconds, 0),
  };
}

const waiting = (measuring: Measuring) =>
  Promise.all(
    WAITING.slice(0, measuring.isShort ? 1 : undefined).map((system) =>
      withServer(system.server, async (url, meanServiceMs) => {
        const found = await find(system, url, measuring);
        return rowOf(system, system.truth(await meanServiceMs()), found);
      }),
    ),
  );

const computing = (measuring: Measuring) =>
  withServer(COMPUTING.server, async (url) => {
    const before = await saturated(url);
    const found = await find(COMPUTING, url, measuring);
    const after = await saturated(url);
    const truth = (before + after) / 2;
    return [{ ...rowOf(COMPUTING, truth, found), saturated: [before, after] }];
  });

interface KnownPart extends Part {
  measure: (measuring: Measuring) => Promise<ReturnType<typeof rowOf>[]>;
}

export default {
  parts: [
    { name: 'waiting', seconds: 420, measure: waiting },
    { name: 'computing', seconds: 300, measure: computing },
  ],
  async measured({ measure }, measuring) {
    const rows = await measure(measuring);
    const worst = Math.max(...rows.map(({ error }) => Math.abs(error)));
    return {
      record: { arrivals: ARRIVALS, rows },
      sentence: `${String(rows.length)} capacities, off by ${(100 * worst).toFixed(1)}% at the most`,
    };
  },
} satisfies Study<KnownPart>;
