// From the chart as it was before its first changes, out of git's history, to this one: data, waiting jobs, the encryption key and the
// passwords stay.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { request, until } from '../support/cluster';
import { IMAGES } from '../support/images';
import { readCredential, Release, ROOT, storeCredential } from '../support/release';
import { seen } from '../support/seen';

jest.setTimeout(1_800_000);

const run = promisify(execFile);
/** The first of them began a list in docs/chart/upgrade.md, by these words. */
const LIST_BEGAN = [
  ...['log', '-S', 'Values that changed since 0.1.0', '--reverse', '--format=%H'],
  ...['--', 'docs/chart/upgrade.md'],
];
const SECRETS = ['n8n-encryption-key', 'n8n-postgresql', 'n8n-redis'];
const WAITING = 12;

const tagOf = (image: string): string => image.slice(image.indexOf(':') + 1);
const VALUES = {
  executions: { mode: 'queue' },
  database: { type: 'postgresql' },
  webhook: { enabled: true, replicas: 1 },
  worker: { replicas: 1 },
  loadTargets: { enabled: true },
};
// The lab has one Redis 7; 0.1.0 named the whole line.
const OLD = { ...VALUES, redis: { own: { image: { tag: tagOf(IMAGES.redis) } } } };
// Another major version of PostgreSQL could not read the volume: docs/chart/postgresql.md.
const NEW = {
  ...VALUES,
  database: { type: 'postgresql', own: { image: { tag: tagOf(IMAGES.postgresOld) } } },
};

let n8n: Release;
let folder: string;
let oldCommit: string;
beforeAll(async () => {
  const { stdout } = await run('git', LIST_BEGAN, { cwd: ROOT });
  const [first = ''] = stdout.split('\n');
  if (first === '')
    throw new Error('this clone has no history of the first chart: git fetch --unshallow');
  oldCommit = `${first}^`;
  folder = mkdtempSync(join(tmpdir(), 'chart-0.1.0-'));
  // Its files/ has links to the other two folders.
  const unpack = `git archive ${oldCommit} charts/n8n-tuned loadtests workflows | tar -x -C "$0"`;
  await run('bash', ['-o', 'pipefail', '-c', unpack, folder], { cwd: ROOT });
  n8n = await Release.inNewNamespace('chart-upgrade');
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
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

test('data, waiting jobs, key and passwords of 0.1.0 are there after the upgrade', async () => {
  await n8n.deploy(OLD, 3, true, join(folder, 'charts', 'n8n-tuned'));
  const url = await n8n.serviceUrl('-webhook');
  await n8n.rightReply(`${url}/webhook/load-last-node`);
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

  await n8n.deploy(NEW);
  await n8n.rolledOut('worker');
  await until(
    'the waiting jobs done',
    async () => (await executions())['success'] === done + WAITING,
    300_000,
  );
  await n8n.rightReply(`${await n8n.serviceUrl('-webhook')}/webhook/load-last-node`);
  const after = await executions();
  const kept = await secrets();
  const credential = await readCredential(n8n);
  seen('upgrade from 0.1.0', {
    commit: (await run('git', ['rev-parse', '--short', oldCommit], { cwd: ROOT })).stdout.trim(),
    ...{ executionsBefore: done, waitingJobs: WAITING, executionsAfter: after },
    credentialReadable: credential === 'still readable',
  });
  expect(kept).toEqual(before);
  expect(credential).toBe('still readable');
  expect(Object.keys(after)).toEqual(['success']);
});
