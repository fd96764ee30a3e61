/**
 * n8n's queue as recovery needs it: which executions have a job, that no two recoveries work at once, and where its counts
 * outlast a pass, for the chart's exporter.
 */
import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { Failure, messageOf } from '../../ui/errors';
import { isOfNetwork, unreachable } from '../../ui/unreachable';
import { countsOf, stillLost, type PassReport, type Taking } from './pass';

export interface RecoveryQueue {
  /**
   * Executions with a job that waits, is active, or is put off, and those that a worker says it runs; of jobs that it has read
   * before it asks nothing.
   */
  queued(): Promise<Set<string>>;
  /** When a worker had run executions to their end whose success is not stored yet, or never, by their ids. */
  done(): Promise<Map<string, number>>;
  /** Jobs that wait for a worker. */
  waiting(): Promise<number>;
  /** Says that an execution is given to a retry: no worker runs another node of it. */
  take(executionId: string): Promise<Taking>;
  /** n8n has answered about the retry, so the next leader sees this retry in n8n. */
  answered(executionId: string): Promise<void>;
  /** There is no retry after all: a worker that is back may go on with it. */
  giveBack(executionId: string): Promise<void>;
  /** False: another recovery works. Renewed until `end`. */
  lead(): Promise<boolean>;
  /** Keys of executions that passes have seen to be settled. */
  settled(): Promise<Set<string>>;
  keepSettled(keys: readonly string[], nowMs: number): Promise<void>;
  /** Adds what a pass did to the counts of those before it. */
  count(report: PassReport, endedAtMs: number): Promise<void>;
  end(): Promise<void>;
}

/** Renewed three times in it, so that a leader that has died is replaced within it. */
const LEASE_MS = 30_000;
/** What was settled longer ago is read once more, and at most this many are kept: about 10 MB. */
const KEPT_MS = 7 * 24 * 3_600_000;
const MAX_KEPT = 100_000;
const BATCH = 500;
const SCANNED = 1000;
/** So long after a leader took an execution and was not heard of again, its retry may begin yet, and no other leader takes it. */
const FENCED_MS = 2 * LEASE_MS;
/** By Redis' own clock, as the preload script of a worker writes them (running-work.cjs). */
const NOW = `local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)`;
const ALIVE = `${NOW}
return redis.call('ZRANGEBYSCORE', KEYS[1], now, '+inf')`;
/** In one step: a worker that comes back says so before it, and is seen, or after it, and sees it. So it is with the lead. */
const TAKE = `${NOW}
if redis.call('GET', KEYS[3]) ~= ARGV[2] then return 'not leading' end
local lives = redis.call('ZSCORE', KEYS[1], ARGV[1])
if lives and tonumber(lives) > now then return 'alive' end
local begins = redis.call('ZSCORE', KEYS[4], ARGV[1])
if begins and tonumber(begins) > now - ARGV[4] then return 'taken elsewhere' end
redis.call('ZREMRANGEBYSCORE', KEYS[4], '-inf', now - ARGV[4])
redis.call('ZADD', KEYS[4], now, ARGV[1])
redis.call('PEXPIRE', KEYS[4], ARGV[4])
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now - ARGV[3])
redis.call('ZADD', KEYS[2], now, ARGV[1])
redis.call('PEXPIRE', KEYS[2], ARGV[3])
return 'taken'`;
/** Only its own holder may let go of it. */
const RELEASE =
  "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0";
const RENEW =
  "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('pexpire', KEYS[1], ARGV[2]) end return 0";

/**
 * Options of its connection: once it is lost, or Redis does not respond, nobody knows any longer who leads, and the pass ends.
 * A renewal has to fail before the lease has run out.
 */
export const LAZY = {
  ...{ lazyConnect: true, maxRetriesPerRequest: 0, commandTimeout: LEASE_MS / 3 },
  retryStrategy: (): null => null,
};

