// The pod of the service that workloads call: what of it is removed with what, and how it is found.
import { parseRules } from '../../../../../cli/src/stand-in/rules';
import {
  standInFiles,
  upstreamDeployment,
  upstreamParts,
  upstreamUrlOf,
  type UpstreamOrder,
} from '../../../../../cli/src/targets/kubernetes/release/upstream';

const ORDER: UpstreamOrder = {
  ...{ call: 'abcd', namespace: 'load', release: 'n8n', madeBy: 'me 1 2' },
  ...{ image: 'n8nio/n8n:2.41.1', pullSecrets: [{ name: 'pull' }] },
  files: { 'stand-in.cjs': '1' },
};

test('the address that workflows call is that of its Service', () => {
  const { service } = upstreamParts(ORDER, {
    apiVersion: 'a',
    kind: 'Deployment',
    name: 'n',
    uid: '1',
  });
  const [port] = service.spec?.ports ?? [];
  expect(upstreamUrlOf('n8n')).toBe(`http://${service.metadata?.name ?? ''}:${String(port?.port)}`);
  const { template } = upstreamDeployment(ORDER).spec ?? {};
  expect(template?.metadata?.labels).toMatchObject(service.spec?.selector ?? { none: 'none' });
});

test('everything else is owned by the Deployment, which is found by its call', () => {
  const owner = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'n8n-upstream', uid: '1' };
  for (const part of Object.values(upstreamParts(ORDER, owner))) {
    expect(part.metadata?.ownerReferences).toEqual([owner]);
  }
  expect(upstreamDeployment(ORDER).metadata).toMatchObject({
    labels: { 'app.kubernetes.io/managed-by': 'n8n-tuned', 'n8n-tuned/call': 'abcd' },
    annotations: { 'n8n-tuned/made-by': 'me 1 2' },
  });
});

test('it needs no right of its own, and a restart of its container keeps what it has counted', () => {
  const pod = upstreamDeployment(ORDER).spec?.template.spec;
  expect(pod).toMatchObject({
    ...{ automountServiceAccountToken: false },
    ...{ imagePullSecrets: [{ name: 'pull' }], securityContext: { runAsNonRoot: true } },
  });
  const [container] = pod?.containers ?? [];
  expect(container?.securityContext).toMatchObject({
    ...{ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true },
    capabilities: { drop: ['ALL'] },
  });
  const file = container?.env?.find(({ name }) => name === 'EFFECTS_FILE')?.value ?? '';
  const data = container?.volumeMounts?.find(({ name }) => name === 'data');
  expect(file.startsWith(`${data?.mountPath ?? 'none'}/`)).toBe(true);
  expect(pod?.volumes).toContainEqual({ name: 'data', emptyDir: {} });
});

test('it answers by the plan of a twin, and without one what bundled workflows call', () => {
  const variables = (files: Record<string, string>): Record<string, string | undefined> => {
    const [container] =
      upstreamDeployment({ ...ORDER, files }).spec?.template.spec?.containers ?? [];
    return Object.fromEntries((container?.env ?? []).map(({ name, value }) => [name, value]));
  };
  const plan = parseRules('rules: [{ path: /a }]', 'rules.yaml');
  const files = standInFiles('program', plan);
  expect(files).toEqual({ 'stand-in.cjs': 'program', 'plan.json': JSON.stringify(plan) });
  expect(variables(files)['PLAN_FILE']).toBe('/upstream/plan.json');
  expect(variables(standInFiles('program', null))).not.toHaveProperty('PLAN_FILE');
});

test('a plan that no ConfigMap holds is refused, with what to shorten', () => {
  const rules = `rules: [{ path: /a, text: '${'x'.repeat(1_200_000)}' }]`;
  expect(() => standInFiles('program', parseRules(rules, 'rules.yaml'))).toThrow(
    'the responses of the stand-in are 1.2 MB, but a ConfigMap can contain at most 1 MiB: shorten the lists in the rules file of the twin.',
  );
});
