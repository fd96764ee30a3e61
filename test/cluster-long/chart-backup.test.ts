// A dump of the chart's own PostgreSQL is put back by the steps of docs/chart/postgresql.md, and n8n's role is no superuser.
// The release has the older PostgreSQL of the lab: of the new one the lab has the server alone, not its pg_dump.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inCluster, until } from '../support/cluster';
import { readCredential, Release, ROOT, storeCredential } from '../support/release';
import { seen } from '../support/seen';

jest.setTimeout(1_800_000);

const VALUES = {
  persistence: { enabled: false },
  binaryData: { mode: 'database' },
  database: {
    type: 'postgresql',
    own: { image: { tag: '15' }, backup: { enabled: true, keep: 2 } },
  },
};
const POD = 'n8n-postgresql-0';

let n8n: Release;
beforeAll(async () => {
  n8n = await Release.inNewNamespace('chart-backup');
});
afterAll(() => n8n?.remove());

const kubectl = (...args: string[]): Promise<string> => n8n.space.kubectl(...args);

async function sh(script: string): Promise<string> {
  const { code, stdout, stderr } = await inCluster(['sh', '-ec', script], { timeoutMs: 700_000 });
  if (code !== 0) throw new Error(`${script}: ${stderr}`);
  return stdout;
}
const psql = (query: string): Promise<string> =>
  kubectl(
    ...['exec', POD, '--', 'sh', '-c'],
    `PGPASSWORD=$POSTGRES_PASSWORD psql -h 127.0.0.1 -U "$N8N_ROLE" -d "$POSTGRES_DB" -Atc "${query}"`,
  );

async function backUp(name: string): Promise<string> {
  await kubectl('create', 'job', name, '--from=cronjob/n8n-postgresql-backup');
  await kubectl('wait', '--for=condition=complete', `job/${name}`, '--timeout=110s');
  return kubectl('logs', `job/${name}`);
}

/** The lines of the page, each a command, for this namespace and without the upgrade at their end. */
function steps(): string[] {
  const page = readFileSync(join(ROOT, 'docs/chart/postgresql.md'), 'utf8');
  const [, shown = ''] = /## Backup and restore[^]*?```sh\n([^]*?)```/.exec(page) ?? [];
  return shown
    .trim()
    .split('\n')
    .filter((line) => line.startsWith('kubectl'))
    .map((line) => line.replaceAll('kubectl ', `kubectl -n ${n8n.space.name} `));
}

test('what a dump has is there again after a restore, and a restore beside n8n is refused', async () => {
  await n8n.deploy(VALUES);
  expect(await psql('select rolsuper from pg_roles where rolname = current_user')).toBe('f');
  await storeCredential(n8n);
  expect(await backUp('first')).toMatch(/^wrote n8n-\d{8}T\d{6}Z\.dump, \d{4,} bytes$/m);

  // n8n is connected, so nothing is touched.
  const [, , create = ''] = steps();
  await sh(create);
  await until('the restore that is refused', async () =>
    (await kubectl('logs', 'job/restore')).includes('stop n8n first'),
  );
  await kubectl('delete', 'job', 'restore');

  await psql('delete from credentials_entity; create table later (id int)');
  for (const step of steps()) await sh(step);
  await n8n.deploy(VALUES);
  await expect(readCredential(n8n)).resolves.toBe('still readable');
  // What came after the dump is gone, as the dump has it.
  expect(await psql("select to_regclass('later') is null")).toBe('t');

  await backUp('second');
  expect(await backUp('third')).toMatch(/^removed n8n-/m);
  seen('a backup of the own PostgreSQL, restored', { dumpsKept: 2 });
});
