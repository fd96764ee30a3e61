import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { argumentsFor, chart, paths, render } from '../chart/support/helm';
import { inCluster, kubectl, type Namespace } from '../support/cluster';
import { restrictedNamespace } from '../support/release';

jest.setTimeout(600_000);

/** Objects of operators and clouds that this cluster does not have; kubeconform looks at them where it has a schema. */
const OPERATORS = [
  ...['keda.sh', 'monitoring.coreos.com', 'k6.io', 'external-secrets.io', 'networking.gke.io'],
];

const configurations = ['ci', 'presets'].flatMap((folder) =>
  readdirSync(join(chart, folder)).map((file) => `${folder}/${file}`),
);

let space: Namespace;
beforeAll(async () => {
  space = await restrictedNamespace('chart-admission');
});
afterAll(() => space?.remove());

test.each(configurations.map((file) => [basename(file), file]))(
  'the API server takes every object of %s, and every pod is a restricted one',
  async (_, file) => {
    const { manifests } = await render(paths.helm3, [
      ...[
        '--namespace',
        space.name,
        '--set',
        `namespaceOverride=${space.name}`,
        ...argumentsFor(file),
      ],
      // The lab's cluster has no IPv6.
      ...['--set', 'service.ipFamilies={IPv4}'],
    ]);
    const known = manifests.filter(
      ({ apiVersion }) => !OPERATORS.includes(apiVersion.split('/')[0] ?? ''),
    );
    expect(known.length).toBeGreaterThan(5);
    const { code, stdout, stderr } = await inCluster(
      ['kubectl', '-n', space.name, 'apply', '--dry-run=server', '-f', '-'],
      { input: JSON.stringify({ apiVersion: 'v1', kind: 'List', items: known }) },
    );
    expect(stderr).not.toContain('would violate PodSecurity');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.split('\n').filter((line) => line.endsWith('(server dry run)')).length).toBe(
      known.length,
    );
  },
);

test('the namespace does refuse a pod that is not restricted', async () => {
  await expect(
    kubectl(['-n', space.name, 'run', 'loose', '--image=busybox:1.35', '--dry-run=server']),
  ).rejects.toThrow(/violates PodSecurity/);
});
