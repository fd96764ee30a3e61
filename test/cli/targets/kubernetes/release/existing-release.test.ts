import {
  namedService,
  objectsBeside,
  withRoles,
} from '../../../../../cli/src/targets/kubernetes/release/existing-release';
import { roleOf } from '../../../../../cli/src/targets/kubernetes/pods/pods';

const place = { call: 'abcd', release: 'n8n', namespace: 'here' };
const INSTANCE = { 'app.kubernetes.io/instance': 'n8n', 'n8n-tuned/call': 'abcd' };

test('what stands beside a chart becomes part of the release, and its selectors still choose it', () => {
  const text = `
kind: Deployment
apiVersion: apps/v1
metadata: { name: redis, namespace: elsewhere, labels: { tier: store } }
spec:
  selector: { matchLabels: { app: redis } }
  template: { metadata: { labels: { app: redis } }, spec: { containers: [] } }
---
---
kind: Service
apiVersion: v1
metadata: { name: redis }
spec: { selector: { app: redis } }
`;
  expect(objectsBeside({ manifests: [{ name: 'stores.yaml', text }] }, place)).toEqual([
    {
      ...{ kind: 'Deployment', apiVersion: 'apps/v1' },
      metadata: { name: 'redis', namespace: 'here', labels: { tier: 'store', ...INSTANCE } },
      spec: {
        selector: { matchLabels: { app: 'redis' } },
        template: {
          metadata: { labels: { app: 'redis', ...INSTANCE } },
          spec: { containers: [] },
        },
      },
    },
    {
      ...{ kind: 'Service', apiVersion: 'v1' },
      metadata: { name: 'redis', namespace: 'here', labels: INSTANCE },
      spec: { selector: { app: 'redis' } },
    },
  ]);
});

test.each([
  ['a: [', /stores\.yaml is not YAML/],
  ['kind: Service\n', /stores\.yaml has an object without a kind or a name/],
  ['metadata: { name: x }\n', /without a kind or a name/],
  ['- a\n', /without a kind or a name/],
])('%j is refused in a sentence', (text, said) => {
  expect(() => objectsBeside({ manifests: [{ name: 'stores.yaml', text }] }, place)).toThrow(said);
});

test('pods get the parts that the file gives them, all its labels together; the others keep theirs', () => {
  const pod = (labels: Record<string, string>) => ({ metadata: { labels } });
  const pods = [
    pod({ app: 'n8n', tier: 'jobs' }),
    pod({ app: 'n8n', tier: 'web' }),
    pod({ 'app.kubernetes.io/component': 'main' }),
  ];
  const roles = { worker: { app: 'n8n', tier: 'jobs' }, postgresql: { app: 'pg' } };
  expect(withRoles(pods, roles).map(roleOf)).toEqual(['worker', null, 'main']);
});

test('the Service is the one that is named, at the port that is named', () => {
  const service = {
    metadata: { name: 'n8n-main' },
    spec: { ports: [{ port: 1 }, { port: 5678 }] },
  };
  const named = (name: string, port?: number) =>
    namedService([service], { service: { name, ...(port === undefined ? {} : { port }) } });
  expect(named('n8n-main', 5678)?.spec?.ports).toEqual([{ port: 5678 }]);
  expect(named('n8n-main')?.spec?.ports).toHaveLength(2);
  expect(named('n8n-main', 80)).toBeNull();
  expect(named('n8n')).toBeNull();
});
