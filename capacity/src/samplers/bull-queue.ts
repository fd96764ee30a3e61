import { Redis } from 'ioredis';
import type { Sampler } from './sampler';
import { sampler } from './ticker';

/** n8n's queue as Bull keeps it, and the Redis it lies in. */
export function bullQueueSampler(): Sampler {
  return sampler('queue', async (running, sink) => {
    if (running.redis === null) throw new Error('the target has no Redis');
    const { url, prefix, queue } = running.redis;
    const redis = await connect(url);
    const key = (name: string): string => `${prefix}:${queue}:${name}`;
    return {
      tick: async () => {
        const [waiting, active, oldest, memory] = await Promise.all([
          redis.llen(key('wait')),
          redis.llen(key('active')),
          redis.lindex(key('wait'), -1),
          redis.info('memory'),
        ]);
        sink.sample('redis', 'redis', 'queueWaiting', waiting);
        sink.sample('redis', 'redis', 'queueActive', active);
        sink.sample('redis', 'redis', 'queueOldestMs', await ageMs(redis, key, oldest));
        const mebi = (name: string): number =>
          Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(memory)?.[1]) / (1024 * 1024);
        sink.sample('redis', 'redis', 'redisMemoryMiB', mebi('used_memory'));
        const most = mebi('maxmemory');
        if (most > 0) sink.sample('redis', 'redis', 'redisMemoryMaxMiB', most);
      },
      close: () => {
        redis.disconnect();
      },
    };
  });
}

async function connect(url: string): Promise<Redis> {
  const redis = new Redis(url, {
    lazyConnect: true,
    // A tick while Redis is away fails at once and says so; the connection comes back by itself.
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: () => 500,
  });
  redis.on('error', () => undefined);
  await redis.connect();
  return redis;
}

/** Of the job that has waited longest; 0 when none waits. */
async function ageMs(
  redis: Redis,
  key: (name: string) => string,
  job: string | null,
): Promise<number> {
  if (job === null) return 0;
  const since = await redis.hget(key(job), 'timestamp');
  return since === null ? 0 : Math.max(0, Date.now() - Number(since));
}
