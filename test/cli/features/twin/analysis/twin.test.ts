import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  calledBy,
  slugOf,
  twinOf,
  type Twin,
  type TwinOrder,
} from '../../../../../cli/src/features/twin/analysis/twin';
import {
  NOTHING_RECORDED,
  type RecordedNode,
} from '../../../../../cli/src/features/twin/analysis/recorded';
import {
  parseExport,
  type ExportedWorkflow,
} from '../../../../../cli/src/catalogue/exported-workflow';
import { nameOf } from '../../../../../cli/src/catalogue/triggers';

const template = (name: string): ExportedWorkflow => {
  const file = join(__dirname, `../../../../process/twins/${name}.json`);
  const [workflow] = parseExport(readFileSync(file, 'utf8'), file);
  if (workflow === undefined) throw new Error(name);
  return workflow;
};

interface Given extends Partial<Omit<TwinOrder, 'sources'>> {
  /** The recorded nodes of the first workflow. */
  recorded?: ReadonlyMap<string, RecordedNode>;
  last?: string;
}

function twin(workflows: readonly ExportedWorkflow[], given: Given = {}): Twin {
  const { recorded: nodes = new Map<string, RecordedNode>(), last = null, ...order } = given;
  let count = 0;
  return twinOf({
    sources: workflows.map((workflow, index) => ({
      workflow,
      recording: index === 0 ? { nodes, last } : NOTHING_RECORDED,
    })),
    ...{ name: slugOf(workflows[0]?.name ?? ''), trigger: undefined, allow: new Set() },
    newId: () => `id-${String((count += 1))}`,
    ...order,
  });
}

const node = (name: string, type: string, more: object = {}) => ({
  name,
  type,
  parameters: {},
  ...more,
});
const WEBHOOK = node('Webhook', 'n8n-nodes-base.webhook', {
  parameters: { path: 'a', httpMethod: 'POST', responseMode: 'lastNode' },
});
/** A workflow of a webhook and one more node. */
const withNode = (name: string, type: string, more: object = {}): ExportedWorkflow => ({
  ...{ id: 'w', name: 'Mine', nodes: [WEBHOOK, node(name, type, more)] },
  connections: { Webhook: { main: [[{ node: name, type: 'main', index: 0 }]] } },
});
const nodeIn = ({ workflows }: Twin, name: string) =>
  workflows.flatMap(({ nodes }) => nodes).find((each) => nameOf(each) === name);

