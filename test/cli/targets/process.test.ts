import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chooseTopology, type TopologyChoice } from '../../../cli/src/plan/chosen-topology';
import { topologySchema, contradiction } from '../../../cli/src/plan/topology';
import { n8nEnv, type ProcessSeat } from '../../../cli/src/targets/process/layout';
import { N8N_LEGACY_VERSION, N8N_VERSION } from '../../support/versions';
import { lastWords } from '../../../cli/src/targets/process/workspace';
import { balancerConfig } from '../../../cli/src/targets/process/balancer';
import { freePort } from '../../../cli/src/targets/process/ports';
import { postgresqlUrl, query } from '../../../cli/src/targets/process/postgresql';
import { Failure } from '../../../cli/src/ui/exit';

const seat: ProcessSeat = {
  role: 'main',
  folder: '/data/main',
  port: 20001,
  brokerPort: 20002,
  webhookUrl: 'http://127.0.0.1:20001',
  database: { kind: 'sqlite' },
  redisPort: null,
  filesFolder: '/data/files',
  patchFolder: '/kit',
};
/** What reads each file once; what tells whether each patch is in force comes last. */
const READING = '--require=/kit/read-once.cjs --require=/kit/limit-metrics.cjs';
const EXPRESSIONS =
  '--require=/kit/lazy-character-map.cjs --require=/kit/warm-expressions.cjs --require=/kit/zone-once.cjs';

const envOf = (given: object, changed: Partial<ProcessSeat> = {}): Record<string, string> =>
  n8nEnv(topologySchema.parse(given), { ...seat, ...changed });

