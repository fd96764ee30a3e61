// A dump of the chart's own PostgreSQL is put back by the steps of docs/chart/postgresql.md, and n8n's role is no superuser.
// Beside n8n are all that else reaches the database or starts pods: a pool, an autoscaler, the exporter.
// The release has the older PostgreSQL of the lab: of the new one the lab has the server alone, not its pg_dump.
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram } from '../../cli/src/lab/paths';
import { FRONT_DOOR, until } from '../support/cluster';
import { readCredential, Release, storeCredential } from '../support/release';
import { seen } from '../support/seen';

jest.setTimeout(1_800_000);

const valuesWith = (s3: object): object => ({
  executions: { mode: 'queue' },
  worker: {
    autoscaling: { enabled: true, minReplicas: 1, maxReplicas: 2 },
    pools: [{ name: 'big', autoscaling: { enabled: false }, replicas: 1 }],
  },
  monitoring: { enabled: true, exporter: { enabled: true } },
  persistence: { enabled: false },
  binaryData: { mode: 'database' },
  database: {
    type: 'postgresql',
    own: { image: { tag: '15' }, backup: { enabled: true, keep: 2, s3 } },
  },
});
const KEYS = { access: 'tester', secret: 'not a secret' };
const S3_PORT = 7070;
const POD = 'n8n-postgresql-0';

let n8n: Release;
/** What the S3 server keeps. */
let bucket: string;
let server: ChildProcess;
beforeAll(async () => {
  n8n = await Release.inNewNamespace('chart-backup');
  bucket = join(mkdtempSync(join(tmpdir(), 's3-')), 'dumps');
  mkdirSync(bucket);
  const args = ['--port', `:${String(S3_PORT)}`, '--access', KEYS.access, '--secret', KEYS.secret];
  server = spawn(
    FRONT_DOOR,
    ['exec', findProgram('versitygw') ?? '', ...args, '--quiet', 'posix', join(bucket, '..')],
    { stdio: 'ignore' },
  );
});
afterAll(async () => {
  server?.kill();
  rmSync(join(bucket, '..'), { recursive: true, force: true });
  await n8n?.remove();
});

const kubectl = (...args: string[]): Promise<string> => n8n.space.kubectl(...args);

const psql = (query: string): Promise<string> =>
  kubectl(
    ...['exec', POD, '--', 'sh', '-c'],
    `PGPASSWORD=$POSTGRES_PASSWORD psql -h 127.0.0.1 -U "$N8N_ROLE" -d "$POSTGRES_DB" -Atc "${query}"`,
  );

async function backUp(name: string): Promise<string> {
  await kubectl('create', 'job', name, '--from=cronjob/n8n-postgresql-backup');
  await kubectl('wait', '--for=condition=complete', `job/${name}`, '--timeout=110s');
  return kubectl('logs', `job/${name}`, '--all-containers');
}

const steps = (values: object): ReturnType<Release['stepsOf']> =>
  n8n.stepsOf('chart/postgresql.md', '## Backup and restore', values, join(bucket, '..'));

async function restore(values: object): Promise<void> {
  await psql('delete from credentials_entity; create table later (id int)');
  for (const { run } of steps(values)) await run();
  const ready = Object.values(await n8n.ready());
  expect(ready).toHaveLength(4);
  expect(Math.min(...ready)).toBeGreaterThanOrEqual(1);
}

/** What came after the dump is gone, as the dump has it. */
async function isAsDumped(): Promise<void> {
  await expect(readCredential(n8n)).resolves.toBe('still readable');
  expect(await psql("select to_regclass('later') is null")).toBe('t');
}

test('what a dump has is there again after a restore, and a restore beside n8n is refused', async () => {
  await n8n.deploy(valuesWith({}));
  expect(await psql('select rolsuper from pg_roles where rolname = current_user')).toBe('f');
  await storeCredential(n8n);
  expect(await backUp('first')).toMatch(/^wrote n8n-\d{8}T\d{6}Z\.dump, \d{4,} bytes$/m);

  // n8n is connected, so nothing is touched.
  await steps(valuesWith({}))
    .find(({ line }) => line.includes('create job restore'))
    ?.run();
  await until('the restore that is refused', async () =>
    (await kubectl('logs', 'job/restore')).includes('stop n8n first'),
  );
  await kubectl('delete', 'job', 'restore');

  await restore(valuesWith({}));
  await isAsDumped();

  await backUp('second');
  expect(await backUp('third')).toMatch(/^removed n8n-/m);
  seen('a backup of the own PostgreSQL, restored', { dumpsKept: 2 });
});

test('what a dump in a bucket of S3 has is there again after a restore', async () => {
  const address = await kubectl(
    ...[
      'get',
      'nodes',
      '-o',
      'jsonpath={.items[0].status.addresses[?(@.type=="InternalIP")].address}',
    ],
  );
  await kubectl(
    ...['create', 'secret', 'generic', 's3', `--from-literal=access-key=${KEYS.access}`],
    `--from-literal=secret-key=${KEYS.secret}`,
  );
  const values = valuesWith({
    ...{ bucket: 'dumps', prefix: 'n8n', existingSecret: 's3' },
    endpoint: `http://${address}:${String(S3_PORT)}`,
  });
  await n8n.deploy(values);
  expect(await backUp('to-s3')).toMatch(/^stored n8n-\d{8}T\d{6}Z\.dump in s3:\/\/dumps\/n8n\//m);
  await restore(values);
  await isAsDumped();
  await backUp('second-to-s3');
  expect(await backUp('third-to-s3')).toMatch(/^removed n8n-/m);
  expect(readdirSync(join(bucket, 'n8n'))).toHaveLength(2);
  seen('a backup of the own PostgreSQL in S3, restored', { dumpsKept: 2 });
});
