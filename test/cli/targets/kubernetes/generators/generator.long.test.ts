// The load generator as it works in its pod: its shell scripts, the bundled scripts and a real k6, with this machine as the pod.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { labPaths } from '../../../../../cli/src/lab/paths';
import { runK6 } from '../../../../../cli/src/load/k6';
import type { K6Order } from '../../../../../cli/src/load/k6-order';
import type { LoadResult } from '../../../../../cli/src/load/load';
import { planOf } from '../../../../../loadtests/lib/profile';
import type { RequestSample } from '../../../../../cli/src/record/run-record';
import type {
  Cluster,
  ExecEnd,
  ExecOptions,
  Place,
} from '../../../../../cli/src/targets/kubernetes/api/api';
import {
  bundledScripts,
  ClusterGenerators,
} from '../../../../../cli/src/targets/kubernetes/generators/generator';
import type { LoadRequest } from '../../../../../loadtests/lib/workload';
import { startKnownServer, type KnownServer } from '../../../../support/known-server';

jest.setTimeout(120_000);

const { signal: never } = new AbortController();
let folder: string;
let server: KnownServer;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'generator-'));
  for (const [path, text] of Object.entries(bundledScripts())) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  server = await startKnownServer({ latencyMs: 20 });
});
afterEach(async () => {
  await server.close();
  // A run that was stopped while it began may still write.
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 });
});

/**
 * The API server and the kubelet of a pod that is this machine. `cutAfter`: each connection ends after so many bytes.
 * `silentAfter`: it stays open and brings no more, and the node is soon called lost.
 */
class HereCluster {
  connections = 0;
  cutAfter = Infinity;
  silentAfter = Infinity;
  phase = 'Running';
  private isLost = false;

  constructor(private readonly pods = 1) {}

  readonly core = {
    createNamespacedConfigMap: () => Promise.resolve(),
    listNamespacedPod: () =>
      Promise.resolve({
        items: Array.from({ length: this.pods }, (_, index) => ({
          metadata: { name: `generator-${String(index)}` },
          spec: { nodeName: 'node0', containers: [] },
          status: { conditions: [{ type: 'Ready', status: 'True' }] },
        })),
      }),
    readNamespacedPod: () =>
      Promise.resolve({
        metadata: { name: 'generator-0' },
        status: {
          ...{ phase: this.phase, reason: 'Evicted', message: 'the node was low on memory' },
          conditions: [{ type: 'Ready', status: this.isLost ? 'False' : 'True' }],
          containerStatuses: [{ ready: true }],
        },
      }),
  };
  readonly batch = { createNamespacedJob: () => Promise.resolve() };

  doing = <T>(_what: string, ask: () => Promise<T>): Promise<T> => ask();
  found = this.doing;

  exec(_place: Place, command: readonly string[], options: ExecOptions): Promise<ExecEnd> {
    const [program = '', ...args] = command;
    const path = `${dirname(labPaths().k6)}${delimiter}${process.env['PATH'] ?? ''}`;
    const child = spawn(program, args, { env: { ...process.env, PATH: path } });
    let stderr = '';
    let bytes = 0;
    const isFollowing = args.join(' ').includes('tail');
    if (isFollowing) this.connections += 1;
    child.stdout.on('data', (chunk: Buffer) => {
      if (bytes > this.cutAfter) return;
      bytes += chunk.length;
      if (isFollowing && bytes > this.silentAfter) {
        this.isLost = true;
        return;
      }
      options.onOutput(chunk.toString());
      if (isFollowing && bytes > this.cutAfter) child.kill('SIGKILL');
    });
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    child.stdin.on('error', () => undefined);
    child.stdin.write(options.input ?? '');
    options.onOpen?.((text) => child.stdin.write(text));
    const close = (): void => {
      // It ends like a connection that is closed: standard input ends, and nobody reads any more.
      child.stdin.end();
      child.kill('SIGKILL');
    };
    options.signal?.addEventListener('abort', close, { once: true });
    return new Promise((resolve) => {
      child.once('close', (code) => {
        resolve({ code, stderr });
      });
    });
  }

  async output(place: Place, command: readonly string[]): Promise<string> {
    let text = '';
    await this.exec(place, command, {
      onOutput: (more) => {
        text += more;
        return null;
      },
    });
    return text;
  }
}

async function generatorsOn(cluster: HereCluster, count = 1): Promise<ClusterGenerators> {
  const generators = new ClusterGenerators({
    cluster: cluster as unknown as Cluster,
    ...{ call: 'c', namespace: 'n', image: 'i', cores: null, timeoutMs: 1000, count },
    folders: (index) => ({ scripts: folder, output: outOf(index) }),
  });
  await generators.up(() => undefined, never);
  return generators;
}

