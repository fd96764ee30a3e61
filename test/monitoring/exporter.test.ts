// The chart's exporter on a real Redis with Bull's own queue and a real PostgreSQL.
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import Queue from 'bull';
import { Redis } from 'ioredis';
import { Client } from 'pg';
import { cacheFolder, repositoryRoot } from '../../cli/src/lab/paths';
import { freePort } from '../../cli/src/targets/process/ports';
import {
  awaitPostgresql,
  newCluster,
  postgresql,
  postgresqlUrl,
} from '../../cli/src/targets/process/postgresql';
import { awaitPort } from '../../cli/src/targets/process/redis';
import { externalSeries } from '../../monitoring/external-series';
import { chart } from '../chart/support/helm.ts';
import { plainRedis } from '../support/redis';
import { until } from '../support/wait';

jest.setTimeout(120_000);

const PREFIX = 'of-the-test';
const PASSWORD = 'of-the-test';

let folder: string;
let ports: { redis: number; postgresql: number };
const children: ChildProcess[] = [];
let database: Client;
const queues: Queue.Queue[] = [];
const clients: Redis[] = [];

function started(command: readonly string[], env: Record<string, string> = {}): ChildProcess {
  const [program = '', ...args] = command;
  const child = spawn(program, args, { stdio: 'ignore', env: { ...process.env, ...env } });
  children.push(child);
  return child;
}

