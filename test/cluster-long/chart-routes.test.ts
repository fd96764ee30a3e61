// Which pod answers which path, with a public host for webhooks and a private one for the editor, through a real proxy: by
// Ingress and by HTTPRoute. MCP over SSE beside two webhook processors, and over HTTP by three. Metrics stay inside.
import { join } from 'node:path';
import { clusterStatus, inCluster, request, until, type Reply } from '../support/cluster';
import { Release, ROOT } from '../support/release';
import { seen } from '../support/seen';

jest.setTimeout(1_800_000);

const EDITOR = 'n8n.routes.test';
const HOOKS = 'hooks.routes.test';
const SESSIONS = 10;
const COMMON = {
  executions: { mode: 'queue' },
  database: { type: 'postgresql' },
  // Main answers no production request, so that a right one came from a processor.
  webhook: { enabled: true, replicas: 2, exclusive: true, mcp: { sse: true } },
  worker: { replicas: 1 },
  publicUrl: `http://${EDITOR}`,
  webhookUrl: `http://${HOOKS}`,
  monitoring: { enabled: true },
  loadTargets: { enabled: true },
};
const BY_INGRESS = {
  ...COMMON,
  ingress: { enabled: true, className: 'nginx', webhook: { enabled: true, className: 'nginx' } },
};
const BY_ROUTE = {
  ...COMMON,
  httpRoute: { enabled: true, parentRefs: [{ name: 'gateway' }], webhook: { enabled: true } },
};
const GATEWAY = {
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'Gateway',
  metadata: { name: 'gateway' },
  spec: {
    gatewayClassName: 'nginx',
    listeners: [{ name: 'http', port: 80, protocol: 'HTTP' }],
  },
};
const mcp = (path: string, typeVersion: number): object => ({
  id: `mcp-${path}`,
  name: `mcp ${path}`,
  active: false,
  settings: {},
  nodes: [
    {
      id: 'mcp',
      name: 'MCP Server Trigger',
      type: '@n8n/n8n-nodes-langchain.mcpTrigger',
      typeVersion,
      position: [0, 0],
      webhookId: `mcp-${path}`,
      parameters: { path },
    },
    {
      id: 'calculator',
      name: 'Calculator',
      type: '@n8n/n8n-nodes-langchain.toolCalculator',
      typeVersion: 1,
      position: [0, 200],
      parameters: {},
    },
  ],
  connections: {
    Calculator: { ai_tool: [[{ node: 'MCP Server Trigger', type: 'ai_tool', index: 0 }]] },
  },
});
const WORKFLOWS = [mcp('probe', 1), mcp('tools', 2)];

let n8n: Release;
beforeAll(async () => {
  n8n = await Release.inNewNamespace('chart-routes');
  await n8n.space.apply([GATEWAY]);
  await n8n.deploy(BY_INGRESS);
  const script = `echo '${Buffer.from(JSON.stringify(WORKFLOWS)).toString('base64')}' | base64 -d > /tmp/mcp.json \
    && n8n import:workflow --input=/tmp/mcp.json >&2 && n8n publish:workflow --id=mcp-probe >&2 && n8n publish:workflow --id=mcp-tools >&2`;
  await n8n.exec(await n8n.pod('main'), 'sh', '-c', script);
});
afterAll(() => n8n?.remove());

/** What is asked of each host, and a word for what answered. */
const PATHS = {
  editor: [EDITOR, '/'],
  'editor, its API': [EDITOR, '/rest/settings'],
  'editor, webhook': [EDITOR, '/webhook/load-last-node'],
  'editor, metrics': [EDITOR, '/metrics'],
  'editor, metrics spelled otherwise': [EDITOR, '/METRICS/'],
  'hooks, webhook': [HOOKS, '/webhook/load-last-node'],
  'hooks, test webhook': [HOOKS, '/webhook-test/load-last-node'],
  'hooks, editor': [HOOKS, '/'],
  'hooks, API of the editor': [HOOKS, '/rest/settings'],
  'hooks, public API': [HOOKS, '/api/v1/workflows'],
  'hooks, metrics': [HOOKS, '/metrics'],
  'hooks, unknown form': [HOOKS, '/form-waiting/1'],
} as const;

