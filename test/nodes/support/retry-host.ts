// What the engine of the lab's n8n makes of a retry: of an execution as processError() of n8n's workflow-runner leaves
// it when its job has stalled, and of one that is as it was when it was begun. Prints both as JSON.
import { createRequire } from 'node:module';
import { join } from 'node:path';

process.env['N8N_LOG_LEVEL'] = 'silent';
const n8nRequire = createRequire(join(process.env['N8N_INSTALLATION'] ?? '', 'package.json'));
n8nRequire('reflect-metadata');
const core = n8nRequire('n8n-core');
const workflowPackage = n8nRequire('n8n-workflow');

let nodesRun = 0;
const nodeType = {
  description: {
    ...{ displayName: 'Work', name: 'work', group: ['input'], version: 1, description: '' },
    ...{ defaults: {}, inputs: ['main'], outputs: ['main'], properties: [] },
  },
  execute: async () => {
    nodesRun += 1;
    return [[{ json: {} }]];
  },
};
const nodeTypes = {
  getByName: () => nodeType,
  getByNameAndVersion: () => nodeType,
  getKnownTypes: () => ({}),
};
const node = { id: 'a', name: 'Work', type: 'test.work', typeVersion: 1, position: [0, 0] };
const nodes = [{ ...node, parameters: {} }];
const described = { id: 'test', name: 'test', nodes, connections: {} };
const workflow = new workflowPackage.Workflow({
  ...{ ...described, active: false, nodeTypes, settings: { executionOrder: 'v1' } },
});

async function retried(data: object): Promise<object> {
  nodesRun = 0;
  const additionalData = {
    executionId: '1',
    hooks: new core.ExecutionLifecycleHooks('retry', '1', described),
    ...{ credentialsHelper: {}, variables: {}, currentNodeExecutionIndex: 0 },
    ...{ setExecutionStatus() {}, sendDataToUI() {}, logAiEvent() {} },
  };
  const execute = new core.WorkflowExecute(additionalData, 'retry', data);
  const { status, finished } = await execute.processRunExecutionData(workflow);
  return { status, finished, nodesRun };
}

const { createRunExecutionData } = workflowPackage;
const error = { message: 'job stalled more than maxStalledCount' };
const waiting = { node: nodes[0], data: { main: [[{ json: {} }]] }, source: null };
const stalled = createRunExecutionData({ resultData: { error, runData: {} } });
const begun = createRunExecutionData({ executionData: { nodeExecutionStack: [waiting] } });
console.log(JSON.stringify({ stalled: await retried(stalled), begun: await retried(begun) }));
process.exit(0);
