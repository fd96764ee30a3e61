import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runPlainK6 } from '../support/k6';
import { startKnownServer, type Behaviour, type KnownServer } from '../support/known-server';

jest.setTimeout(60_000);

let server: KnownServer | undefined;

async function serve(behaviour: Behaviour): Promise<string> {
  server = await startKnownServer(behaviour);
  return server.url;
}

afterEach(async () => {
  await server?.close();
  server = undefined;
});

const OWN = { REQUEST: 'GET /x', EXPECT: 'json.ok==true', REQUEST_ID_AT: 'json.headers.x-load-id' };

describe('a profile run by plain k6', () => {
  it('counts what the server did: expected responses, failures, wrong responses, requests never answered', async () => {
    const BASE_URL = await serve({ errorEvery: 20, wrongEvery: 33, hangEvery: 50 });
    const { summary, exitCode, lines } = await runPlainK6('load', {
      ...OWN,
      BASE_URL,
      RATE: 50,
      DURATION: '4s',
      WARMUP: 0,
      DRAIN: '1s',
      READY: 0,
      PRINT_REQUESTS: 1,
    });
    const seen = server?.seen;
    const kinds = lines.flatMap((line) => (line[0] === 'e' ? [line[4]] : []));
    const counted = (kind: string): number => kinds.filter((other) => other === kind).length;
    expect(exitCode).toBe(0);
    expect(counted('')).toBe(seen?.right);
    expect(counted('status 500')).toBe(seen?.errors);
    expect(counted('unexpected response')).toBe(seen?.wrong);
    expect(counted('unanswered')).toBe(seen?.hung);
    // Every request had an id of its own, and every one came to an end.
    expect(seen?.ids.size).toBe(kinds.length);
    expect(lines).toHaveLength(2 * kinds.length);
    // The summary is that of the measured part: what a busy machine begins after it is left out.
    const requests = summary?.requests ?? 0;
    expect(Math.abs(requests - 200)).toBeLessThanOrEqual(2);
    expect(kinds.length - requests).toBeLessThanOrEqual(2);
    expect(summary?.errors.unanswered).toBe(seen?.hung);
    // The first that hung was 50 requests, 1 s, into the run; it waited to its end and the drain.
    expect(summary?.unanswered.oldestAgeMs).toBeGreaterThan(3500);
    expect(summary?.unanswered.oldestAgeMs).toBeLessThan(6000);
  });

  it('sends no load before the real request gets its expected response', async () => {
    const BASE_URL = await serve({ notFoundForMs: 1500 });
    const { summary } = await runPlainK6('smoke', { ...OWN, BASE_URL, RATE: 5, DURATION: '2s' });
    expect(server?.seen.notFound).toBeGreaterThan(1);
    expect(summary?.errors).toEqual({});
    expect(summary?.expected).toBeGreaterThanOrEqual(9);
  });

  it('makes no load at all when that never comes, and says why', async () => {
    const BASE_URL = await serve({ wrongEvery: 1 });
    const { summary, exitCode, output } = await runPlainK6('smoke', {
      ...OWN,
      BASE_URL,
      READY: '1s',
    });
    expect(exitCode).not.toBe(0);
    expect(output).toContain('json.ok==true is not met');
    expect(summary?.requests).toBe(0);
  });

  it('says which SLO was met, and fails where one was not', async () => {
    const BASE_URL = await serve({ errorEvery: 10, latencyMs: 20 });
    const { summary, exitCode, output } = await runPlainK6('load', {
      ...OWN,
      BASE_URL,
      RATE: 20,
      DURATION: '2s',
      WARMUP: '1s',
      SLO: 'p50<10s,errors<1%,throughput>=50%',
    });
    expect(exitCode).toBe(99);
    expect(Math.abs((summary?.requests ?? 0) - 40)).toBeLessThanOrEqual(2);
    expect(summary?.slo).toEqual([
      { text: 'p50<10s', met: true },
      { text: 'errors<1%', met: false },
      { text: 'throughput>=50%', met: true },
    ]);
    expect(output).toMatch(/^ {2}requests {6}\d+, expected responses \d+ \([\d.]+\/s\)$/m);
    expect(output).toMatch(/^ {2}started late {2}median [\d.]+ ms, p99 [\d.]+ ms; part of the/m);
    expect(output).toMatch(/^ {2}met {11}p50<10s\n {2}missed {8}errors<1%\n/m);
  });

  it('lets clients pause after a refused connection instead of spinning', async () => {
    const BASE_URL = await serve({});
    await server?.close();
    const { summary, lines } = await runPlainK6('closed', {
      ...OWN,
      BASE_URL,
      VUS: 2,
      DURATION: '3s',
      READY: 0,
      PRINT_REQUESTS: 1,
    });
    expect(summary?.errors.refused).toBe(summary?.requests);
    expect(summary?.requests).toBeGreaterThan(1);
    expect(summary?.requests).toBeLessThanOrEqual(8);
    expect(lines.filter(([kind]) => kind === 'e')).toHaveLength(summary?.requests ?? -1);
  });

  it('does not take the response to another request for its own', async () => {
    const BASE_URL = await serve({});
    const { summary } = await runPlainK6('smoke', {
      ...OWN,
      REQUEST_ID_AT: 'json.headers.other',
      BASE_URL,
      RATE: 5,
      DURATION: '1s',
      READY: 0,
    });
    expect(summary?.errors).toEqual({ 'wrong id': summary?.requests });
  });

  it('mixes the parts of a blend by their weights', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'blend-'));
    try {
      const part = (name: string) => ({
        name,
        request: { method: 'GET', path: `/${name}` },
        response: { expect: ['status==200'], ranAt: 'json.headers' },
      });
      const blend = [
        { workload: 'often', weight: 9 },
        { workload: 'seldom', weight: 1 },
      ];
      const file = join(folder, 'catalogue.json');
      writeFileSync(
        file,
        JSON.stringify({ workloads: [part('often'), part('seldom'), { name: 'both', blend }] }),
      );
      const BASE_URL = await serve({});
      const { lines } = await runPlainK6('load', {
        CATALOGUE: file,
        WORKLOAD: 'both',
        BASE_URL,
        RATE: 200,
        DURATION: '2s',
        WARMUP: 0,
        PRINT_REQUESTS: 1,
      });
      const begun = lines.flatMap((line) => (line[0] === 'b' ? [line[5]] : []));
      const seldom = begun.filter((name) => name === 'seldom').length;
      expect(begun.length).toBeGreaterThan(300);
      // 40 are expected; 6 standard deviations of 400 draws are 36.
      expect(seldom).toBeGreaterThan(4);
      expect(seldom).toBeLessThan(76);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it.each([
    [{ WORKLOAD: 'nope' }, "there is no workload 'nope'"],
    [{ ...OWN, RATE: 'fast' }, "RATE is 'fast': it must be a number"],
    [{ ...OWN, DURATION: 'long' }, "'long' is not a duration"],
    [{ ...OWN, VUS: 5 }, 'has a rate instead of clients'],
    [{ ...OWN, SLO: 'p95<3' }, 'needs a time with its unit'],
    [{ ...OWN, SLO: 'backlog=0' }, 'cannot be checked with k6 alone'],
    [{ ...OWN, EXPECT: 'nonsense' }, "expectation 'nonsense' is not understood"],
    [{ ...OWN, BASE_URL: 'localhost' }, "BASE_URL is 'localhost'"],
    [{ ...OWN, MAX_OPEN: '0' }, "MAX_OPEN is '0'"],
    [{ ...OWN, SEGMENTS: '1.5' }, "SEGMENTS is '1.5'"],
    [{ WORKLOAD: 'last-node', PARAMETERS: 'x=1' }, "has no parameter 'x'"],
  ])('%p stops before any load', async (env, because) => {
    const BASE_URL = await serve({});
    const { exitCode, output } = await runPlainK6('load', { BASE_URL, ...env });
    expect(exitCode).not.toBe(0);
    expect(output).toContain(because);
    expect(server?.seen.right).toBe(0);
  });

  it('is dealt out evenly to more generators than it has virtual users by itself', async () => {
    const BASE_URL = await serve({});
    const cuts = ['0', '1/3', '2/3', '1'];
    const parts = await Promise.all(
      [1, 2, 3].map(async (number) => {
        const segment = `${cuts[number - 1] ?? ''}:${cuts[number] ?? ''}`;
        const env = { ...OWN, BASE_URL, RATE: 30, DURATION: '2s', WARMUP: 0, SEGMENTS: 3 };
        // The k6-operator starts them like this.
        const flags = ['--execution-segment', segment];
        const { lines } = await runPlainK6('load', { ...env, PRINT_REQUESTS: 1 }, undefined, [
          ...flags,
          ...['--execution-segment-sequence', cuts.join(',')],
        ]);
        return lines.flatMap((line) => (line[0] === 'b' ? [Math.round(line[2])] : []));
      }),
    );
    expect(parts.map(({ length }) => length)).toEqual([20, 20, 20]);
    // Together the schedule of one.
    const due = parts.flat().sort((a, b) => a - b);
    expect(due).toEqual(Array.from({ length: 60 }, (_, index) => Math.round((index * 1000) / 30)));
  });

  it.each(['stress', 'spike', 'soak', 'breakpoint'])('%s makes its load', async (profile) => {
    const BASE_URL = await serve({});
    const { summary, exitCode } = await runPlainK6(profile, {
      ...OWN,
      BASE_URL,
      RATE: 20,
      DURATION: '2s',
      WARMUP: 0,
    });
    expect(exitCode).toBe(0);
    const due = { stress: 50, spike: 72, soak: 40, breakpoint: 20 }[profile] ?? 0;
    expect(summary?.expected).toBeGreaterThan(due - 4);
    expect(summary?.expected).toBeLessThan(due + 4);
  });
});
