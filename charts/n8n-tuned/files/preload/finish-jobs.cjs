// A worker that has to end pauses its queue, waits for the executions that n8n has begun, and closes its database. A job
// gets lost on the way if it was taken and has not begun, if it came with the end of another one just then, or if Redis has
// not been told of its end yet. Loaded before n8n (node --require), this makes a paused queue work on the jobs that it has,
// and count as paused only when they have ended. The connection on which Bull waits for jobs stays whole: n8n ends at once
// if cutting it fails. docs/chart/patches.md
const { setTimeout: sleep } = require('node:timers/promises');
const { BULL, knows, ofBull, onLoad, patch, say: tell } = require('./in-force.cjs');

const LOOK_EVERY_MS = 50;

const NAME = 'finish-jobs';
const say = (what) => tell(NAME, what);

/** By queue: calls that wait for a job, and jobs whose end Redis does not know yet. */
const waiting = new WeakMap();
const inHand = new WeakMap();

async function counted(counts, queue, work) {
  counts.set(queue, (counts.get(queue) ?? 0) + 1);
  try {
    return await work();
  } finally {
    counts.set(queue, counts.get(queue) - 1);
  }
}

/** The number by which Redis knows a connection, of each socket. */
const numbers = new WeakMap();

/** Asks for it ahead of the command that blocks the connection until a job comes. */
function noteNumber({ bclient }) {
  const { stream, isCluster } = bclient;
  if (isCluster || !stream || numbers.has(stream)) return;
  numbers.set(stream, undefined);
  bclient.client('ID').then(
    (number) => numbers.set(stream, number),
    () => undefined,
  );
}

/** After so long without an answer, a Redis that is not connected is away. */
const AWAY_MS = 2000;

/** Has Redis answer a call that waits for a job, as after its time; false where that cannot be done. */
async function unblock({ bclient, client }) {
  const number = numbers.get(bclient.stream ?? {});
  if (number === undefined) return false;
  const asked = client.client('UNBLOCK', number).then(
    () => true,
    () => false,
  );
  // One that is connected and silent may give the call a job when it goes on, which would get lost with the connection.
  for (;;) {
    const answer = await Promise.race([asked, sleep(AWAY_MS, null, { ref: false })]);
    if (answer !== null || client.status !== 'ready') return answer ?? false;
  }
}

function wrap(Queue) {
  const { pause, getNextJob, processJob, _processJobOnNextTick: step } = Queue.prototype;

  Queue.prototype.getNextJob = function () {
    noteNumber(this);
    return counted(waiting, this, () => getNextJob.call(this));
  };

  Queue.prototype.processJob = function (...job) {
    return counted(inHand, this, () => processJob.apply(this, job));
  };

  // A job that came with the end of another one would wait here for as long as the queue is paused.
  Queue.prototype._processJobOnNextTick = function (next, index, resolve, job) {
    const { paused } = this;
    if (job) this.paused = null;
    step.call(this, next, index, resolve, job);
    if (job) this.paused = paused;
  };

  // Between the end of a call or a job and the begin of what follows there is no turn of the event loop, so no look meets
  // that gap. n8n ends by its own limit (N8N_GRACEFUL_SHUTDOWN_TIMEOUT) where this takes too long.
  Queue.prototype.pause = async function (isLocal, ...rest) {
    if (!isLocal || !waiting.has(this)) return pause.call(this, isLocal, ...rest);
    this.paused ??= new Promise((resolve) => {
      this.resumeLocal = () => {
        this.paused = null;
        resolve();
      };
    });
    while (waiting.get(this) > 0) {
      if (!(await unblock(this))) {
        // n8n would end at once if this failed.
        await pause.call(this, isLocal, ...rest).catch((problem) => say(`${problem}`));
        break;
      }
      await sleep(0);
    }
    while (inHand.get(this) > 0) await sleep(LOOK_EVERY_MS);
    this.emit('paused');
  };
}

const CODE = ['pause', 'resume', 'getNextJob', 'processJob', '_processJobOnNextTick'].map(
  (name) => `Queue.${name}`,
);

patch(NAME, [NAME], () =>
  onLoad(BULL.file, BULL.find, (Queue, at) => {
    if (knows(NAME, NAME, ofBull(CODE, Queue, at), 'this Bull is unknown')) wrap(Queue);
  }),
);