function whatAnswered({ status, body }: Reply): string {
  if (body.includes('n8n:config')) return 'editor';
  if (body.includes("Click the 'Execute workflow' button")) return 'test webhooks of main';
  if (/^# HELP|\nn8n_/.test(body)) return 'metrics';
  if (body.includes('"data":{')) return 'API of the editor';
  return String(status);
}

async function answers(proxy: string): Promise<Record<string, string>> {
  const asked = Object.entries(PATHS).map(async ([name, [host, path]]) => [
    name,
    whatAnswered(await request(`http://${proxy}${path}`, '-H', `Host: ${host}`)),
  ]);
  return Object.fromEntries((await Promise.all(asked)) as [string, string][]);
}

test.each([
  ['ingress', BY_INGRESS],
  ['gateway', BY_ROUTE],
] as const)('%s: each path of each host leads to the pods that answer it', async (name, values) => {
  await n8n.deploy(values);
  const proxy = (await clusterStatus())[name] ?? '';
  for (const host of [EDITOR, HOOKS]) {
    await n8n.expectedResponse(`http://${proxy}/webhook/load-last-node`, '-H', `Host: ${host}`);
  }
  const found = await answers(proxy);
  seen(`routes by ${name}`, found);
  expect(found).toEqual({
    editor: 'editor',
    'editor, its API': 'API of the editor',
    'editor, webhook': '200',
    // Our preload script refuses who comes through a proxy.
    'editor, metrics': '403',
    'editor, metrics spelled otherwise': '403',
    'hooks, webhook': '200',
    'hooks, test webhook': 'test webhooks of main',
    'hooks, editor': '404',
    'hooks, API of the editor': '404',
    'hooks, public API': '404',
    'hooks, metrics': '404',
    // n8n's own answer about an execution that is not there: the request reached a webhook processor.
    'hooks, unknown form': '401',
  });
});

test('metrics are served inside', async () => {
  const { status, body } = await request(`${await n8n.serviceUrl()}/metrics`);
  expect(status).toBe(200);
  expect(body).toMatch(/^n8n_/m);
});

interface Sessions {
  sessions: number;
  complete: number;
  statuses: Record<string, number>;
  tools: string[];
}

async function sessions(count: number, ...args: string[]): Promise<Sessions> {
  const file = join(ROOT, 'test', 'support', 'mcp-sessions.mjs');
  const { code, stdout, stderr } = await inCluster(['node', file, String(count), ...args], {
    timeoutMs: 600_000,
  });
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as Sessions;
}

test('sessions of MCP over SSE are answered by their own processor, and by no other', async () => {
  const ip = async (pod: string): Promise<string> =>
    `http://${await n8n.space.kubectl('get', pod, '-o', 'jsonpath={.status.podIP}')}:5678`;
  const stream = '/mcp/probe/sse';
  // An Ingress cannot tell the transports of MCP apart, so all of MCP goes to one.
  await n8n.deploy(BY_INGRESS);
  const proxy = `http://${(await clusterStatus())['ingress']}`;
  await until(
    'the published workflow',
    async () => (await sessions(1, HOOKS, `${proxy}${stream}`)).complete === 1,
    300_000,
  );
  const throughProxy = await sessions(SESSIONS, HOOKS, `${proxy}${stream}`);
  // Why the chart leads them to one pod: n8n itself, if a session's messages come to another one.
  const [one = '', other = ''] = await Promise.all((await n8n.pods('webhook')).map(ip));
  const split = await sessions(1, HOOKS, `${one}${stream}`, other);
  seen('MCP over SSE beside two webhook processors', { throughProxy, toAnotherPod: split });
  expect(throughProxy).toEqual({
    ...{ sessions: SESSIONS, complete: SESSIONS },
    ...{ statuses: { '202': 2 * SESSIONS }, tools: ['Calculator'] },
  });
  expect(split).toMatchObject({ complete: 0, statuses: { '401': 1 } });
});

test('60 calls of MCP over HTTP are answered by three processors together', async () => {
  const { httpRoute } = BY_ROUTE;
  const webhook = { enabled: true, replicas: 3, exclusive: true };
  await n8n.deploy({ ...COMMON, webhook, httpRoute });
  const url = `http://${(await clusterStatus())['gateway']}/mcp/tools`;
  const file = join(ROOT, 'test', 'support', 'mcp-calls.mjs');
  const calls = async (...count: string[]): Promise<Record<string, number | object>> => {
    const { code, stdout, stderr } = await inCluster(['node', file, ...count, HOOKS, url], {
      timeoutMs: 600_000,
    });
    if (code !== 0) throw new Error(stderr);
    return JSON.parse(stdout) as Record<string, number | object>;
  };
  await until(
    'the published workflow',
    async () => (await calls('1', '1'))['right'] === 1,
    300_000,
  );
  const found = await calls('6', '10');
  seen('MCP over HTTP by three webhook processors', found);
  expect(found).toEqual({ sessions: 6, calls: 60, right: 60, said: {} });
});
