import type { V1NetworkPolicy } from '../../../../../cli/src/targets/kubernetes/api/api-types';
import {
  closedBy,
  closedText,
} from '../../../../../cli/src/targets/kubernetes/drill/network-policies';

const N8N = { 'app.kubernetes.io/component': 'main' };
const GENERATOR = { 'app.kubernetes.io/managed-by': 'n8n-tuned' };
const way = { namespace: 'load', from: GENERATOR, to: N8N, port: 5678 };

const policy = (name: string, spec: V1NetworkPolicy['spec']): V1NetworkPolicy => ({
  metadata: { name },
  ...(spec === undefined ? {} : { spec }),
});
const onN8n = (ingress?: NonNullable<V1NetworkPolicy['spec']>['ingress']): V1NetworkPolicy =>
  policy('n8n', {
    podSelector: { matchLabels: N8N },
    policyTypes: ['Ingress'],
    ...(ingress === undefined ? {} : { ingress }),
  });
const DENY_ALL = policy('deny-all', { podSelector: {}, policyTypes: ['Ingress', 'Egress'] });
const fromPods = (matchLabels: Record<string, string>) => ({ podSelector: { matchLabels } });
const fromSpaces = (matchLabels: Record<string, string>) => ({
  namespaceSelector: { matchLabels },
});
const NAME = 'kubernetes.io/metadata.name';

test.each<[string, V1NetworkPolicy[]]>([
  ['none', []],
  ['one of other pods', [policy('redis', { podSelector: { matchLabels: { a: 'b' } } })]],
  ['one that lets everything in', [onN8n([{}])]],
  ['no peers, which are all', [onN8n([{ _from: [], ports: [{ port: 5678 }] }])]],
  ['another that lets it in', [onN8n(), onN8n([{ _from: [fromPods(GENERATOR)] }])]],
  ['a range of ports', [onN8n([{ ports: [{ port: 5000, endPort: 6000 }] }])]],
  ['the name of a port, which may be its own', [onN8n([{ ports: [{ port: 'http' }] }])]],
  ['addresses, which may be its own', [onN8n([{ _from: [{ ipBlock: { cidr: '10.0.0.0/8' } }] }])]],
  ['its namespace by name', [onN8n([{ _from: [fromSpaces({ [NAME]: 'load' })] }])]],
  ['a label of namespaces, which may have it', [onN8n([{ _from: [fromSpaces({ team: 'ops' })] }])]],
  [
    'what goes out alone',
    [policy('x', { podSelector: { matchLabels: N8N }, policyTypes: ['Egress'] })],
  ],
])('nothing is closed by %s', (_what, policies) => {
  expect(closedBy(policies, way)).toBeNull();
});

test.each<[string, V1NetworkPolicy[], string[]]>([
  ['all that is denied', [DENY_ALL], ['deny-all']],
  ['types that follow from no rule', [policy('old', { podSelector: {} })], ['old']],
  ['other peers', [onN8n([{ _from: [fromPods({ app: 'ingress-nginx' })] }])], ['n8n']],
  ['another namespace', [onN8n([{ _from: [fromSpaces({ [NAME]: 'ingress-nginx' })] }])], ['n8n']],
  ['another port', [DENY_ALL, onN8n([{ ports: [{ port: 80 }] }])], ['deny-all', 'n8n']],
  ['another protocol', [onN8n([{ ports: [{ protocol: 'UDP', port: 5678 }] }])], ['n8n']],
  [
    'an expression',
    [
      onN8n([
        {
          _from: [
            {
              podSelector: {
                matchExpressions: [
                  { key: 'app.kubernetes.io/managed-by', operator: 'NotIn', values: ['n8n-tuned'] },
                ],
              },
            },
          ],
        },
      ]),
    ],
    ['n8n'],
  ],
])('the way in is closed by %s', (_what, policies, names) => {
  expect(closedBy(policies, way)).toEqual({ side: 'ingress', policies: names });
});

test('the way out is closed where the way in is open', () => {
  const closed = closedBy([DENY_ALL, onN8n([{}])], way);
  expect(closed).toEqual({ side: 'egress', policies: ['deny-all'] });
  const out = policy('out', {
    podSelector: {},
    policyTypes: ['Egress'],
    egress: [{ to: [fromPods(N8N)] }],
  });
  expect(closedBy([DENY_ALL, onN8n([{}]), out], way)).toBeNull();
});

test('a person is told which, where, and what to allow', () => {
  const label = 'app.kubernetes.io/managed-by=n8n-tuned';
  expect(closedText({ side: 'ingress', policies: ['deny-all'] }, 'load', label)).toBe(
    "The NetworkPolicy deny-all of the namespace load does not allow traffic from the load generator's pod to n8n: allow ingress from pods with the label app.kubernetes.io/managed-by=n8n-tuned.",
  );
  expect(closedText({ side: 'egress', policies: ['a', 'b'] }, 'load', label)).toMatch(
    /^The NetworkPolicies a, b of the namespace load do not allow the load .* to n8n: allow egress from pods/,
  );
});
