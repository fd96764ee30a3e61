// What a worker does for the executions that it runs. It tells Redis that they are alive, so that recovery leaves them alone. It
// looks there before the next node if it has not been able to say so for a while: an execution that recovery has retried ends,
// and stores nothing. And it stores what has ended once the database takes it, with a mark and its result in Redis until then,
// so that nobody takes finished work for lost, and others can store it. keep-stalled.cjs uses it. docs/recovery.md
const { performance } = require('node:perf_hooks');
const { clearTimeout, setInterval, setTimeout } = require('node:timers');
const timers = require('node:timers/promises');
const { say: tell, setState } = require('./in-force.cjs');

const NAME = 'keep-stalled';
const say = (what) => tell(NAME, what);

/** For so long after it was last heard of, nobody takes an execution for dead. Nobody retries one that is younger. */
const LEASE_MS = 30_000;
const RENEW_EVERY_MS = LEASE_MS / 3;
/** A Redis that does not answer for so long is not asked. */
const ASK_WITHIN_MS = 5000;
/** Recovery looks back no further: it refuses to. */
const MARKED_MS = 7 * 24 * 3_600_000;
/** So many begin together that one command tells Redis of all that begin within it, and what has ended by then it is not told. */
const REGISTER_WITHIN_MS = 200;
/** A larger result is in the memory of its worker alone: Redis holds the queue. */
const RESULT_BYTES = 256 * 1024;
/** Whoever stores it instead has heard of a dead worker, and waited for the database, long before. */
const RESULT_MS = 3_600_000;
/** A database may take this long to be replaced; then n8n does what it does without it. */
const AWAY_MS = 600_000;
const PAUSE_MS = { first: 500, longest: 8000 };

/**
 * By Redis' own clock. Takes the lease, and for each execution its id and since how many milliseconds it runs here. Returns
 * those that recovery has taken since; the others are alive for another lease. What was taken before was another run: n8n
 * may give an id again once its database is a new one.
 */
const HOLD = `local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
local taken = {}
for at = 2, #ARGV, 2 do
  local when = redis.call('ZSCORE', KEYS[2], ARGV[at])
  if when and tonumber(when) >= now - ARGV[at + 1] then taken[#taken + 1] = ARGV[at]
  else redis.call('ZADD', KEYS[1], now + ARGV[1], ARGV[at]) end
end
return taken`;

/**
 * By Redis' own clock, or by that of the worker if it was ahead when the execution began: its row has the time of that one, and
 * a clock that was set back since makes no mark look older than its execution.
 */
const MARK = `local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[1])
redis.call('ZADD', KEYS[1], math.max(now, ARGV[2]), ARGV[3])
redis.call('PEXPIRE', KEYS[1], ARGV[1])`;

/** The execution's row says that it is over, whoever has ended it. */
const OVER = new Set(['success', 'error', 'crashed', 'canceled']);

/** What this worker runs, by the id of the execution. */
const running = new Map();

/** One clock may be set, and the other stands still while the machine sleeps: what counts is the one that has moved further. */
const now = () => ({ clockMs: Date.now(), tickMs: performance.now() });
const sinceMs = (then) => Math.max(Date.now() - then.clockMs, performance.now() - then.tickMs);

const keyOf = (queue, name) => `n8n-tuned:{${queue.keyPrefix}}:${name}`;

