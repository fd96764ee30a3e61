import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repositoryRoot } from '../../../cli/src/lab/paths';
import type { RunRecord } from '../../../cli/src/record/run-record';
import { EXIT } from '../../../cli/src/ui/exit';
import {
  buildCli,
  endStartedClis,
  k6Of,
  nameOf,
  recordIn,
  runCli,
  runFolder,
  startCli,
} from '../../support/cli';
import { startKnownServer, type Behaviour, type KnownServer } from '../../support/known-server';
import { readWholeRun } from '../../support/read-run';
import { unlessInvalid, until } from '../../support/wait';

jest.setTimeout(120_000);

let server: KnownServer;
let out: string;

async function serve(behaviour: Behaviour): Promise<string[]> {
  server = await startKnownServer(behaviour);
  return [
    'run',
    '--target',
    'url',
    '--url',
    server.url,
    '--out',
    out,
    '--request',
    'GET /x',
    '--expect',
    'json.ok==true',
  ];
}

beforeAll(buildCli);

beforeEach(() => {
  out = mkdtempSync(join(tmpdir(), 'runs-'));
});

afterEach(async () => {
  endStartedClis();
  await server.close();
  rmSync(out, { recursive: true, force: true });
});

describe('n8n-tuned run on a server of known behaviour', () => {
  it('states exactly what the server did', async () => {
    // A look every 100 ms for 3 s, then 5% errors, unexpected responses with status 200, and some that hang.
    const order = await serve({
      latencyMs: 50,
      errorEvery: 20,
      wrongEvery: 33,
      hangEvery: 75,
      notFoundForMs: 3000,
    });
    const { code, stdout } = await runCli([
      ...order,
      '--id-at',
      'json.headers.x-load-id',
      '--profile',
      'load',
      '--rate',
      '50',
      '--duration',
      '6s',
      '--warmup',
      '0s',
      '--drain',
      '2s',
      '--slo',
      // A generator may be late by a tenth of it.
      'p95<1s',
      '--slo',
      'errors<50%',
      '--slo',
      'throughput>=50%',
      '--json',
    ]);
    const record = JSON.parse(stdout) as RunRecord & { folder: string };
    const { requests } = await readWholeRun(record.folder);
    const { seen } = server;
    const kinds = (kind: string): number =>
      requests.filter(({ errorKind }) => errorKind === kind).length;
    expect(seen.notFound).toBeGreaterThan(5);
    expect(kinds('status 404')).toBe(0);
    // One expected response was the look beforehand.
    expect(kinds('')).toBe(seen.right - 1);
    expect(kinds('status 500')).toBe(seen.errors);
    expect(kinds('unexpected response')).toBe(seen.wrong);
    expect(kinds('unanswered')).toBe(seen.hung);
    expect(new Set(requests.map(({ id }) => id)).size).toBe(requests.length);

    const measured = requests.filter(({ tMs }) => tMs < 6000);
    const wrong = measured.filter(({ ok }) => !ok).length;
    const { summary, verdict } = record;
    expect(Math.abs(summary.offered.requests - 300)).toBeLessThanOrEqual(2);
    expect(summary.offered.requests).toBe(measured.length);
    expect(summary.errors).toMatchObject({ requests: wrong, share: wrong / measured.length });
    expect(summary.unanswered.requests).toBe(seen.hung);
    // The first that hung was number 75, 1.5 s into the load.
    expect(summary.unanswered.oldestAgeMs).toBeGreaterThan(5500);
    expect(summary.latencyMs?.min).toBeGreaterThanOrEqual(49);
    expect(summary.executions).toBeNull();
    expect(record.topology).toBeNull();
    expect(verdict.outcome).toBe(verdict.breaches.length === 0 ? 'sustained' : 'not sustained');
    expect(code).toBe(verdict.outcome === 'sustained' ? 0 : 1);
  });

  it('refuses an SLO for which the target has no evidence, before any load', async () => {
    const order = await serve({});
    const { code, stderr } = await runCli([...order, '--slo', 'backlog=0']);
    expect(code).toBe(2);
    expect(stderr).toContain("the SLO 'backlog=0' cannot be judged at http://127.0.0.1");
    expect(stderr).not.toContain('    at ');
    expect(server.seen.right).toBe(0);
  });

  it('exits with 1 and says so when the SLO is missed', async () => {
    const order = await serve({ errorEvery: 5 });
    const { code, stdout } = await runCli([
      ...order,
      '--profile',
      'smoke',
      '--rate',
      '10',
      '--duration',
      '2s',
      '--slo',
      'errors<1%',
    ]);
    expect(code).toBe(1);
    expect(stdout).toContain('n8n did not sustain 10 req/s of GET /x: errors 20%, limit 1%');
  });

  it('makes no load and exits with 2 when no expected response comes', async () => {
    const order = await serve({ wrongEvery: 1 });
    const { code, stderr } = await runCli([...order, '--ready', '1s']);
    expect(code).toBe(2);
    expect(stderr).toContain(
      'never gave the expected response: json.ok==true is not met; no load was generated',
    );
    expect(stderr).not.toContain('    at ');
    expect(runFolder(out)).toBeNull();
  });

  it.each([
    [['--slo', 'p95<3'], 'needs a time with its unit'],
    [['--profile', 'walk'], "argument 'walk' is invalid. Allowed choices are"],
    [['--rate', 'fast'], "argument 'fast' is invalid. It must be a number"],
    [['--vus', '5'], '--vus works only with --profile closed'],
    [['--timeout', 'soon'], "option '--timeout <time>' argument 'soon' is invalid"],
    [['--expect', 'nonsense'], "expectation '***' is not understood"],
    [['--workload', 'last-node'], 'both select what to load'],
    [['--body', '@nowhere.json'], 'cannot be read'],
    [['--body', '{}'], 'a GET has no body'],
    [['--s3', 'bucket'], 'use a form such as s3://bucket/prefix'],
    [['--url', 'nowhere'], "--url is 'nowhere'"],
    [
      ['--target', 'moon'],
      "argument 'moon' is invalid. Allowed choices are process, container, kubernetes, url, server.",
    ],
    [
      [
        ...['--workflow', join(repositoryRoot(), 'workflows/side-effect.json')],
        ...['--request', 'POST /webhook/load-side-effect'],
      ],
      'set N8N_API_KEY in the environment',
    ],
  ])('%p is a mistake: exit code 2, a sentence, no request', async (mistake, because) => {
    const order = await serve({});
    const { code, stderr } = await runCli([...order, ...mistake]);
    expect(stderr).toContain(because);
    expect(stderr).not.toContain('    at ');
    expect(code).toBe(2);
    expect(server.seen.right).toBe(0);
  });

  it('sends a file byte for byte, also one that is no text', async () => {
    const order = await serve({});
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, index) => index));
    const file = join(out, 'picture.png');
    writeFileSync(file, bytes);
    const sent = ['--request', 'POST /x', '--body', `@${file}`, '--out', join(out, 'runs')];
    const { code } = await unlessInvalid(
      () => runCli([...order, ...sent, '--profile', 'smoke', '--duration', '2s']),
      (run) => run.code === EXIT.invalid,
    );
    expect(code).toBe(0);
    // The look beforehand sent it too; k6 was the last.
    expect(server.seen.right).toBeGreaterThan(1);
    expect(server.seen.body.equals(bytes)).toBe(true);
  });

  it('keeps credentials out of the record', async () => {
    const order = await serve({});
    await runCli([
      ...order,
      '--profile',
      'smoke',
      '--duration',
      '1s',
      '--header',
      'Authorization: Bearer s3cret',
      '--request',
      'POST /x?api_key=s3cret&n=5',
      '--body',
      '{"password":"s3cret"}',
    ]);
    const folder = runFolder(out) ?? '';
    expect(JSON.stringify(recordIn(folder))).not.toContain('s3cret');
    expect(recordIn(folder).command).toContain('Authorization:***');
    expect(recordIn(folder).workload.path).toBe('/x?api_key=***&n=5');
  });
});

