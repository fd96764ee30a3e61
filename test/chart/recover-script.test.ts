/** What the CronJob of recovery runs: with the Node.js and the Redis client of an n8n, and no package beside it. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { cacheFolder } from '../../cli/src/lab/paths';
import { freePort } from '../../cli/src/targets/process/ports';
import { awaitPort } from '../../cli/src/targets/process/redis';
import { plainRedis } from '../support/redis';
import { n8nFolder, node24 } from '../nodes/support/lab';
import { chart } from './support/helm.ts';
import { N8N_VERSION } from '../support/versions';

const SCRIPT = join(chart, 'files/recover.cjs');
const N8N_BIN = join(n8nFolder(N8N_VERSION), '../.bin');
const PASSWORD = 'a password';
const folder = mkdtempSync(join(tmpdir(), 'recover-script-'));

const old = new Date(Date.now() - 3_600_000).toISOString();
const running = {
  ...{ id: 1, status: 'running', mode: 'webhook', workflowId: 'w', startedAt: old },
  ...{ stoppedAt: null, retryOf: null, retrySuccessId: null },
};
const retries: string[] = [];
const shown = (state: string): string =>
  `# HELP n8n_tuned_patch_in_force 1\nn8n_tuned_patch_in_force{patch="keep-stalled",state="${state}"} 0\n`;
/** The metrics of every process of n8n. */
let metrics = shown('known');
let server: Server;
let store: ChildProcess;
let client: Redis;
let env: Record<string, string>;
beforeAll(async () => {
  server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://n8n');
    if (pathname === '/metrics') {
      response.end(metrics);
      return;
    }
    const isRetry = request.method === 'POST';
    if (isRetry) retries.push(pathname);
    const isRunning = searchParams.get('status') === 'running' && retries.length === 0;
    const stack = [{ node: { name: 'Webhook' } }];
    const reply = isRetry
      ? { id: 2, status: 'success' }
      : pathname.endsWith('/workflows')
        ? { data: [{ id: 'w', name: 'Orders' }], nextCursor: null }
        : pathname.endsWith('/executions')
          ? { data: isRunning ? [running] : [], nextCursor: null }
          : { ...running, data: { executionData: { nodeExecutionStack: stack } } };
    response.end(JSON.stringify(reply));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const port = await freePort();
  const program = join(cacheFolder(), 'bin/redis-server');
  const args = [...plainRedis(port, folder), '--requirepass', PASSWORD];
  store = spawn(program, args, { stdio: 'ignore' });
  await awaitPort(port, 'Redis', () => store.exitCode === null);
  client = new Redis(port, { password: PASSWORD, db: 2 });
  const n8n = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  env = {
    ...{ EXECUTIONS_MODE: 'queue', QUEUE_BULL_REDIS_HOST: '127.0.0.1', QUEUE_BULL_PREFIX: 'mine' },
    ...{ QUEUE_BULL_REDIS_PORT: String(port), QUEUE_BULL_REDIS_DB: '2' },
    ...{ QUEUE_BULL_REDIS_PASSWORD: PASSWORD, N8N_API_KEY: 'a-key', RECOVERY_TAG: 'recover' },
    N8N_URL: n8n,
    RECOVERY_WORKER_METRICS: `${n8n}/metrics`,
    ...{ RECOVERY_ATTEMPTS: '3', RECOVERY_AT_ONCE: '2', RECOVERY_STOP_AFTER: '3' },
    ...{ RECOVERY_AGE_SECONDS: '300', RECOVERY_BACK_OFF_SECONDS: '60' },
    ...{ RECOVERY_SINCE_HOURS: '24', RECOVERY_PATIENCE_SECONDS: '20', RECOVERY_RETRY: 'true' },
  };
});
afterAll(async () => {
  client.disconnect();
  server.close();
  store.kill('SIGTERM');
  if (store.exitCode === null) await once(store, 'exit');
  rmSync(folder, { recursive: true });
});
beforeEach(async () => {
  retries.length = 0;
  await client.flushall();
  await client.set('mine:jobs:id', 9);
});

/** A minute of waiting takes a second, so that no pass looks for 40 s at what is lost before it retries it. */
const IN_SHORT = `--import=data:text/javascript,${encodeURIComponent(
  `import timers from 'node:timers/promises';
  const { setTimeout } = timers;
  timers.setTimeout = (ms, ...rest) => setTimeout(ms / 60, ...rest);`,
)}`;

async function run(
  more: Record<string, string> = {},
  options: readonly string[] = [IN_SHORT],
): Promise<{ code: number; said: string }> {
  const child = spawn(node24(), [...options, SCRIPT], {
    env: { PATH: `/nowhere:${N8N_BIN}`, ...env, ...more },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (part: string) => (said += part));
  }
  const [code] = (await once(child, 'close')) as [number];
  return { code, said };
}

test('an execution without a job is retried, and each decision is a line', async () => {
  const { code, said } = await run();
  expect(said).toMatch(
    /execution 1 of Orders: attempt 1 from Webhook: recovered: by execution 2\n/,
  );
  expect([code, retries]).toEqual([0, ['/api/v1/executions/1/retry']]);
});

const counted = (): Promise<Record<string, string>> => client.hgetall('n8n-tuned:{mine}:recovery');

test('what passes did is added up in Redis, for the exporter', async () => {
  const beganMs = Date.now();
  await run();
  retries.length = 0;
  await run();
  const { endedAtMs, ...counts } = await counted();
  expect(counts).toEqual({
    ...{ passes: '2', left: '0', 'attempts:recovered': '2', 'attempts:failed': '0' },
    ...{ 'attempts:lost_again': '0', 'attempts:not_known': '0' },
    ...{ 'attempts:no_longer_due': '0', 'attempts:refused': '0' },
  });
  expect(Number(endedAtMs)).toBeGreaterThanOrEqual(beganMs);
});

