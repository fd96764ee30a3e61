// The limit of n8n's queue: each request becomes a job of Bull, a worker in another process returns it. Redis and the
// worker are started here and end with this process. Bull is that of n8n.
import { fork, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serve } from './answer.mjs';
import { cache } from '../../lab/cache.mjs';
import { freePort } from '../../lab/free-port.mjs';

/** As the chart's default for a worker. */
const SLOTS = 10;

const Bull = createRequire(join(cache, 'n8n/2.41.1/node_modules/n8n/package.json'))('bull');
const queueAt = (port) => new Bull('jobs', { redis: { host: '127.0.0.1', port } });

const [, , role, given] = process.argv;
if (role === 'worker') {
  process.on('disconnect', () => process.exit());
  await queueAt(Number(given)).process(SLOTS, ({ data }) => Promise.resolve(data));
} else {
  const port = await freePort();
  const redis = spawn(
    join(cache, 'bin/redis-server'),
    ['--bind', '127.0.0.1', '--port', String(port), '--save', '', '--dir', tmpdir()],
    { stdio: 'ignore' },
  );
  process.on('SIGTERM', () => process.exit());
  process.on('exit', () => redis.kill());
  const queue = queueAt(port);
  await queue.isReady();
  fork(import.meta.filename, ['worker', String(port)]);
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
