// The process that accepts an execution puts a job for it into Redis and waits until that job has ended. A Redis that comes
// back empty has lost the job and counts ids from 1 again: the process takes the end of a later job with the same id for that
// of its own, and tells its caller of a success, although nothing was executed. Loaded before n8n (node --require), this starts
// the ids of an empty Redis at the time in milliseconds, so that none comes again, and checks the jobs that a process waits
// for: if one is gone, the database tells whether its execution has ended. One that has not begun is queued again, unless
// an operator says by a key in Redis that the queue was emptied on purpose.
// docs/chart/patches.md
const { clearInterval, setInterval } = require('node:timers');
const { BULL, knows, ofBull, onLoad, patch, say: tell } = require('./in-force.cjs');

const NAME = 'requeue-lost';
const say = (what) => tell(NAME, what);

/** Bull looks as often whether a job has ended. Each process at its own pace, so that not all of them ask at the same time. */
const LOOK_EVERY_MS = 5000 * (0.75 + Math.random() / 2);
/** A job is gone a moment before n8n hears of its end. */
const LOOKS = 2;
/** One command to Redis, and one query of the database, names this many. */
const JOBS_AT_ONCE = 500;
/** The key, after those of the queue: `SET bull:jobs:emptied 1 EX 60`. */
const EMPTIED = 'emptied';
/** What n8n makes of it, and recovery knows. */
const STALLED = 'job stalled more than maxStalledCount';

/** n8n's table of executions, once it hands one to the queue. */
let repository;

/** By queue: the jobs whose end this process waits for, by their ids. */
const awaited = new WeakMap();

/** Tells what waits for the job, as Redis would have done. */
function settle(queue, { id, executionId, putAgain }, status, isEmptied) {
  if (status === 'new' && isEmptied) {
    say(
      `the queue was emptied on purpose: job ${id} of execution ${executionId} is not queued again`,
    );
    queue.emit('global:failed', id, 'the queue was emptied');
    return undefined;
  }
  if (status === 'new') {
    say(`Redis has lost job ${id} of execution ${executionId}, which had not begun: queued again`);
    return putAgain();
  }
  // n8n then reads from the database what came of it.
  if (['success', 'error', 'waiting'].includes(status)) queue.emit('global:completed', id);
  if (status === 'crashed') queue.emit('global:failed', id, STALLED);
  // A worker is still at it, or somebody has stopped it.
  return undefined;
}

/** By Redis' own clock: the time, and until when each of these counts as alive, as its worker tells it (running-work.cjs). */
async function livingOf(queue, executionIds) {
  const asked = queue.client.pipeline().time();
  for (const id of executionIds) asked.zscore(`n8n-tuned:{${queue.keyPrefix}}:alive`, id);
  const [[problem, time], ...untils] = await asked.exec();
  if (problem) throw problem;
  const nowMs = time[0] * 1000 + time[1] / 1000;
  return new Set(executionIds.filter((_, at) => Number(untils[at][1] ?? 0) > nowMs));
}

async function lookAfter(queue, jobs) {
  for (let from = 0; from < jobs.length; from += JOBS_AT_ONCE) {
    const some = jobs.slice(from, from + JOBS_AT_ONCE);
    const asked = queue.client.pipeline();
    for (const { id } of some) asked.exists(queue.toKey(id));
    asked.exists(queue.toKey(EMPTIED));
    const replies = await asked.exec();
    const [, isEmptied] = replies.pop();
    for (const [index, [problem, isThere]] of replies.entries()) {
      const job = some[index];
      job.gone = problem || isThere ? 0 : job.gone + 1;
    }
    const gone = some.filter((job) => job.gone >= LOOKS);
    if (gone.length === 0) continue;
    const rows = await repository.find({
      select: ['id', 'status'],
      where: gone.map(({ executionId }) => ({ id: executionId })),
    });
    const statuses = new Map(rows.map(({ id, status }) => [String(id), status]));
    // A slow database says `new` of one that has just begun.
    const living = await livingOf(
      queue,
      gone.map(({ executionId }) => executionId).filter((id) => statuses.get(String(id)) === 'new'),
    );
    const dead = gone.filter(({ executionId }) => !living.has(executionId));
    // At once: what the database said grows old.
    await Promise.all(
      dead.map((job) => settle(queue, job, statuses.get(String(job.executionId)), isEmptied)),
    );
  }
}

function startLooking(queue, jobs) {
  let isLooking = false;
  const timer = setInterval(() => {
    if (queue.closing) clearInterval(timer);
    else if (!isLooking && jobs.size > 0) {
      isLooking = true;
      // Without Redis or the database nothing is known: the next look comes.
      lookAfter(queue, [...jobs.values()])
        .catch(() => undefined)
        .finally(() => (isLooking = false));
    }
  }, LOOK_EVERY_MS);
  timer.unref();
}

function awaitedOf(queue) {
  if (!awaited.has(queue)) {
    awaited.set(queue, new Map());
    startLooking(queue, awaited.get(queue));
  }
  return awaited.get(queue);
}

function patchQueue(Queue) {
  const { add } = Queue.prototype;
  Queue.prototype.add = async function (name, data, options) {
    const executionId = data?.executionId;
    if (!repository || executionId === undefined) {
      return add.call(this, name, data, options);
    }
    const put = async (more) => {
      await this.isReady();
      // Redis may have no id to count on from. Fewer than 1000 jobs a second are queued, so that none comes again.
      this.client.set(this.toKey('id'), Date.now(), 'NX').catch(() => undefined);
      return add.call(this, name, data, { ...options, ...more });
    };
    const job = await put({});
    const { id, finished } = job;
    // To put one that is there again does nothing.
    const putAgain = () => put({ jobId: id });
    job.finished = function () {
      const jobs = awaitedOf(this.queue);
      jobs.set(id, { id, executionId, putAgain, gone: 0 });
      return finished.call(this).finally(() => jobs.delete(id));
    };
    return job;
  };
}

function patchRunner({ prototype }) {
  const { enqueueExecution } = prototype;
  prototype.enqueueExecution = function (...execution) {
    repository = this.executionRepository;
    return enqueueExecution.apply(this, execution);
  };
}

const CODE = ['Queue.add', 'Queue.isReady', 'Queue.toKey', 'Job.finished'];
/** Null or without it while modules that need each other are being loaded. */
const runnerOf = (loaded) =>
  loaded?.WorkflowRunner?.prototype?.enqueueExecution && loaded.WorkflowRunner;

function install() {
  onLoad(BULL.file, BULL.find, (Queue, at) => {
    if (knows(NAME, 'Queue', ofBull(CODE, Queue, at), 'this Bull is unknown')) patchQueue(Queue);
  });
  onLoad(/(^|[\\/])workflow-runner(\.js)?$/, runnerOf, (WorkflowRunner) => {
    const functions = {
      'WorkflowRunner.enqueueExecution': WorkflowRunner.prototype.enqueueExecution,
    };
    const otherwise = 'this n8n queues executions in an unknown way';
    if (knows(NAME, 'WorkflowRunner', functions, otherwise)) patchRunner(WorkflowRunner);
  });
}

patch(NAME, ['Queue', 'WorkflowRunner'], install);