async function exporter(env: Record<string, string>): Promise<string> {
  const port = String(await freePort());
  started([process.execPath, join(chart, 'files/exporter.cjs')], {
    LISTEN_PORT: port,
    // In n8n's image the libraries are found beside n8n.
    N8N_PACKAGE: join(repositoryRoot(), 'package.json'),
    ...env,
  });
  const url = `http://127.0.0.1:${port}`;
  await until('the exporter listens', () =>
    fetch(`${url}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  return url;
}

const ofRedis = (): Record<string, string> => ({
  QUEUE_BULL_REDIS_HOST: '127.0.0.1',
  QUEUE_BULL_REDIS_PORT: String(ports.redis),
  QUEUE_BULL_PREFIX: PREFIX,
});
const ofPostgresql = (): Record<string, string> => ({
  DB_TYPE: 'postgresdb',
  DB_POSTGRESDB_HOST: '127.0.0.1',
  DB_POSTGRESDB_PORT: String(ports.postgresql),
  DB_POSTGRESDB_USER: 'n8n',
  DB_POSTGRESDB_PASSWORD: PASSWORD,
  DB_TABLE_PREFIX: 'my_',
});

/** By name and labels. */
async function scraped(url: string): Promise<Record<string, number>> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const samples = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return Object.fromEntries(
    samples.map((line) => {
      const at = line.lastIndexOf(' ');
      return [line.slice(0, at), Number(line.slice(at + 1))];
    }),
  );
}

function queue(): Queue.Queue {
  const made = new Queue('jobs', { prefix: PREFIX, redis: { port: ports.redis } });
  queues.push(made);
  return made;
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-exporter-'));
  chmodSync(folder, 0o755);
  ports = { redis: await freePort(), postgresql: await freePort() };
  const bin = join(cacheFolder(), 'bin');
  // The user that runs PostgreSQL may not look into the lab's cache, where only links are.
  const postgresqlBin = dirname(realpathSync(join(bin, 'postgres')));
  const place = { folder, log: join(folder, 'log') };
  const server = started([join(bin, 'redis-server'), ...plainRedis(ports.redis, folder)]);
  const data = join(folder, 'postgresql');
  const { command, env } = newCluster(postgresqlBin, data, PASSWORD, place);
  const [program = '', ...args] = command;
  execFileSync(program, args, { stdio: 'ignore', env: { ...process.env, ...env } });
  const postgres = started(postgresql(postgresqlBin, data, ports.postgresql, place).command);
  await awaitPort(ports.redis, 'Redis', () => server.exitCode === null);
  const url = postgresqlUrl(ports.postgresql, PASSWORD);
  await awaitPostgresql(url, () => postgres.exitCode === null);
  database = new Client({ connectionString: url });
  await database.connect();
  // The columns that n8n 2.41.1 has; test/monitoring-long/series.test.ts reads n8n's own table.
  await database.query(`
    CREATE TABLE my_execution_entity (id int, status text, "stoppedAt" timestamptz(3), "retrySuccessId" text);
    CREATE TABLE my_execution_data (data text);
    CREATE TABLE of_somebody_else (data text);
    INSERT INTO my_execution_data SELECT repeat('x', 1000) FROM generate_series(1, 1000);
    INSERT INTO my_execution_entity VALUES
      (1, 'success', now(), NULL), (2, 'crashed', now(), NULL), (3, 'crashed', now(), '9'),
      (4, 'crashed', now() - interval '2 hours', NULL)`);
});

afterAll(async () => {
  await Promise.all(queues.map((one) => one.close(true)));
  clients.forEach((client) => client.disconnect());
  await database.end();
  for (const child of children.reverse()) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    // PostgreSQL's fast end.
    child.kill('SIGINT');
    await once(child, 'exit');
  }
  rmSync(folder, { recursive: true, force: true });
});

test('the exporter tells the age of the job that is next, and 0 when none waits', async () => {
  const url = await exporter(ofRedis());
  expect(await scraped(url)).toEqual({
    'n8n_tuned_exporter_up{store="redis"}': 1,
    n8n_tuned_queue_oldest_job_seconds: 0,
    n8n_tuned_queue_consumers: 0,
  });
  const enqueuing = queue();
  // Bull takes it, and its types do not know it.
  const earlier: object = { timestamp: Date.now() - 90_000 };
  const { id } = await enqueuing.add({}, earlier);
  await enqueuing.add({});
  const age = (await scraped(url))['n8n_tuned_queue_oldest_job_seconds'] ?? 0;
  expect(age).toBeGreaterThanOrEqual(90);
  expect(age).toBeLessThan(300);
  await (await enqueuing.getJob(id))?.remove();
  expect((await scraped(url))['n8n_tuned_queue_oldest_job_seconds']).toBeLessThan(90);
  await enqueuing.empty();
});

test('the exporter counts workers that consume, not those that only put jobs in', async () => {
  const url = await exporter(ofRedis());
  await queue().add({});
  expect((await scraped(url))['n8n_tuned_queue_consumers']).toBe(0);
  for (const worker of [queue(), queue()]) {
    void worker.process(() => Promise.resolve());
  }
  await until('two consume', async () => (await scraped(url))['n8n_tuned_queue_consumers'] === 2);
});

test('the exporter tells what recovery has added up in Redis, and nothing of it before', async () => {
  const url = await exporter(ofRedis());
  const ofRecovery = async (): Promise<object> =>
    Object.fromEntries(
      Object.entries(await scraped(url)).filter(([name]) => name.includes('_recovery_')),
    );
  expect(await ofRecovery()).toEqual({});
  const client = new Redis({ port: ports.redis });
  clients.push(client);
  await client.hset(`n8n-tuned:{${PREFIX}}:recovery`, {
    ...{ passes: 3, left: 2, endedAtMs: 1_700_000_000_500 },
    ...{ 'attempts:recovered': 5, 'attempts:lost_again': 1 },
  });
  expect(await ofRecovery()).toEqual({
    n8n_tuned_recovery_passes_total: 3,
    'n8n_tuned_recovery_attempts_total{outcome="recovered"}': 5,
    'n8n_tuned_recovery_attempts_total{outcome="lost_again"}': 1,
    n8n_tuned_recovery_left_executions: 2,
    n8n_tuned_recovery_last_pass_timestamp_seconds: 1_700_000_000.5,
  });
  const text = await (await fetch(`${url}/metrics`)).text();
  expect(text).toContain('# TYPE n8n_tuned_recovery_attempts_total counter');
  // A user of Redis who may not read it sees the rest.
  const allowed = ['+lindex', '+hget', '+client|list', '+info'];
  await client.acl('SETUSER', 'narrow', 'on', '>narrow', '~*', ...allowed);
  const narrow = await exporter({
    ...{ ...ofRedis(), QUEUE_BULL_REDIS_USERNAME: 'narrow', QUEUE_BULL_REDIS_PASSWORD: 'narrow' },
  });
  expect(Object.keys(await scraped(narrow)).sort()).toEqual([
    'n8n_tuned_exporter_up{store="redis"}',
    'n8n_tuned_queue_consumers',
    'n8n_tuned_queue_oldest_job_seconds',
  ]);
  await client.del(`n8n-tuned:{${PREFIX}}:recovery`);
});

test('the exporter counts crashed executions of the last hour and those recovered, and sizes of tables of n8n', async () => {
  const samples = await scraped(await exporter(ofPostgresql()));
  expect(samples).toMatchObject({
    'n8n_tuned_exporter_up{store="postgresql"}': 1,
    n8n_tuned_executions_crashed: 2,
    n8n_tuned_executions_recovered: 1,
  });
  const sizes = Object.entries(samples).filter(([name]) => name.startsWith('n8n_tuned_table'));
  expect(sizes.map(([name]) => name).sort()).toEqual([
    'n8n_tuned_table_size_bytes{table="my_execution_data"}',
    'n8n_tuned_table_size_bytes{table="my_execution_entity"}',
  ]);
  expect(samples['n8n_tuned_table_size_bytes{table="my_execution_data"}']).toBeGreaterThan(1e6);
});

test('the exporter shows what it can when a store is away, and changes nothing in either', async () => {
  const url = await exporter({
    ...ofRedis(),
    ...ofPostgresql(),
    DB_POSTGRESDB_PORT: String(await freePort()),
  });
  expect(await scraped(url)).toMatchObject({
    'n8n_tuned_exporter_up{store="redis"}': 1,
    'n8n_tuned_exporter_up{store="postgresql"}': 0,
  });
  const { rows } = await database.query('SELECT count(*)::int AS n FROM my_execution_entity');
  expect(rows).toEqual([{ n: 4 }]);
});

test('the exporter has every series and label that an alert reads of it, as gauges with a help', async () => {
  const url = await exporter({ ...ofRedis(), ...ofPostgresql() });
  const text = await (await fetch(`${url}/metrics`)).text();
  const wanted = Object.entries(externalSeries).filter(([, { from }]) => from === 'exporter');
  for (const [name, { labels }] of wanted) {
    expect(text).toMatch(new RegExp(`^# HELP ${name} \\S.*\\.$`, 'm'));
    expect(text).toContain(`# TYPE ${name} gauge`);
    const [, inner = ''] = new RegExp(`^${name}(?:\\{(.*)\\})? `, 'm').exec(text) ?? [];
    expect([...inner.matchAll(/(\w+)=/g)].map(([, label]) => label)).toEqual(labels);
  }
  const served = [...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name);
  expect(served.sort()).toEqual(wanted.map(([name]) => name).sort());
});

