// A process with n8n's own execution engine (n8n-core of the lab's n8n) and both packages of nodes as they are
// packed. Its own process, because the operations hold memory and use CPU of the process they run
// in. Obeys one message at a time: {command, ...} -> {ok, value} or {ok: false, message}. Not TypeScript, as the types of
// n8n's engine are in no package that is installed here.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setImmediate } from 'node:timers';
import { fileURLToPath } from 'node:url';

process.env.N8N_LOG_LEVEL = 'silent';
// The nodes know n8n and its role by the program that runs.
process.argv = [
  process.argv[0],
  join(process.env.N8N_INSTALLATION, 'bin/n8n'),
  process.env.N8N_COMMAND ?? 'start',
];
const root = fileURLToPath(new URL('../../..', import.meta.url));
const n8nRequire = createRequire(join(process.env.N8N_INSTALLATION, 'package.json'));
n8nRequire('reflect-metadata');
const core = n8nRequire('n8n-core');
const workflowPackage = n8nRequire('n8n-workflow');
const { Container } = n8nRequire('@n8n/di');

// What n8n's command sets up before it starts the engine.
workflowPackage.Expression.setExpressionEngine?.('legacy');

const itemsNode = {
  description: {
    ...{ displayName: 'Items', name: 'items', group: ['input'], version: 1, description: '' },
    ...{ defaults: {}, inputs: [], outputs: ['main'] },
    properties: [{ displayName: 'Items', name: 'items', type: 'json', default: [] }],
  },
  async execute() {
    return [this.getNodeParameter('items', 0)];
  },
};

const loaders = ['n8n-nodes-load-target', 'n8n-nodes-queue-monitor'].map(
  (name) => new core.PackageDirectoryLoader(join(root, 'dist', name)),
);
const loaderOf = (node) => loaders.find(({ known }) => node in known.nodes);
const HTTP_REQUEST = 'n8n-nodes-base.httpRequest';
/** n8n's own node, in the newest of its versions. */
const httpRequest = () => {
  const { HttpRequest } = n8nRequire('n8n-nodes-base/dist/nodes/HttpRequest/HttpRequest.node.js');
  return new HttpRequest().getNodeType();
};
const nodeTypes = {
  getByName: (type) => nodeTypes.getByNameAndVersion(type),
  getByNameAndVersion: (type) =>
    type === 'test.items'
      ? itemsNode
      : type === HTTP_REQUEST
        ? httpRequest()
        : watched(loaderOf(type.split('.').pop()).getNode(type.split('.').pop()).type),
  getKnownTypes: () => Object.assign({}, ...loaders.map(({ known }) => known.nodes)),
};

const additionalData = (credential, mode, executionId) => ({
  executionId,
  hooks: new core.ExecutionLifecycleHooks(mode, executionId, {
    id: 'test',
    nodes: [],
    connections: {},
  }),
  credentialsHelper: {
    getDecrypted: async () => credential,
    getCredentialsProperties: () => [],
    isCredentialUsableByNode: () => true,
    authenticate: async (_credential, _type, options) => options,
    getParentTypes: () => [],
  },
  currentNodeExecutionIndex: 0,
  currentNodeParameters: undefined,
  variables: {},
  ...Object.fromEntries(
    [
      'restApi',
      'instanceBase',
      'webhookBase',
      'webhookWaitingBase',
      'webhookTestBase',
      'formWaitingBase',
    ].map((name) => [`${name}Url`, 'http://127.0.0.1/']),
  ),
  sendDataToUI: () => undefined,
  setExecutionStatus: () => undefined,
  logAiEvent: () => undefined,
  ...{ executeWorkflow: undefined, userId: 'test' },
});

const nodeOf = ({ node, parameters, settings, credential }) => ({
  ...{
    id: 'under-test',
    name: 'Under Test',
    type: node === 'httpRequest' ? HTTP_REQUEST : `${loaderOf(node).packageName}.${node}`,
  },
  ...{ typeVersion: 1, position: [200, 0], parameters },
  ...(credential && { credentials: { queueRedisApi: { id: '1', name: 'Redis' } } }),
  ...settings,
});

const workflowOf = (nodes, connections, staticData = {}) =>
  new workflowPackage.Workflow({
    ...{ id: 'test', name: 'test', nodes, connections, active: false, nodeTypes, staticData },
    settings: { executionOrder: 'v1' },
  });

/** What the node under test threw last. */
let thrown;
const watched = (type) =>
  type.execute === undefined
    ? type
    : Object.create(type, {
        execute: {
          async value() {
            try {
              return await type.execute.call(this);
            } catch (error) {
              thrown = error;
              throw error;
            }
          },
        },
      });