test('whether keep-stalled is in force it reads from the metrics of each worker, and not from the values', async () => {
  try {
    expect((await run()).said).toContain('is in force in the worker');
    retries.length = 0;
    expect((await run({ RECOVERY_WORKER_METRICS: '' })).said).toContain(
      'unknown whether keep-stalled is in force, because no metrics',
    );
    metrics = 'no metrics';
    expect((await run()).said).toContain('cannot be read');
    metrics = shown('unknown');
    const { code, said } = await run();
    // A worker may still run it.
    expect([retries, said.includes('left alone: it may still be running')]).toEqual([[], true]);
    expect(said).toContain(
      'keep-stalled is not in force, so executions of dead workers may stay lost',
    );
    expect(code).toBe(0);
  } finally {
    metrics = shown('known');
  }
});

test('one with a job is left to its worker', async () => {
  await client.hset('mine:jobs:9', 'data', '{"executionId":"1"}');
  await client.rpush('mine:jobs:active', '9');
  const { code, said } = await run();
  expect([code, retries]).toEqual([0, []]);
  expect(said).toContain('0 lost and due for a retry');
});

test('the password and the prefix come from files too, as n8n reads them', async () => {
  const password = join(folder, 'password');
  writeFileSync(password, `${PASSWORD}\n`);
  const prefix = join(folder, 'prefix');
  writeFileSync(prefix, 'mine');
  const all = env;
  env = Object.fromEntries(
    Object.entries(all).filter(([name]) => !/^QUEUE_BULL_(REDIS_PASSWORD|PREFIX)$/.test(name)),
  );
  try {
    const files = { QUEUE_BULL_REDIS_PASSWORD_FILE: password, QUEUE_BULL_PREFIX_FILE: prefix };
    const { code } = await run(files);
    expect([code, retries]).toEqual([0, ['/api/v1/executions/1/retry']]);
    const { code: failed, said } = await run({ ...files, QUEUE_BULL_PREFIX_FILE: '/nowhere/p' });
    expect([failed, said.includes('QUEUE_BULL_PREFIX_FILE: /nowhere/p cannot be read')]).toEqual([
      3,
      true,
    ]);
  } finally {
    env = all;
  }
});

test.each([
  ['true', true],
  ['false', false],
  ['0', false],
])('verifies the certificate of Redis where n8n does: %s', async (word, isVerified) => {
  const library = join(folder, 'stub/node_modules/ioredis');
  mkdirSync(library, { recursive: true });
  writeFileSync(join(folder, 'stub/n8n'), '');
  writeFileSync(
    join(library, 'index.js'),
    'exports.Redis = function ({ tls }) { console.log(JSON.stringify(tls)); process.exit(0); };',
  );
  const { said } = await run({
    ...{ PATH: join(folder, 'stub'), QUEUE_BULL_REDIS_TLS: '1' },
    QUEUE_BULL_REDIS_TLS_VALIDATE_CERTIFICATE: word,
  });
  expect(said).toContain(JSON.stringify({ rejectUnauthorized: isVerified }));
});

test('dry, it only says what it would do', async () => {
  const { code, said } = await run({ RECOVERY_RETRY: 'false' });
  expect([code, retries]).toEqual([0, []]);
  expect(said).toContain('would be retried from Webhook');
  expect(await counted()).toEqual({});
});

test('a pass ends by itself before its Job is ended, and the next one goes on', async () => {
  const { code, said } = await run({ RECOVERY_PASS_SECONDS: '1' }, []);
  expect([code, retries]).toEqual([0, []]);
  expect(said).toContain('stopped: this pass has reached its time limit; the next pass continues');
});

test('what n8n saves is said first, and where it saves no failures nothing is retried', async () => {
  const { code, said } = await run({
    EXECUTIONS_DATA_SAVE_ON_ERROR: 'none',
    EXECUTIONS_DATA_SAVE_ON_PROGRESS: 'false',
  });
  expect([code, retries]).toEqual([0, []]);
  expect(said.split('\n')[0]).toMatch(/ n8n saves no failed executions .* recovery is impossible/);
  expect(said).toMatch(/workflow Orders: not retried: n8n saves no failed executions/);
});

test.each([
  [
    'a wrong password',
    { QUEUE_BULL_REDIS_PASSWORD: 'wrong' },
    /Redis at \S+ could not be queried: [^.]+(\.\d+\.\d+\.\d+:\d+)?\.$/m,
  ],
  [
    'a Redis that is away',
    { QUEUE_BULL_REDIS_PORT: '9' },
    /Redis at \S+ could not be queried: nothing listens at \S+: is Redis running, and are the address and port correct\?$/m,
  ],
  ['another prefix', { QUEUE_BULL_PREFIX: 'bull' }, /no n8n queue with the prefix bull/],
  ['an n8n that is away', { N8N_URL: 'http://127.0.0.1:9' }, /did not respond/],
  ['no key', { N8N_API_KEY: '' }, /N8N_API_KEY is not set/],
  ['an image without n8n', { PATH: '/nowhere' }, /n8n in this image has no package ioredis/],
])('%s is a sentence, and nothing is retried', async (_, more, says) => {
  const { code, said } = await run(more);
  expect(said).toMatch(says);
  expect([code, retries, said.includes('    at ')]).toEqual([3, [], false]);
});