/** n8n gives its client the same: dist/services/redis-client.service.js of 2.41. */
test.each<[string, Record<string, string>, object]>([
  ['a certificate for a name', {}, { tls: { servername: 'redis.test', rejectUnauthorized: true } }],
  [
    'a certificate that nobody can verify',
    { QUEUE_BULL_REDIS_TLS_VALIDATE_CERTIFICATE: 'false' },
    { tls: { servername: 'redis.test', rejectUnauthorized: false } },
  ],
  [
    'numbers for words',
    { QUEUE_BULL_REDIS_TLS: '0', QUEUE_BULL_REDIS_DUALSTACK: '1' },
    { family: 0 },
  ],
  [
    'a cluster whose certificates name hosts',
    { QUEUE_BULL_REDIS_CLUSTER_NODES: 'a.test:1', QUEUE_BULL_REDIS_DNS_LOOKUP_STRATEGY: 'NONE' },
    { looksUp: 'a.test' },
  ],
  ['a cluster', { QUEUE_BULL_REDIS_CLUSTER_NODES: 'a.test:1' }, { looksUp: null }],
])('the exporter connects to Redis as n8n does: %s', (_, more, expected) => {
  const place = mkdtempSync(join(folder, 'stub-'));
  const library = join(place, 'node_modules/ioredis');
  mkdirSync(library, { recursive: true });
  writeFileSync(join(place, 'package.json'), '{}');
  writeFileSync(
    join(library, 'index.js'),
    `const show = (what) => { process.stdout.write(JSON.stringify(what)); process.exit(0); };
    exports.Redis = function ({ tls, family }) { show({ tls, family }); };
    exports.Cluster = function (nodes, { dnsLookup }) {
      if (dnsLookup) dnsLookup(nodes[0].host, (error, looksUp) => show({ looksUp }));
      else show({ looksUp: null });
    };`,
  );
  const env = {
    ...{ N8N_PACKAGE: join(place, 'package.json'), QUEUE_BULL_REDIS_HOST: 'a.test' },
    ...{ QUEUE_BULL_REDIS_TLS: 'true', QUEUE_BULL_REDIS_TLS_SERVERNAME: 'redis.test', ...more },
  };
  const said = execFileSync(process.execPath, [join(chart, 'files/exporter.cjs')], { env });
  expect(JSON.parse(said.toString())).toEqual(expected);
});

test('the exporter ends at SIGTERM with its connections open', async () => {
  await exporter({ ...ofRedis(), ...ofPostgresql() });
  const child = children.at(-1);
  if (child === undefined) throw new Error('it never started');
  child.kill('SIGTERM');
  const [code] = (await once(child, 'exit')) as [number | null];
  expect(code).toBe(0);
});
