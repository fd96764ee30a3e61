import { calledFirst, renamed } from '../../../cli/src/targets/url/seeds';

const workflow = (id: string, ...calls: string[]) => ({
  id,
  name: id,
  connections: {},
  nodes: calls.map((called) => ({
    type: 'n8n-nodes-base.executeWorkflow',
    parameters: { workflowId: { __rl: true, mode: 'id', value: called } },
  })),
});

describe('workflows that call each other, put into an n8n that gives them new ids', () => {
  test('those that are called come first, however deep', () => {
    const order = calledFirst([workflow('a', 'b'), workflow('b', 'c'), workflow('c')]);
    expect(order.map(({ id }) => id)).toEqual(['c', 'b', 'a']);
  });

  test('an error workflow comes before the workflow that names it, and is named by its new id', () => {
    const failing = { ...workflow('a'), settings: { errorWorkflow: 'b' } };
    const order = calledFirst([failing, workflow('b')]);
    expect(order.map(({ id }) => id)).toEqual(['b', 'a']);
    const { settings } = renamed(failing, new Map([['b', 'NEW']]));
    expect(settings).toEqual({ errorWorkflow: 'NEW' });
  });

  test('two that call each other are both there, once', () => {
    const order = calledFirst([workflow('a', 'b'), workflow('b', 'a')]);
    expect(order.map(({ id }) => id).sort()).toEqual(['a', 'b']);
  });

  test('a caller is given the new id, and a text that only contains the old one is left', () => {
    const caller = workflow('a', 'b', 'b-and-more');
    const { nodes } = renamed(caller, new Map([['b', 'NEW']]));
    expect(nodes).toEqual(workflow('a', 'NEW', 'b-and-more').nodes);
  });
});