const outOf = (index: number): string => join(folder, `out-${String(index)}`);

function latestRun(index: number): string {
  const names = readdirSync(outOf(index)).sort((one, other) => Number(one) - Number(other));
  return join(outOf(index), names.at(-1) ?? '');
}

const request = (expectation: string): LoadRequest => ({
  ...{ workload: 'own', weight: 1, method: 'GET', path: '/x', headers: {}, body: null },
  ...{ expect: [expectation], requestIdAt: null, ranAt: null, thinkTimeMs: 0, latencyFloorMs: 0 },
});

async function load(
  generators: ClusterGenerators,
  more: Partial<K6Order> = {},
): Promise<{ result: LoadResult; requests: RequestSample[] }> {
  const requests: RequestSample[] = [];
  const result = await runK6({
    generators: generators.pods,
    ...{ k6: '', scripts: '', runId: 'run', timeoutMs: 5_000, drainMs: 5_000, maxOpen: 2_000 },
    baseUrl: server.url,
    requests: [request('json.ok==true')],
    plan: planOf('load', { ratePerSecond: 20, durationSeconds: 2, warmupSeconds: 1 }),
    generatorCores: null,
    signal: never,
    onRequest: (sample) => requests.push(sample),
    onBegin: () => undefined,
    onUsage: () => undefined,
    usageEveryMs: 1000,
    ...more,
  });
  return { result, requests };
}

test('every request of a run comes out of the pod, over a connection that breaks again and again', async () => {
  const cluster = new HereCluster();
  cluster.cutAfter = 2_000;
  const generator = await generatorsOn(cluster);
  const { result, requests } = await load(generator);
  expect(result).toMatchObject({ outcome: 'finished', reason: '', generator: { notSent: 0 } });
  expect(requests).toHaveLength(60);
  expect(new Set(requests.map(({ id }) => id)).size).toBe(60);
  expect(requests.every(({ ok, durationMs }) => ok && durationMs >= 19)).toBe(true);
  expect(cluster.connections).toBeGreaterThan(2);
  expect(result.generator.version).toMatch(/^v\d/);
});

test('readiness is the expected response as the pod gets it, and says what came instead', async () => {
  const generator = await generatorsOn(new HereCluster());
  const ready = (expectation: string, within: string, signal = never): Promise<void> =>
    generator.ready(
      {
        flags: ['run', '--quiet', '--no-summary', '--log-output=stdout', '--log-format=raw'],
        env: { BASE_URL: server.url, READY: within, TIMEOUT: within, RUN_ID: 'ready' },
        requests: [request(expectation)],
        onLine: () => undefined,
        behind: () => null,
        onUsage: () => undefined,
      },
      signal,
    );
  await ready('json.ok==true', '30s');
  await expect(ready('json.ok==false', '1s')).rejects.toThrow(
    /^GET http:\/\/\S+\/x did not get its expected response within 1 s \(.+\)$/,
  );
  const interrupt = new AbortController();
  const waiting = ready('json.ok==false', '30s', interrupt.signal);
  interrupt.abort(new Error('stopped by Ctrl-C'));
  await expect(waiting).rejects.toThrow('stopped by Ctrl-C');
});

test('a name that DNS does not know is found by the address that is given, before the load and in it', async () => {
  const generators = await generatorsOn(new HereCluster());
  const { port } = server;
  const baseUrl = `http://n8n.example.invalid:${String(port)}`;
  generators.names.set('n8n.example.invalid', '127.0.0.1');
  await generators.ready(
    {
      flags: ['run', '--quiet', '--no-summary', '--log-output=stdout', '--log-format=raw'],
      env: { BASE_URL: baseUrl, READY: '30s', TIMEOUT: '30s', RUN_ID: 'ready' },
      requests: [request('json.ok==true')],
      onLine: () => undefined,
      behind: () => null,
      onUsage: () => undefined,
    },
    never,
  );
  const { requests } = await load(generators, { baseUrl });
  expect(requests).toHaveLength(60);
  expect(requests.every(({ ok }) => ok)).toBe(true);
});

/** A generator that nobody is left to end. */
async function endHere(cluster: HereCluster): Promise<void> {
  await cluster.output({ namespace: '', pod: '', container: '' }, [
    'sh',
    '-c',
    `kill -9 $(cat ${latestRun(0)}/pid)`,
  ]);
}

