// A release whose values change, so that all its pods are replaced: data, waiting jobs, the encryption key and the passwords
// stay. So does what is in SQLite, by the steps of docs/chart/upgrade.md.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { request, until } from '../support/cluster';
import { readCredential, Release, ROOT, storeCredential } from '../support/release';
import { seen } from '../support/seen';

jest.setTimeout(1_800_000);

const SECRETS = ['n8n-encryption-key', 'n8n-postgresql', 'n8n-redis'];
const WAITING = 12;

const VALUES = {
  executions: { mode: 'queue' },
  database: { type: 'postgresql' },
  webhook: { enabled: true, replicas: 1 },
  worker: { replicas: 1 },
  loadTargets: { enabled: true },
};
const BEFORE = { ...VALUES, tuning: { profile: 'low-memory' } };

let n8n: Release;
beforeAll(async () => {
  n8n = await Release.inNewNamespace('chart-upgrade');
});
afterAll(async () => {
  await n8n?.remove();
});

const kubectl = (...args: string[]): Promise<string> => n8n.space.kubectl(...args);

async function inDatabase(query: string): Promise<string> {
  return kubectl(
    ...['exec', 'n8n-postgresql-0', '--', 'sh', '-c'],
    `psql -U "$POSTGRES_USER" -d "$POSTGRES_DB" -Atc "${query}"`,
  );
}
const executions = async (): Promise<Record<string, number>> =>
  Object.fromEntries(
    (await inDatabase('select status, count(*) from execution_entity group by 1'))
      .split('\n')
      .filter((row) => row !== '')
      .map((row) => [row.split('|')[0] ?? '', Number(row.split('|')[1])]),
  );
const secrets = async (): Promise<unknown> =>
  Promise.all(
    SECRETS.map(async (name) => {
      const { metadata, data } = JSON.parse(await kubectl('get', 'secret', name, '-o', 'json')) as {
        metadata: { uid: string };
        data: object;
      };
      return { name, uid: metadata.uid, data };
    }),
  );

test('an upgrade keeps data, waiting jobs, the encryption key and the passwords', async () => {
  await n8n.deploy(BEFORE);
  const url = await n8n.serviceUrl('-webhook');
  await n8n.expectedResponse(`${url}/webhook/load-last-node`);
  await storeCredential(n8n);
  const done = (await executions())['success'] ?? 0;
  expect(done).toBeGreaterThan(0);
  const before = await secrets();

  await kubectl('scale', 'deployment/n8n-worker', '--replicas=0');
  await until('no worker', async () => (await n8n.pods('worker')).length === 0, 400_000);
  for (let index = 0; index < WAITING; index++) {
    expect(await request(`${url}/webhook/load-immediate`)).toMatchObject({ status: 200 });
  }
  expect((await executions())['success']).toBe(done);

  await n8n.deploy(VALUES);
  await n8n.rolledOut('worker');
  await until(
    'the waiting jobs done',
    async () => (await executions())['success'] === done + WAITING,
    300_000,
  );
  await n8n.expectedResponse(`${await n8n.serviceUrl('-webhook')}/webhook/load-last-node`);
  const after = await executions();
  const kept = await secrets();
  const credential = await readCredential(n8n);
  seen('upgrade', {
    ...{ executionsBefore: done, waitingJobs: WAITING, executionsAfter: after },
    credentialReadable: credential === 'still readable',
  });
  expect(kept).toEqual(before);
  expect(credential).toBe('still readable');
  expect(Object.keys(after)).toEqual(['success']);
});

test('from SQLite in regular mode to PostgreSQL and queue mode, the credentials stay readable', async () => {
  const page = readFileSync(join(ROOT, 'docs/chart/upgrade.md'), 'utf8');
  const [, shown = ''] = /```yaml\n(database:[^]*?)```/.exec(page) ?? [];
  const [, grant = ''] = / -- psql -U postgres -c '(GRANT [^']+)'/.exec(page) ?? [];
  const small = await Release.inNewNamespace('chart-move');
  try {
    await small.deploy({});
    await storeCredential(small);

    const moved = small.deploy(parse(shown) as object);
    await until(
      'the grant',
      () =>
        small.space.kubectl(
          'exec',
          'n8n-postgresql-0',
          '--',
          'psql',
          '-U',
          'postgres',
          '-c',
          grant,
        ),
      300_000,
    );
    await moved;
    await expect(readCredential(small)).resolves.toBe('still readable');

    await small.deploy({ database: { type: 'postgresql' }, executions: { mode: 'queue' } });
    await expect(readCredential(small)).resolves.toBe('still readable');
    expect(await small.ready()).toEqual({ 'n8n-main': 1, 'n8n-worker': 2 });
  } finally {
    await small.remove();
  }
});