describe('when something dies during n8n-tuned run', () => {
  const long = [
    '--profile',
    'load',
    '--rate',
    '20',
    '--duration',
    '60s',
    '--warmup',
    '0s',
    '--drain',
    '2s',
  ];

  it('k6 killed: the run is recorded as broken off, with the requests that it left unanswered', async () => {
    const run = startCli([...(await serve({ latencyMs: 20, hangEvery: 10 })), ...long]);
    const k6 = await until('k6', () => k6Of(run.child.pid ?? 0));
    await until('load', () => server.seen.hung >= 3);
    process.kill(k6, 'SIGKILL');
    expect((await run.ended).code).toBe(3);
    const { record, requests } = await readWholeRun(runFolder(out) ?? '');
    expect(record.verdict.outcome).toBe('aborted');
    expect(record.verdict.sentence).toContain('k6 was killed by SIGKILL');
    const unanswered = requests.filter(({ errorKind }) => errorKind === 'unanswered');
    expect(unanswered.length).toBeGreaterThanOrEqual(server.seen.hung);
    expect(requests.filter(({ ok }) => ok).length).toBeGreaterThan(10);
  });

  it('Ctrl-C: k6 ends, and what was measured is reported', async () => {
    const run = startCli([...(await serve({ latencyMs: 20 })), ...long]);
    const k6 = await until('k6', () => k6Of(run.child.pid ?? 0));
    await until('load', () => server.seen.right > 20);
    run.child.kill('SIGINT');
    expect((await run.ended).code).toBe(3);
    expect(nameOf(k6)).toBeNull();
    const record = recordIn(runFolder(out) ?? '');
    expect(record.verdict.sentence).toContain('stopped by Ctrl-C');
    expect(run.stdout()).toContain('report.html');
  });

  it('the command itself killed: k6 does not go on, and report concludes what was recorded', async () => {
    const temp = join(out, 'temp');
    mkdirSync(temp);
    const order = [...(await serve({ latencyMs: 20 })), ...long];
    const run = startCli([...order, '--out', join(out, 'runs')], { TMPDIR: temp });
    const k6 = await until('k6', () => k6Of(run.child.pid ?? 0));
    await until('load', () => server.seen.right > 60);
    run.child.kill('SIGKILL');
    await run.ended;
    await until('the end of k6', () => nameOf(k6) !== 'k6');
    // The requests, which may hold credentials, lay there for k6.
    await until('an empty folder', () => readdirSync(temp).length === 0);
    const folder = runFolder(join(out, 'runs')) ?? '';
    expect(() => recordIn(folder)).toThrow('ENOENT');
    const { code } = await runCli(['report', out]);
    expect(code).toBe(0);
    const { record, requests } = await readWholeRun(folder);
    expect(record.verdict.sentence).toContain('n8n-tuned itself was killed');
    // On disk within a second: two at most are missing, of 20 requests a second.
    expect(requests.length).toBeGreaterThan(20);
  });

  it('the server gone: every request since is an error, and few of them', async () => {
    const run = startCli([
      ...(await serve({})),
      '--profile',
      'closed',
      '--vus',
      '2',
      '--duration',
      '6s',
      '--json',
    ]);
    await until('load', () => server.seen.right > 20);
    await server.close();
    await run.ended;
    const { requests } = await readWholeRun(runFolder(out) ?? '');
    const refused = requests.filter(({ errorKind }) => errorKind === 'refused');
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.length).toBeLessThan(20);
  });
});