test('an interrupted run ends in order, and one whose pod was evicted by that name', async () => {
  const cluster = new HereCluster();
  const generator = await generatorsOn(cluster);
  const interrupt = new AbortController();
  const plan = planOf('load', { ratePerSecond: 20, durationSeconds: 60, warmupSeconds: 1 });
  const running = load(generator, {
    plan,
    signal: interrupt.signal,
    onBegin: () => interrupt.abort(new Error('stopped by Ctrl-C')),
  });
  const { result } = await running;
  expect(result).toMatchObject({ outcome: 'stopped', reason: 'stopped by Ctrl-C' });

  cluster.phase = 'Failed';
  cluster.cutAfter = 1_000;
  const evicted = await load(generator, { plan });
  expect(evicted.result).toMatchObject({
    outcome: 'killed',
    reason:
      'the pod of the load generator (generator-0) ended: Evicted: the node was low on memory',
  });
  expect(evicted.requests.length).toBeGreaterThan(0);
  await endHere(cluster);
});

test('a run whose node goes silent ends, though its connection stays open, and names the node', async () => {
  const cluster = new HereCluster();
  cluster.silentAfter = 2_000;
  const generator = await generatorsOn(cluster);
  const plan = planOf('load', { ratePerSecond: 20, durationSeconds: 60, warmupSeconds: 1 });
  const { result, requests } = await load(generator, { plan });
  expect(result).toMatchObject({
    outcome: 'killed',
    reason: expect.stringMatching(
      /^the connection to generator-0 was lost: its node node0 no longer responds: /,
    ) as string,
  });
  expect(requests.length).toBeGreaterThan(0);
  expect(requests.length).toBeLessThan(200);
  await endHere(cluster);
});

test('three generators share one schedule, and each request is made once, when it is due', async () => {
  const generators = await generatorsOn(new HereCluster(3), 3);
  const { result, requests } = await load(generators, {
    plan: planOf('load', { ratePerSecond: 30, durationSeconds: 3, warmupSeconds: 1 }),
  });
  expect(result).toMatchObject({ outcome: 'finished', reason: '', generator: { notSent: 0 } });
  expect(requests).toHaveLength(120);
  expect(new Set(requests.map(({ id }) => id)).size).toBe(120);
  // Even arrivals, as one generator would make them.
  const due = requests.map(({ tMs }) => tMs).sort((one, other) => one - other);
  due.forEach((tMs, index) => {
    expect(tMs).toBeCloseTo((1000 * index) / 30, 1);
  });
  expect(server.seen.ids.size).toBe(120);
  expect(result.generator.parts).toMatchObject(
    [0, 1, 2].map((index) => ({
      ...{ name: `generator-${String(index)}`, node: 'node0', requests: 30, lost: null },
    })),
  );
  for (const { clock } of result.generator.parts ?? []) {
    // One machine: a clock is ahead of itself by what its reading is uncertain at the most.
    expect(Math.abs(clock?.aheadMs ?? 0)).toBeLessThanOrEqual((clock?.uncertainMs ?? 0) + 1);
  }
});

test('a closed loop deals its clients out, and no two requests have the same id', async () => {
  const generators = await generatorsOn(new HereCluster(3), 3);
  const { result, requests } = await load(generators, {
    plan: planOf('closed', { clients: 4, durationSeconds: 2, warmupSeconds: 0 }),
  });
  expect(result).toMatchObject({ outcome: 'finished' });
  expect(new Set(requests.map(({ id }) => id)).size).toBe(requests.length);
  const clients = new Set(requests.map(({ id }) => id.split('-')[1]));
  expect([...clients].sort()).toEqual(['1', '2', '3', '4']);
});

test('a generator that is killed in the middle costs its share from then on, and nothing else', async () => {
  const generators = await generatorsOn(new HereCluster(3), 3);
  const lost: string[] = [];
  const requests: RequestSample[] = [];
  const { result } = await load(generators, {
    plan: planOf('load', { ratePerSecond: 30, durationSeconds: 8, warmupSeconds: 0 }),
    onLost: (text) => lost.push(text),
    onRequest: (sample) => {
      requests.push(sample);
      if (requests.length === 30) {
        process.kill(Number(readFileSync(join(latestRun(1), 'pid'), 'utf8')), 'SIGKILL');
      }
    },
  });
  expect(result).toMatchObject({ outcome: 'finished', reason: '' });
  expect(lost).toEqual([
    expect.stringMatching(/^the load generator generator-1 on node0 was lost: k6 ended with exit/),
  ]);
  const counts = (result.generator.parts ?? []).map(({ requests: made }) => made);
  expect([counts[0], counts[2]]).toEqual([80, 80]);
  expect(counts[1]).toBeGreaterThan(0);
  expect(counts[1]).toBeLessThan(80);
  expect(requests).toHaveLength(counts.reduce((sum, count) => sum + count, 0));
  expect(requests.every(({ ok }) => ok)).toBe(true);
});
