/**
 * n8n's queue as recovery needs it: which executions have a job, that no two recoveries work at once, and where its counts
 * outlast a pass, for the chart's exporter.
 */
import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { Failure, messageOf } from '../ui/errors';
import { countsOf, stillLost, type PassReport } from './pass';

export interface RecoveryQueue {
  /** Executions with a job that waits, is active, or is put off. */
  queued(): Promise<Set<string>>;
  /** False: another recovery works. Renewed until `end`. */
  lead(): Promise<boolean>;
  /** Adds what a pass did to the counts of those before it. */
  count(report: PassReport, endedAtMs: number): Promise<void>;
  end(): Promise<void>;
}

/** Renewed three times in it, so that a leader that has died is replaced within it. */
const LEASE_MS = 30_000;
const BATCH = 500;
const SCANNED = 1000;
/** Only its own holder may let go of it. */
const RELEASE =
  "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0";
const RENEW =
  "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('pexpire', KEYS[1], ARGV[2]) end return 0";

/** Options of its connection: once it is lost, nobody knows any longer who leads, and the pass ends. */
export const LAZY = {
  ...{ lazyConnect: true, maxRetriesPerRequest: 0 },
  retryStrategy: (): null => null,
};

/** `redis` is connected here, and closed by `end`. */
export async function openQueue(
  redis: Redis,
  prefix: string,
  onLost: () => void,
): Promise<RecoveryQueue> {
  redis.on('error', () => undefined);
  try {
    await redis.connect();
    if ((await queuesOf(redis, prefix)).length === 0) {
      throw new Failure(
        `that Redis has no queue of n8n at ${prefix}: it is another one, its prefix (--prefix, QUEUE_BULL_PREFIX) is another one, or n8n has not queued anything yet.`,
      );
    }
  } catch (error) {
    redis.disconnect();
    if (error instanceof Failure) throw error;
    throw new Failure(`Redis could not be asked: ${messageOf(error)}`);
  }
  const leader = `n8n-tuned:{${prefix}}:recover`;
  const own = randomUUID();
  let renewing: NodeJS.Timeout | undefined;
  return {
    queued: async () => {
      const queues = await queuesOf(redis, prefix);
      const found = await Promise.all(queues.map((queue) => executionsQueued(redis, queue)));
      return new Set(found.flat());
    },
    lead: async () => {
      if ((await redis.set(leader, own, 'PX', LEASE_MS, 'NX')) !== 'OK') return false;
      renewing = setInterval(() => {
        redis.eval(RENEW, 1, leader, own, LEASE_MS).then(
          (kept) => {
            if (kept !== 1) onLost();
          },
          () => {
            onLost();
          },
        );
      }, LEASE_MS / 3);
      return true;
    },
    count: async (report, endedAtMs) => {
      const key = `n8n-tuned:{${prefix}}:recovery`;
      const adding = redis.multi().hincrby(key, 'passes', 1);
      for (const [outcome, many] of Object.entries(countsOf(report.attempts))) {
        // An outcome that has not been there yet is 0, not missing.
        adding.hincrby(key, `attempts:${outcome.replaceAll(' ', '_')}`, many);
      }
      adding.hset(key, { left: stillLost(report), endedAtMs });
      await adding.exec();
    },
    end: async () => {
      if (renewing !== undefined) {
        clearInterval(renewing);
        await redis.eval(RELEASE, 1, leader, own).catch(() => undefined);
      }
      redis.disconnect();
    },
  };
}

/** Pools of workers may have queues of their own beside `jobs`: each has counted its jobs in a key `id`. */
async function queuesOf(redis: Redis, prefix: string): Promise<string[]> {
  const pattern = `${prefix.replace(/[\\[\]*?]/g, '\\$&')}:*:id`;
  const found = new Set<string>();
  let cursor = '0';
  do {
    const [next, keys] = await redis.scan(cursor, 'MATCH', pattern, 'COUNT', SCANNED);
    for (const key of keys) found.add(key.slice(0, -':id'.length));
    cursor = next;
  } while (cursor !== '0');
  return [...found];
}

async function executionsQueued(redis: Redis, queue: string): Promise<string[]> {
  const key = (name: string): string => `${queue}:${name}`;
  const lists = await Promise.all([
    redis.lrange(key('wait'), 0, -1),
    redis.lrange(key('paused'), 0, -1),
    redis.lrange(key('active'), 0, -1),
    redis.zrange(key('delayed'), 0, -1),
  ]);
  const jobs = lists.flat();
  const found: string[] = [];
  for (let at = 0; at < jobs.length; at += BATCH) {
    const texts = await Promise.all(
      jobs.slice(at, at + BATCH).map((job) => redis.hget(key(job), 'data')),
    );
    for (const text of texts) {
      const executionId = text === null ? undefined : executionIn(text);
      if (executionId !== undefined) found.push(executionId);
    }
  }
  return found;
}

function executionIn(text: string): string | undefined {
  try {
    const { executionId } = JSON.parse(text) as { executionId?: unknown };
    return typeof executionId === 'string' ? executionId : undefined;
  } catch {
    return undefined;
  }
}
