import { Redis } from 'ioredis';
import { LAZY, openQueue } from '../../cli/src/features/recover/queue';
import { freePort } from '../../cli/src/targets/process/ports';
import { ownRedis } from '../support/redis';
import { eventually, pause } from '../support/wait';

/** Which executions have a job, in any queue of n8n, and that one recovery works at a time. */

const redis = ownRedis();

const job = async (
  queue: string,
  list: string,
  id: string,
  executionId: unknown,
): Promise<void> => {
  await redis.client.set(`${queue}:id`, id);
  await redis.client.hset(`${queue}:${id}`, 'data', JSON.stringify({ executionId }));
  if (list === 'delayed') await redis.client.zadd(`${queue}:${list}`, 1, id);
  else await redis.client.rpush(`${queue}:${list}`, id);
};
const quiet = (): void => undefined;

test('jobs of every queue with the prefix, in every state that is not an end', async () => {
  await job('bull:jobs', 'wait', '1', '11');
  await job('bull:jobs', 'active', '2', '12');
  await job('bull:jobs', 'paused', '3', '13');
  await job('bull:jobs-heavy', 'delayed', '1', '14');
  await job('bull:jobs-heavy', 'completed', '2', '15');
  await job('other:jobs', 'wait', '1', '16');
  await redis.client.hset('bull:jobs:9', 'data', 'not JSON');
  await redis.client.rpush('bull:jobs:wait', '9', '10');
  const queue = await openQueue(new Redis(redis.url, LAZY), 'bull', quiet);
  expect([...(await queue.queued())].toSorted()).toEqual(['11', '12', '13', '14']);
  await queue.end();
});

test('a prefix in braces, as of a cluster, is no pattern', async () => {
  await job('{n8n[1]*}:jobs', 'wait', '1', '11');
  await job('{n8n1x}:jobs', 'wait', '1', '12');
  const queue = await openQueue(new Redis(redis.url, LAZY), '{n8n[1]*}', quiet);
  expect([...(await queue.queued())]).toEqual(['11']);
  await queue.end();
});

test('more jobs than are read at once', async () => {
  await Promise.all(
    Array.from({ length: 1200 }, (_, id) => job('bull:jobs', 'wait', String(id), String(id))),
  );
  const queue = await openQueue(new Redis(redis.url, LAZY), 'bull', quiet);
  expect((await queue.queued()).size).toBe(1200);
  await queue.end();
});

/** Jobs whose data was asked for since `CONFIG RESETSTAT`. */
async function jobsRead(): Promise<number> {
  const stats = await redis.client.info('commandstats');
  return Number(/cmdstat_hget:calls=(\d+)/.exec(stats)?.[1] ?? 0);
}

test('a later look reads new jobs only, and forgets those that have ended', async () => {
  for (const id of ['1', '2', '3']) await job('bull:jobs', 'wait', id, `1${id}`);
  const queue = await openQueue(new Redis(redis.url, LAZY), 'bull', quiet);
  const look = async (): Promise<[string[], number]> => {
    await redis.client.config('RESETSTAT');
    const found = [...(await queue.queued())].toSorted();
    return [found, await jobsRead()];
  };
  expect(await look()).toEqual([['11', '12', '13'], 3]);
  await redis.client.lmove('bull:jobs:wait', 'bull:jobs:active', 'LEFT', 'RIGHT');
  await redis.client.lrem('bull:jobs:wait', 0, '2');
  await job('bull:jobs', 'wait', '4', '14');
  // A queue that was not there before.
  await job('bull:jobs-heavy', 'wait', '1', '15');
  expect(await look()).toEqual([['11', '13', '14', '15'], 2]);
  expect(await look()).toEqual([['11', '13', '14', '15'], 0]);
  await queue.end();
});

test('after a loss of data no job is taken for an earlier one with its id', async () => {
  for (const id of ['1', '2']) await job('bull:jobs', 'wait', id, `1${id}`);
  const queue = await openQueue(new Redis(redis.url, LAZY), 'bull', quiet);
  expect([...(await queue.queued())].toSorted()).toEqual(['11', '12']);
  await redis.client.flushall();
  await job('bull:jobs', 'wait', '1', '21');
  expect([...(await queue.queued())]).toEqual(['21']);
  await queue.end();
});

test('looks at the same time each see every job', async () => {
  await Promise.all(
    Array.from({ length: 1200 }, (_, id) => job('bull:jobs', 'wait', String(id), String(id))),
  );
  const queue = await openQueue(new Redis(redis.url, LAZY), 'bull', quiet);
  const looks = await Promise.all([queue.queued(), queue.queued(), queue.queued()]);
  expect(looks.map(({ size }) => size)).toEqual([1200, 1200, 1200]);
  await queue.end();
});

test('what is settled is kept for later passes, and forgotten after a week', async () => {
  await job('bull:jobs', 'wait', '1', '11');
  const queue = await openQueue(new Redis(redis.url, LAZY), 'bull', quiet);
  const many = Array.from({ length: 1_200 }, (_, id) => `${String(id)}@1`);
  await queue.keepSettled(many, 1_000);
  expect(await queue.settled()).toEqual(new Set(many));
  await queue.keepSettled(['new@2'], 1_001 + 7 * 24 * 3_600_000);
  expect(await queue.settled()).toEqual(new Set(['new@2']));
  await queue.end();
});

