import fc from 'fast-check';
import { callIn, copyOfCall, nameOfCall } from '../../../cli/src/catalogue/own-copy';
import {
  answers,
  webhooksOf,
  withTriggersOff,
  type FileWebhook,
} from '../../../cli/src/catalogue/triggers';
import type { ExportedWorkflow } from '../../../cli/src/catalogue/exported-workflow';

const CALL = '0123abcd';
const newIds = (): (() => string) => {
  let count = 0;
  return () => `00000000-0000-4000-8000-${String((count += 1)).padStart(12, '0')}`;
};
const WEBHOOK_ID = '3fbd78dd-74f6-5d47-8a0b-b38866e4a1a3';

const webhook = (name: string, path: string, more: object = {}): ExportedWorkflow['nodes'][0] => ({
  ...{ name, type: 'n8n-nodes-base.webhook', webhookId: WEBHOOK_ID },
  parameters: { path, ...more },
});
const node = (name: string, type: string): ExportedWorkflow['nodes'][0] => ({ name, type });
const to = (...names: string[]): object => ({
  main: [names.map((name) => ({ node: name, type: 'main', index: 0 }))],
});

describe('a copy of this call', () => {
  const segment = fc.stringMatching(/^[a-zA-Z0-9._-]{1,12}$/);
  const path = fc.array(segment, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));

  test('no webhook of it has a path, an id or a name that the file has', () => {
    fc.assert(
      fc.property(path, fc.string(), (own, name) => {
        const file = { name, connections: {}, nodes: [webhook('Webhook', own)] };
        const { workflow } = copyOfCall(file, CALL, newIds());
        const [copied] = webhooksOf(workflow);
        expect(copied?.path).toBe(`${own}/${CALL}`);
        expect(JSON.stringify(workflow)).not.toContain(WEBHOOK_ID);
        expect(workflow.name).not.toBe(name);
        expect(callIn(workflow.name ?? '')).toBe(CALL);
        expect(workflow.name?.length).toBeLessThanOrEqual(128);
      }),
    );
  });

  test('a request to the webhook of the file becomes one to the webhook of the copy, with its query', () => {
    fc.assert(
      fc.property(path, fc.constantFrom('', '?a=1', '?x=/webhook/other'), (own, query) => {
        const file = { name: 'x', connections: {}, nodes: [webhook('Webhook', own)] };
        const { webhooks } = copyOfCall(file, CALL, newIds());
        const request = { method: 'GET', path: `/webhook/${own}${query}` };
        const [found] = webhooks;
        expect(webhooks.map((each) => answers(each, request))).toEqual([true]);
        expect(found?.newPath(request.path)).toBe(`/webhook/${own}/${CALL}${query}`);
      }),
    );
  });

  test('a chat is asked at the new id that its copy has', () => {
    const chat = { ...node('Chat', '@n8n/n8n-nodes-langchain.chatTrigger'), webhookId: WEBHOOK_ID };
    const { webhooks } = copyOfCall({ name: 'x', connections: {}, nodes: [chat] }, CALL, newIds());
    const request = { method: 'POST', path: `/webhook/${WEBHOOK_ID}/chat` };
    const [found] = webhooks;
    expect(webhooks.map((each) => answers(each, request))).toEqual([true]);
    expect(found?.newPath(request.path)).toBe('/webhook/00000000-0000-4000-8000-000000000001/chat');
  });

  test('a path with a part such as :id is served beneath the new id of its webhook', () => {
    const file = { name: 'x', connections: {}, nodes: [webhook('Webhook', 'order/:id')] };
    const { webhooks, workflow } = copyOfCall(file, CALL, newIds());
    const [id] = workflow.nodes.map((each) => String(each['webhookId']));
    for (const asked of [`/webhook/${WEBHOOK_ID}/order/7?a`, '/webhook/order/7?a']) {
      expect(answers(webhooks[0] as FileWebhook, { method: 'GET', path: asked })).toBe(true);
      expect(webhooks[0]?.newPath(asked)).toBe(`/webhook/${id ?? ''}/order/7/${CALL}?a`);
    }
  });

  test('forms and chats get an id of their own too, and other nodes stay as they are', () => {
    const form = { ...node('Form', 'n8n-nodes-base.formTrigger'), webhookId: WEBHOOK_ID };
    const wait = { ...node('Wait', 'n8n-nodes-base.wait'), parameters: { amount: 5 } };
    const { workflow } = copyOfCall({ connections: {}, nodes: [form, wait] }, CALL, newIds());
    expect(workflow.nodes[0]?.['webhookId']).not.toBe(WEBHOOK_ID);
    expect(workflow.nodes[1]).toEqual(wait);
  });
});

