import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DrillRecord } from '../../cli/src/features/drill/record';
import type { RunRecord } from '../../cli/src/record/run-record';
import { N8nApi } from '../../cli/src/targets/url/api';
import type { Running } from '../../cli/src/targets/target';
import { buildCli, endStartedClis, runCli, startCli } from '../support/cli';
import { newApiKey } from '../support/n8n-owner';
import { EXIT } from '../../cli/src/ui/exit';
import { bringUp, left, quiet, tracesOf, workload } from '../process/stage';
import { readWholeRun } from '../support/read-run';
import { eventually, unlessInvalid } from '../support/wait';

/** The target `url` on an n8n that somebody else has brought up: empty, with an owner and an API key. */

jest.setTimeout(330_000);

const out = mkdtempSync(join(tmpdir(), 'outside-'));
let n8n: Running;
let api: N8nApi;
let apiKey: string;

beforeAll(async () => {
  buildCli();
  n8n = await bringUp({}, { ...workload('last-node'), workflows: [] });
  apiKey = await newApiKey(n8n, [
    ...['create', 'list', 'read', 'delete', 'activate', 'deactivate'].map((s) => `workflow:${s}`),
    ...['credential:create', 'credential:delete', 'credential:list'],
    ...['execution:list', 'execution:read'],
  ]);
  api = new N8nApi(n8n.baseUrl, apiKey);
});

afterAll(async () => {
  endStartedClis();
  await n8n.down(quiet);
  rmSync(out, { recursive: true, force: true });
});

const atUrl = (): string[] => ['--target', 'url', '--url', n8n.baseUrl];

const order = (name: string): string[] => ['run', ...atUrl(), '--workload', name, ...briefly];

const briefly = [
  ...['--rate', '5', '--duration', '4s', '--warmup', '0s', '--ready', '60s', '--json'],
  ...['--out', out],
];

async function leftInside(): Promise<string[]> {
  const kinds = ['/workflows', '/credentials'];
  const lists = await Promise.all(
    kinds.map((path) => api.ask<{ data: { name: string }[] }>('GET', path)),
  );
  return lists.flatMap(({ data }) => data.map(({ name }) => name));
}

const nobody = { requests: 0, ids: [] };

/** The record of a run in which n8n kept up; else the failure says why not. */
function sustained({
  code,
  stdout,
  stderr,
}: Awaited<ReturnType<typeof runCli>>): RunRecord & { folder: string } {
  if (stdout === '') throw new Error(stderr);
  const record = JSON.parse(stdout) as RunRecord & { folder: string };
  expect({ code, sentence: record.verdict.sentence }).toEqual({
    code: 0,
    sentence: expect.stringMatching(/^n8n sustained /) as string,
  });
  return record;
}

test.each([
  ['http-calls', 'which calls a service with a credential', ['upstream']],
  ['sub-workflow', 'which calls another workflow', []],
  ['async', 'which is answered long before its end', []],
])('%s, %s, is put in, loaded, matched and taken out', async (name, _, helpers) => {
  const { summary, folder } = sustained(await runCli(order(name), { N8N_API_KEY: apiKey }));
  expect(summary.roles.map(({ role }) => role)).toEqual(expect.arrayContaining(helpers));
  const { requests } = await readWholeRun(folder);
  expect(requests.length).toBeGreaterThan(0);
  // The execution of a workflow that another one calls carries the id as well, and does not count.
  expect(summary.matched).toEqual({
    ...{ source: 'API', executions: requests.length, notKept: 0 },
    ...{ succeeded: requests.length, failed: 0, unfinished: 0 },
    ...{
      withoutExecution: nobody,
      notSucceeded: nobody,
      withoutResponse: nobody,
      repeated: nobody,
    },
    ...{ failedBoth: nobody, notExecuted: nobody },
  });
  expect(await leftInside()).toEqual([]);
});