function within(ms, asked, store = 'Redis') {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${store} does not answer`)), ms);
  });
  return Promise.race([asked, late]).finally(() => clearTimeout(timer));
}

let isRefused = false;
let isRefusalTold = false;
/** A Redis user that may not use these keys: n8n works on, as it does without this script, and recovery sees it in the metrics. */
function noteRefusal(isNew) {
  if (isRefused === isNew) return;
  isRefused = isNew;
  setState(NAME, isRefused ? 'failed' : 'known', 'Redis');
  if (!isRefused || isRefusalTold) return;
  isRefusalTold = true;
  say(`Redis lets n8n use no key that begins with n8n-tuned, so recovery does not see what runs`);
}
function refuse(problem) {
  if (!/NOPERM/.test(String(problem?.message))) throw problem;
  noteRefusal(true);
  return null;
}

async function hold(queue, ids) {
  const heldAt = now();
  for (const id of ids) running.get(id).isNew = false;
  if (queue.client.status !== 'ready') throw new Error('Redis is not connected');
  const keys = [keyOf(queue, 'alive'), keyOf(queue, 'taken')];
  const works = ids.flatMap((id) => [id, Math.ceil(sinceMs(running.get(id).begunAt))]);
  const asked = queue.client.eval(HOLD, 2, ...keys, LEASE_MS, ...works);
  const taken = await within(ASK_WITHIN_MS, asked).catch(refuse);
  if (taken !== null) noteRefusal(false);
  for (const id of ids) {
    const work = running.get(id);
    if (work === undefined) continue;
    if (taken?.includes(id)) work.isTaken = true;
    else work.heldAt = heldAt;
  }
}

function holdAll(which) {
  const byQueue = Map.groupBy([...running].filter(which), ([, { queue }]) => queue);
  for (const [queue, works] of byQueue) {
    // Until it is heard of again, it is looked at before each node.
    hold(
      queue,
      works.map(([id]) => id),
    ).catch(() => undefined);
  }
}

let renewing;
const connections = new WeakSet();
function startRenewing({ client }) {
  renewing ??= setInterval(() => holdAll(() => true), RENEW_EVERY_MS);
  renewing.unref();
  if (connections.has(client)) return;
  connections.add(client);
  // A Redis that comes back may have lost all that it was told.
  client.on('ready', () => holdAll(([, work]) => work.queue.client === client));
}

let registering;
function register(work) {
  work.isNew = true;
  registering ??= setTimeout(() => {
    registering = undefined;
    holdAll(([, { isNew }]) => isNew);
  }, REGISTER_WITHIN_MS);
  registering.unref();
}

/** Whether an execution may go on: nobody else has been given its work. Fails if neither store can say so. */
async function isStillOurs(id, work) {
  if (!work.isTaken && sinceMs(work.heldAt) >= LEASE_MS) {
    try {
      await hold(work.queue, [id]);
    } catch {
      // Whoever gives it to somebody else sees in the database first that it has failed.
      const row = await work.executionRepository
        .findSingleExecution(id, { includeData: false })
        .catch((problem) => {
          if (isAway(problem)) throw problem;
        });
      if (OVER.has(row?.status)) work.isTaken = true;
    }
  }
  if (work.isTaken && !work.isTold) {
    work.isTold = true;
    say(`execution ${id} was taken from this worker while it stood still: it ends here`);
  }
  return !work.isTaken;
}

/** Waits until one of the stores says so. An execution of which none knows for too long may be anybody's: it ends. */
async function isOurs(id, work) {
  try {
    return await isStillOurs(id, work);
  } catch (problem) {
    const untilMs = Date.now() + AWAY_MS;
    return later(() => isStillOurs(id, work), { problem, untilMs }).catch((last) => {
      work.isTaken = work.isTold = true;
      say(
        `neither Redis nor the database knows whose execution ${id} is, so it ends here: ${last}`,
      );
      return false;
    });
  }
}

function mark(id, { queue, begunAt }) {
  const endedAtMs = Math.ceil(begunAt.clockMs + performance.now() - begunAt.tickMs);
  queue.client.eval(MARK, 1, keyOf(queue, 'done'), MARKED_MS, endedAtMs, id).catch(() => undefined);
}
function unmark(id, { queue, hasResult }) {
  const { client } = queue;
  client.zrem(keyOf(queue, 'done'), id).catch(() => undefined);
  if (hasResult) client.del(keyOf(queue, `result:${id}`)).catch(() => undefined);
}

/** What the database is to have of a success, for the process that accepted the execution, should this worker die. */
function keepResult(id, { workflowData: _, ...changes }, work, { stringify }) {
  const { client } = work.queue;
  if (work.hasResult !== undefined || client.status !== 'ready') return;
  const data = changes.data && stringify(changes.data);
  const result = JSON.stringify({ ...changes, data });
  work.hasResult = Buffer.byteLength(result) <= RESULT_BYTES;
  if (!work.hasResult) return;
  client
    .set(keyOf(work.queue, `result:${id}`), result, 'PX', RESULT_MS)
    .catch(() => (work.hasResult = undefined));
}

/** The result of an execution that a worker could not store, unless recovery has given its work to a retry. */
async function resultOf(queue, id, { parse }) {
  if (queue === undefined) return undefined;
  const asked = queue.client.pipeline().get(keyOf(queue, `result:${id}`));
  const replies = await within(ASK_WITHIN_MS, asked.zscore(keyOf(queue, 'taken'), id).exec());
  const [[, text], [, taken]] = replies;
  if (!text || taken) return undefined;
  const { data, startedAt, stoppedAt, ...run } = JSON.parse(text);
  const dates = { startedAt: new Date(startedAt), stoppedAt: new Date(stoppedAt) };
  return { ...run, ...dates, data: data ? parse(data) : { resultData: { runData: {} } } };
}

/** n8n's lifecycle hooks of an execution that this worker runs. */
function watchNodes({ prototype }) {
  const { runHook } = prototype;
  prototype.runHook = function (name, parameters) {
    const id = this.executionId;
    const work = running.get(id);
    if (work === undefined) return runHook.call(this, name, parameters);
    if (name === 'nodeExecuteBefore') {
      if (!work.isTaken && sinceMs(work.heldAt) < LEASE_MS) {
        return runHook.call(this, name, parameters);
      }
      return isOurs(id, work).then((isIt) => {
        if (isIt) return runHook.call(this, name, parameters);
        throw new Error(`Execution ${id} was taken from this worker`);
      });
    }
    if (name !== 'workflowExecuteAfter') return runHook.call(this, name, parameters);
    return isOurs(id, work).then(async (isIt) => {
      // Nothing of it is stored, and no error workflow begins: what was retried counts.
      if (!isIt) return;
      const isDone = parameters[0]?.status === 'success';
      if (isDone) mark(id, work);
      await runHook.call(this, name, parameters);
      if (isDone) unmark(id, work);
    });
  };
}

/**
 * PostgreSQL's classes 08, 53 and 57P, 28 of a password or a user that was replaced, of a server that only reads, and what a
 * network says.
 */
const AWAY_CODE =
  /^(08...|28...|53...|57P0.|25006|ECONN(REFUSED|RESET|ABORTED)|ETIMEDOUT|EPIPE|ENOTFOUND|EAI_AGAIN|E(HOST|NET)UNREACH)$/;
/** TypeORM, pg, poolers, and n8n itself have no code. */
const AWAY_TEXT =
  /driver not connected|connection terminated|timeout exceeded when trying to connect|cannot use a pool|connection (error|ended|closed|reset|lost)|waiting for database connection|is not queryable|query runner already released|the database system is|password authentication failed|too many c(lients|onnections)|remaining connection slots|no more connections allowed|server_login_retry|query_wait_timeout|ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN/i;

/** Whether a statement failed since the database is away, full, or has no connection left: later it may succeed. */
const isAway = (problem) =>
  AWAY_CODE.test(problem?.code ?? problem?.driverError?.code ?? '') ||
  AWAY_TEXT.test(String(problem?.message));

/** Many may wait for the same: they do not come back in the same moment. */
const jitter = (ms) => ms * (0.5 + Math.random());

/** How many are tried at once when the database is back; the next ones follow after this pause. */
const AT_ONCE = 10;
const NEXT_MS = 100;
/** A statement that hangs, as on half of a connection, does not hold up the others for longer. */
const TRY_MS = 10_000;

/** What waits for the database, in the order in which it was refused. Null: nothing does. */
let waiting = null;
const isAnyWaiting = () => waiting !== null;

/**
 * One look at a time for all that wait, however many they are. Each is made by the next of them: what the database refuses of
 * one, it may take of another.
 */
async function lookForDatabase() {
  let pauseMs = PAUSE_MS.first;
  let isBack = false;
  while (waiting.length > 0) {
    await timers.setTimeout(jitter(isBack ? NEXT_MS : pauseMs));
    const tried = waiting.splice(0, isBack ? AT_ONCE : 1);
    const ends = await Promise.all(
      tried.map((one) => within(TRY_MS, one.again(), 'the database').catch(() => false)),
    );
    waiting.push(...tried.filter((_, at) => !ends[at]));
    isBack = ends.every(Boolean);
    pauseMs = isBack ? PAUSE_MS.first : Math.min(2 * pauseMs, PAUSE_MS.longest);
    if (!isBack) waiting = waiting.filter((one) => one.goesOn());
  }
  waiting = null;
}

/** Tries again what the database has refused, until it is done, fails for another reason, or is too late. */
function later(attempt, { problem, untilMs, whileAway }) {
  return new Promise((resolve, reject) => {
    let refusal = problem;
    let asked;
    /** True once it is done, or has failed for another reason. */
    const ask = async () => {
      try {
        resolve(await attempt());
      } catch (other) {
        refusal = other;
        if (isAway(other)) {
          asked = undefined;
          return false;
        }
        reject(other);
      }
      return true;
    };
    const one = {
      again: () => (asked ??= ask()),
      goesOn: () => {
        const isLate = Date.now() >= untilMs;
        if (isLate) reject(refusal);
        else whileAway?.();
        return !isLate;
      },
    };
    const isFirst = waiting === null;
    waiting ??= [];
    waiting.push(one);
    if (isFirst) lookForDatabase();
  });
}

function storeLater({ prototype }, load) {
  const flatted = load('flatted');
  const { updateExistingExecution } = prototype;
  prototype.updateExistingExecution = async function (id, changes, ...conditions) {
    // The original of a retry is told about its success too.
    const own = running.has(id) ? id : changes?.retrySuccessId;
    const work = running.get(own);
    const isEnd = changes?.retrySuccessId !== undefined || !OPEN.has(changes?.status ?? 'running');
    const store = () => updateExistingExecution.call(this, id, changes, ...conditions);
    // The stores may come back in any order: what was taken meanwhile is not stored, as n8n stores nothing of what was stopped.
    const storeOurs = async () => (await isStillOurs(own, work)) && store();
    if (work === undefined || !isEnd) return store();
    try {
      return await store();
    } catch (problem) {
      work.untilMs ??= Date.now() + AWAY_MS;
      const { untilMs } = work;
      if (!isAway(problem) || Date.now() >= untilMs) throw problem;
      say(`execution ${id} has ended, which is stored once the database takes it: ${problem}`);
      const whileAway = () => {
        if (changes.status === 'success') keepResult(id, changes, work, flatted);
      };
      whileAway();
      return later(storeOurs, { problem, untilMs, whileAway });
    }
  };
}
const OPEN = new Set(['new', 'running']);

/** Runs one job of n8n's as the work of this worker. */
function asWork({ queue, data }, executionRepository, run) {
  const id = data.executionId;
  const begunAt = now();
  const work = {
    queue,
    executionRepository,
    begunAt,
    heldAt: begunAt,
    isTaken: false,
    isTold: false,
  };
  running.set(id, work);
  startRenewing(queue);
  register(work);
  return run().finally(() => {
    if (running.get(id) === work) running.delete(id);
  });
}

module.exports = {
  ...{ AWAY_MS, asWork, isAnyWaiting, isAway, later, resultOf, storeLater, unmark, watchNodes },
};
