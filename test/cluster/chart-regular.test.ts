import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { request } from '../support/cluster';
import { heapOf } from '../support/heap';
import { readCredential, Release, storeCredential } from '../support/release';

jest.setTimeout(1_200_000);

const ORDER = readFileSync(join(__dirname, '../../studies/upgrade-gate/order.json'), 'utf8');
const VALUES = { loadTargets: { enabled: true, workflows: { orders: ORDER } } };
/** MiB of the default limit of 1536: half for n8n, a sixth for its task runner. */
const OLD_SPACE = { main: 768, runner: 256 };

let n8n: Release;
beforeAll(async () => {
  n8n = await Release.inNewNamespace('chart-regular');
  await n8n.deploy(VALUES);
});
afterAll(() => n8n?.remove());

const webhook = async (): Promise<number> =>
  (await n8n.expectedResponse(`${await n8n.serviceUrl()}/webhook/load-last-node`)).status;

test('the default answers a webhook, in a namespace that admits restricted pods alone', async () => {
  const url = await n8n.serviceUrl();
  const reply = await n8n.expectedResponse(
    `${url}/webhook/load-last-node?n=1`,
    '-H',
    'x-load-id: 7',
  );
  expect(JSON.parse(reply.body)).toMatchObject({
    query: { n: '1' },
    headers: { 'x-load-id': '7' },
  });
  expect((await request(`${url}/webhook/n8n-tuned-unknown`)).status).toBe(404);
});

test('a workflow of the user answers beside the bundled ones', async () => {
  const order = ['-H', 'content-type: application/json', '-d', '{"lines":[{"price":2,"count":3}]}'];
  const reply = await request(`${await n8n.serviceUrl()}/webhook/order`, ...order);
  expect(JSON.parse(reply.body)).toMatchObject({ total: 6 });
});

test('helm test passes and its log can be read', async () => {
  const said = await n8n.helm(['test', '--logs', '--timeout', '10m']);
  expect(said).toMatch(/Phase:\s+Succeeded/);
  expect(said).toContain('20 of 20 answers are as expected');
});

test('n8n and its task runner have the heap that was rendered', async () => {
  const pod = await n8n.pod('main');
  const main = await heapOf(n8n, pod, 'bin/n8n');
  const runner = await heapOf(n8n, pod, 'task-runner');
  // The preloaded scripts follow.
  expect(main.options.split(' ')[0]).toBe(`--max-old-space-size=${OLD_SPACE.main}`);
  expect(runner.options).toBe(`--max-old-space-size=${OLD_SPACE.runner}`);
  // V8's limit is the old space and the young generation, which follows from nothing that we set.
  expect(main.limitMiB - OLD_SPACE.main).toBeGreaterThanOrEqual(0);
  expect(main.limitMiB - OLD_SPACE.main).toBeLessThanOrEqual(96);
  expect(runner.limitMiB - OLD_SPACE.runner).toBeGreaterThanOrEqual(0);
  expect(runner.limitMiB - OLD_SPACE.runner).toBeLessThanOrEqual(96);
});

test('an upgrade, a rollback and a reinstallation keep webhooks and credentials', async () => {
  await storeCredential(n8n);
  await n8n.deploy({ ...VALUES, tuning: { profile: 'throughput' } });
  await expect(webhook()).resolves.toBe(200);
  await n8n.helm(['rollback', '1', '--wait', '--timeout', '10m']);
  await expect(webhook()).resolves.toBe(200);
  await n8n.uninstall();
  await n8n.deploy(VALUES);
  await expect(webhook()).resolves.toBe(200);
  await expect(readCredential(n8n)).resolves.toBe('still readable');
});