describe('the environment of an n8n process', () => {
  test('shares its memory limit between n8n, its task runner and the payload between them', () => {
    expect(envOf({ main: { memoryMiB: 1536 } })).toMatchObject({
      NODE_OPTIONS: `--max-old-space-size=768 ${EXPRESSIONS} ${READING}`,
      N8N_RUNNERS_MAX_OLD_SPACE_SIZE: '256',
      N8N_RUNNERS_MAX_PAYLOAD: String(32 * 1024 * 1024),
    });
  });

  test.each([
    ['without a memory limit', { main: {} }],
    ['with heap none', { main: { memoryMiB: 1536, heapMiB: 'none' } }],
    ['untuned', { tuning: 'none', main: { memoryMiB: 1536 } }],
  ])('leaves V8 its own heap %s', (_, given) => {
    expect(envOf(given)['NODE_OPTIONS'] ?? '').not.toContain('space-size');
  });

  test('takes a heap that was named, also untuned', () => {
    const env = envOf({ tuning: 'none', main: { heapMiB: 900 } });
    expect(env['NODE_OPTIONS']).toBe('--max-old-space-size=900');
  });

  test('what the user sets for a role wins over what he sets for all, and that over ours', () => {
    const given = {
      env: { N8N_LOG_LEVEL: 'info', N8N_METRICS: 'false' },
      main: { env: { N8N_LOG_LEVEL: 'debug' } },
    };
    expect(envOf(given)).toMatchObject({ N8N_LOG_LEVEL: 'debug', N8N_METRICS: 'false' });
  });

  test('n8n neither renews a license nor gives back what a license lets it use, whatever the role', () => {
    for (const role of ['main', 'worker', 'webhook'] as const) {
      expect(envOf({ mode: 'queue', webhooks: { count: 1 } }, { role })).toMatchObject({
        N8N_LICENSE_AUTO_RENEW_ENABLED: 'false',
        N8N_LICENSE_DETACH_FLOATING_ON_SHUTDOWN: 'false',
      });
    }
  });

  // N8N_WEBHOOK_URL came with 2.30, and is what callers are told.
  test.each([
    ['0.221.2', 'WEBHOOK_URL'],
    ['2.29.7', 'WEBHOOK_URL'],
    ['2.30.0', 'N8N_WEBHOOK_URL'],
  ])('n8n %s gets the address of its webhooks as %s', (n8n, name) => {
    const env = envOf({ n8n });
    expect(Object.keys(env).filter((key) => key.endsWith('WEBHOOK_URL'))).toEqual([name]);
  });

  test("the user's NODE_OPTIONS are added to the heap, and come last", () => {
    const given = { main: { memoryMiB: 1024 }, env: { NODE_OPTIONS: '--no-warnings' } };
    expect(envOf(given)['NODE_OPTIONS']).toBe(
      `--max-old-space-size=512 ${EXPRESSIONS} ${READING} --no-warnings`,
    );
  });

  test('tuned for throughput, SQLite is not traced, wherever the kit lies', () => {
    const given = { tuning: 'throughput', main: { memoryMiB: 1024 } };
    expect(envOf(given)['NODE_OPTIONS']).toBe(
      `--max-old-space-size=512 --require=/kit/untraced-sqlite.cjs ${EXPRESSIONS} ${READING}`,
    );
    const spaced = envOf(given, { patchFolder: '/my kit' });
    expect(spaced['NODE_OPTIONS']).toContain(' --require="/my kit/untraced-sqlite.cjs"');
    const postgresql = envOf(
      { ...given, database: 'postgresql' },
      { database: { kind: 'postgresql', port: 5432 } },
    );
    expect(postgresql['NODE_OPTIONS']).toBe(
      `--max-old-space-size=512 ${EXPRESSIONS} --require=/kit/session-once.cjs ${READING}`,
    );
  });

  test.each([
    { mode: 'queue', role: 'main', has: true },
    { mode: 'queue', role: 'webhook', has: true },
    { mode: 'queue', role: 'worker', has: true },
    { mode: 'regular', role: 'main', has: false },
  ] as const)('$role in mode $mode keeps stalled executions: $has', ({ mode, role, has }) => {
    const given = {
      mode,
      ...(mode === 'queue' ? { workers: { count: 1 }, webhooks: { count: 1 } } : {}),
    };
    const options = envOf(given, { role })['NODE_OPTIONS'] ?? '';
    expect(options.includes('--require=/kit/keep-stalled.cjs')).toBe(has);
  });

  test.each([
    { role: 'main', has: true },
    { role: 'webhook', has: true },
    { role: 'worker', has: false },
  ] as const)('$role looks after the jobs that it waits for: $has', ({ role, has }) => {
    const given = { mode: 'queue', workers: { count: 1 }, webhooks: { count: 1 } };
    const options = envOf(given, { role })['NODE_OPTIONS'] ?? '';
    expect(options.includes('--require=/kit/requeue-lost.cjs')).toBe(has);
    expect(envOf({}, { role: 'main' })['NODE_OPTIONS']).not.toContain('requeue-lost');
  });

  test.each([N8N_VERSION, N8N_LEGACY_VERSION])('a worker of n8n %s finishes its jobs', (n8n) => {
    const given = { n8n, mode: 'queue', workers: { count: 1 } };
    const has = (role: 'main' | 'worker'): boolean =>
      (envOf(given, { role })['NODE_OPTIONS'] ?? '').includes('--require=/kit/finish-jobs.cjs');
    expect([has('worker'), has('main')]).toEqual([true, false]);
  });

  test('an n8n that the patches are not for, or untuned, is loaded without them', () => {
    expect(envOf({ n8n: N8N_LEGACY_VERSION })).not.toHaveProperty('NODE_OPTIONS');
    expect(envOf({ tuning: 'none' })).not.toHaveProperty('NODE_OPTIONS');
  });

  test('untuned, n8n has none of our settings', () => {
    const env = envOf({ tuning: 'none' });
    expect(env).not.toHaveProperty('N8N_LOG_LEVEL');
    expect(env).not.toHaveProperty('N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE');
  });

  test('a process that puts jobs into the queue keeps finished ones; a worker runs as many Code nodes as executions', () => {
    const given = { mode: 'queue', workers: { concurrency: 25 }, webhooks: { count: 1 } };
    expect(envOf(given)['N8N_EXECUTIONS_QUEUE_KEEP_LAST_COMPLETED']).toBe('1000');
    expect(envOf(given)['N8N_DISABLE_PRODUCTION_MAIN_PROCESS']).toBe('true');
    const worker = envOf(given, { role: 'worker', redisPort: 20003 });
    expect(worker).not.toHaveProperty('N8N_EXECUTIONS_QUEUE_KEEP_LAST_COMPLETED');
    expect(worker).toMatchObject({
      N8N_RUNNERS_MAX_CONCURRENCY: '25',
      N8N_DISABLE_UI: 'true',
      QUEUE_HEALTH_CHECK_PORT: '20001',
      QUEUE_BULL_REDIS_PORT: '20003',
    });
    expect(envOf(given, { role: 'webhook' })).not.toHaveProperty('N8N_RUNNERS_MAX_CONCURRENCY');
  });

  test('main in queue mode has a task runner only where it runs what the editor starts', () => {
    const given = { mode: 'queue', main: { memoryMiB: 1536 } };
    const runnerOf = (topology: object): string[] =>
      Object.keys(envOf(topology)).filter((name) => name.startsWith('N8N_RUNNERS_MAX'));
    expect(runnerOf(given)).toEqual([]);
    expect(envOf(given)['NODE_OPTIONS']).toContain('--max-old-space-size=768');
    const env = { OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS: 'false' };
    expect(runnerOf({ ...given, env })).toHaveLength(3);
  });

  test('EXECUTIONS_PROCESS is for n8n below 1.0 alone, which has no task runner', () => {
    expect(envOf({})).not.toHaveProperty('EXECUTIONS_PROCESS');
    const legacy = envOf({ n8n: N8N_LEGACY_VERSION, process: 'own', main: { memoryMiB: 1024 } });
    expect(legacy['EXECUTIONS_PROCESS']).toBe('own');
    expect(Object.keys(legacy).filter((name) => name.includes('RUNNERS'))).toEqual([]);
  });
});

