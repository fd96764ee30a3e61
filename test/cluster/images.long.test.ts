import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createNamespace, until, type Namespace } from '../support/cluster';
import { shellPod } from './objects';
import { IMAGES } from '../support/images';

jest.setTimeout(400_000);

let space: Namespace;
beforeAll(async () => {
  space = await createNamespace('images');
});
afterAll(() => space?.remove());

const ready = (pod: string): Promise<string> =>
  space.kubectl('wait', '--for=condition=Ready', `pod/${pod}`, '--timeout=110s');
const pod = (name: string, container: object, spec: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { terminationGracePeriodSeconds: 5, containers: [{ name: 'c', ...container }], ...spec },
});
const exec = (name: string, ...command: string[]): Promise<string> =>
  space.kubectl('exec', name, '--', ...command);
const address = (name: string): Promise<string> =>
  space.kubectl('get', 'pod', name, '-o', 'jsonpath={.status.podIP}');
const env = (values: Record<string, string>): object => ({
  env: Object.entries(values).map(([name, value]) => ({ name, value })),
});
const probe = (...command: string[]): object => ({
  readinessProbe: { exec: { command }, periodSeconds: 1 },
});
const lockedDown = {
  securityContext: {
    runAsNonRoot: true,
    allowPrivilegeEscalation: false,
    capabilities: { drop: ['ALL'] },
  },
};

test('Redis answers other pods without any setting, and with users and TLS where they are wanted', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-redis-'));
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-days',
      '1',
      '-subj',
      '/CN=redis',
      '-keyout',
      'key',
      '-out',
      'crt',
    ],
    {
      cwd: folder,
      stdio: 'pipe',
    },
  );
  const data = {
    crt: readFileSync(join(folder, 'crt'), 'utf8'),
    key: readFileSync(join(folder, 'key'), 'utf8'),
  };
  rmSync(folder, { recursive: true });
  const tls = [
    '--port',
    '0',
    '--tls-port',
    '6379',
    '--tls-cert-file',
    '/tls/crt',
    '--tls-key-file',
    '/tls/key',
    '--tls-auth-clients',
    'no',
  ];
  await space.apply([
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'tls' }, data },
    pod('redis', { image: IMAGES.redis, ...lockedDown, ...probe('redis-cli', 'ping') }),
    pod(
      'redis-tls',
      {
        image: IMAGES.redis,
        ...lockedDown,
        args: [
          ...tls,
          ...'--user default off --user n8n on >secret ~* +@all'.split(' '),
          '--appendonly',
          'yes',
        ],
        volumeMounts: [{ name: 'tls', mountPath: '/tls' }],
        ...probe('redis-cli', '--tls', '--insecure', '--user', 'n8n', '--pass', 'secret', 'ping'),
      },
      { volumes: [{ name: 'tls', configMap: { name: 'tls' } }] },
    ),
  ]);
  await Promise.all([ready('redis'), ready('redis-tls')]);
  const [plain, secure] = [await address('redis'), await address('redis-tls')];
  expect(await exec('redis-tls', 'redis-cli', '-h', plain, 'set', 'a', 'b')).toBe('OK');
  const client = [
    'redis-cli',
    '-h',
    secure,
    '--tls',
    '--cacert',
    '/tls/crt',
    '--sni',
    'redis',
    '--insecure',
  ];
  expect(await exec('redis-tls', ...client, 'ping')).toContain('NOAUTH');
  expect(
    await exec(
      'redis-tls',
      ...client,
      '--no-auth-warning',
      '--user',
      'n8n',
      '--pass',
      'secret',
      'set',
      'a',
      'b',
    ),
  ).toBe('OK');
  expect(await exec('redis-tls', 'ls', '/data')).toContain('appendonlydir');
});

test('PostgreSQL makes its database once, asks for the password, and keeps the data over a restart', async () => {
  const settings = env({
    POSTGRES_USER: 'n8n',
    POSTGRES_PASSWORD: 'secret',
    POSTGRES_DB: 'flows',
    PGDATA: '/data/pg',
  });
  const container = {
    image: IMAGES.postgres,
    ...lockedDown,
    ...settings,
    ...probe('pg_isready', '-U', 'n8n', '-d', 'flows'),
    volumeMounts: [{ name: 'data', mountPath: '/data' }],
  };
  await space.apply([
    pod(
      'postgres',
      { ...container, args: ['-c', 'max_connections=50'] },
      { securityContext: { fsGroup: 999 }, volumes: [{ name: 'data', emptyDir: {} }] },
    ),
  ]);
  await ready('postgres');
  const sql = (query: string, password = 'secret'): Promise<string> =>
    address('postgres').then((host) =>
      exec('postgres', 'psql', `postgresql://n8n:${password}@${host}/flows`, '-Atc', query),
    );
  expect(
    await sql('create table kept (x int); insert into kept values (7); show max_connections'),
  ).toContain('50');
  await expect(sql('select 1', 'wrong')).rejects.toThrow('password authentication failed');
  await exec('postgres', 'sh', '-c', 'kill -INT 1');
  await until('the data after a restart', async () => (await sql('select x from kept')) === '7');
  // The official image asks for SIGINT. With SIGTERM it would wait until its clients end their connections.
  const log = space.kubectl('logs', '--follow', 'postgres');
  await space.kubectl('delete', 'pod', 'postgres');
  expect(await log).toContain('received fast shutdown request');
});

test('k6 and the shell run under their names', async () => {
  await space.apply([
    pod(
      'k6',
      { image: 'grafana/k6:1.8.1', args: ['version'], ...lockedDown },
      { restartPolicy: 'Never' },
    ),
    shellPod('shell', 'wget --help 2>&1 | head -1; id -u', {
      securityContext: { runAsUser: 1000 },
    }),
  ]);
  const log = (name: string): Promise<string> =>
    until(
      `the log of ${name}`,
      async () => (await space.kubectl('logs', name)) || false,
    ) as Promise<string>;
  expect(await log('k6')).toMatch(/^k6(\.exe)? v1\.8\.1/);
  expect(await log('shell')).toMatch(/BusyBox[^]*1000$/);
});
