import { Redis } from 'ioredis';
import { freePort } from '../../cli/src/targets/process/ports';
import { N8nApi } from '../../cli/src/targets/url/api';
import type { Running } from '../../cli/src/targets/target';
import { credential, RedisServers } from '../nodes/support/redis';
import { newApiKey } from '../support/n8n-owner';
import { bringUp, quiet, workload } from './stage';
import { eventually } from '../support/wait';

/** What a caller gets from a workflow in which one of our nodes fails and its error output is connected. */

jest.setTimeout(330_000);

const servers = new RedisServers();
let n8n: Running | undefined;
let api: N8nApi;

interface Node {
  type: string;
  parameters: object;
  credentials?: object;
}

interface Reply {
  status: number;
  branch: string;
  /** What came out of the node under test, without what its input held. */
  own: Record<string, unknown>;
  /** Whether the rest is what the webhook gave: n8n adds the input to an item of the error output. */
  isRestInput: boolean;
}

beforeAll(async () => {
  const port = await servers.start();
  const redis = new Redis({ port });
  // Bull keeps this of a queue: the number of its last job, and those that wait.
  await redis.multi().set('left:jobs:id', 2).rpush('left:jobs:wait', 1, 2).exec();
  await redis.set('empty:jobs:id', 2);
  redis.disconnect();
  n8n = await bringUp({}, { ...workload('last-node'), workflows: [] });
  const scopes = ['workflow:create', 'workflow:activate', 'credential:create'];
  api = new N8nApi(n8n.baseUrl, await newApiKey(n8n, scopes));
  const nobody = await freePort();
  for (const [path, given] of Object.entries({
    'jobs-left': { port, prefix: 'left' },
    'no-jobs': { port, prefix: 'empty' },
    'no-redis': { port: nobody },
  })) {
    await webhookTo(path, await drained(path, given));
  }
  await webhookTo('status-429', failing({ failAs: 'httpStatus', httpStatus: 429 }));
  await webhookTo('node-error', failing({ failAs: 'nodeError' }));
}, 330_000);

afterAll(async () => {
  await n8n?.down(quiet);
  await servers.stopAll();
});

async function drained(name: string, given: Record<string, unknown>): Promise<Node> {
  const { id } = await api.ask<{ id: string }>('POST', '/credentials', {
    body: { name, type: 'queueRedisApi', data: credential(given) },
  });
  return {
    type: 'n8n-nodes-queue-monitor.queueMonitor',
    parameters: { operation: 'waitUntilDrained', queue: 'jobs', timeoutSeconds: 1, pollMs: 100 },
    credentials: { queueRedisApi: { id, name } },
  };
}

const failing = (parameters: object): Node => ({
  type: 'n8n-nodes-load-target.loadTarget',
  parameters: { operation: 'fail', probability: 1, ...parameters },
});

/** Sends the item back, with the branch it took and what the webhook had given; the status is that of the error. */
const respond = (branch: string): object => ({
  ...{ name: branch, type: 'n8n-nodes-base.respondToWebhook', typeVersion: 1.1 },
  parameters: {
    respondWith: 'json',
    responseBody: `={{ { branch: '${branch}', item: $json, input: $('Webhook').item.json } }}`,
    options: { responseCode: '={{ $json.error?.status ?? 200 }}' },
  },
});

/** A workflow at this path: Webhook, the node under test, a response on each of its two outputs. */
async function webhookTo(path: string, node: Node): Promise<void> {
  const nodes = [
    {
      ...{ name: 'Webhook', type: 'n8n-nodes-base.webhook', typeVersion: 2.1, webhookId: path },
      parameters: { path, responseMode: 'responseNode', options: {} },
    },
    { name: 'Node', typeVersion: 1, onError: 'continueErrorOutput', ...node },
    respond('success'),
    respond('error'),
  ].map((each, index) => ({ ...each, id: `n${String(index)}`, position: [200 * index, 0] }));
  const to = (name: string): object[] => [{ node: name, type: 'main', index: 0 }];
  const connections = {
    Webhook: { main: [to('Node')] },
    Node: { main: [to('success'), to('error')] },
  };
  const { id } = await api.ask<{ id: string }>('POST', '/workflows', {
    body: { name: path, settings: { executionOrder: 'v1' }, nodes, connections },
  });
  await api.ask('POST', `/workflows/${id}/activate`);
}

async function replyOf(path: string): Promise<Reply> {
  const url = `${n8n?.baseUrl ?? ''}/webhook/${path}?asked=yes`;
  let response = await fetch(url);
  // n8n registers a webhook a moment after it has said that the workflow is active.
  await eventually(async () => {
    if (response.status === 404) response = await fetch(url);
    return response.status !== 404;
  });
  const text = await response.text();
  const { branch, item, input } = JSON.parse(text) as {
    branch: string;
    item: Record<string, unknown>;
    input: Record<string, unknown>;
  };
  expect(input).toMatchObject({ query: { asked: 'yes' } });
  const entries = Object.entries(item);
  const rest = Object.fromEntries(entries.filter(([key]) => key in input));
  return {
    ...{ status: response.status, branch },
    own: Object.fromEntries(entries.filter(([key]) => !(key in input))),
    isRestInput: JSON.stringify(rest) === JSON.stringify(input),
  };
}

test('Wait Until Drained whose time is up answers the caller from the error branch, with the error and what is left', async () => {
  expect(await replyOf('jobs-left')).toEqual({
    ...{ status: 200, branch: 'error', isRestInput: true },
    own: {
      error: expect.stringMatching(/^The queue 'jobs' is not drained after \d+ s$/),
      details: 'Left: 2 waiting, 0 active, 0 delayed, 0 paused.',
    },
  });
});

test('Wait Until Drained without a Redis answers the caller from the error branch, with the error', async () => {
  expect(await replyOf('no-redis')).toEqual({
    ...{ status: 200, branch: 'error', isRestInput: true },
    own: { error: expect.stringMatching(/ refused the connection: it does not run there/) },
  });
});

test('Wait Until Drained of an empty queue answers the caller from the success branch', async () => {
  expect(await replyOf('no-jobs')).toMatchObject({
    ...{ status: 200, branch: 'success' },
    own: { queue: 'jobs', waiting: 0, waitedMs: expect.any(Number) },
  });
});

test('Load Target that fails with status 429 answers the caller from the error branch, which can pass the status on', async () => {
  const message = 'Load Target failed, as it was asked to, with status 429';
  const { own, ...reply } = await replyOf('status-429');
  expect(reply).toEqual({ status: 429, branch: 'error', isRestInput: true });
  expect(Object.keys(own).sort()).toEqual(['details', 'error']);
  expect(own).toMatchObject({
    error: { name: 'AxiosError', message, code: 'ERR_BAD_REQUEST', status: 429 },
    details: { httpCode: '429' },
  });
});

test('Load Target that fails as a node answers the caller from the error branch, with the error', async () => {
  expect(await replyOf('node-error')).toEqual({
    ...{ status: 200, branch: 'error', isRestInput: true },
    own: { error: 'Load Target failed, as it was asked to' },
  });
});
