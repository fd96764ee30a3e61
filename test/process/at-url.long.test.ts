import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunRecord } from '../../cli/src/record/run-record';
import { labPaths } from '../../cli/src/lab/paths';
import { EXIT } from '../../cli/src/ui/exit';
import type { Running } from '../../cli/src/targets/target';
import { N8nApi } from '../../cli/src/targets/url/api';
import { buildCli, endStartedClis, runCli, startCli } from '../support/cli';
import { newApiKey } from '../support/n8n-owner';
import { bringUp, quiet, workload } from './stage';
import { eventually, unlessInvalid, until } from '../support/wait';

/** The traps of a workflow file: in an n8n where a workflow of the same name is active, which has effects outside. */

jest.setTimeout(330_000);

const folder = mkdtempSync(join(tmpdir(), 'traps-'));
const file = join(folder, 'order.json');
let n8n: Running;
let api: N8nApi;
let env: Record<string, string>;
let theirs: { id: string };
/** What workflows have called outside n8n. */
let called: string[] = [];
let outside: Server;

interface Node {
  name: string;
  type: string;
  typeVersion: number;
  parameters: object;
}

const WEBHOOK = {
  ...{ httpMethod: 'POST', path: 'order', responseMode: 'lastNode', options: {} },
};
const webhook = { name: 'Webhook', type: 'n8n-nodes-base.webhook', typeVersion: 2 };
const call = (name: string, path: string): Node => ({
  ...{ name, type: 'n8n-nodes-base.httpRequest', typeVersion: 4.2 },
  parameters: { url: `http://127.0.0.1:${port()}${path}`, options: {} },
});
const everySecond: Node = {
  ...{ name: 'Every second', type: 'n8n-nodes-base.scheduleTrigger', typeVersion: 1.2 },
  parameters: { rule: { interval: [{ field: 'seconds', secondsInterval: 1 }] } },
};
const stub: Node = {
  ...{ name: 'Pay', type: 'n8n-nodes-base.set', typeVersion: 3.4 },
  parameters: {
    ...{ mode: 'raw', jsonOutput: '{"paid":"by the stub"}', options: {} },
  },
};

const port = (): string => String((outside.address() as AddressInfo).port);
const to = (node: string): object => ({ main: [[{ node, type: 'main', index: 0 }]] });
const placed = (nodes: Node[]): object[] =>
  nodes.map((node, index) => ({ ...node, id: `n${String(index)}`, position: [200 * index, 0] }));

beforeAll(async () => {
  buildCli();
  outside = createServer((request, response) => {
    called.push(request.url ?? '');
    response.end('{}');
  });
  await new Promise<void>((resolve) => outside.listen(0, '127.0.0.1', resolve));
  n8n = await bringUp({}, { ...workload('last-node'), workflows: [] });
  const apiKey = await newApiKey(n8n, [
    ...['create', 'list', 'read', 'delete', 'activate', 'deactivate'].map((s) => `workflow:${s}`),
    ...['credential:create', 'credential:delete', 'credential:list'],
    ...['execution:list', 'execution:read'],
  ]);
  api = new N8nApi(n8n.baseUrl, apiKey);
  env = {
    ...{ N8N_API_KEY: apiKey, N8N_TUNED_CACHE: join(folder, 'cache') },
    PATH: `${labPaths().bin}:${process.env['PATH'] ?? ''}`,
  };
  const id = '3b7b9a2e-3d61-4e1c-9a06-8a0f3a1f0f11';
  theirs = await api.ask('POST', '/workflows', {
    body: {
      ...{ name: 'Order', settings: {}, connections: { Webhook: to('Pay') } },
      nodes: placed([{ ...webhook, parameters: WEBHOOK }, call('Pay', '/pay')]).map((node, at) =>
        at === 0 ? { ...node, webhookId: id } : node,
      ),
    },
  });
  await api.ask('POST', `/workflows/${theirs.id}/activate`);
  // The workflow as the editor exports it, with the node that pays replaced.
  const nodes = placed([
    { ...webhook, parameters: WEBHOOK },
    stub,
    everySecond,
    call('Tick', '/tick'),
  ]).map((node, at) => (at === 0 ? { ...node, webhookId: id } : node));
  const connections = { Webhook: to('Pay'), 'Every second': to('Tick') };
  const settings = { executionOrder: 'v1', errorWorkflow: theirs.id };
  writeFileSync(
    file,
    JSON.stringify({ name: 'Order', nodes, connections, settings, active: true }),
  );
});

