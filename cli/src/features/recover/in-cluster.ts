/**
 * The chart's CronJob: one pass, with the Node.js and the Redis client of n8n's image. Bundled into
 * charts/n8n-tuned/files/recover.cjs; what it is told are variables, those of the queue as n8n reads them.
 */
import { lookup } from 'node:dns/promises';
import type { Redis, RedisOptions } from 'ioredis';
import { readPlainFile } from '../../linux/plain-file';
import { moduleOfN8n } from '../../targets/n8n-module';
import { Failure, messageOf } from '../../ui/errors';
import { recoverOnce } from './once';
import { summaryOf } from './pass';
import { LAZY, openQueue } from './queue';
import { savesIn } from './saves';

const { env } = process;
const tell = (text: string): void =>
  void process.stdout.write(`${new Date().toISOString()} ${text}\n`);

function given(name: string): string {
  const value = env[name];
  if (value === undefined || value === '') throw new Failure(`${name} is not set`);
  return value;
}

const ms = (name: string): number => 1000 * Number(given(name));

/** A variable, or what the file of NAME_FILE holds, as n8n reads them. */
function ofN8n(name: string): string | undefined {
  const file = env[`${name}_FILE`];
  if (env[name] !== undefined || file === undefined || file === '') return env[name];
  try {
    return readPlainFile(file).trim();
  } catch (error) {
    throw new Failure(`${name}_FILE: ${file} cannot be read: ${messageOf(error)}.`);
  }
}

/** A variable that is on or off, in the words that n8n takes; of any other it takes its own default. */
function isOn(name: string, fallback = false): boolean {
  const word = ofN8n(name)?.toLowerCase() ?? '';
  return ['true', '1'].includes(word) || (fallback && !['false', '0'].includes(word));
}

/** Options with which n8n itself connects. */
function redisOptions(): RedisOptions {
  const tls = {
    ...optional('servername', ofN8n('QUEUE_BULL_REDIS_TLS_SERVERNAME')),
    rejectUnauthorized: isOn('QUEUE_BULL_REDIS_TLS_VALIDATE_CERTIFICATE', true),
  };
  return {
    ...LAZY,
    host: ofN8n('QUEUE_BULL_REDIS_HOST') ?? given('QUEUE_BULL_REDIS_HOST'),
    port: Number(ofN8n('QUEUE_BULL_REDIS_PORT') ?? 6379),
    db: Number(ofN8n('QUEUE_BULL_REDIS_DB') ?? 0),
    ...optional('username', ofN8n('QUEUE_BULL_REDIS_USERNAME')),
    ...optional('password', ofN8n('QUEUE_BULL_REDIS_PASSWORD')),
    ...(isOn('QUEUE_BULL_REDIS_TLS') ? { tls } : {}),
    ...(isOn('QUEUE_BULL_REDIS_DUALSTACK') ? { family: 0 } : {}),
  };
}

/** Asks each worker that its Service leads to by its own address. A name that leads nowhere is asked as it is, in vain. */
async function workersMetrics(): Promise<{ url: string; isWorker: boolean }[]> {
  const services = (env['RECOVERY_WORKER_METRICS'] ?? '').split(',').filter(Boolean);
  const found = await Promise.all(
    services.map(async (text) => {
      const url = new URL(text);
      const all = await lookup(url.hostname, { all: true }).catch(() => []);
      if (all.length === 0) return [text];
      return all.map(({ address, family }) => {
        const own = new URL(url);
        own.hostname = family === 6 ? `[${address}]` : address;
        return own.href;
      });
    }),
  );
  return found.flat().map((url) => ({ url, isWorker: true }));
}

const optional = (name: string, value: string | undefined): Record<string, string> =>
  value === undefined || value === '' ? {} : { [name]: value };

type RedisClient = new (options: RedisOptions) => Redis;

const n8nRedis = (): RedisClient => (moduleOfN8n('ioredis') as { Redis: RedisClient }).Redis;

async function main(): Promise<number> {
  const stopping = new AbortController();
  process.once('SIGTERM', () => {
    stopping.abort(new Failure('stopped by SIGTERM'));
  });
  // The Job has a deadline: the pass is to end by itself before, and to count what it has done.
  if (env['RECOVERY_PASS_SECONDS'] !== undefined) {
    setTimeout(() => {
      stopping.abort(new Failure('this pass has reached its time limit; the next pass continues'));
    }, ms('RECOVERY_PASS_SECONDS')).unref();
  }
  const isQueue = env['EXECUTIONS_MODE'] === 'queue';
  const prefix = ofN8n('QUEUE_BULL_PREFIX') ?? 'bull';
  const retries = given('RECOVERY_RETRY') === 'true';
  const report = await recoverOnce(
    {
      ...{
        url: given('N8N_URL'),
        apiKey: given('N8N_API_KEY'),
        tag: given('RECOVERY_TAG'),
        retries,
      },
      rules: {
        maxAttempts: Number(given('RECOVERY_ATTEMPTS')),
        minAgeMs: ms('RECOVERY_AGE_SECONDS'),
        backOffMs: ms('RECOVERY_BACK_OFF_SECONDS'),
      },
      saves: savesIn(env),
      metrics: await workersMetrics(),
      withinMs: 3600 * ms('RECOVERY_SINCE_HOURS'),
      patienceMs: ms('RECOVERY_PATIENCE_SECONDS'),
      atOnce: Number(given('RECOVERY_AT_ONCE')),
      stopAfterLost: Number(given('RECOVERY_STOP_AFTER')),
    },
    isQueue ? (onLost) => openQueue(new (n8nRedis())(redisOptions()), prefix, onLost) : null,
    tell,
    stopping.signal,
  );
  if (report === null) {
    tell('another recovery is already running for this n8n instance: nothing was done');
    return 0;
  }
  tell(summaryOf(report, retries));
  if (env['RECOVERY_REPORT'] === 'json') process.stdout.write(`${JSON.stringify(report)}\n`);
  // What is still lost says the log, and the exporter's metrics: a failed Job says that the pass itself could not be made.
  return 0;
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    tell(messageOf(error));
    process.exitCode = 3;
  },
);