test.each([
  ['Order (n8n-tuned 0123abcd)', '0123abcd'],
  [nameOfCall('x'.repeat(300), 'ffffffff'), 'ffffffff'],
  ['Order', null],
  ['Order (n8n-tuned 0123abcd) copy', null],
  ['Order (n8n-tuned 0123ABCD)', null],
])('the name %s is of the call %s', (name, call) => {
  expect(callIn(name)).toBe(call);
});

describe('every trigger is off but the webhook that is loaded', () => {
  const nodes = [
    webhook('Order', 'order', { httpMethod: 'POST' }),
    webhook('Status', 'status'),
    node('Every minute', 'n8n-nodes-base.scheduleTrigger'),
    node('Cron', 'n8n-nodes-base.cron'),
    node('Mail', 'n8n-nodes-base.emailReadImap'),
    node('Failed', 'n8n-nodes-base.errorTrigger'),
    node('Form', 'n8n-nodes-base.formTrigger'),
    node('Poll', 'n8n-nodes-somebody.ordersPoll'),
    node('By hand', 'n8n-nodes-base.manualTrigger'),
    node('Called', 'n8n-nodes-base.executeWorkflowTrigger'),
    node('Pay', 'n8n-nodes-base.httpRequest'),
    node('Model', '@n8n/n8n-nodes-langchain.lmChatOpenAi'),
    node('Note', 'n8n-nodes-base.stickyNote'),
  ];
  const connections = {
    Order: to('Pay'),
    Poll: to('Pay'),
    Model: { ai_languageModel: [[{ node: 'Pay', type: 'ai_languageModel', index: 0 }]] },
  };

  test('what a call by hand or by another workflow begins stays, and so does what is no trigger', () => {
    const { workflow, off } = withTriggersOff(
      { nodes, connections },
      ({ path }) => path === 'order',
    );
    expect(off).toEqual([...['Status', 'Every minute', 'Cron', 'Mail', 'Failed', 'Form', 'Poll']]);
    const disabled = workflow.nodes.filter((each) => each['disabled'] === true);
    expect(disabled.map((each) => each['name'])).toEqual(off);
  });
});

test.each([
  ['GET', '/webhook/order', false],
  ['POST', '/webhook/order', true],
  ['POST', '/hooks/order?x=1', true],
  ['POST', '/webhook/my-order', false],
  ['POST', '/webhook/order/7', false],
  ['POST', '/order', true],
])('%s %s is answered by the webhook POST order: %s', (method, path, is) => {
  expect(answers({ method: 'POST', path: 'order' }, { method, path })).toBe(is);
});

test.each([
  [{}, ['GET']],
  [{ httpMethod: 'PUT' }, ['PUT']],
  [{ multipleMethods: true, httpMethod: ['GET', 'DELETE'] }, ['GET', 'DELETE']],
  [{ multipleMethods: true }, ['GET', 'POST']],
])('a webhook with %j answers %j', (parameters, methods) => {
  const found = webhooksOf({ connections: {}, nodes: [webhook('W', 'w', parameters)] });
  expect(found.map(({ method }) => method)).toEqual(methods);
});