/** `redis` is connected here, and closed by `end`. */
export async function openQueue(
  redis: Redis,
  prefix: string,
  onLost: () => void,
  leaseMs = LEASE_MS,
): Promise<RecoveryQueue> {
  // What `connect` is rejected with says only that the connection is closed.
  let why: unknown = null;
  redis.on('error', (error) => {
    why = error;
  });
  try {
    await redis.connect();
    if ((await queuesOf(redis, prefix)).length === 0) {
      throw new Failure(
        `this Redis has no n8n queue with the prefix ${prefix}: n8n uses another Redis or another prefix (--prefix, QUEUE_BULL_PREFIX), or has not queued anything yet.`,
      );
    }
  } catch (error) {
    redis.disconnect();
    if (error instanceof Failure) throw error;
    const { host = '', port = '' } = redis.options;
    const place = `${host}:${String(port)}`;
    const cause = why ?? error;
    const reason = isOfNetwork(cause)
      ? `${unreachable(cause, `redis://${place}`, 'Redis').why}?`
      : `${messageOf(cause).replace(/\.$/, '')}.`;
    throw new Failure(`Redis at ${place} could not be queried: ${reason}`);
  }
  const keyOf = (name: string): string => `n8n-tuned:{${prefix}}:${name}`;
  const [leader, settled] = [keyOf('recover'), keyOf('recovery-settled')];
  const [alive, taken, done] = [keyOf('alive'), keyOf('taken'), keyOf('done')];
  const beginning = keyOf('recovery-begins');
  const own = randomUUID();
  let renewing: NodeJS.Timeout | undefined;
  const known = new Map<string, Look>();
  return {
    queued: async () => {
      // A pool of workers may have got its queue since the last look.
      const queues = await queuesOf(redis, prefix);
      const running = redis.eval(ALIVE, 1, alive) as Promise<string[]>;
      const found = await Promise.all(
        queues.map(async (queue) => {
          const look = await lookAt(redis, queue, known.get(queue) ?? NOTHING_READ);
          known.set(queue, look);
          return [...look.executions.values()].filter((id) => id !== undefined);
        }),
      );
      return new Set([...found.flat(), ...(await running)]);
    },
    waiting: async () => {
      const queues = await queuesOf(redis, prefix);
      const lengths = await Promise.all(queues.map((queue) => redis.llen(`${queue}:wait`)));
      return lengths.reduce((sum, length) => sum + length, 0);
    },
    done: async () => {
      const marks = await redis.zrange(done, 0, -1, 'WITHSCORES');
      return new Map(
        marks.flatMap((id, at) => (at % 2 === 0 ? [[id, Number(marks[at + 1])] as const] : [])),
      );
    },
    giveBack: async (executionId) => {
      await redis.zrem(taken, executionId);
    },
    answered: async (executionId) => {
      await redis.zrem(beginning, executionId);
    },
    take: async (executionId) => {
      const keys = [alive, taken, leader, beginning];
      const reply = await redis.eval(TAKE, 4, ...keys, executionId, own, KEPT_MS, FENCED_MS);
      if (reply === 'not leading') {
        onLost();
        throw new Failure('another recovery took over');
      }
      return reply as Taking;
    },
    lead: async () => {
      if ((await redis.set(leader, own, 'PX', leaseMs, 'NX')) !== 'OK') return false;
      renewing = setInterval(() => {
        redis.eval(RENEW, 1, leader, own, leaseMs).then(
          (kept) => {
            if (kept !== 1) onLost();
          },
          () => {
            onLost();
          },
        );
      }, leaseMs / 3);
      return true;
    },
    settled: async () => new Set(await redis.zrange(settled, 0, -1)),
    keepSettled: async (keys, nowMs) => {
      const keeping = redis.multi().zremrangebyscore(settled, 0, nowMs - KEPT_MS);
      for (let at = 0; at < keys.length; at += BATCH) {
        keeping.zadd(settled, ...keys.slice(at, at + BATCH).flatMap((one) => [nowMs, one]));
      }
      keeping.zremrangebyrank(settled, 0, -MAX_KEPT - 1);
      await keeping.pexpire(settled, KEPT_MS).exec();
    },
    count: async (report, endedAtMs) => {
      const key = keyOf('recovery');
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

/** One look at a queue. A job keeps its execution, so that a later look reads new jobs only. */
interface Look {
  /** Number of jobs that the queue has counted. */
  newest: number;
  /** Execution of each unfinished job, by the id of the job; undefined if it has none. */
  executions: ReadonlyMap<string, string | undefined>;
}

const NOTHING_READ: Look = { newest: 0, executions: new Map() };

async function lookAt(redis: Redis, queue: string, before: Look): Promise<Look> {
  const key = (name: string): string => `${queue}:${name}`;
  // In one step: a job that goes from one list into another meanwhile is in one of them.
  const replies =
    (await redis
      .multi()
      .get(key('id'))
      .lrange(key('wait'), 0, -1)
      .lrange(key('paused'), 0, -1)
      .lrange(key('active'), 0, -1)
      .zrange(key('delayed'), 0, -1)
      .exec()) ?? [];
  for (const [error] of replies) if (error !== null) throw error;
  const [count, ...lists] = replies.map(([, value]) => value) as [string | null, ...string[][]];
  const newest = Number(count ?? 0);
  // One that counts from its start again, as after a loss of data, has new jobs under old ids.
  const read = newest < before.newest ? NOTHING_READ.executions : before.executions;
  const executions = new Map<string, string | undefined>();
  const unread: string[] = [];
  for (const job of new Set(lists.flat())) {
    if (read.has(job)) executions.set(job, read.get(job));
    else unread.push(job);
  }
  for (let at = 0; at < unread.length; at += BATCH) {
    await Promise.all(
      unread.slice(at, at + BATCH).map(async (job) => {
        const text = await redis.hget(key(job), 'data');
        // Without data it has ended since.
        if (text !== null) executions.set(job, executionIn(text));
      }),
    );
  }
  return { newest, executions };
}

function executionIn(text: string): string | undefined {
  try {
    const { executionId } = JSON.parse(text) as { executionId?: unknown };
    return typeof executionId === 'string' ? executionId : undefined;
  } catch {
    return undefined;
  }
}
