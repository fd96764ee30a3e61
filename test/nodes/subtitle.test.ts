import { Expression, Workflow, type INodeTypes } from 'n8n-workflow';
import { LoadTarget } from '../../nodes/LoadTarget/LoadTarget.node';
import { subtitle } from '../../nodes/LoadTarget/subtitle';
import { N8N_LEGACY_VERSION, N8N_VERSION } from '../support/versions';

const description = new LoadTarget().description;
const nodeTypes = {
  getByName: () => ({ description }),
  getByNameAndVersion: () => ({ description }),
  getKnownTypes: () => ({}),
} as unknown as INodeTypes;

/** As the editor evaluates it, with no data from an execution. */
function shown(parameters: Record<string, string | number>): unknown {
  Expression.setExpressionEngine('legacy');
  const node = { id: 'n', name: 'Load', type: 'loadTarget', typeVersion: 1, parameters };
  const workflow = new Workflow({
    ...{ id: '1', name: 'x', connections: {}, active: false, nodeTypes },
    nodes: [{ ...node, position: [0, 0] }],
  });
  const found = workflow.getNode('Load');
  if (found === null) throw new Error('no node');
  return workflow.expression.getSimpleParameterValue(found, subtitle(N8N_VERSION), 'internal', {});
}

test.each([
  [{ operation: 'json', sizeKiB: 20 }, 'JSON: 20 KiB'],
  [{ operation: 'memory', sizeMiB: '={{ 3 * 4 }}' }, 'Memory: 12 MiB'],
  [{ operation: 'memory', sizeMiB: '={{ Number($json.query.mb) }}' }, 'Memory'],
  [{ operation: 'cpu', cpuTimeMs: 100 }, 'CPU: 100 ms'],
  [{ operation: 'cpu', until: 'loop' }, 'CPU'],
  [{ operation: 'payload', payloadKind: 'binary' }, 'Payload'],
  [{ operation: 'wait', distribution: 'normal', waitMs: 5 }, 'Wait'],
  [{ operation: 'fail', probability: 0.1 }, 'Fail: 0.1'],
])('%p is shown as %s', (parameters, text) => {
  expect(shown(parameters as Record<string, string | number>)).toBe(text);
});

test('n8n 0.x gets an expression that it can evaluate', () => {
  expect(subtitle(N8N_LEGACY_VERSION)).not.toContain('try');
});
