// What a run writes to a real Prometheus, and what a user is told who gave a wrong address.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunRecord } from '../../cli/src/record/run-record';
import { buildCli, endStartedClis, runCli, startCli } from '../support/cli';
import { startKnownServer, type KnownServer } from '../support/known-server';
import { freePort } from '../../cli/src/targets/process/ports';
import { Prometheus } from './support/prometheus';
import { until } from '../support/wait';

/** Takes annotations as Grafana's HTTP API documents it; Grafana itself is in no package registry. */
interface FakeGrafana {
  url: string;
  annotations: { time: number; timeEnd?: number; text: string; tags: string[] }[];
  close(): void;
}

async function startFakeGrafana(token: string): Promise<FakeGrafana> {
  const annotations: FakeGrafana['annotations'] = [];
  const server = createServer((request, response) => {
    const answer = (status: number, body: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (request.headers.authorization !== `Bearer ${token}`) {
        answer(401, { message: 'Unauthorized' });
      } else if (!request.url?.startsWith('/api/annotations')) {
        answer(404, { message: 'Not found' });
      } else if (request.method === 'GET') answer(200, annotations);
      else {
        annotations.push(
          JSON.parse(Buffer.concat(chunks).toString()) as FakeGrafana['annotations'][number],
        );
        answer(200, { message: 'Annotation added', id: annotations.length });
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    annotations,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

jest.setTimeout(240_000);

const TOKEN = 'token-of-a-service-account';

let folder: string;
let server: KnownServer;
let grafana: FakeGrafana;
let prometheus: Prometheus;
let deaf: Prometheus;

beforeAll(async () => {
  buildCli();
  folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-remote-'));
  const inFolder = (name: string): string => mkdtempSync(join(folder, name));
  [server, grafana, prometheus, deaf] = await Promise.all([
    startKnownServer({ errorEvery: 10, latencyMs: 30 }),
    startFakeGrafana(TOKEN),
    Prometheus.start(inFolder('a'), { flags: ['--web.enable-remote-write-receiver'] }),
    Prometheus.start(inFolder('b'), {}),
  ]);
});

afterAll(async () => {
  endStartedClis();
  grafana.close();
  await Promise.all([server.close(), prometheus.stop(), deaf.stop()]);
  rmSync(folder, { recursive: true });
});

const receiver = (of: Prometheus): string => `${of.url}/api/v1/write`;

const run = (...more: string[]): string[] => [
  ...`run --target url --url ${server.url} --out ${folder}/runs --json --request`.split(' '),
  'GET /x',
  ...more,
];

interface Told extends RunRecord {
  folder: string;
}

describe('a run with --prometheus-remote-write and --grafana', () => {
  let record: Told;

  beforeAll(async () => {
    const { stdout, stderr } = await runCli(
      run(
        ...'--rate 20 --warmup 1s --duration 8s --prometheus-remote-write'.split(' '),
        ...[receiver(prometheus), '--grafana', grafana.url],
      ),
      { GRAFANA_TOKEN: TOKEN },
    );
    if (stdout === '') throw new Error(stderr);
    record = JSON.parse(stdout) as Told;
  });

  const ofRun = (): string[] => [...server.seen.ids].filter((id) => id.startsWith(record.id));

  /** The highest value of each series within the run, by one label. */
  async function highest(selector: string, label: string): Promise<Record<string, number>> {
    const samples = await prometheus.query(`max_over_time(${selector}[10m])`);
    return Object.fromEntries(samples.map(({ metric, value }) => [metric[label] ?? '', value]));
  }

  it('leaves the counts of its requests there, by result', async () => {
    const { seen } = server;
    const sent = await highest('n8n_tuned_load_requests_total', 'result');
    const total = Object.values(sent).reduce((a, b) => a + b, 0);
    expect(total).toBe(ofRun().length);
    expect(sent['status 500']).toBe(seen.errors);
    expect(record.summary.errors.requests).toBeLessThanOrEqual(seen.errors);
  });

  it('leaves latencies from which Prometheus has a percentile', async () => {
    const [p50] = await prometheus.query(
      'histogram_quantile(0.5, sum by (le) (max_over_time(n8n_tuned_load_request_duration_seconds_bucket[10m])))',
    );
    // The bounds around the 30 ms of the server, with room for a busy machine.
    expect(p50?.value).toBeGreaterThan(0.025);
    expect(p50?.value).toBeLessThan(10);
    const counts = await highest('n8n_tuned_load_request_duration_seconds_count', 'job');
    // Those before the load found out whether the server was ready.
    const before = server.seen.ids.size - ofRun().length;
    expect(counts['n8n-tuned']).toBe(server.seen.right - before);
  });

  it('says which run it was, what was planned and when it was measured', async () => {
    expect(await highest('n8n_tuned_load_info', 'run')).toEqual({ [record.id]: 1 });
    expect(await highest('n8n_tuned_load_planned_requests_per_second', 'profile')).toEqual({
      load: 20,
    });
    expect(await highest('n8n_tuned_load_measuring', 'workload')).toEqual({ request: 1 });
  });

  it('ends its series when it ends, instead of five minutes later', async () => {
    expect(await prometheus.query('{__name__=~"n8n_tuned_.*"}')).toEqual([]);
  });

  it('leaves an annotation with its verdict, from when the load began', () => {
    expect(grafana.annotations).toEqual([
      {
        time: Date.parse(record.loadBeganAt ?? ''),
        timeEnd: Date.parse(record.endedAt),
        text: record.verdict.sentence,
        tags: ['n8n-tuned', 'run', 'request', 'load'],
      },
    ]);
  });
});

test('the command keeps the record of a run whose Prometheus goes away, and says so', async () => {
  const inOwn = mkdtempSync(join(folder, 'c'));
  const lost = await Prometheus.start(inOwn, { flags: ['--web.enable-remote-write-receiver'] });
  const started = startCli(
    run(
      ...`--rate 5 --warmup 0s --duration 10s --prometheus-remote-write`.split(' '),
      receiver(lost),
    ),
  );
  const before = server.seen.ids.size;
  await until('the load has begun', () => server.seen.ids.size > before + 2);
  await lost.stop();
  const { code } = await started.ended;
  expect(started.stderr()).toMatch(
    /not all series of the load were written to Prometheus: http\S+ does not answer \(nothing listens at .*\)\./,
  );
  expect(code).toBe(3);
  const { summary, events } = JSON.parse(started.stdout()) as Told;
  expect(summary.offered.requests).toBe(50);
  expect(events.filter(({ kind }) => kind === 'monitoring')).toHaveLength(1);
});

describe('a wrong address is one sentence, before any load', () => {
  let refusing: Server;
  let status = 400;
  let closedPort: number;

  beforeAll(async () => {
    refusing = createServer((_, response) => {
      response.writeHead(status).end('out of order sample\nmore');
    });
    await new Promise<void>((resolve) => refusing.listen(0, '127.0.0.1', resolve));
    closedPort = await freePort();
  });

  afterAll(() => {
    refusing.close();
    refusing.closeAllConnections();
  });

  const refusingUrl = (): string =>
    `http://me:secret@127.0.0.1:${String((refusing.address() as AddressInfo).port)}`;

  const cases: [string, () => [string, string, number?], RegExp][] = [
    [
      'no URL',
      () => ['--prometheus-remote-write', 'prom:9090'],
      /is 'prom:9090': use a form such as/,
    ],
    [
      'nobody there',
      () => ['--prometheus-remote-write', `http://127.0.0.1:${String(closedPort)}/api/v1/write`],
      /does not answer \(nothing listens at .*\)\.$/,
    ],
    [
      'a Prometheus that takes no writes',
      () => ['--prometheus-remote-write', receiver(deaf)],
      /status 404: .* --web.enable-remote-write-receiver\.$/,
    ],
    [
      'another path',
      () => ['--prometheus-remote-write', prometheus.url],
      /Prometheus accepts writes at \/api\/v1\/write/,
    ],
    [
      'no right',
      () => ['--prometheus-remote-write', refusingUrl(), 403],
      /a token in PROMETHEUS_TOKEN/,
    ],
    [
      'refused',
      () => ['--prometheus-remote-write', refusingUrl()],
      /status 400: out of order sample\.$/,
    ],
    [
      'away',
      () => ['--prometheus-remote-write', refusingUrl(), 503],
      /status 503 \(out of order sample\)\.$/,
    ],
    [
      'no Grafana',
      () => ['--grafana', prometheus.url],
      /status 404 \(.*\): check that this is the address of Grafana\.$/,
    ],
    ['no token', () => ['--grafana', grafana.url], /set GRAFANA_TOKEN to the token/],
  ];

  it.each(cases)('%s', async (_, given, sentence) => {
    const [flag, url, answered = 400] = given();
    status = answered;
    const before = server.seen.ids.size;
    const { code, stdout, stderr } = await runCli(run(flag, url), { GRAFANA_TOKEN: 'another' });
    const said = stderr.trim().split('\n');
    expect(said.at(-1)).toMatch(sentence);
    expect(said).toHaveLength(1);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).not.toContain('secret');
    expect(server.seen.ids.size).toBe(before);
  });
});