test.each(['order', 'agent', 'loop'])(
  'nothing in the twin of %s has an address or a credential of the original',
  (name) => {
    const made = twin([template(name)]);
    const text = JSON.stringify(made.workflows);
    expect(made.leaving).toEqual([]);
    expect(text).not.toContain('"Production"');
    const addresses = [...text.matchAll(/https?:\/\/([^/"\\ ]+)/g)].map(([, host]) => host);
    expect(new Set(addresses)).toEqual(new Set(['127.0.0.1:5690']));
    expect(made.workflows[0]?.name).toBe(`${template(name).name ?? ''} (twin)`);
  },
);

test('the order workflow keeps its shape: each node has its name, its connections and its retries', () => {
  const [original, made] = [template('order'), twin([template('order')])];
  const names = (nodes: ExportedWorkflow['nodes'] = []): string[] => nodes.map(nameOf).sort();
  expect(names(made.workflows[0]?.nodes)).toEqual(names(original.nodes));
  expect(made.workflows[0]?.connections).toEqual(original.connections);
  expect(nodeIn(made, 'Stock')).toMatchObject({ retryOnFail: true, maxTries: 3 });
  expect(nodeIn(made, 'Customer')).toMatchObject({
    ...{ type: 'n8n-nodes-base.httpRequest', alwaysOutputData: true },
    parameters: { url: 'http://127.0.0.1:5690/to/postgres/node/order/customer' },
  });
  expect(nodeIn(made, 'Confirm by mail')).toMatchObject({ onError: 'continueRegularOutput' });
  expect(made.request).toEqual({
    ...{ method: 'POST', path: '/webhook/twin-order', body: {}, answers: 'when-done' },
    expect: ['status==200'],
  });
  expect(made.kept + made.rows.length).toBe(14);
});

test('an agent keeps its model with a credential of the stand-in, and its memory becomes that of n8n', () => {
  const made = twin([template('agent')]);
  expect(nodeIn(made, 'Model')).toMatchObject({
    credentials: { openAiApi: { id: 'twin-openai' } },
  });
  expect(nodeIn(made, 'Memory')).toMatchObject({
    type: '@n8n/n8n-nodes-langchain.memoryBufferWindow',
  });
  expect(nodeIn(made, 'Encyclopedia')).toMatchObject({ type: 'n8n-nodes-base.httpRequestTool' });
  expect(made.credentials).toEqual([
    expect.objectContaining({
      id: 'twin-openai',
      data: { apiKey: 'opens-nothing', url: 'http://127.0.0.1:5690/to/api.openai.com/v1' },
    }),
  ]);
  expect(made.request).toMatchObject({ method: 'POST', body: { action: 'sendMessage' } });
});

test('a schedule becomes a webhook, whose body is what the schedule gave', () => {
  const recorded = new Map([['Each night', { callsMs: [0], items: [{ timestamp: 'x' }] }]]);
  const made = twin([template('loop')], { recorded });
  expect(nodeIn(made, 'Each night')).toMatchObject({ type: 'n8n-nodes-base.set' });
  expect(made.request).toMatchObject({
    path: '/webhook/twin-sync-contacts',
    body: { timestamp: 'x' },
  });
  expect(nodeIn(made, 'Request of the twin')?.disabled ?? false).toBe(false);
});

test('other triggers are off', () => {
  const workflow = withNode('Mails', 'n8n-nodes-base.emailReadImap');
  const made = twin([workflow]);
  expect(nodeIn(made, 'Mails')).toMatchObject({ disabled: true });
  expect(made.rows.find((row) => row.node === 'Mails')?.inTest).toBe('off');
});

test('what was recorded of a node is what the stand-in answers, as fast', () => {
  const recorded = new Map([['Rows', { callsMs: [40], items: [{ a: 1 }, { a: 2 }] }]]);
  const { rules } = twin([withNode('Rows', 'n8n-nodes-base.postgres')], { recorded });
  expect(rules[0]).toEqual({
    host: 'postgres',
    path: '/node/mine/rows',
    latency: '40ms',
    json: [{ a: 1 }, { a: 2 }],
  });
  expect(rules.at(-1)).toMatchObject({ path: '/*' });
});

test.each([
  [
    'of a package that is not known',
    'n8n-nodes-acme.crm',
    {},
    'its type n8n-nodes-acme.crm is not known',
  ],
  [
    'whose code calls something',
    'n8n-nodes-base.code',
    { parameters: { jsCode: 'return await this.helpers.httpRequest({ url })' } },
    'its code makes external calls',
  ],
  [
    'whose code calls something in the older way',
    'n8n-nodes-base.code',
    { parameters: { jsCode: "return await this.helpers['request']({ url })" } },
    'its code makes external calls',
  ],
  ...['import requests as r', 'from http.client import HTTPSConnection', 'import json, socket'].map(
    (pythonCode): [string, string, object, string] => [
      `whose Python begins with ${pythonCode}`,
      'n8n-nodes-base.code',
      { parameters: { pythonCode } },
      'its code makes external calls',
    ],
  ),
  [
    'that writes a file',
    'n8n-nodes-base.readWriteFile',
    { parameters: { operation: 'write' } },
    'writes a file',
  ],
  [
    'that calls a workflow which is not there',
    'n8n-nodes-base.executeWorkflow',
    { parameters: { workflowId: { __rl: true, value: 'other' } } },
    'the workflow other, which it calls, is not in any of the files',
  ],
  [
    'that calls a workflow by an expression',
    'n8n-nodes-base.executeWorkflow',
    { parameters: { workflowId: '={{ $json.id }}' } },
    'known only at run time',
  ],
  ['that ranks for an agent', '@n8n/n8n-nodes-langchain.rerankerCohere', {}, 'is not known'],
  [
    'that is an agent of a database, as older versions have it',
    '@n8n/n8n-nodes-langchain.agent',
    { parameters: { agent: 'sqlAgent' } },
    'it queries a database directly',
  ],
])('a node %s would leave n8n, unless it is allowed by its name', (_, type, more, why) => {
  const workflow = withNode('Node', type, more);
  expect(twin([workflow]).leaving).toEqual([
    expect.objectContaining({ node: 'Node', why: expect.stringContaining(why) as unknown }),
  ]);
  const allowed = twin([workflow], { allow: new Set(['Node']) });
  expect(allowed.leaving).toEqual([]);
  expect(nodeIn(allowed, 'Node')?.type).toBe(type);
});

test('a node that is not known is replaced once an execution shows what it returns', () => {
  const recorded = new Map([['Node', { callsMs: [5], items: [{ ok: 1 }] }]]);
  expect(twin([withNode('Node', 'n8n-nodes-acme.crm')], { recorded }).leaving).toEqual([]);
});

test.each([
  ['code that computes', 'n8n-nodes-base.code', { jsCode: 'return $input.all()', requests: [] }],
  ['Python that computes', 'n8n-nodes-base.code', { pythonCode: 'import json\nreturn _items' }],
  ['a file that is read', 'n8n-nodes-base.readWriteFile', { operation: 'read' }],
  ['a file that is read, as n8n exports it', 'n8n-nodes-base.readWriteFile', {}],
])('%s stays as it is', (_, type, parameters) => {
  expect(twin([withNode('Node', type, { parameters })]).leaving).toEqual([]);
});

test('a request goes to the stand-in itself, and not through the proxy of the original', () => {
  const made = twin([
    withNode('Call', 'n8n-nodes-base.httpRequest', {
      parameters: {
        url: 'https://api.example.com/a',
        options: { proxy: 'http://proxy.example.com:3128', timeout: 5_000 },
      },
    }),
  ]);
  expect(nodeIn(made, 'Call')).toMatchObject({ parameters: { options: { timeout: 5_000 } } });
  expect(JSON.stringify(made.workflows)).not.toContain('proxy.example.com');
});

test('a webhook of a called workflow is off, so that it takes no call that is meant for the original', () => {
  const called = {
    ...withNode('Work', 'n8n-nodes-base.set'),
    ...{ id: 'called', name: 'Called' },
  };
  const caller = withNode('Call', 'n8n-nodes-base.executeWorkflow', {
    parameters: { workflowId: 'called' },
  });
  const made = twin([caller, called]);
  const webhooks = made.workflows.map(({ nodes }) =>
    nodes.find((one) => nameOf(one) === 'Webhook'),
  );
  expect(webhooks.map((webhook) => webhook?.disabled ?? false)).toEqual([false, true]);
});

test('a called workflow comes along, under an id of the twin', () => {
  const caller = withNode('Call', 'n8n-nodes-base.executeWorkflow', {
    parameters: { workflowId: { __rl: true, mode: 'list', value: 'sub' } },
  });
  const sub: ExportedWorkflow = {
    ...{ id: 'sub', name: 'Sub', connections: {} },
    nodes: [
      node('Begin', 'n8n-nodes-base.executeWorkflowTrigger'),
      node('Mail', 'n8n-nodes-base.gmail'),
    ],
  };
  const made = twin([caller, sub]);
  expect(made.leaving).toEqual([]);
  expect(made.workflows).toHaveLength(2);
  expect(nodeIn(made, 'Call')?.['parameters']).toEqual({
    workflowId: { __rl: true, mode: 'id', value: made.workflows[1]?.id },
  });
  expect(nodeIn(made, 'Mail')?.type).toBe('n8n-nodes-base.httpRequest');
});

test('a workflow with several triggers asks which is loaded', () => {
  const workflow = withNode('Other', 'n8n-nodes-base.webhook', { parameters: { path: 'b' } });
  expect(() => twin([workflow])).toThrow("use --trigger to choose one of 'Webhook', 'Other'.");
  const made = twin([workflow], { trigger: 'Other' });
  expect(made.request.method).toBe('GET');
  expect(nodeIn(made, 'Webhook')).toMatchObject({ disabled: true });
  expect(() => twin([workflow], { trigger: 'None' })).toThrow("--trigger 'None' is not a trigger");
});

test('a call of the error workflow stays one, and no request counts it', () => {
  const failing = {
    ...withNode('Work', 'n8n-nodes-base.set'),
    settings: { errorWorkflow: 'errors', saveExecutionProgress: true, callerPolicy: 'any' },
  };
  const onError: ExportedWorkflow = {
    ...{ id: 'errors', name: 'Errors', connections: {} },
    nodes: [node('Failed', 'n8n-nodes-base.errorTrigger')],
  };
  const made = twin([failing, onError]);
  expect(made.workflows).toHaveLength(1);
  expect(made.workflows[0]?.['settings']).toEqual({
    ...{ errorWorkflow: made.onError[0]?.id, saveExecutionProgress: true },
  });
  expect(made.notes).toEqual([]);
  expect(twin([failing]).notes).toEqual([
    expect.stringContaining('The error workflow errors of Mine is not included'),
  ]);
  expect(calledBy(failing)).toEqual(['errors']);
});

describe('a server of tools', () => {
  const MCP = '@n8n/n8n-nodes-langchain.mcpTrigger';
  const serving = { ai_tool: [[{ node: 'Server', type: 'ai_tool', index: 0 }]] };
  const ask = `={{ $fromAI('city', 'Where', 'string') }} {{ $fromAI("days", "", "number") }}`;
  const server: ExportedWorkflow = {
    ...{ id: 'w', name: 'Tools', connections: { 'The weather': serving, 'Add up': serving } },
    nodes: [
      node('Server', MCP, { parameters: { path: 'tools' } }),
      node('The weather', 'n8n-nodes-base.httpRequestTool', {
        parameters: { url: 'https://weather.example/now', bodyParameters: ask },
      }),
      node('Add up', '@n8n/n8n-nodes-langchain.toolCode', { parameters: { name: 'sum' } }),
    ],
  };
  const called = (mcpToolCall: object): RecordedNode => ({
    callsMs: [1],
    items: [{ mcpToolCall }],
  });

  test('becomes a webhook that calls its first tool, with a value for each argument, and says so', () => {
    const { request, rows, workflows } = twin([server]);
    expect(request).toMatchObject({ method: 'POST', path: '/webhook/twin-tools' });
    expect(request.body).toEqual({ tool: 'The_weather', input: { city: 'x', days: 1 } });
    expect(request.expect).toEqual(['status==200']);
    expect(rows[0]).toMatchObject({
      ...{ node: 'Server', inTest: 'a webhook that calls a tool, without MCP' },
    });
    const types = workflows[0]?.nodes.map(({ type }) => type.replace(/^.*\./, ''));
    expect(types).toEqual(['webhook', 'toolExecutor', 'httpRequestTool', 'toolCode']);
  });

  test.each([
    [
      { toolName: 'sum', arguments: { of: [1, 2] } },
      { tool: 'sum', input: { of: [1, 2] } },
    ],
    [
      { toolName: 'weather', sourceNodeName: 'The weather', arguments: { city: 'y' } },
      { tool: 'The_weather', input: { city: 'y' } },
    ],
  ])('calls what a recorded client called: %o', (call, body) => {
    expect(twin([server], { recorded: new Map([['Server', called(call)]]) }).request.body).toEqual(
      body,
    );
  });

  test('without a tool is refused', () => {
    expect(() => twin([{ ...server, connections: {} }])).toThrow(
      "the tool server 'Server' has no tools: connect a tool, or choose another trigger with --trigger.",
    );
  });

  test('is off where another trigger is loaded', () => {
    const both = { ...server, nodes: [...server.nodes, WEBHOOK] };
    const { rows } = twin([both], { trigger: 'Webhook' });
    expect(rows).toContainEqual(expect.objectContaining({ node: 'Server', inTest: 'off' }));
  });
});

test('a form becomes a webhook whose body has its fields', () => {
  const form = {
    ...withNode('Work', 'n8n-nodes-base.set'),
    nodes: [
      node('Form', 'n8n-nodes-base.formTrigger', {
        parameters: { formFields: { values: [{ fieldLabel: 'Name' }, { fieldName: 'mail' }] } },
      }),
    ],
  };
  expect(twin([form]).request.body).toEqual({ Name: 'x', mail: 'x' });
});

test('the response has to be as it was recorded: its status, and fields of the item that it was made of', () => {
  const answering = (parameters: object): ExportedWorkflow => ({
    ...{ id: 'w', name: 'Mine', connections: {} },
    nodes: [
      node('Webhook', 'n8n-nodes-base.webhook', { parameters }),
      node('Yes', 'n8n-nodes-base.respondToWebhook', {
        parameters: { options: { responseCode: 201 } },
      }),
      node('No', 'n8n-nodes-base.respondToWebhook', {
        parameters: { respondWith: 'text', options: { responseCode: 404 } },
      }),
    ],
  });
  const item = (json: object): RecordedNode => ({ callsMs: [1], items: [json] });
  const expected = (parameters: object, given: Given): string[] =>
    twin([answering(parameters)], given).request.expect;
  const byNode = { responseMode: 'responseNode' };
  expect(expected(byNode, {})).toEqual(['status<400']);
  expect(expected(byNode, { recorded: new Map([['Yes', item({ ok: true, 'a b': 1 })]]) })).toEqual([
    'status==201',
    'json.ok',
  ]);
  expect(expected(byNode, { recorded: new Map([['No', item({ ok: true })]]) })).toEqual([
    'status==404',
  ]);
  const last = { recorded: new Map([['Yes', item({ a: 1, b: null, c: 2 })]]), last: 'Yes' };
  expect(expected({ responseMode: 'lastNode' }, last)).toEqual(['status==200', 'json.a', 'json.c']);
  expect(
    expected(
      { responseMode: 'onReceived', options: { responseCode: { values: { responseCode: 202 } } } },
      last,
    ),
  ).toEqual(['status==202']);
});

test('calls of one address by two methods have answers of their own, and an address that is known comes first', () => {
  const call = (name: string, parameters: object) =>
    node(name, 'n8n-nodes-base.httpRequest', { parameters });
  const workflow: ExportedWorkflow = {
    ...{ id: 'w', name: 'Mine', connections: {} },
    nodes: [
      WEBHOOK,
      call('Any', { url: '=https://a.example/{{ $json.id }}' }),
      call('Read', { url: 'https://a.example/b' }),
      call('Write', { url: 'https://a.example/b', method: 'POST' }),
    ],
  };
  expect(twin([workflow]).rules.map(({ method, path }) => [method, path])).toEqual([
    ...[
      ['GET', '/b'],
      ['POST', '/b'],
      ['GET', undefined],
      [undefined, '/*'],
    ],
  ]);
});

test('what an option of HTTP Request makes of an answer is not answered again', () => {
  const call = (response: object) =>
    withNode('Call', 'n8n-nodes-base.httpRequest', {
      parameters: { url: 'https://a.example/b', options: { response: { response } } },
    });
  const answer = (response: object, json: object) =>
    twin([call(response)], { recorded: new Map([['Call', { callsMs: [1], items: [json] }]]) })
      .rules[0];
  expect(answer({ fullResponse: true }, { body: { id: 7 }, statusCode: 200 })).toMatchObject({
    json: { id: 7 },
  });
  expect(answer({ responseFormat: 'text' }, { data: 'a,b' })).toMatchObject({ text: 'a,b' });
});

test('the stand-in is as long and as fast as the language model that was recorded', () => {
  const recorded = new Map([['Model', { callsMs: [900], items: [{}], tokens: 60 }]]);
  expect(twin([template('agent')], { recorded }).model).toEqual({
    ...{ tokens: 60, firstToken: '900ms', betweenTokens: '0s' },
  });
  expect(twin([template('agent')]).model).toBeNull();
});

test('nodes of one name in two workflows of a twin have answers of their own', () => {
  const caller = withNode('Mail', 'n8n-nodes-base.gmail');
  const sub: ExportedWorkflow = {
    ...{ id: 'sub', name: 'Sub', connections: {} },
    nodes: [node('Mail', 'n8n-nodes-base.gmail')],
  };
  expect(twin([caller, sub]).rules.map(({ path }) => path)).toEqual([
    ...['/node/mine/mail', '/node/mine/mail-2', '/*'],
  ]);
});

test('a workflow that calls itself does so in the twin, and a node without parameters is one', () => {
  const itself = withNode('Call', 'n8n-nodes-base.executeWorkflow', {
    parameters: { workflowId: { __rl: true, mode: 'id', value: '={{ $workflow.id }}' } },
  });
  const made = twin(
    [{ ...itself, nodes: [...itself.nodes, node('Do', 'a.b', { parameters: null })] }],
    {
      allow: new Set(['Do']),
    },
  );
  expect(made.leaving).toEqual([]);
  expect(nodeIn(made, 'Call')?.['parameters']).toEqual(itself.nodes[1]?.['parameters']);
  expect(twin([withNode('Say', 'n8n-nodes-base.slack', { parameters: null })]).leaving).toEqual([]);
});

test('a data table is replaced as any other database is', () => {
  const recorded = new Map([['Rows', { callsMs: [4], items: [{ a: 1 }] }]]);
  const made = twin([withNode('Rows', 'n8n-nodes-base.dataTable')], { recorded });
  expect(nodeIn(made, 'Rows')?.type).toBe('n8n-nodes-base.httpRequest');
  expect(made.rules[0]).toMatchObject({ latency: '4ms', json: { a: 1 } });
});

test('what signs in n8n does so with a credential of the test', () => {
  const made = twin([
    withNode('Sign', 'n8n-nodes-base.jwt', {
      parameters: { operation: 'sign', options: { algorithm: 'RS256', kid: 'a' } },
      credentials: { jwtAuth: { id: '7', name: 'Production' } },
    }),
  ]);
  expect(nodeIn(made, 'Sign')).toMatchObject({
    parameters: { options: { kid: 'a' } },
    credentials: { jwtAuth: { id: 'twin-jwt' } },
  });
  expect(made.credentials).toEqual([
    expect.objectContaining({ id: 'twin-jwt', type: 'jwtAuth' }) as unknown,
  ]);
  const other = twin([
    withNode('Pause', 'n8n-nodes-base.set', {
      credentials: { any: { id: '7', name: 'Production' } },
    }),
  ]);
  expect(JSON.stringify(other.workflows)).not.toContain('Production');
});

test('the page of a form is filled in, and a wait for a call from outside is over at once', () => {
  const workflow: ExportedWorkflow = {
    ...{ id: 'w', name: 'Mine', connections: {} },
    nodes: [
      node('Form', 'n8n-nodes-base.formTrigger'),
      node('Page', 'n8n-nodes-base.form', {
        parameters: { formFields: { values: [{ fieldLabel: 'Name' }] } },
      }),
      node('End', 'n8n-nodes-base.form', { parameters: { operation: 'completion' } }),
      node('Approved', 'n8n-nodes-base.wait', { parameters: { resume: 'webhook' } }),
      node('Pause', 'n8n-nodes-base.wait', { parameters: { amount: 2, unit: 'hours' } }),
    ],
  };
  const recorded = new Map([['Approved', { callsMs: [9], items: [{ body: { yes: true } }] }]]);
  const made = twin([workflow], { recorded });
  const json = (name: string): unknown =>
    (nodeIn(made, name)?.['parameters'] as { jsonOutput?: unknown } | undefined)?.jsonOutput;
  expect(json('Page')).toBe('{"Name":"x"}');
  expect(json('Approved')).toBe('{"body":{"yes":true}}');
  expect(nodeIn(made, 'End')?.type).toBe('n8n-nodes-base.noOp');
  expect(nodeIn(made, 'Pause')?.type).toBe('n8n-nodes-base.wait');
  expect(made.rows.filter(({ node: name }) => name !== 'Form').map(({ inTest }) => inTest)).toEqual(
    [...['filled in at once', 'filled in at once', 'continues at once']],
  );
  expect(made.notes).toEqual([
    "'Pause' waits 2 hours, as in the original, so each request takes as long: shorten the wait in the twin's workflow.",
  ]);
});

test('a webhook in the place of another trigger responds by the node that is there for it', () => {
  const schedule = (more: object[]): ExportedWorkflow => ({
    ...{ id: 'w', name: 'Mine' },
    nodes: [
      node('Each hour', 'n8n-nodes-base.scheduleTrigger'),
      node('Say', 'n8n-nodes-base.respondToWebhook', {
        parameters: { options: { responseCode: 201 } },
      }),
      ...more.map((each) => ({ type: 'a.b', ...each })),
    ],
    connections: { 'Each hour': { main: [[{ node: 'Say', type: 'main', index: 0 }]] } },
  });
  const made = twin([schedule([])]);
  expect(nodeIn(made, 'Request of the twin')).toMatchObject({
    parameters: { responseMode: 'responseNode' },
  });
  expect(made.request.expect).toEqual(['status==201']);
  const { connections, ...rest } = schedule([]);
  expect(connections).toBeDefined();
  expect(nodeIn(twin([{ ...rest, connections: {} }]), 'Request of the twin')).toMatchObject({
    parameters: { responseMode: 'lastNode' },
  });
});

test.each([
  ['@n8n/n8n-nodes-langchain.chatTrigger', { options: { responseMode: 'streaming' } }],
  ['@n8n/n8n-nodes-langchain.chatTrigger', { availableInChat: true }],
  ['n8n-nodes-base.webhook', { path: 'a', responseMode: 'streaming' }],
])('what is streamed has an end, and no error in it: %s %o', (type, parameters) => {
  const recorded = new Map([['Agent', { callsMs: [1], items: [{ output: 'x' }] }]]);
  const workflow: ExportedWorkflow = {
    ...{ id: 'w', name: 'Mine', connections: {}, nodes: [node('Begin', type, { parameters })] },
  };
  expect(twin([workflow], { recorded, last: 'Agent' }).request).toMatchObject({
    answers: 'when-done',
    expect: ['status==200', 'body~type":"end', 'body!~type":"error'],
  });
});

describe('a request by HTTP', () => {
  const call = (parameters: object) =>
    withNode('Call', 'n8n-nodes-base.httpRequest', {
      parameters: { url: 'https://a.example/b', ...parameters },
    });

  test('brings no certificate of the original', () => {
    const made = twin([call({ provideSslCertificates: true })]);
    expect(nodeIn(made, 'Call')).toMatchObject({ parameters: { provideSslCertificates: false } });
  });

  test('waits between its batches by itself, so the service does not take that time', () => {
    const batch = { batching: { batch: { batchSize: 2, batchInterval: 100 } } };
    const recorded = new Map([['Call', { callsMs: [250], items: [{ a: 1 }], perRun: 5 }]]);
    expect(twin([call({ options: batch })], { recorded }).rules[0]).toMatchObject({
      latency: '50ms',
    });
  });

  test.each([
    [
      'updateAParameterInEachRequest',
      '={{ $response.body.page }}',
      3,
      [{ a: 1 }, { a: 2 }, { a: 3 }],
    ],
    ['updateAParameterInEachRequest', '={{ $pageCount + 1 }}', 1, [{ a: 1 }, { a: 2 }, { a: 3 }]],
    ['responseContainsNextURL', '={{ $response.body.next }}', 3, [{ a: 1 }, { a: 2 }, { a: 3 }]],
    ['responseContainsNextURL', '={{ $response.body.next }}', 1, undefined],
  ])('asks for as many pages as it was given: %s %s', (paginationMode, value, pages, items) => {
    const how =
      paginationMode === 'responseContainsNextURL'
        ? { nextURL: value }
        : { parameters: { parameters: [{ name: 'page', value }] } };
    const pagination = { pagination: { paginationMode, ...how, requestInterval: 10 } };
    const recorded = new Map(items && [['Call', { callsMs: [320], items }]]);
    const made = twin([call({ options: { pagination } })], { recorded });
    const written = (nodeIn(made, 'Call')?.['parameters'] as { options: Record<string, unknown> })
      .options['pagination'];
    expect(written).toMatchObject({
      pagination: {
        ...{ paginationMode, paginationCompleteWhen: 'other', completeExpression: '={{ false }}' },
        ...{ limitPagesFetched: true, maxRequests: pages },
      },
    });
    expect(JSON.stringify(written)).not.toContain('undefined');
    if (items !== undefined) {
      expect(made.rules[0]).toMatchObject({
        ...{ latency: pages === 3 ? '100ms' : '320ms', headers: { etag: '{{n}}' } },
        json: pages === 3 ? { a: 1 } : items,
      });
    }
  });
});

test('a file that a service gave is one of its size and its kind', () => {
  const file = { key: 'data', type: 'text/csv', name: 'rows.csv', bytes: 2048 };
  const recorded = new Map([['Load', { callsMs: [7], items: [{}], files: [file] }]]);
  const made = twin([withNode('Load', 'n8n-nodes-base.googleDrive')], { recorded });
  expect(nodeIn(made, 'Load')).toMatchObject({
    parameters: {
      options: { response: { response: { responseFormat: 'file', outputPropertyName: 'data' } } },
    },
  });
  expect(made.rules[0]).toMatchObject({
    headers: {
      'content-type': 'text/csv',
      'content-disposition': 'attachment; filename="rows.csv"',
    },
    json: { $text: 2048 },
  });
});

test('what reads a file that is made up is replaced too, and without an execution a note says why it fails', () => {
  const to = (name: string) => ({ main: [[{ node: name, type: 'main', index: 0 }]] });
  const workflow: ExportedWorkflow = {
    ...{ id: 'w', name: 'Mine' },
    nodes: [
      WEBHOOK,
      node('Load', 'n8n-nodes-base.googleDrive'),
      node('Wait', 'n8n-nodes-base.noOp'),
      node('Rows', 'n8n-nodes-base.extractFromFile'),
    ],
    connections: { Webhook: to('Load'), Load: to('Wait'), Wait: to('Rows') },
  };
  const file = { key: 'data', type: 'text/csv', name: 'rows.csv', bytes: 2048 };
  const recorded = new Map<string, RecordedNode>([
    ['Load', { callsMs: [7], items: [{}], files: [file] }],
    ['Rows', { callsMs: [3], items: [{ a: 1 }, { a: 2 }] }],
  ]);
  const made = twin([workflow], { recorded });
  expect(nodeIn(made, 'Rows')?.type).toBe('n8n-nodes-base.httpRequest');
  expect(made.notes).toEqual([]);
  const without = twin([workflow]);
  expect(nodeIn(without, 'Rows')?.type).toBe('n8n-nodes-base.extractFromFile');
  expect(without.notes).toEqual([
    "'Rows' reads a file, which the stand-in can only provide from an execution: create the twin with an execution.",
  ]);
  const own = { ...workflow, connections: { Webhook: to('Rows') } };
  expect(twin([own]).notes).toEqual([]);
});

test('a node that had a credential has one of the test, since n8n reads and decrypts it each time', () => {
  const credentials = { slackApi: { id: '7', name: 'Production' } };
  const made = twin([withNode('Tell', 'n8n-nodes-base.slack', { credentials })]);
  const ofTest = { httpHeaderAuth: { id: 'twin-service', name: 'Twin: stand-in of a service' } };
  const byIt = { authentication: 'genericCredentialType', genericAuthType: 'httpHeaderAuth' };
  expect(nodeIn(made, 'Tell')).toMatchObject({ parameters: byIt, credentials: ofTest });
  expect(made.credentials.map(({ id }) => id)).toEqual(['twin-service']);
  const request = (typeVersion: number, more: object) =>
    twin([
      withNode('Call', 'n8n-nodes-base.httpRequest', {
        ...{ typeVersion, ...more },
        parameters: {
          ...{ url: 'https://a.example', nodeCredentialType: 'slackApi' },
          authentication: 'predefinedCredentialType',
        },
      }),
    ]);
  expect(nodeIn(request(4.2, { credentials }), 'Call')).toMatchObject({
    ...{ parameters: byIt, credentials: ofTest },
  });
  for (const made of [request(4.2, {}), request(1, { credentials })]) {
    expect(nodeIn(made, 'Call')).toMatchObject({ parameters: { authentication: 'none' } });
    expect(nodeIn(made, 'Call')?.['credentials']).toBeUndefined();
  }
});

test('a connection that leads nowhere stays behind, since n8n imports no workflow that has one', () => {
  const workflow = withNode('Say', 'n8n-nodes-base.slack');
  const to = (name: string) => ({ node: name, type: 'main', index: 0 });
  const made = twin([
    {
      ...workflow,
      connections: {
        Webhook: { main: [[to('Say'), to('Gone')], null] },
        Gone: { main: [[to('Say')]] },
      },
    },
  ]);
  expect(made.workflows[0]?.connections).toEqual({ Webhook: { main: [[to('Say')], null] } });
});

test('a vector store does not grow with each request, and what follows an empty one runs all the same', () => {
  const store = '@n8n/n8n-nodes-langchain.vectorStorePinecone';
  const insert = twin([withNode('Put', store, { parameters: { mode: 'insert' } })]);
  expect(nodeIn(insert, 'Put')).toMatchObject({ parameters: { mode: 'insert', clearStore: true } });
  const load = twin([withNode('Find', store, { parameters: { mode: 'load', prompt: 'x' } })]);
  expect(nodeIn(load, 'Find')).toMatchObject({ alwaysOutputData: true });
  expect(nodeIn(insert, 'Put')?.['alwaysOutputData']).toBeUndefined();
});

test('a request has the own headers of the recorded one, but none that opens something', () => {
  const headers = {
    ...{ host: 'n8n.example', 'content-type': 'application/json', 'x-forwarded-for': '10.0.0.1' },
    ...{ 'x-event': 'paid', 'x-api-key': 'opens', 'x-hub-signature-256': 'opens', cookie: 'a=b' },
    ...{ 'x-load-id': '7', 'x-request-id': '8', 'x-gitlab-token': 'opens' },
  };
  const recorded = new Map([['Webhook', { callsMs: [1], items: [{ body: { a: 1 }, headers }] }]]);
  const { request } = twin([withNode('Do', 'n8n-nodes-base.set')], { recorded });
  expect(request).toMatchObject({ body: { a: 1 }, headers: { 'x-event': 'paid' } });
  expect(Object.keys(request.headers ?? {})).toEqual(['x-event']);
});

test('a request to a language model that nothing is recorded of has no rule: the stand-in answers it as one', () => {
  const call = (path: string) =>
    twin([
      withNode('Ask', 'n8n-nodes-base.httpRequest', {
        parameters: { url: `https://api.openai.com/v1/${path}`, method: 'POST' },
      }),
    ]).rules.map(({ path: of }) => of);
  expect(call('chat/completions')).toEqual(['/*']);
  expect(call('files')).toEqual(['/v1/files', '/*']);
});

describe('what stands for a node', () => {
  const sentBy = (type: string, parameters: object) =>
    nodeIn(twin([withNode('Tell', type, { parameters })]), 'Tell')?.['parameters'];

  test('computes what the node computes of its items, and sends it', () => {
    const sent = sentBy('n8n-nodes-base.slack', {
      ...{ resource: 'message', text: '=Order {{ $json.id }}', otherOptions: {} },
      channelId: { __rl: true, mode: 'id', value: '={{ $json.channel }}' },
      rows: { values: [{ column: 'a', value: '={{ $json.a }}' }] },
    });
    expect(sent).toMatchObject({
      ...{ method: 'POST', sendBody: true },
      bodyParameters: {
        parameters: [
          { name: 'text', value: '=Order {{ $json.id }}' },
          { name: 'channelId_value', value: '={{ $json.channel }}' },
          { name: 'rows_values_0_value', value: '={{ $json.a }}' },
        ],
      },
    });
  });

  test('leaves out what another n8n need not have', () => {
    const parameters = {
      ...{ a: '={{ $env.TOKEN }}', b: '={{ $secrets.vault.key }}', c: '={{ $parameter["d"] }}' },
      plain: 'text',
    };
    expect(sentBy('n8n-nodes-base.slack', parameters)).not.toHaveProperty('sendBody');
  });

  test('takes as a tool of an agent the arguments that the tool takes', () => {
    const value = "={{ $fromAI('city', 'of the customer') }}";
    expect(sentBy('n8n-nodes-base.gmailTool', { subject: value })).toMatchObject({
      bodyParameters: { parameters: [{ name: 'subject', value }] },
    });
  });
});