const asStored = (items) => JSON.parse(JSON.stringify(items));

async function run(message) {
  const { items = [{ json: {} }], credential, cancelAfterMs, executionId = '1' } = message;
  const { mode = 'trigger', stored } = message;
  const start = {
    ...{ id: 'start', name: 'Items', type: 'test.items', typeVersion: 1, position: [0, 0] },
    parameters: { items },
  };
  const workflow = workflowOf([start, nodeOf(message)], {
    Items: { main: [[{ node: 'Under Test', type: 'main', index: 0 }]] },
  });
  const execute = new core.WorkflowExecute(
    additionalData(credential, mode, executionId),
    mode,
    stored,
  );
  thrown = undefined;
  const began = performance.now();
  const running =
    stored === undefined
      ? execute.run({ workflow, startNode: start })
      : execute.processRunExecutionData(workflow);
  if (cancelAfterMs !== undefined) setTimeout(() => running.cancel(), cancelAfterMs);
  const { data, status } = await running;
  // A node that was cancelled throws after n8n has gone on.
  await new Promise((resolve) => setImmediate(resolve));
  const task = data.resultData.runData['Under Test']?.at(-1);
  const { error } = data.resultData;
  return {
    ...{ status, durationMs: performance.now() - began },
    // Items as n8n stores them and as the next node sees them: an error object is the fields that JSON has of it.
    items: asStored(task?.data?.main?.[0] ?? []),
    errorItems: asStored(task?.data?.main?.[1] ?? []),
    error: error && { ...error, message: error.message, name: error.name },
    // By the class, as n8n asks before it reports an error of its own.
    known: {
      operation: thrown instanceof workflowPackage.NodeOperationError,
      api: thrown instanceof workflowPackage.NodeApiError,
      cancelled: thrown instanceof workflowPackage.ExecutionCancelledError,
    },
  };
}

let closeTrigger;

async function startTrigger(message) {
  const workflow = workflowOf([nodeOf(message)], {}, message.staticData);
  // What n8n stores when a trigger starts an execution, and gives to the workflow when it starts again.
  const emitted = (data) =>
    process.send({
      emitted: data[0][0].json,
      staticData: JSON.parse(JSON.stringify(workflow.staticData)),
    });
  const context = (w, node, data, mode, activation) =>
    new core.TriggerContext(w, node, data, mode, activation, emitted);
  const response = await Container.get(core.TriggersAndPollers).runTriggerFunction(
    workflow,
    workflow.getNode('Under Test'),
    context,
    additionalData(message.credential, 'trigger', '1'),
    'trigger',
    message.activation ?? 'activate',
  );
  closeTrigger = response.closeFunction;
}

/** How often the event loop came round: nothing else than a node that yields lets it. */
let turns = 0;
const count = () => {
  turns += 1;
  setImmediate(count).unref();
};
setImmediate(count).unref();

const commands = {
  turns: async () => turns,
  run,
  // Stores an execution as n8n does before its first node: a retry of a lost one begins with it.
  begun: async ({ items }) => {
    const start = {
      ...{ id: 'start', name: 'Items', type: 'test.items', typeVersion: 1, position: [0, 0] },
      parameters: { items },
    };
    const nodeExecutionStack = [{ node: start, data: { main: [[{ json: {} }]] }, source: null }];
    return asStored(
      workflowPackage.createRunExecutionData({ executionData: { nodeExecutionStack } }),
    );
  },
  startTrigger,
  stopTrigger: () => closeTrigger(),
  testCredential: ({ credential }) =>
    loaderOf('queueMonitor')
      .getNode('queueMonitor')
      .type.methods.credentialTest.queueRedisApiTest.call({}, { data: credential }),
  load: async () =>
    loaders.map(({ packageName, loadedNodes, known }) => ({
      name: packageName,
      nodes: loadedNodes,
      credentials: Object.keys(known.credentials),
    })),
  collectGarbage: async () => globalThis.gc?.(),
  memory: async () => process.memoryUsage(),
  cpuTimeMs: async () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  },
  // What is left open by a connection, if one was.
  openSockets: async () =>
    process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length,
};

process.on('message', async ({ id, ...message }) => {
  try {
    const value = await commands[message.command](message);
    process.send({ id, ok: true, value });
  } catch (error) {
    const { name, description, context, stack } = error ?? {};
    const text = error instanceof Error ? error.message : String(error);
    process.send({ id, ok: false, message: text, error: { name, description, context, stack } });
  }
});
process.on('disconnect', () => process.exit());

Promise.all(loaders.map((loader) => loader.loadAll())).then(() => process.send({ ready: true }));
