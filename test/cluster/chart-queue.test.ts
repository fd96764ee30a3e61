import { clusterStatus, request, until } from '../support/cluster';
import { heapOf } from '../support/heap';
import { keptConnections, load, Release } from '../support/release';

jest.setTimeout(1_800_000);

const HOST = 'n8n.test';
const VALUES = {
  executions: { mode: 'queue' },
  database: { type: 'postgresql' },
  // Main answers no production webhook: an expected response came through a webhook processor.
  webhook: { enabled: true, replicas: 2, exclusive: true },
  worker: { replicas: 2 },
  publicUrl: `http://${HOST}`,
  ingress: { enabled: true, className: 'nginx' },
  loadTargets: { enabled: true },
  monitoring: { enabled: true },
};

let n8n: Release;
let ingress: string;
const throughIngress = ['-H', `Host: ${HOST}`];

beforeAll(async () => {
  n8n = await Release.inNewNamespace('chart-queue');
  ingress = `http://${(await clusterStatus())['ingress']}`;
  await n8n.deploy(VALUES);
});
afterAll(() => n8n?.remove());

const webhook = async (): Promise<number> =>
  (await n8n.expectedResponse(`${ingress}/webhook/load-last-node`, ...throughIngress)).status;

test('the ingress brings webhooks to the processors, tests and the editor to main', async () => {
  await expect(webhook()).resolves.toBe(200);
  const unregistered = await request(`${ingress}/webhook-test/load-last-node`, ...throughIngress);
  expect(unregistered.status).toBe(404);
  // Only main knows of the editor's canvas.
  expect(unregistered.body).toContain("Click the 'Execute workflow' button");
  const editor = await request(`${ingress}/`, ...throughIngress);
  expect(editor.body).toContain('n8n:config');
});

test('a worker runs what a webhook processor took', async () => {
  const { body } = await n8n.expectedResponse(
    `${ingress}/webhook/load-target-memory?mb=1`,
    ...throughIngress,
  );
  expect(JSON.parse(body)).toMatchObject({
    ranBy: { role: 'worker', host: expect.stringContaining('n8n-worker') as string },
  });
});

// Main has no task runner here: workers run manual executions too.
test.each([
  ['main', 'bin/n8n', 768],
  ['worker', 'bin/n8n', 768],
  ['worker', 'task-runner', 256],
  ['webhook', 'bin/n8n', 512],
])('the heap of %s (%s) is the one that was rendered', async (role, program, oldSpaceMiB) => {
  const { limitMiB, options } = await heapOf(n8n, await n8n.pod(role), program);
  expect(options.split(' ')[0]).toBe(`--max-old-space-size=${oldSpaceMiB}`);
  // V8's limit is the old space and the young generation.
  expect(limitMiB - oldSpaceMiB).toBeGreaterThanOrEqual(0);
  expect(limitMiB - oldSpaceMiB).toBeLessThanOrEqual(96);
});

test('helm test of the release passes, and says which patches are active', async () => {
  const said = await n8n.helm(['test', '--logs', '--timeout', '10m']);
  expect(said).toMatch(/Phase:\s+Succeeded/);
  for (const role of ['main', 'webhook'])
    expect(said).toMatch(new RegExp(`^patches of ${role}: .*read-once known`, 'm'));
});

test('a rolling upgrade of every role under load loses no request', async () => {
  const url = await n8n.serviceUrl('-webhook');
  const before = await n8n.pods('main,worker,webhook');
  let running = true;
  const upgrade = n8n
    .deploy({ ...VALUES, env: { N8N_LOG_LEVEL: 'error' } })
    .finally(() => (running = false));
  const runs = [];
  while (running)
    runs.push(await load(url, { RATE: 5, DURATION: '20s', TIMEOUT: '120s', DRAIN: '120s' }));
  await upgrade;
  runs.push(await load(url, { RATE: 5, DURATION: '20s', TIMEOUT: '120s', DRAIN: '120s' }));
  expect(runs.map(({ errors }) => errors)).toEqual(runs.map(() => ({})));
  expect(runs.map(({ requests }) => requests)).toEqual(runs.map(({ expected }) => expected));
  expect(runs.reduce((sum, { expected }) => sum + expected, 0)).toBeGreaterThan(100);
  await until(
    'every pod replaced',
    async () => {
      const now = await n8n.pods('main,worker,webhook');
      return before.every((pod) => !now.includes(pod));
    },
    400_000,
  );
});

test('callers that keep their connections lose nothing to a rollout', async () => {
  const url = `${await n8n.serviceUrl('-webhook')}/webhook/load-last-node`;
  const seen = await keptConnections('rollouts', n8n.space.name, url);
  expect(seen.wrong).toEqual({});
  expect(seen.right).toBe(seen.requests);
  expect(seen.requests).toBeGreaterThan(100);
});