describe('a variable that would lead n8n to a store, an address, a folder, a license or a service of the user', () => {
  const refused = (choice: TopologyChoice, names: string): void => {
    expect(() => chooseTopology(choice)).toThrow(
      new RegExp(`^the topology sets ${names}, .*remove (it|them), because`),
    );
  };

  test.each([
    ...['DB_TYPE', 'DB_POSTGRESDB_HOST', 'DB_POSTGRESDB_PASSWORD', 'DB_POSTGRESDB_SSL_CA'],
    ...['DB_POSTGRESDB_HOST_FILE', 'DB_SQLITE_DATABASE', 'QUEUE_BULL_REDIS_HOST'],
    ...['QUEUE_BULL_REDIS_CLUSTER_NODES', 'N8N_LISTEN_ADDRESS', 'N8N_USER_FOLDER', 'HOME'],
    ...['N8N_PORT', 'N8N_WEBHOOK_URL', 'WEBHOOK_URL', 'N8N_WORKER_SERVER_ADDRESS'],
    ...['N8N_CONFIG_FILES', 'EXECUTIONS_MODE', 'N8N_RUNNERS_BROKER_LISTEN_ADDRESS'],
    ...['N8N_BINARY_DATA_STORAGE_PATH', 'N8N_EXTERNAL_STORAGE_S3_HOST'],
    ...['N8N_LICENSE_ACTIVATION_KEY', 'N8N_LICENSE_ACTIVATION_KEY_FILE', 'N8N_LICENSE_CERT'],
    ...['N8N_LICENSE_SERVER_URL', 'N8N_LICENSE_AUTO_RENEW_ENABLED', 'N8N_SENTRY_DSN'],
    ...['N8N_FRONTEND_SENTRY_DSN', 'N8N_DIAGNOSTICS_ENABLED', 'N8N_DIAGNOSTICS_CONFIG_BACKEND'],
    ...['N8N_VERSION_NOTIFICATIONS_ENDPOINT', 'N8N_DYNAMIC_BANNERS_ENDPOINT', 'N8N_SMTP_HOST'],
    ...['N8N_LOG_STREAMING_DESTINATIONS', 'N8N_LOG_FILE_LOCATION', 'OTEL_EXPORTER_OTLP_ENDPOINT'],
  ])('%s is refused, for all processes and for one role', (name) => {
    refused({ env: { [name]: 'x' } }, name);
    const folder = mkdtempSync(join(tmpdir(), 'elsewhere-'));
    try {
      const topology = join(folder, 'values.yaml');
      for (const text of ['env:\n', 'worker:\n  env:\n', 'main:\n  env:\n']) {
        writeFileSync(topology, `executions: { mode: queue }\n${text}    ${name}: x\n`);
        refused({ topology }, name);
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('several are named in one sentence', () => {
    const env = { DB_TYPE: 'postgresdb', N8N_LOG_LEVEL: 'warn', DB_POSTGRESDB_HOST: 'db' };
    refused({ env }, 'DB_TYPE, DB_POSTGRESDB_HOST');
  });

  test('nothing that keeps n8n quiet during a measurement can be turned off', () => {
    const off = Object.entries(envOf({ tuning: 'none' })).filter(
      ([, value]) => value === 'false' || value === '',
    );
    expect(off.length).toBeGreaterThan(8);
    for (const [name] of off) refused({ env: { [name]: 'true' } }, name);
  });

  test('so that n8n starts with the stores, the addresses and the folders of its seat, whatever else is set', () => {
    const env = {
      ...{ N8N_DIAGNOSTICS_ENABLED: 'false', N8N_LICENSE_AUTO_RENEW_ENABLED: 'false' },
      ...{ GENERIC_TIMEZONE: 'Europe/Berlin', N8N_METRICS_QUEUE_METRICS_INTERVAL: '1' },
      ...{ QUEUE_BULL_REDIS_TIMEOUT_THRESHOLD: '1000', QUEUE_BULL_REDIS_KEEP_ALIVE: 'true' },
      ...{ N8N_ENCRYPTION_KEY: 'key', N8N_GRACEFUL_SHUTDOWN_TIMEOUT: '9' },
      ...{ DB_POSTGRESDB_POOL_SIZE: '5', QUEUE_BULL_PREFIX: 'mine', MY_FILE: '/data/mine' },
    };
    const queue: Partial<ProcessSeat> = {
      ...{ role: 'worker', redisPort: 20003 },
      database: { kind: 'postgresql', port: 5432 },
    };
    const plain = n8nEnv(chooseTopology({ workers: 1 }), { ...seat, ...queue });
    const started = n8nEnv(chooseTopology({ workers: 1, env }), { ...seat, ...queue });
    expect(started).toEqual({ ...plain, ...env });
  });
});

describe('a topology that cannot be', () => {
  test.each([
    [{ process: 'own' }, `does not exist in n8n ${N8N_VERSION}`],
    [{ n8n: N8N_LEGACY_VERSION, process: 'own', mode: 'queue' }, 'does not apply in queue mode'],
    [{ mode: 'queue', database: 'sqlite' }, 'use database postgresql'],
    [{ webhooks: { count: 1 } }, 'only queue mode'],
    [{ tuning: 'none', settings: { readOnce: false } }, 'or remove the settings'],
  ])('%j is refused with what to do', (given, words) => {
    expect(contradiction(topologySchema.parse(given))).toContain(words);
  });

  test('all others can', () => {
    expect(
      contradiction(topologySchema.parse({ mode: 'queue', webhooks: { count: 2 } })),
    ).toBeNull();
    expect(
      contradiction(topologySchema.parse({ n8n: N8N_LEGACY_VERSION, process: 'own' })),
    ).toBeNull();
  });
});

describe('the last words of a process', () => {
  test('are its last lines', () => {
    expect(lastWords('one\ntwo\n\nthree\nfour\n')).toBe('two three four');
  });

  test("name the cause that stands before V8's own trace", () => {
    const log = `n8n starts
<--- Last few GCs --->

[101:0x3b5f]     4021 ms: Mark-Compact 190.1 (195.8) -> 189.9 (196.0) MB

<--- JS stacktrace --->

FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory
----- Native stack trace -----

 1: 0xed1050  [node]
10: 0x1add9b6  [node]
`;
    expect(lastWords(log)).toBe(
      'n8n starts FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory',
    );
  });

  test('are nothing where it said none', () => {
    expect(lastWords('\n')).toBe('nothing');
  });
});

const config = balancerConfig({ own: 8080, main: 8081, webhooks: [8082, 8083] }, '/data');
const location = /location ~ (\S+) \{/.exec(config)?.[1] ?? '';

test.each(['/webhook/order', '/webhook-waiting/1', '/form/x', '/form-waiting/1', '/mcp/tool'])(
  '%s goes to the webhook processors',
  (path) => {
    expect(path).toMatch(new RegExp(location));
  },
);

test.each([
  '/',
  '/webhook-test/order',
  '/form-test/x',
  '/mcp-test/tool',
  '/rest/login',
  '/webhooks',
])('%s goes to main', (path) => {
  expect(path).not.toMatch(new RegExp(location));
});

test('one that is away gets nothing', () => {
  const ports = { own: 8080, main: 8081, webhooks: [8082, 8083] };
  const down = [
    ...balancerConfig(ports, '/data', { away: new Set([8083]) }).matchAll(/:(\d+) .*down;/g),
  ];
  expect(down.map(([, port]) => port)).toEqual(['8083']);
  expect(config).not.toContain('down');
});

test('every processor takes its share', () => {
  expect(config).toMatch(
    /upstream webhooks \{\s+server 127\.0\.0\.1:8082 .*\s+server 127\.0\.0\.1:8083 /,
  );
});

describe('a PostgreSQL that cannot be reached is told by one sentence', () => {
  test('if nothing listens', async () => {
    const asked = query(postgresqlUrl(await freePort(), 'secret'), 'SELECT 1');
    await expect(asked).rejects.toThrow(Failure);
    await expect(asked).rejects.toThrow(/^PostgreSQL cannot be reached: .*ECONNREFUSED/);
  });

  test('if it says nothing', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const asked = query(postgresqlUrl(port, 'secret'), 'SELECT 1', undefined, 50);
    await expect(asked).rejects.toThrow(Failure);
    await expect(asked).rejects.toThrow(/^PostgreSQL cannot be reached: .*timeout/);
    silent.close();
  });
});
