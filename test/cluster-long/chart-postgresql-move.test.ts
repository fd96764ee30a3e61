// Data of the chart's own PostgreSQL moves from a volume of 15 to the new version, by the steps of docs/chart/postgresql.md.
import { writeFileSync } from 'node:fs';
import { inCluster } from '../support/cluster';
import { IMAGES } from '../support/images';
import { readCredential, Release, storeCredential } from '../support/release';
import { seen } from '../support/seen';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

jest.setTimeout(1_800_000);

const SMALL = { database: { type: 'postgresql' }, persistence: { enabled: false } };
const VALUES = { ...SMALL, binaryData: { mode: 'database' } };
const OLD = { ...VALUES, database: { type: 'postgresql', own: { image: { tag: '15' } } } };
const POD = 'n8n-postgresql-0';

let n8n: Release;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'chart-postgresql-move-'));
  n8n = await Release.inNewNamespace('chart-pg-move');
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await n8n?.remove();
});

const kubectl = (...args: string[]): Promise<string> => n8n.space.kubectl(...args);
const N8N = 'app.kubernetes.io/instance=n8n,app.kubernetes.io/component in (main,worker,webhook)';

async function inDatabase(script: string, input?: string): Promise<string> {
  const { code, stdout, stderr } = await inCluster(
    ['kubectl', '-n', n8n.space.name, 'exec', '-i', POD, '--', 'sh', '-c', script],
    { timeoutMs: 300_000, ...(input === undefined ? {} : { input }) },
  );
  if (code !== 0) throw new Error(stderr);
  return stdout;
}

async function stopN8n(): Promise<void> {
  await kubectl('scale', 'deployment', '--replicas=0', '--selector', N8N);
  await kubectl('wait', '--for=delete', 'pod', '--selector', N8N, '--timeout=110s');
}

test('a credential of PostgreSQL 15 is there and readable on the new version', async () => {
  await n8n.deploy(OLD);
  await storeCredential(n8n);
  await expect(n8n.deploy(VALUES)).rejects.toThrow(
    /database\.own\.image\.tag: the volume contains data of PostgreSQL 15, which \S+ cannot read/,
  );

  await stopN8n();
  const dump = await inDatabase('pg_dump -U "$POSTGRES_USER" "$POSTGRES_DB"');
  expect(dump).toContain('PostgreSQL database dump complete');
  writeFileSync(join(folder, 'n8n.sql'), dump);
  await kubectl('delete', 'statefulset', 'n8n-postgresql');
  await kubectl('delete', 'persistentvolumeclaim', `data-${POD}`);

  await n8n.deploy(VALUES);
  await stopN8n();
  await inDatabase(
    'dropdb -U "$POSTGRES_USER" "$POSTGRES_DB" && createdb -U "$POSTGRES_USER" -O "$N8N_ROLE" "$POSTGRES_DB" && psql -U "$POSTGRES_USER" -d "$POSTGRES_DB" -q -v ON_ERROR_STOP=1',
    dump,
  );
  await n8n.deploy(VALUES);
  await expect(readCredential(n8n)).resolves.toBe('still readable');
  const version = (
    await inDatabase('psql -U "$POSTGRES_USER" -d "$POSTGRES_DB" -Atc "show server_version"')
  ).trim();
  seen('PostgreSQL 15 to the new version', { from: IMAGES.postgresOld, to: version });
  expect(IMAGES.postgres).toBe(`postgres:${version}`);
});
