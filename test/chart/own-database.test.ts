// The chart's own PostgreSQL: who may do what in it, its backups, and who reaches it; and what n8n itself may reach. The whole
// chart is rendered.
import { execFile, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { BlockList } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { n8nFolder, node24 } from '../nodes/support/lab';
import { startS3Server, type S3Server } from '../support/s3-server.ts';
import { N8N_VERSION } from '../support/versions';
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
  to?: { ipBlock?: { cidr: string; except?: string[] }; namespaceSelector?: object }[];
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
    'database.own.backup.enabled: this value backs up the PostgreSQL that the chart deploys',
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

// AWS, GKE behind either of its networks, ECS, EKS Pod Identity, Tencent, Scaleway, Azure, Alibaba and Oracle.
const METADATA: [family: 'ipv4' | 'ipv6', addresses: string[]][] = [
  [
    'ipv4',
    [
      ...['169.254.169.254', '169.254.169.252', '169.254.170.2', '169.254.170.23', '169.254.0.23'],
      ...['169.254.42.42', '168.63.129.16', '100.100.100.200', '192.0.0.192'],
    ],
  ],
  // AWS, EKS Pod Identity, Google, Oracle, Scaleway, Akamai and Alibaba.
  [
    'ipv6',
    [
      ...['fd00:ec2::254', 'fd00:ec2::23', 'fd20:ce::254', 'fd00:c1::a9fe:a9fe'],
      ...['fd00:42::42', 'fd00:a9fe:a9fe::1', 'fd00:100::100:200'],
    ],
  ],
];
const has = (cidrs: string[], family: 'ipv4' | 'ipv6', address: string): boolean => {
  const list = new BlockList();
  for (const cidr of cidrs) {
    const [net = '', bits] = cidr.split('/');
    // A list takes an address of IPv4 for one of IPv6 as well.
    if (cidr.includes(':') === (family === 'ipv6')) list.addSubnet(net, Number(bits), family);
  }
  return list.check(address, family);
};
const reachedBy = (rules: Rule[]): string[] => {
  const blocks = rules.flatMap(({ to = [] }) => to.flatMap(({ ipBlock }) => ipBlock ?? []));
  return METADATA.flatMap(([family, addresses]) =>
    addresses.filter((address) =>
      blocks.some(
        ({ cidr, except = [] }) => has([cidr], family, address) && !has(except, family, address),
      ),
    ),
  );
};

test('no role reaches an address at which a cloud gives credentials, unless it is asked for', async () => {
  const manifests = await manifestsOf({ ...OWN, webhook: { enabled: true } });
  for (const role of ['main', 'worker', 'webhook']) {
    const rules = policyOf(manifests, role)?.egress ?? [];
    expect(reachedBy(rules)).toEqual([]);
    const peers = rules.flatMap(({ to = [] }) => to);
    expect(peers.flatMap(({ ipBlock }) => ipBlock?.cidr ?? [])).toEqual(['0.0.0.0/0', '::/0']);
    // Pods by no address: some networks ask for that.
    expect(peers).toContainEqual({ namespaceSelector: {} });
    // DNS alone goes anywhere: that of a node may have an address of the link.
    const anywhere = rules.filter(({ to }) => to === undefined).flatMap(({ ports = [] }) => ports);
    expect(anywhere).toEqual([
      { port: 53, protocol: 'UDP' },
      { port: 53, protocol: 'TCP' },
    ]);
  }
  const open = await manifestsOf({ ...OWN, networkPolicy: { egress: { metadata: true } } });
  expect(policyOf(open, 'main')).not.toHaveProperty('egress');
});

test('a rule of the user opens one of these addresses, and no other', async () => {
  const agent = { to: [{ ipBlock: { cidr: '169.254.170.23/32' } }], ports: [{ port: 80 }] };
  for (const enabled of [false, true]) {
    const egress = { enabled, to: [agent] };
    const manifests = await manifestsOf({ ...OWN, networkPolicy: { egress } });
    expect(reachedBy(policyOf(manifests, 'main')?.egress ?? [])).toEqual(['169.254.170.23']);
  }
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

  interface Ran {
    volume: string;
    code: number;
    said: string;
    complaint: string;
  }

  /** The programs of PostgreSQL, as far as files are concerned; `instead` has the text of some of them. */
  function runScript(more: Record<string, string> = {}, instead: Record<string, string> = {}): Ran {
    const place = mkdtempSync(join(folder, 'backup-'));
    const [volume, bin] = [join(place, 'volume'), join(place, 'bin')];
    for (const each of [volume, bin]) mkdirSync(each);
    const programs = {
      pg_dump: 'for one; do case $one in --file=*) echo dump >"${one#--file=}";; esac; done',
      pg_restore: 'for one; do last=$one; done; cat "$last"',
      // What it reads to its end it takes for complete.
      psql: `case $* in *count*) echo 0;; *) sed -n 's/^\\\\echo //p';; esac`,
      ...instead,
    };
    for (const [name, text] of Object.entries(programs)) {
      writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    }
    const own = [...OWN_TIMES.map((time) => `n8n-${time}.dump`), 'n8n-20260104T000000Z.dump.part'];
    for (const name of [...own, ...FOREIGN]) writeFileSync(join(volume, name), 'theirs');
    const env = { PATH: `${bin}:/usr/bin:/bin`, FOLDER: volume, NAME: 'n8n', KEEP: '2', ...more };
    const { status, stdout, stderr } = spawnSync('sh', [SCRIPT], { env, encoding: 'utf8' });
    return { volume, code: status ?? -1, said: stdout, complaint: stderr };
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

  /** A program that fails if one of its arguments is this one, after it has written something. */
  const failingAt = (argument: string): string =>
    `case " $* " in *" ${argument} "*) echo 'CREATE TABLE a ();'; exit 1;; esac`;

  test.each([
    ['pg_restore breaks off', { pg_restore: failingAt('--file=-') }],
    [
      'the database refuses it',
      { psql: 'case $* in *count*) echo 0;; *) cat >/dev/null; exit 3;; esac' },
    ],
  ])('says that nothing was restored, and fails, if %s', (_, instead) => {
    expect(runScript({ RESTORE: 'latest' }, instead)).toMatchObject({
      ...{ code: 1, said: '', complaint: 'n8n-20260103T000000Z.dump was not restored\n' },
    });
  });

  test.each([
    [
      'pg_dump breaks off',
      {
        pg_dump:
          'for one; do case $one in --file=*) echo half >"${one#--file=}";; esac; done; exit 1',
      },
    ],
    ['the dump cannot be read to its end', { pg_restore: failingAt('--file=/dev/null') }],
  ])('replaces no dump, and fails, if %s', (_, instead) => {
    const { volume, code, said } = runScript({}, instead);
    expect([code, said.includes('wrote')]).toEqual([1, false]);
    const dumps = OWN_TIMES.map((time) => `n8n-${time}.dump`);
    expect(readdirSync(volume).filter((name) => /^n8n-\d.*dump$/.test(name))).toEqual(
      expect.arrayContaining(dumps),
    );
  });
});

describe('a backup to S3', () => {
  const TO_S3 = {
    ...OWN,
    database: {
      type: 'postgresql',
      own: {
        backup: { enabled: true, s3: { bucket: 'runs', prefix: 'a', existingSecret: 'keys' } },
      },
    },
  };

  test('fetches before a restore and stores after a dump, and no volume is claimed for it', async () => {
    const manifests = await manifestsOf(TO_S3);
    const backup = podTemplates(manifests).find(
      ({ labels }) => labels['app.kubernetes.io/component'] === 'backup',
    );
    const { initContainers = [], containers = [], volumes } = backup?.spec ?? {};
    expect([initContainers, containers].map((each) => each.map(({ name }) => name))).toEqual([
      ['fetch', 'backup'],
      ['store'],
    ]);
    const [asksS3] = containers;
    expect(asksS3?.env).toContainEqual({
      name: 'AWS_SECRET_ACCESS_KEY',
      valueFrom: { secretKeyRef: { name: 'keys', key: 'secret-key' } },
    });
    // What asks the bucket gets nothing of the database, and the other way round.
    expect(asksS3?.env?.filter(({ name }) => name.startsWith('PG'))).toEqual([]);
    expect(initContainers[1]?.env?.filter(({ name }) => name.startsWith('AWS'))).toEqual([]);
    expect(volumes).toContainEqual({ name: 'backups', emptyDir: { sizeLimit: '10Gi' } });
    const claims = manifests.filter(({ kind }) => kind === 'PersistentVolumeClaim');
    expect(claims.map(({ metadata }) => metadata.name)).not.toContain(
      'n8n-n8n-tuned-postgresql-backup',
    );
    const ports = policyOf(manifests, 'backup')?.egress?.flatMap(({ ports: all = [] }) => all);
    expect(ports).toContainEqual({ port: 443, protocol: 'TCP' });
  });

  test.each([
    [{ enabled: true, s3: { endpoint: 'https://s3' } }, 's3 (endpoint): without a bucket'],
    [{ enabled: true, s3: { bucket: 'runs' } }, 's3.prefix: a release of the same name'],
    [
      { enabled: true, s3: { bucket: 'runs', prefix: '/' } },
      's3.prefix: a release of the same name',
    ],
    [
      { s3: { bucket: 'runs', prefix: 'a' } },
      's3.bucket: the bucket has no effect, because backups are off',
    ],
    [
      { enabled: true, existingClaim: 'c', s3: { bucket: 'runs', prefix: 'a' } },
      'existingClaim and s3.bucket',
    ],
  ])('%j is refused', async (backup, sentence) => {
    expect(await refusalOf({ database: { type: 'postgresql', own: { backup } } })).toContain(
      sentence,
    );
  });

  describe('in a real S3 server', () => {
    const SCRIPT = join(chart, 'files/postgresql-backup-s3.cjs');
    const dump = (day: number): string => `n8n-2026010${String(day)}T000000Z.dump`;
    let server: S3Server;
    let volume: string;
    beforeAll(async () => {
      server = await startS3Server();
      volume = mkdtempSync(join(folder, 'dumps-'));
    });
    afterAll(() => server.close());

    const run = (what: string, more: Record<string, string> = {}): Promise<string> => {
      const { AWS_ENDPOINT_URL: endpoint = '', ...keys } = server.env;
      return promisify(execFile)(node24(), [SCRIPT, what], {
        env: {
          ...{ ...keys, AWS_ENDPOINT_URL_S3: endpoint, AWS_EC2_METADATA_DISABLED: 'true' },
          // In n8n's image it is found beside n8n.
          ...{ N8N_PACKAGE: join(n8nFolder(N8N_VERSION), 'package.json'), HOME: '/nonexistent' },
          ...{ FOLDER: volume, NAME: 'n8n', KEEP: '2', S3_BUCKET: 'runs', S3_PREFIX: '/team/' },
          ...{ S3_PART_BYTES: String(5 * 1024 * 1024), ...more },
        },
      }).then(
        ({ stdout }) => stdout,
        (error: { stderr: string }) => error.stderr,
      );
    };

    test('keeps so many dumps of this release, in parts, and gives one back as it was', async () => {
      const content = randomBytes(12 * 1024 * 1024);
      writeFileSync(join(volume, 'n8n-staging-20260101T000000Z.dump'), 'of another release');
      writeFileSync(join(volume, dump(1)), 'the oldest');
      expect(await run('store', { NAME: 'n8n-staging' })).toContain('stored n8n-staging-');
      expect(await run('store')).toContain(`stored ${dump(1)} in s3://runs/team/, 10 bytes`);
      writeFileSync(join(volume, dump(2)), content);
      expect(await run('store')).not.toContain('removed');
      writeFileSync(join(volume, dump(3)), 'the newest');
      expect(await run('store')).toContain(`removed ${dump(1)}\n`);
      expect(server.content('team/n8n-staging-20260101T000000Z.dump')).toBe('of another release');

      for (const name of readdirSync(volume)) rmSync(join(volume, name));
      expect(await run('fetch', { RESTORE: 'latest' })).toBe(`fetched ${dump(3)}\n`);
      expect(await run('fetch', { RESTORE: dump(2) })).toBe(`fetched ${dump(2)}\n`);
      expect(readdirSync(volume).sort()).toEqual([dump(2), dump(3)]);
      expect(readFileSync(join(volume, dump(2))).equals(content)).toBe(true);
      // A restore stores nothing, and a dump fetches nothing.
      expect(await run('store', { RESTORE: 'latest' })).toBe('');
      expect(await run('fetch')).toBe('');
    });

    test('says in one line what the server said', async () => {
      for (const [more, reason] of [
        [{ RESTORE: 'n8n-20200101T000000Z.dump' }, /NoSuchKey/],
        [{ RESTORE: 'latest', NAME: 'nobody' }, /there is no dump latest/],
        [{ RESTORE: 'latest', AWS_SECRET_ACCESS_KEY: 'wrong' }, /status 403/],
      ] as [Record<string, string>, RegExp][]) {
        const said = await run('fetch', more);
        expect(said).toMatch(/^backup to s3:\/\/runs\/team\/: [^\n]+\n$/);
        expect(said).toMatch(reason);
      }
    });
  });
});
