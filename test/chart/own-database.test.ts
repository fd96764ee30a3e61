// The chart's own PostgreSQL: who may do what in it, its backups, and who reaches it; and what n8n itself may reach. The whole
// chart is rendered.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { attempt, chart, KUBERNETES, paths, render, type Manifest } from './support/helm.ts';
import { podTemplates } from './support/pods.ts';

type Values = Record<string, unknown>;
const OWN: Values = {
  executions: { mode: 'queue' },
  database: { type: 'postgresql', own: { backup: { enabled: true } } },
};

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-own-database-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});
function fileOf(values: Values): string {
  const file = join(folder, 'values.json');
  writeFileSync(file, JSON.stringify(values));
  return file;
}
const manifestsOf = async (values: Values): Promise<Manifest[]> =>
  (await render(paths.helm3, ['-f', fileOf(values)])).manifests;
const refusalOf = async (values: Values): Promise<string> => {
  const args = ['template', 'n8n', chart, '--kube-version', KUBERNETES, '-f', fileOf(values)];
  return (await attempt(paths.helm3, args)).output;
};

interface Rule {
  to?: { ipBlock?: { cidr: string; except: string[] }; namespaceSelector?: object }[];
  from?: object[];
  ports?: object[];
}
interface Policy {
  egress?: Rule[];
  ingress?: Rule[];
}
const policyOf = (manifests: Manifest[], component: string): Policy | undefined =>
  manifests.find(
    ({ kind, metadata }) =>
      kind === 'NetworkPolicy' && metadata.labels?.['app.kubernetes.io/component'] === component,
  )?.['spec'] as Policy | undefined;

test('n8n enters its own database by a role of its own, with its own password', async () => {
  const pods = podTemplates(await manifestsOf(OWN));
  const of = (component: string): Record<string, unknown> =>
    Object.fromEntries(
      (
        pods.find(({ labels }) => labels['app.kubernetes.io/component'] === component)?.spec
          .containers[0]?.env ?? []
      ).map(({ name, value, valueFrom }) => [name, value ?? valueFrom?.secretKeyRef]),
    );
  const password = { name: 'n8n-n8n-tuned-postgresql', key: 'password' };
  expect(of('postgresql')).toMatchObject({
    ...{ POSTGRES_USER: 'postgres', N8N_ROLE: 'n8n', POSTGRES_PASSWORD: password },
  });
  expect(of('main')).toMatchObject({ DB_POSTGRESDB_USER: 'n8n', DB_POSTGRESDB_PASSWORD: password });
  expect(of('backup')).toMatchObject({ PGUSER: 'n8n', PGPASSWORD: password, KEEP: '7' });
});

test('the superuser is no user of n8n, and a backup without the own database is refused', async () => {
  expect(
    await refusalOf({ database: { type: 'postgresql', own: { user: 'postgres' } } }),
  ).toContain('database.own.user: postgres is the superuser');
  const database = {
    type: 'postgresql',
    external: { host: 'db', passwordless: true },
    own: { backup: { enabled: true } },
  };
  expect(await refusalOf({ database, encryptionKey: { existingSecret: 'k' } })).toContain(
    'database.own.backup.enabled: it is for the PostgreSQL of this release',
  );
});

test('a backup reaches the database alone, and its volume outlives the release', async () => {
  const manifests = await manifestsOf(OWN);
  const { egress = [], ingress } = policyOf(manifests, 'backup') ?? {};
  expect(ingress).toEqual([]);
  expect(egress.filter(({ to }) => to === undefined)).toEqual([
    {
      ports: [
        { port: 53, protocol: 'UDP' },
        { port: 53, protocol: 'TCP' },
      ],
    },
  ]);
  expect(egress.flatMap(({ to = [] }) => to)).toHaveLength(1);
  const claim = manifests.find(({ kind }) => kind === 'PersistentVolumeClaim');
  expect(claim?.metadata.annotations).toMatchObject({ 'helm.sh/resource-policy': 'keep' });
});

test('no role reaches the addresses at which a cloud gives credentials, unless it is asked for', async () => {
  const manifests = await manifestsOf({ ...OWN, webhook: { enabled: true } });
  for (const role of ['main', 'worker', 'webhook']) {
    const peers = policyOf(manifests, role)?.egress?.flatMap(({ to = [] }) => to) ?? [];
    const blocks = peers.flatMap(({ ipBlock }) => ipBlock ?? []);
    expect(blocks.map(({ cidr }) => cidr)).toEqual(['0.0.0.0/0', '::/0']);
    expect(blocks.flatMap(({ except }) => except)).toEqual(
      expect.arrayContaining(['169.254.169.254/32', '169.254.170.2/32', 'fd00:ec2::254/128']),
    );
    // Pods by no address: some networks ask for that.
    expect(peers).toContainEqual({ namespaceSelector: {} });
  }
  const open = await manifestsOf({ ...OWN, networkPolicy: { egress: { metadata: true } } });
  expect(policyOf(open, 'main')).not.toHaveProperty('egress');
});
