// Data of the chart's own PostgreSQL moves from a volume of 15 to the new version, by the steps of docs/chart/postgresql.md,
// beside all that else reaches the database or starts pods: a pool, an autoscaler, the exporter.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { IMAGES } from '../support/images';
import { readCredential, Release, storeCredential } from '../support/release';
import { seen } from '../support/seen';

jest.setTimeout(1_800_000);

const VALUES = {
  executions: { mode: 'queue' },
  database: { type: 'postgresql' },
  persistence: { enabled: false },
  binaryData: { mode: 'database' },
  worker: {
    autoscaling: { enabled: true, minReplicas: 1, maxReplicas: 2 },
    pools: [{ name: 'big', autoscaling: { enabled: false }, replicas: 1 }],
  },
  monitoring: { enabled: true, exporter: { enabled: true } },
};
const OLD = { ...VALUES, database: { type: 'postgresql', own: { image: { tag: '15' } } } };
const DEPLOYMENTS = ['n8n-exporter', 'n8n-main', 'n8n-worker', 'n8n-worker-big'];

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

test('a credential of PostgreSQL 15 is there and readable on the new version', async () => {
  await n8n.deploy(OLD);
  await storeCredential(n8n);
  await expect(n8n.deploy(VALUES)).rejects.toThrow(
    /database\.own\.image\.tag: the volume contains data of PostgreSQL 15, which PostgreSQL \S+ cannot read/,
  );

  const heading = '## Major version upgrade of the built-in PostgreSQL';
  const [stop, dump, ...others] = n8n.stepsOf('chart/postgresql.md', heading, VALUES, folder);
  await stop?.run();
  // Nothing runs that could still write, nor that a restore would wait for.
  expect(await n8n.pods('main,worker,worker-big,exporter')).toEqual([]);
  await dump?.run();
  expect(readFileSync(join(folder, 'n8n.sql'), 'utf8')).toContain(
    'PostgreSQL database dump complete',
  );
  for (const { run } of others) await run();

  const ready = await n8n.ready();
  expect(Object.keys(ready).sort()).toEqual(DEPLOYMENTS);
  for (const name of DEPLOYMENTS) expect(ready[name]).toBeGreaterThanOrEqual(1);
  await expect(readCredential(n8n)).resolves.toBe('still readable');
  const asked = `psql -U "$POSTGRES_USER" -d "$POSTGRES_DB" -Atc "show server_version"`;
  const pod = ['exec', 'n8n-postgresql-0', '--', 'sh', '-c'];
  const version = (await n8n.space.kubectl(...pod, asked)).trim();
  seen('PostgreSQL 15 to the new version', { from: IMAGES.postgresOld, to: version });
  expect(IMAGES.postgres).toBe(`postgres:${version}`);
  // Helm goes on with what kubectl has applied.
  await n8n.deploy(VALUES);
});
