// The chart's own PostgreSQL: who may do what in it, its backups, and who reaches it; and what n8n itself may reach. The whole
// chart is rendered.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
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

describe('the volume of backups', () => {
  const SCRIPT = join(chart, 'files/postgresql-backup.sh');
  const OWN_TIMES = ['20260101T000000Z', '20260102T000000Z', '20260103T000000Z'];
  const FOREIGN = [
    ...['n8n-before-upgrade.dump', 'n8n-20260101.dump', 'n8n-99999999T999999Z.dump.gz'],
    ...[
      'upload.part',
      'n8n-staging-29991231T000000Z.dump',
      'n8n-staging-29991231T000000Z.dump.part',
    ],
  ];

  /** The programs of PostgreSQL, as far as files are concerned. */
  function runScript(more: Record<string, string> = {}): { volume: string; said: string } {
    const place = mkdtempSync(join(folder, 'backup-'));
    const [volume, bin] = [join(place, 'volume'), join(place, 'bin')];
    for (const each of [volume, bin]) mkdirSync(each);
    const program = (name: string, text: string): void => {
      writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    };
    program(
      'pg_dump',
      'for one; do case $one in --file=*) echo dump >"${one#--file=}";; esac; done',
    );
    program('pg_restore', 'for one; do last=$one; done; cat "$last"');
    program('psql', 'case $* in *count*) echo 0;; *) cat >/dev/null;; esac');
    const own = [...OWN_TIMES.map((time) => `n8n-${time}.dump`), 'n8n-20260104T000000Z.dump.part'];
    for (const name of [...own, ...FOREIGN]) writeFileSync(join(volume, name), 'theirs');
    const env = { PATH: `${bin}:/usr/bin:/bin`, FOLDER: volume, NAME: 'n8n', KEEP: '2', ...more };
    return { volume, said: execFileSync('sh', [SCRIPT], { env, encoding: 'utf8' }) };
  }

  test('keeps so many dumps of this release, and every other file on it', () => {
    const { volume, said } = runScript();
    const left = readdirSync(volume);
    expect(left).toEqual(expect.arrayContaining(FOREIGN));
    const others = left.filter((name) => !FOREIGN.includes(name)).sort();
    expect(others).toEqual(['n8n-20260103T000000Z.dump', expect.stringMatching(/^n8n-2\d{7}T/)]);
    expect(said.match(/^removed .*$/gm)).toEqual([
      ...['removed n8n-20260102T000000Z.dump', 'removed n8n-20260101T000000Z.dump'],
    ]);
  });

  test('has the newest dump of this release put back by latest, and not that of another', () => {
    expect(runScript({ RESTORE: 'latest' }).said).toBe('restored n8n-20260103T000000Z.dump\n');
  });
});
