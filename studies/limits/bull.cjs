// The limit of n8n's queue: each request becomes a job of Bull, a worker in another process returns it. Redis and the
// worker are started here and end with this process. Bull is that of n8n.
const { fork, spawn } = require('node:child_process');
const { randomBytes } = require('node:crypto');
const { createRequire } = require('node:module');
const { createServer } = require('node:net');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { cache, serve } = require('./answer.cjs');

/** The chart's default for a worker. */
const SLOTS = 10;

const Bull = createRequire(join(cache, 'n8n/2.41.1/node_modules/n8n/package.json'))('bull');
const queueAt = (redisUrl) => new Bull('jobs', redisUrl);

function startRedis(port, password) {
  const redis = spawn(join(cache, 'bin/redis-server'), ['-'], {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const config = ['bind 127.0.0.1', `port ${port}`, `dir ${tmpdir()}`, `requirepass ${password}`];
  redis.stdin.end([...config, 'save ""', ''].join('\n'));
  process.on('SIGTERM', () => process.exit());
  process.on('exit', () => redis.kill());
}

async function serveQueue(url) {
  const queue = queueAt(url);
  await queue.isReady();
  fork(__filename, ['worker'], { env: { ...process.env, REDIS_URL: url } });
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

if (process.argv[2] === 'worker') {
  process.on('disconnect', () => process.exit());
  void queueAt(process.env.REDIS_URL).process(SLOTS, ({ data }) => Promise.resolve(data));
} else {
  const free = createServer().listen(0, '127.0.0.1', () => {
    const { port } = free.address();
    const password = randomBytes(24).toString('hex');
    free.close(() => {
      startRedis(port, password);
      void serveQueue(`redis://:${password}@127.0.0.1:${port}`);
    });
  });
}
