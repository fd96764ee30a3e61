// n8n in pods with stores of the operator's, in the kinds that production has.
import { readFileSync } from 'node:fs';
import { until } from '../support/cluster';
import { Release } from '../support/release';
import { seen } from '../support/seen';
import { redis, redisBehindSentinels, redisCluster, sentinel, tlsStores } from '../support/stores';

jest.setTimeout(2_400_000);

const QUEUE = {
  executions: { mode: 'queue' },
  database: { type: 'postgresql' },
  loadTargets: { enabled: true },
};

let n8n: Release;
beforeEach(async () => {
  n8n = await Release.inNewNamespace('chart-stores');
});
afterEach(() => n8n.remove());

const expectedResponse = async (): Promise<number> =>
  (await n8n.expectedResponse(`${await n8n.serviceUrl()}/webhook/load-last-node`)).status;

test('PostgreSQL and Redis speak TLS under an authority of the company, Redis to a user of its own', async () => {
  await tlsStores(n8n.space);
  // It is like the certificates of all regions of a cloud: too long for a variable, of which Linux takes 128 KiB.
  const { data } = JSON.parse(
    await n8n.space.kubectl('get', 'secret', 'stores-tls', '-o', 'json'),
  ) as { data: Record<string, string> };
  const company = Buffer.from(data['ca.crt'] ?? '', 'base64').toString();
  const authorities = readFileSync('/etc/ssl/certs/ca-certificates.crt', 'utf8') + company;
  expect(authorities.length).toBeGreaterThan(180_191);
  await n8n.space.apply([
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'regions' },
      data: { 'global-bundle.pem': authorities },
    },
  ]);
  const values = {
    ...QUEUE,
    encryptionKey: { value: 'a-key-of-the-test' },
    database: {
      type: 'postgresql',
      external: {
        host: 'postgres',
        existingSecret: 'stores',
        tls: { enabled: true, existingConfigMap: 'regions', caKey: 'global-bundle.pem' },
      },
    },
    redis: {
      external: {
        ...{ host: 'redis', port: 6380, user: 'n8n', existingSecret: 'stores' },
        tls: { enabled: true, serverName: 'redis' },
      },
    },
    trustedCertificates: { existingSecret: 'stores-tls' },
  };
  await n8n.deploy(values);
  expect(await expectedResponse()).toBe(200);
  const encrypted = await n8n.space.kubectl(
    ...[
      'exec',
      'postgres-0',
      '--',
      'psql',
      '-h',
      '/run/postgresql',
      '-U',
      'n8n',
      '-d',
      'n8n',
      '-tAc',
    ],
    'SELECT bool_and(ssl) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE client_addr IS NOT NULL',
  );
  expect(encrypted).toBe('t');
  seen('external PostgreSQL and Redis with TLS', {
    ...{ webhook: 200, everyConnectionEncrypted: true, authoritiesBytes: authorities.length },
  });
});

test('a Redis Cluster carries the queue', async () => {
  await redisCluster(n8n.space);
  await n8n.deploy({
    ...QUEUE,
    redis: {
      external: {
        clusterNodes: ['redis-0.redis:6379', 'redis-1.redis:6379', 'redis-2.redis:6379'],
        existingSecret: 'stores',
      },
    },
  });
  expect(await expectedResponse()).toBe(200);
  const jobs = await Promise.all(
    [0, 1, 2].map((node) =>
      redis(n8n.space, `redis-${node}`, '--scan', '--pattern', '*:completed'),
    ),
  );
  // The queue lies in one slot, so on one node.
  expect(jobs.filter((keys) => keys !== '')).toHaveLength(1);
  seen('external Redis Cluster of 3 nodes', { webhook: 200 });
});

test('a failover of the Sentinels takes n8n along', async () => {
  await redisBehindSentinels(n8n.space);
  await n8n.deploy({
    ...QUEUE,
    redis: {
      external: {
        existingSecret: 'stores',
        sentinel: {
          nodes: [0, 1, 2].map((node) => `sentinel-${node}.sentinel:26379`),
          master: 'mymaster',
        },
      },
    },
  });
  expect(await expectedResponse()).toBe(200);
  const master = async (): Promise<string> =>
    (await sentinel(n8n.space, 'get-master-addr-by-name', 'mymaster')).split('\n')[0] ?? '';
  const before = await master();
  expect(before).toMatch(/^redis-0\./);
  const begun = Date.now();
  // A master that hangs, as one does whose disk or network is gone.
  const hung = redis(n8n.space, 'redis-0', 'debug', 'sleep', '20');
  await until('another master', async () => (await master()).startsWith('redis-1.'), 120_000);
  const secondsToMaster = Math.round((Date.now() - begun) / 1000);
  expect(await expectedResponse()).toBe(200);
  const secondsToReply = Math.round((Date.now() - begun) / 1000);
  await hung;
  // What was answered went through the new master.
  expect(await redis(n8n.space, 'redis-1', 'role')).toMatch(/^master/);
  const completed = await redis(n8n.space, 'redis-1', '--scan', '--pattern', '*:completed');
  expect(completed).not.toBe('');
  const { restarts } = await n8n.ends('main,worker');
  seen('failover of Redis behind Sentinels', { secondsToMaster, secondsToReply, restarts });
});