/** A workflow as the editor downloads it: without an id. */
function ownWorkflow(): string {
  const file = join(out, 'order.json');
  const [exported] = workload('last-node').workflows;
  const { nodes, connections } = JSON.parse(readFileSync(exported?.file ?? '', 'utf8')) as {
    nodes: { type: string; parameters: object }[];
    connections: object;
  };
  const own = nodes.map((node) =>
    node.type === 'n8n-nodes-base.webhook'
      ? { ...node, parameters: { ...node.parameters, path: 'order', httpMethod: 'POST' } }
      : node,
  );
  writeFileSync(file, JSON.stringify({ name: 'Order', nodes: own, connections, settings: {} }));
  return file;
}

test.each([
  ['url', atUrl],
  ['process', () => ['--target', 'process', '--ready', '240s']],
])("the user's own workflow answers the user's own request on the target %s", async (_, target) => {
  const request = ['--request', 'POST /webhook/order', '--header', 'X-Shop-Token: s3cret'];
  const reply = ['--body', '{"article":7}', '--expect', 'json.body.article==7'];
  const { summary, folder } = sustained(
    await runCli(
      ['run', ...briefly, '--workflow', ownWorkflow(), ...request, ...reply, ...target()],
      { N8N_API_KEY: apiKey },
    ),
  );
  expect(summary.matched).toMatchObject({
    ...{ executions: (await readWholeRun(folder)).requests.length, repeated: nobody },
    ...{ withoutExecution: nobody, notSucceeded: nobody, withoutResponse: nobody },
  });
  for (const file of ['run.json', 'report.html', 'report.md']) {
    expect(readFileSync(join(folder, file), 'utf8')).not.toContain('s3cret');
  }
  expect(await leftInside()).toEqual([]);
});

/** At which another machine would reach this one. */
const ownAddress = Object.values(networkInterfaces())
  .flat()
  .find((each) => each?.family === 'IPv4' && !each.internal)?.address;

test.each([
  ['beside an n8n on this machine', 'agent', []],
  [
    'where n8n reaches this machine',
    'order',
    ['--stand-in', `http://${String(ownAddress)}:${String(5000 + (process.pid % 900))}`],
  ],
])('a twin is put in, with its stand-in %s, and taken out', async (_, name, at) => {
  copyFileSync(join(__dirname, `../process/twins/${name}.json`), join(out, `${name}.json`));
  expect(await runCli(['twin', `${name}.json`], {}, out)).toMatchObject({ code: 0 });
  const twin = ['--workload', join(out, `${name}.twin.json`), '--timeout', '5m', '--drain', '5m'];
  const { summary } = sustained(
    await runCli(['run', ...atUrl(), ...briefly, ...twin, ...at, '--rate', '0.5'], {
      N8N_API_KEY: apiKey,
    }),
  );
  expect(summary.matched).toMatchObject({ executions: 2, succeeded: 2, withoutExecution: nobody });
  expect(summary.services?.map(({ calls }) => calls > 0)).toContain(true);
  expect(await leftInside()).toEqual([]);
});

const answerTo = async (path: string, headers: Record<string, string> = {}): Promise<number> =>
  (await fetch(`${n8n.baseUrl}${path}`, { headers })).status;

/** What the load sends, as n8n has kept it of the newest execution; null before the first. */
async function inUse(): Promise<{ key: string; path: string } | null> {
  const { data } = await api.ask<{ data: unknown[] }>(
    'GET',
    '/executions?limit=1&includeData=true',
  );
  const text = JSON.stringify(data);
  const key = /"x-n8n-tuned-key":"([^"]+)"/.exec(text)?.[1];
  const path = /"webhookUrl":"https?:\/\/[^/]+(\/[^"]+)"/.exec(text)?.[1];
  return key === undefined || path === undefined ? null : { key, path };
}

