import { Redis } from 'ioredis';
import { redisMemory } from '../analysis/queue-jobs';
import type { QueueLook, Running } from '../targets/target';
import type { Sampler } from './sampler';
import { sampler } from './ticker';

/** n8n's queue as Bull keeps it, and the Redis it lies in. */
export function bullQueueSampler(): Sampler {
  return sampler('queue', async (running, sink) => {
    const { look, close } = running.storeLooks?.queue
      ? { look: running.storeLooks.queue, close: () => undefined }
      : await reached(running);
    return {
      tick: async () => {
        const { waiting, active, oldestMs, memoryMiB, memoryMaxMiB } = await look();
        sink.sample('redis', 'redis', 'queueWaiting', waiting);
        sink.sample('redis', 'redis', 'queueActive', active);
        sink.sample('redis', 'redis', 'queueOldestMs', oldestMs);
        sink.sample('redis', 'redis', 'redisMemoryMiB', memoryMiB);
        if (memoryMaxMiB !== null) sink.sample('redis', 'redis', 'redisMemoryMaxMiB', memoryMaxMiB);
      },
      close,
    };
  });
}

async function reached(running: Running): Promise<{
  look: () => Promise<QueueLook>;
  close: () => void;
}> {
  if (running.redis === null) throw new Error('the target has no Redis');
  const { url, prefix, queue } = running.redis;
  const redis = await connect(url);
  const key = (name: string): string => `${prefix}:${queue}:${name}`;
  return {
    look: async () => {
      const [waiting, active, oldest, memory] = await Promise.all([
        redis.llen(key('wait')),
        redis.llen(key('active')),
        redis.lindex(key('wait'), -1),
        redis.info('memory'),
      ]);
      return { waiting, active, oldestMs: await ageMs(redis, key, oldest), ...redisMemory(memory) };
    },
    close: () => {
      redis.disconnect();
    },
  };
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

/** Age of the job that has waited longest; 0 if none waits. */
async function ageMs(
  redis: Redis,
  key: (name: string) => string,
  job: string | null,
): Promise<number> {
  if (job === null) return 0;
  const since = await redis.hget(key(job), 'timestamp');
  return since === null ? 0 : Math.max(0, Date.now() - Number(since));
}