test('one leads, until it ends', async () => {
  await job('bull:jobs', 'wait', '1', '11');
  const [first, second] = [
    await openQueue(new Redis(redis.url, LAZY), 'bull', quiet),
    await openQueue(new Redis(redis.url, LAZY), 'bull', quiet),
  ];
  expect([await first.lead(), await second.lead()]).toEqual([true, false]);
  await second.end();
  const third = await openQueue(new Redis(redis.url, LAZY), 'bull', quiet);
  expect(await third.lead()).toBe(false);
  await first.end();
  expect(await third.lead()).toBe(true);
  await third.end();
});

describe('who leads is told, and no longer leads, where', () => {
  const LEASE_MS = 600;
  const losing = async (lose: () => unknown): Promise<boolean> => {
    await job('bull:jobs', 'wait', '1', '11');
    let isLost = false;
    const connection = new Redis(redis.url, { ...LAZY, commandTimeout: LEASE_MS / 3 });
    const queue = await openQueue(connection, 'bull', () => (isLost = true), LEASE_MS);
    try {
      expect(await queue.lead()).toBe(true);
      // More than a lease, which it renews.
      await pause(2 * LEASE_MS, 'it renews the lease meanwhile');
      expect([isLost, await redis.client.exists('n8n-tuned:{bull}:recover')]).toEqual([false, 1]);
      await lose();
      await eventually(() => isLost, 5 * LEASE_MS);
      return isLost;
    } finally {
      await queue.end();
    }
  };

  test('another one has taken the lead', async () => {
    expect(await losing(() => redis.client.set('n8n-tuned:{bull}:recover', 'another one'))).toBe(
      true,
    );
    // It lets go of its own lead only.
    expect(await redis.client.get('n8n-tuned:{bull}:recover')).toBe('another one');
  });

  test('Redis has lost its data', async () => {
    expect(await losing(() => redis.client.flushall())).toBe(true);
  });

  test('Redis does not respond any more', async () => {
    try {
      expect(await losing(() => redis.server.kill('SIGSTOP'))).toBe(true);
    } finally {
      redis.server.kill('SIGCONT');
    }
  });
});

test('a Redis without a queue is not taken for one in which nothing is queued', async () => {
  await expect(openQueue(new Redis(redis.url, LAZY), 'bull', quiet)).rejects.toThrow(
    /no n8n queue with the prefix bull/,
  );
  await expect(openQueue(new Redis(await freePort(), LAZY), 'bull', quiet)).rejects.toThrow(
    /Redis at \S+ could not be queried/,
  );
});

describe('what workers tell of their work', () => {
  const at = (name: string): string => `n8n-tuned:{bull}:${name}`;
  const opened = async (): Promise<Awaited<ReturnType<typeof openQueue>>> => {
    await redis.client.set('bull:jobs:id', '1');
    return openQueue(new Redis(redis.url, LAZY), 'bull', quiet);
  };

  test('an execution that is alive counts as at work, until its worker is silent, by the clock of Redis', async () => {
    const queue = await opened();
    await redis.client.zadd(at('alive'), Date.now() + 60_000, '11', Date.now() - 1, '12');
    expect([...(await queue.queued())]).toEqual(['11']);
    await queue.end();
  });

  test('what is alive cannot be taken, and what was taken stays so', async () => {
    const queue = await opened();
    await queue.lead();
    await redis.client.zadd(at('alive'), Date.now() + 60_000, '11', Date.now() - 1, '12');
    expect(await Promise.all(['11', '12', '13'].map((id) => queue.take(id)))).toEqual([
      ...['alive', 'taken', 'taken'],
    ]);
    expect(await redis.client.zrange(at('taken'), 0, -1)).toEqual(['12', '13']);
    await queue.end();
  });

  test('what a leader took and was not answered about, no other one takes for a minute', async () => {
    const first = await opened();
    await first.lead();
    expect([await first.take('11'), await first.take('12')]).toEqual(['taken', 'taken']);
    await first.answered('12');
    // It is stopped there, and its lease runs out.
    await redis.client.del(at('recover'));
    const second = await opened();
    await second.lead();
    const takes = (): Promise<string[]> => Promise.all(['11', '12'].map((id) => second.take(id)));
    expect(await takes()).toEqual(['taken elsewhere', 'taken']);
    const [now = '0'] = await redis.client
      .zrange(at('recovery-begins'), 0, 0, 'WITHSCORES')
      .then((all) => all.slice(1));
    await redis.client.zadd(at('recovery-begins'), Number(now) - 60_001, '11');
    expect((await takes())[0]).toBe('taken');
    await first.end();
    await second.end();
  });

  test('what is given back can run on', async () => {
    const queue = await opened();
    await queue.lead();
    await queue.take('11');
    await queue.giveBack('11');
    expect(await redis.client.zrange(at('taken'), 0, -1)).toEqual([]);
    await queue.end();
  });

  test('a recovery that has lost the lead takes no execution, and is told so', async () => {
    await redis.client.set('bull:jobs:id', '1');
    let isLost = false;
    const queue = await openQueue(new Redis(redis.url, LAZY), 'bull', () => (isLost = true));
    await queue.lead();
    await redis.client.set(at('recover'), 'another');
    await expect(queue.take('11')).rejects.toThrow('another recovery took over');
    expect([isLost, await redis.client.exists(at('taken'))]).toEqual([true, 0]);
    await queue.end();
  });

  test('what has ended is known by its mark', async () => {
    const queue = await opened();
    await redis.client.zadd(at('done'), 1_700_000_000_000, '11', 1_700_000_000_001, '12');
    expect([...(await queue.done())]).toEqual([
      ...[
        ['11', 1_700_000_000_000],
        ['12', 1_700_000_000_001],
      ],
    ]);
    await queue.end();
  });
});