test('the webhook is open to the call alone, and key and webhook go with it', async () => {
  const args = [...order('last-node'), '--duration', '8s'];
  const run = startCli(args, { N8N_API_KEY: apiKey });
  let used: { key: string; path: string } | null = null;
  await eventually(async () => {
    used = await inUse();
    return used !== null || run.child.exitCode !== null;
  });
  const { key, path } = used ?? { key: '', path: '' };
  const during = {
    without: await answerTo(path),
    another: await answerTo(path, { 'x-n8n-tuned-key': 'guessed' }),
    with: await answerTo(path, { 'x-n8n-tuned-key': key }),
  };
  const { code } = await run.ended;
  const outcome = { code, stdout: run.stdout(), stderr: run.stderr() };
  expect(path).toMatch(/^\/webhook\/load-last-node\/[0-9a-f]{8}$/);
  expect(during).toEqual({ without: 403, another: 403, with: 200 });
  const { summary, folder } = sustained(outcome);
  expect(summary.errors.requests).toBe(0);
  expect(summary.matched).toMatchObject({ withoutExecution: nobody, notSucceeded: nobody });
  expect(key).toMatch(/^[\w-]{32}$/);
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const there = join(folder, file);
    if (statSync(there).isFile())
      expect([file, readFileSync(there).includes(key)]).toEqual([file, false]);
  }
  expect(await answerTo(path, { 'x-n8n-tuned-key': key })).toBe(404);
  expect(await leftInside()).toEqual([]);
});

test('a drill by commands of the user stops n8n for a while, wakes it again, and accounts for every request', async () => {
  const pids = n8n.processes().map(({ pid }) => String(pid));
  const args = [
    ...['drill', 'custom', '--url', n8n.baseUrl, '--workload', 'last-node', '--rate', '3'],
    ...['--begin', `kill -STOP ${pids.join(' ')}`, '--end', `kill -CONT ${pids.join(' ')}`],
    ...['--warmup', '2s', '--steady', '8s', '--for', '3s', '--after', '15s', '--no-control'],
    ...['--slo', 'errors<1%,p95<2s', '--promise', 'lost=0,repeated=0,errors-outside=0'],
    ...['--ready', '60s', '--out', out, '--json'],
  ];
  const { code, stdout, stderr } = await unlessInvalid(
    () => runCli(args, { N8N_API_KEY: apiKey }),
    (run) => run.code === EXIT.invalid,
  );
  if (stdout === '') throw new Error(stderr);
  const { verdict, fault, ledger, figures } = JSON.parse(stdout) as DrillRecord;
  expect([code, verdict.sentence]).toEqual([0, expect.stringContaining('every promise was kept')]);
  expect(fault.done.map(({ text }) => text)).toEqual(['--begin, kill', '--end, kill, has run']);
  expect(ledger).toMatchObject({ sent: 84, lost: 0, sources: { executions: 'API' } });
  // They waited for it, and were answered.
  expect(figures?.slowestMs).toBeGreaterThan(1_000);
  expect(figures?.availability?.during.requests).toBeGreaterThan(0);
  expect(await leftInside()).toEqual([]);
});

test('what cannot be given from outside is told before any load', async () => {
  const without = await runCli([...order('http-calls'), '--ready', '10s']);
  expect(without.code).toBe(2);
  expect(without.stderr).toContain('status 404');
  expect(without.stderr).toContain(
    "no load was generated. For this workload, n8n requires: a stand-in (n8n-tuned stand-in) that n8n reaches at http://127.0.0.1:5690; the credential 'Load test upstream'",
  );
  const files = await runCli(order('binary'), { N8N_API_KEY: apiKey });
  expect(files.code).toBe(2);
  expect(files.stderr).toContain('the folder /home/node/.n8n-files, writable for n8n');
  expect(await leftInside()).toEqual([]);
});

test('it is left up, whole', async () => {
  expect(await left(tracesOf(n8n))).not.toEqual([]);
  expect((await fetch(`${n8n.baseUrl}/healthz/readiness`)).status).toBe(200);
});
