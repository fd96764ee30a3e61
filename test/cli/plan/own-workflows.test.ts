import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { workflowsFolder } from '../../../cli/src/options/options';
import { chooseWorkload, type WorkloadChoice } from '../../../cli/src/plan/chosen-workload';

const folder = mkdtempSync(join(tmpdir(), 'own-workflows-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const webhook = (name: string, path: string, httpMethod = 'GET'): object => ({
  ...{ name, type: 'n8n-nodes-base.webhook', parameters: { path, httpMethod } },
});
const timer = { name: 'Every minute', type: 'n8n-nodes-base.scheduleTrigger' };
const called = { name: 'Called', type: 'n8n-nodes-base.executeWorkflowTrigger' };

function file(name: string, nodes: object[]): string {
  const path = join(folder, name);
  writeFileSync(path, JSON.stringify({ name, nodes, connections: {} }));
  return path;
}

const order = file('order.json', [webhook('Order', 'order', 'POST'), timer]);
const two = file('two.json', [webhook('One', 'one'), webhook('Two', 'two', 'PUT')]);
const both = file('both.json', [
  { ...webhook('Both', 'both'), parameters: { path: 'both', multipleMethods: true } },
]);
const dynamic = file('dynamic.json', [webhook('By id', 'order/:id')]);
const pathless = file('pathless.json', [webhook('Any', '')]);
const scheduled = file('scheduled.json', [timer]);
const helper = file('helper.json', [called, timer]);

const choose = (choice: WorkloadChoice): ReturnType<typeof chooseWorkload> =>
  chooseWorkload(choice, workflowsFolder(), null);

test('the webhook of the file is what is loaded, and no bundled workload in its place', () => {
  const { requests, workflows, recorded, notes } = choose({ workflows: [order] });
  expect(requests.map(({ method, path }) => [method, path])).toEqual([['POST', '/webhook/order']]);
  expect(workflows).toEqual([
    { name: order, file: order, loads: [{ node: 'Order', method: 'POST', path: 'order' }] },
  ]);
  expect(recorded).toMatchObject({ name: 'request', title: 'POST /webhook/order' });
  expect(notes).toEqual([`switched off in the copy of ${order}: Every minute.`]);
});

test('body, headers and expectations go with the request of the file', () => {
  const { requests } = choose({
    ...{ workflows: [order], body: '{"a":1}', headers: ['X-A: b'], expect: ['status==201'] },
  });
  expect(requests).toMatchObject([
    { body: { text: '{"a":1}' }, headers: { 'X-A': 'b' }, expect: ['status==201'] },
  ]);
});

test('of several, --request names the one that is loaded; each other one is off', () => {
  const { workflows, notes } = choose({ workflows: [two], request: 'PUT /webhook/two' });
  expect(workflows[0]?.loads).toEqual([{ node: 'Two', method: 'PUT', path: 'two' }]);
  expect(notes).toEqual([`switched off in the copy of ${two}: One.`]);
});

test('a workflow that others call is imported beside the one that is loaded', () => {
  const { workflows, notes } = choose({ workflows: [order, helper] });
  expect(workflows.map(({ loads }) => loads?.length)).toEqual([1, 0]);
  expect(notes).toHaveLength(2);
});

test.each([
  [
    { workflows: [two] },
    "two.json has 2 webhooks: use --request to choose one of 'GET /webhook/one', 'PUT /webhook/two'.",
  ],
  [{ workflows: [both] }, "'GET /webhook/both', 'POST /webhook/both'."],
  [{ workflows: [order, two] }, 'has 3 webhooks: use --request to choose one of'],
  [
    { workflows: [scheduled] },
    'scheduled.json has no active Webhook node, and only webhooks can be load-tested (the workflow begins with Every minute)',
  ],
  [{ workflows: [pathless] }, 'the webhook Any of'],
  [
    { workflows: [dynamic] },
    "use --request to set its parameters, such as 'GET /webhook/order/7'.",
  ],
  [
    { workflows: [order], request: 'GET /webhook/order' },
    "accepts GET /webhook/order: choose one of 'POST /webhook/order'.",
  ],
  [
    { workflows: [order], request: 'POST /webhook/orders' },
    "accepts POST /webhook/orders: choose one of 'POST /webhook/order'.",
  ],
  [{ workflows: [order], workload: 'last-node' }, 'no webhook in'],
  [
    { workflows: [order, scheduled] },
    'scheduled.json has no webhook to load-test, and no other workflow calls it: remove the file.',
  ],
])('%j is refused in a sentence that says what there is', (choice, sentence) => {
  expect(() => choose(choice)).toThrow(sentence);
});