afterAll(async () => {
  endStartedClis();
  await n8n.down(quiet);
  await new Promise((resolve) => outside.close(resolve));
  rmSync(folder, { recursive: true, force: true });
});

const run = (...more: string[]): string[] => [
  ...['run', '--workflow', file, '--rate', '5', '--duration', '5s', '--warmup', '0s', '--json'],
  ...['--expect', 'json.paid~stub', '--ready', '240s', '--out', join(folder, 'results'), ...more],
];

/** Whatever n8n tells of it that changes with it. */
const theirState = async (): Promise<unknown> => {
  const { active, versionId, updatedAt } = await api.ask<Record<string, unknown>>(
    'GET',
    `/workflows/${theirs.id}`,
  );
  return { active, versionId, updatedAt };
};

async function there(): Promise<string[]> {
  const lists = await Promise.all(
    ['/workflows', '/credentials'].map((path) =>
      api.ask<{ data: { name: string }[] }>('GET', path),
    ),
  );
  return lists.flatMap(({ data }) => data.map(({ name }) => name));
}

test('theirs is active, and pays', async () => {
  let status = 0;
  // n8n registers a webhook a moment after it has said that the workflow is active.
  await eventually(async () => {
    ({ status } = await fetch(`${n8n.baseUrl}/webhook/order`, { method: 'POST' }));
    return status === 200;
  });
  expect([status, called]).toEqual([200, ['/pay']]);
  expect(await theirState()).toMatchObject({ active: true });
});

const loaded = (...how: Parameters<typeof runCli>): ReturnType<typeof runCli> =>
  unlessInvalid(
    () => runCli(...how),
    ({ code }) => code === EXIT.invalid,
  );

test('the file is loaded without --request, and not what is active under its name; nothing of it begins by itself', async () => {
  const before = await theirState();
  called = [];
  const { code, stdout, stderr } = await loaded(run('--url', n8n.baseUrl), env);
  expect([code, stderr]).toEqual([0, expect.anything()]);
  const record = JSON.parse(stdout) as RunRecord;
  expect(record.summary.offered.requests).toBe(25);
  expect(record.summary.errors.requests).toBe(0);
  expect(called).toEqual([]);
  expect(stderr).toContain('switched off in the copy of');
  expect(stderr).toContain('Every second');
  expect(stderr).toContain('which runs without it: settings.errorWorkflow.');
  expect(await theirState()).toEqual(before);
  expect(await there()).toEqual(['Order']);
});

test('the same on the target process, where its other triggers stay off too', async () => {
  called = [];
  const { code, stdout, stderr } = await loaded(run());
  expect([code, stderr]).toEqual([0, expect.anything()]);
  expect((JSON.parse(stdout) as RunRecord).summary.offered.requests).toBe(25);
  expect(called).toEqual([]);
});

test('killed in the middle, what it had put in goes with clean --url, and theirs stays', async () => {
  const before = await theirState();
  const killed = startCli(run('--url', n8n.baseUrl, '--duration', '60s'), env);
  const results = join(folder, 'results');
  const known = readdirSync(results).length;
  await until('the load', () => readdirSync(results).length > known);
  killed.child.kill('SIGKILL');
  await killed.ended;
  expect(await there()).toHaveLength(3);
  const { code, stdout } = await runCli(['clean', '--url', n8n.baseUrl], env);
  expect([code, stdout.match(/^removed /gm)?.length]).toEqual([0, 2]);
  expect(await there()).toEqual(['Order']);
  expect(await theirState()).toEqual(before);
});
