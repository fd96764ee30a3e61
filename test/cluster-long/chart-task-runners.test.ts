// The external task runner in real pods: real @n8n/task-runner, a launcher that stands in for n8n's (lab/images). Pods that
// end under Code nodes of 5 s lose none; a Code node that needs too much memory ends its runner alone; code computes in
// the time zone of n8n and may load the modules that n8n's `env` allows.
import { inCluster, request, until } from '../support/cluster';
import { load, Release } from '../support/release';
import { seen } from '../support/seen';
import { pause } from '../support/wait';

jest.setTimeout(1_800_000);

const VALUES = {
  executions: { mode: 'queue', maxResponseSeconds: 120 },
  database: { type: 'postgresql' },
  worker: { replicas: 2, env: { NODE_FUNCTION_ALLOW_BUILTIN: 'os' } },
  loadTargets: { enabled: true },
  timezone: 'Asia/Tokyo',
  taskRunners: {
    mode: 'external',
    resources: { requests: { cpu: '20m', memory: '128Mi' }, limits: { memory: '512Mi' } },
  },
};

/** Answers with what its code sees; with ?hog=1 it takes memory until there is none. */
const PROBE = {
  id: 'runner-probe',
  name: 'runner probe',
  active: false,
  settings: {},
  nodes: [
    {
      id: 'webhook',
      name: 'Webhook',
      type: 'n8n-nodes-base.webhook',
      typeVersion: 2,
      position: [0, 0],
      webhookId: 'runner-probe',
      parameters: { path: 'runner-probe', responseMode: 'lastNode', options: {} },
    },
    {
      id: 'code',
      name: 'Code',
      type: 'n8n-nodes-base.code',
      typeVersion: 2,
      position: [200, 0],
      parameters: {
        jsCode: `const kept = [];
while ($('Webhook').first().json.query.hog) kept.push(new Array(100000).fill(Math.random()));
return [{ json: {
  zone: DateTime.now().zoneName,
  hoursOfEpoch: new Date(0).getHours(),
  platform: require('os').platform(),
} }];`,
      },
    },
  ],
  connections: { Webhook: { main: [[{ node: 'Code', type: 'main', index: 0 }]] } },
};

let n8n: Release;
let url: string;
beforeAll(async () => {
  n8n = await Release.inNewNamespace('chart-runners');
  await n8n.deploy(VALUES);
  const script = `echo '${Buffer.from(JSON.stringify([PROBE])).toString('base64')}' | base64 -d > /tmp/probe.json \
    && n8n import:workflow --input=/tmp/probe.json >&2 && n8n publish:workflow --id=${PROBE.id} >&2`;
  await n8n.exec(await n8n.pod('main'), 'sh', '-c', script);
  // n8n is told of what another process has published at its start.
  await n8n.space.kubectl('rollout', 'restart', 'deployment/n8n-main');
  await n8n.rolledOut('main');
  url = await n8n.serviceUrl();
});
afterAll(() => n8n?.remove());

const probe = async (): Promise<Record<string, string | number>> =>
  JSON.parse((await n8n.expectedResponse(`${url}/webhook/runner-probe`)).body) as Record<
    string,
    string | number
  >;

interface Container {
  name: string;
  restartCount: number;
}

async function restarts(): Promise<Record<string, number>> {
  const list = JSON.parse(
    await n8n.space.kubectl(
      ...['get', 'pods', '-l', 'app.kubernetes.io/component=worker', '-o', 'json'],
    ),
  ) as {
    items: { status: { containerStatuses: Container[]; initContainerStatuses: Container[] } }[];
  };
  const sums: Record<string, number> = {};
  for (const { status } of list.items) {
    for (const { name, restartCount } of [
      ...status.containerStatuses,
      ...status.initContainerStatuses,
    ])
      sums[name] = (sums[name] ?? 0) + restartCount;
  }
  return sums;
}

test('code computes in the time zone of n8n, and may load what n8n allows', async () => {
  const found = await probe();
  seen('external task runner: what code sees', found);
  expect(found).toEqual({ zone: 'Asia/Tokyo', hoursOfEpoch: 9, platform: 'linux' });
});

test('a Code node that needs too much memory ends its runner and nothing else', async () => {
  const before = await restarts();
  const reply = await request(`${url}/webhook/runner-probe?hog=1`, '-m', '110');
  const after = await restarts();
  const again = await probe();
  seen('external task runner: a Code node without end', { status: reply.status, before, after });
  expect(reply.status).toBe(500);
  expect(after).toEqual(before);
  expect(again).toMatchObject({ platform: 'linux' });
});

test('no Code node of 5 s is lost by a rollout, a scale-in and a drain', async () => {
  const kubectl = (...args: string[]): Promise<string> => n8n.space.kubectl(...args);
  const loading = load(url, {
    ...{ WORKLOAD: 'wait-5s', RATE: 2, DURATION: '150s', TIMEOUT: '120s', DRAIN: '120s' },
  });
  await pause(10_000, 'the load is under way');
  await kubectl('rollout', 'restart', 'deployment/n8n-worker');
  await n8n.rolledOut('worker');
  await kubectl('scale', 'deployment/n8n-worker', '--replicas=1');
  await until('one worker', async () => (await n8n.pods('worker')).length === 1, 300_000);
  await kubectl('scale', 'deployment/n8n-worker', '--replicas=2');
  await n8n.rolledOut('worker');
  const [node = ''] = (await kubectl('get', 'nodes', '-o', 'name')).split('\n');
  const drained = inCluster(
    [
      ...['kubectl', 'drain', node, '--delete-emptydir-data', '--ignore-daemonsets'],
      '--pod-selector=app.kubernetes.io/instance=n8n,app.kubernetes.io/component=worker',
    ],
    { timeoutMs: 600_000 },
  );
  await until(
    'the node cordoned',
    async () => (await kubectl('get', node, '-o', 'jsonpath={.spec.unschedulable}')) === 'true',
  );
  await kubectl('uncordon', node);
  expect(await drained).toMatchObject({ code: 0 });
  await n8n.rolledOut('worker');
  const { requests, expected, errors, latencyMs } = await loading;
  seen('external task runner: rollout, scale-in and drain under Code nodes of 5 s', {
    requests,
    right: expected,
    errors,
    p95Ms: Math.round(latencyMs?.p95 ?? 0),
  });
  expect(errors).toEqual({});
  expect(expected).toBe(requests);
  expect(requests).toBeGreaterThan(250);
});
