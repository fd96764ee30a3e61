// The limit of n8n's queue: each request becomes a job of Bull, a worker in another process returns it. Redis and the
// worker are started here and end with this process. Bull is that of n8n.
import { fork, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serve } from './answer.mjs';
import { cache } from '../../lab/cache.mjs';
import { freePort } from '../../lab/free-port.mjs';
import { compiled } from '../../lab/generate/compiled.mjs';

/** As the chart's default for a worker. */
const SLOTS = 10;

const Bull = createRequire(join(cache, 'n8n/2.41.1/node_modules/n8n/package.json'))('bull');
const queueAt = (redisUrl) => new Bull('jobs', redisUrl);

const [, , role] = process.argv;
if (role === 'worker') {
  process.on('disconnect', () => process.exit());
  await queueAt(process.env.REDIS_URL).process(SLOTS, ({ data }) => Promise.resolve(data));
} else {
  const { newPassword, redisConfig, redisUrl } = await compiled(`
    export { redisConfig, redisUrl } from './targets/process/redis';
    export { newPassword } from './targets/process/secrets';
  `);
  const [port, password] = [await freePort(), newPassword()];
  const redis = spawn(join(cache, 'bin/redis-server'), ['-'], {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  redis.stdin.end(redisConfig(port, tmpdir(), password));
  const url = redisUrl(port, password);
  process.on('SIGTERM', () => process.exit());
  process.on('exit', () => redis.kill());
  const queue = queueAt(url);
  await queue.isReady();
  fork(import.meta.filename, ['worker'], { env: { ...process.env, REDIS_URL: url } });
  // Not by job.finished(), which waits for ever for a job that was done and removed before it was asked.
  const waiting = new Map();
  queue.on('global:completed', (id, result) => {
    waiting.get(id)?.(JSON.parse(result));
    waiting.delete(id);
  });
  let last = 0;
  serve(async (item) => {
    last += 1;
    const jobId = String(last);
    const done = new Promise((resolve) => waiting.set(jobId, resolve));
    await queue.add(item, { jobId, removeOnComplete: true, removeOnFail: true });
    return await done;
  });
}
