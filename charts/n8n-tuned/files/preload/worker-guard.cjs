// When a network drops the connections of a worker to Redis without a word, the worker takes no job any more and calls
// itself ready, for hours (n8n #37581). This looks at the queue over a connection of its own, and over a new one if that does
// not answer. If jobs wait at every look, and this worker takes none and renews the lock of none, it says what it saw and ends,
// so that it is started again. A worker that renews a lock is at work and stays. Loaded before n8n (node --require).
// docs/chart/patches.md
const fs = require('node:fs');
const { clearTimeout, setTimeout } = require('node:timers');
const { BULL, knows, ofBull, onLoad, patch, say, setState } = require('./in-force.cjs');

const NAME = 'worker-guard';

const seconds = Number(process.env.N8N_TUNED_GUARD_SECONDS);
/** In a row; one alone may meet jobs that another worker is about to take. */
const LOOKS = 6;
/** From the begin of a look to the begin of the next one. */
const LOOK_EVERY_MS = (1000 * seconds) / LOOKS;
/** A question to Redis ends after this. A look puts its questions at the same time, so it is over when the next one is due. */
const PATIENCE_MS = Math.min(5000, LOOK_EVERY_MS);
/** What Kubernetes shows of a container that has ended. */
const LAST_WORDS = '/dev/termination-log';

function within(ms, promise) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error('no answer')), ms).unref();
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** A connection as n8n's own, which gives up at once. */
function connectionLike(client) {
  const once = { lazyConnect: true };
  const connection = client.isCluster
    ? client.duplicate([], { ...once, clusterRetryStrategy: () => null })
    : client.duplicate({ ...once, retryStrategy: () => null, maxRetriesPerRequest: 0 });
  connection.on('error', () => undefined); // The question that fails tells it.
  return connection;
}

/**
 * Asks how many jobs wait, and whether this worker renews the lock of one of `jobs`. Bull renews a lock every `lockRenewTime`,
 * and then it lasts `lockDuration` again. One that has missed two renewals tells of a worker that has lost its connection
 * long before it runs out; where so much time is not in a lock, it is waited for until it has run out.
 */
async function ask(queue, connection, jobs) {
  const { lockDuration, lockRenewTime } = queue.settings;
  const missedTwoMs = Math.max(0, lockDuration - 2 * lockRenewTime);
  const isRenewed = async (job) => {
    const key = job.lockKey();
    const [token, leftMs] = await Promise.all([connection.get(key), connection.pttl(key)]);
    return token === queue.token && leftMs > missedTwoMs;
  };
  const renewed = await Promise.all(jobs.map(isRenewed));
  return { waiting: await connection.llen(queue.toKey('wait')), isAtWork: renewed.includes(true) };
}

/**
 * Asks over a connection that is kept from look to look, because stores count new ones, and each may be a handshake. Where it
 * does not answer soon, a new one is asked as well, and kept in its place if that answers first.
 */
function asker(queue) {
  let kept;
  const over = async (connection, jobs) => ({
    connection,
    seen: await ask(queue, connection, jobs),
  });

  async function asked(jobs) {
    const old = kept?.status === 'ready' ? kept : undefined;
    const open = [kept];
    const overNew = async () => {
      const connection = connectionLike(queue.client);
      open.push(connection);
      await connection.connect();
      return over(connection, jobs);
    };
    const ways = old ? [over(old, jobs)] : [];
    ways.push(old ? within(PATIENCE_MS / 4, ways[0]).catch(overNew) : overNew());
    kept = undefined;
    try {
      const { connection, seen } = await within(PATIENCE_MS, Promise.any(ways));
      kept = connection;
      return seen;
    } finally {
      for (const connection of open) if (connection !== kept) connection?.disconnect();
    }
  }
  return { asked, end: () => kept?.disconnect() };
}

const isAlive = (client) =>
  within(PATIENCE_MS, client.ping()).then(
    () => true,
    () => false,
  );

const period = () => new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS).unref());

function guard(queue, concurrency, work) {
  let begun = 0;
  let lastBegunMs = Date.now();
  let seenBegun = 0;
  let looks = 0;
  const connection = asker(queue);

  /** Whether jobs wait that this worker should have taken. */
  async function isIdle() {
    if (queue.closing) connection.end();
    if (queue.closing || queue.paused || begun !== seenBegun) return false;
    const [{ waiting, isAtWork }, isConnected] = await Promise.all([
      connection.asked([...work]),
      isAlive(queue.client),
    ]);
    if (waiting === 0 || isAtWork || begun !== seenBegun) return false;
    // With a slot free it would have taken one; with none, its jobs may have lost their locks and still be at work.
    if (work.size >= concurrency && isConnected) return false;
    return { waiting, isConnected };
  }

  async function look() {
    // Without an answer nothing is known: a new worker would not reach Redis either.
    const seen = await isIdle().catch(() => false);
    looks = seen ? looks + 1 : 0;
    seenBegun = begun;
    if (looks >= LOOKS) end(seen);
  }

  /** The time to the next look passes while one goes on. */
  async function watch() {
    for (let next = period(); ;) {
      await next;
      next = period();
      await look();
    }
  }

  function end({ waiting, isConnected }) {
    const since = Math.round((Date.now() - lastBegunMs) / 1000);
    const words = [
      `n8n-tuned: worker-guard: ${waiting} jobs wait in ${queue.name}, and this worker took none for ${since} s`,
      `it has ${work.size} of ${concurrency} slots in use and renews the lock of no job`,
      `its connection to Redis ${isConnected ? 'answers' : 'does not answer'}, a new one does`,
      'it ends, to be started again\n',
    ].join('; ');
    process.stderr.write(words);
    try {
      fs.writeFileSync(LAST_WORDS, words, { flag: 'r+' });
    } catch {
      // Not in a container.
    }
    process.exit(1);
  }

  void watch();
  return () => {
    begun += 1;
    lastBegunMs = Date.now();
  };
}

function wrap(Queue) {
  const { process: take } = Queue.prototype;
  // n8n calls it with a name, how many at once, and the handler; below 1.60 without the name. The handler has one argument,
  // which is how Bull knows that it returns a promise.
  Queue.prototype.process = function (...given) {
    const handler = given.at(-1);
    const concurrency = given.at(-2);
    if (typeof handler !== 'function' || typeof concurrency !== 'number') {
      setState(NAME, 'unknown');
      say(NAME, 'this n8n takes jobs in an unknown way, left as it is');
      return take.apply(this, given);
    }
    const work = new Set();
    const begin = guard(this, concurrency, work);
    return take.call(this, ...given.slice(0, -1), async (job) => {
      begin();
      work.add(job);
      try {
        return await handler(job);
      } finally {
        work.delete(job);
      }
    });
  };
}

const CODE = ['Queue.process', 'Queue.toKey', 'Job.lockKey'];

if (seconds > 0) {
  patch(NAME, [NAME], () =>
    onLoad(BULL.file, BULL.find, (Queue, at) => {
      if (knows(NAME, NAME, ofBull(CODE, Queue, at), 'this Bull is unknown')) wrap(Queue);
    }),
  );
}
