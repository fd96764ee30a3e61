// Several load generators on a real cluster, against a server whose latency is known.
import type { LatencySummary, RunRecord } from '../../cli/src/record/run-record';
import { buildCli } from '../support/cli';
import { createNamespace, kubectl, until, type Namespace } from '../support/cluster';
import { n8nTuned, OURS, resultsFolder } from '../support/cluster-command';
import { installKnown, onKnown } from '../support/known-release';
import { seen } from '../support/seen';

jest.setTimeout(900_000);

/** 200 to 497 ms in an order of its own: every hundred requests have the same hundred latencies. */
const LATENCIES_MS = Array.from({ length: 100 }, (_, index) => 200 + 3 * ((37 * index) % 100));
const RATE = 50;
const SECONDS = 20;
const SHARE = 0.03;

const { path: out, remove } = resultsFolder();
let space: Namespace;
beforeAll(async () => {
  buildCli();
  space = await createNamespace('generators');
  await installKnown(space, out, { inTurn: LATENCIES_MS });
});
afterAll(async () => {
  remove();
  await space?.remove();
});

async function run(generators: number, ...more: string[]): Promise<RunRecord> {
  const { stdout, stderr } = await n8nTuned(
    ...['run', ...onKnown(space), '--out', out, '--json', '--generators', String(generators)],
    ...['--rate', String(RATE), '--duration', `${String(SECONDS)}s`, '--warmup', '2s', ...more],
  );
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout) as RunRecord;
}

/** A machine that stalls makes a run invalid, and another is made. */
async function validRun(generators: number): Promise<RunRecord> {
  let record = await run(generators);
  for (let again = 0; again < 2 && record.verdict.outcome === 'invalid'; again += 1) {
    record = await run(generators);
  }
  expect(record.verdict.outcome).not.toBe('invalid');
  return record;
}

const PERCENTILES = ['p50', 'p90', 'p95', 'p99'] as const;
const figures = (latency: LatencySummary | null): number[] =>
  PERCENTILES.map((name) => latency?.[name] ?? NaN);
const apart = (one: readonly number[], other: readonly number[]): number =>
  Math.max(...one.map((value, index) => Math.abs(value / (other[index] ?? NaN) - 1)));

test('one generator and three measure the same percentiles, which are those that the server has', async () => {
  const one = await validRun(1);
  const three = await validRun(3);
  const ordered = [...LATENCIES_MS].sort((a, b) => a - b);
  const truth = [0.5, 0.9, 0.95, 0.99].map((share) => ordered[Math.ceil(share * 100) - 1] ?? NaN);
  const { parts = [] } = three.summary.generator;
  expect(one.summary.offered.requests).toBe(RATE * SECONDS);
  expect(three.summary.offered.requests).toBe(RATE * SECONDS);
  expect(parts.reduce((sum, { requests }) => sum + requests, 0)).toBe(RATE * SECONDS);
  const [ofOne, ofThree] = [figures(one.summary.latencyMs), figures(three.summary.latencyMs)];
  const largest = {
    betweenThem: apart(ofThree, ofOne),
    oneFromTruth: apart(ofOne, truth),
    threeFromTruth: apart(ofThree, truth),
  };
  seen('1 against 3 load generators', {
    ...{ ratePerSecond: RATE, seconds: SECONDS, percentiles: PERCENTILES, truthMs: truth },
    ...{ oneMs: ofOne, threeMs: ofThree, largestDifference: largest },
    generators: parts.map(({ requests, latenessMs, clock, node }) => ({
      ...{ requests, latenessMs, clock, node },
    })),
  });
  expect(largest.betweenThem).toBeLessThan(SHARE);
  expect(largest.oneFromTruth).toBeLessThan(SHARE);
  expect(largest.threeFromTruth).toBeLessThan(SHARE);
});

test('a generator pod that is deleted costs its share, named, and not the run', async () => {
  const running = run(3, '--duration', '40s');
  const name = await until(
    'load',
    async (): Promise<string> => {
      const pods = await space.kubectl('get', 'pods', '-l', OURS, '-o', 'name');
      const [, second] = pods
        .split('\n')
        .filter((pod) => pod !== '')
        .sort();
      if (second === undefined) throw new Error('there is no second pod');
      const inPod = ['exec', second, '--', 'sh', '-c', 'grep -c e /out/*/lines | tail -1'];
      const lines = await space.kubectl(...inPod);
      if (!(Number(lines.split(':').at(-1)) > 100)) throw new Error('it makes no load');
      return second;
    },
    300_000,
  );
  await kubectl(['-n', space.name, 'delete', name, '--wait=false']);
  const record = await running;
  expect(record.verdict.outcome).not.toBe('aborted');
  const lost = (record.summary.generator.parts ?? []).filter((part) => part.lost !== null);
  expect(lost.map((part) => `pod/${part.name}`)).toEqual([name]);
  expect(record.verdict.doubts.map(({ text }) => text).join(' ')).toMatch(
    /the load generator \S+ on \S+, one of 3, was lost [\d.]+ s into the load \(.*\): from then on, its share of the load is missing/,
  );
  expect(record.events.map(({ kind }) => kind)).toContain('generator');
  expect(record.summary.errors.requests).toBe(0);
  seen('a load generator deleted during the run', {
    outcome: record.verdict.outcome,
    doubts: record.verdict.doubts.map(({ text }) => text),
    requests: (record.summary.generator.parts ?? []).map(({ requests }) => requests),
  });
  // No pod took its place, and nothing is left.
  expect(await space.kubectl('get', 'jobs,configmaps', '-l', OURS, '-o', 'name')).toBe('');
});
