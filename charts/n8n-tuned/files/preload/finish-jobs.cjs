// A worker that has to end pauses its queue, waits for the executions that n8n has begun, and closes its database. A job
// gets lost on the way if it was taken and has not begun, if it came with the end of another one just then, or if Redis has
// not been told of its end yet. Loaded before n8n (node --require), this makes a paused queue work on the jobs that it has,
// and count as paused only when they have ended. docs/chart/patches.md
const Module = require('node:module');
const { setTimeout: sleep } = require('node:timers/promises');

const LOOK_EVERY_MS = 50;

/** How many jobs each queue has taken, or is about to take, whose end Redis does not know yet. */
const inHand = new WeakMap();

async function counted(queue, work) {
  inHand.set(queue, (inHand.get(queue) ?? 0) + 1);
  try {
    return await work();
  } finally {
    inHand.set(queue, inHand.get(queue) - 1);
  }
}

function patch(Queue) {
  const { pause, getNextJob, processJob, _processJobOnNextTick: step } = Queue.prototype;

  Queue.prototype.getNextJob = function () {
    return counted(this, () => getNextJob.call(this));
  };

  Queue.prototype.processJob = function (...job) {
    return counted(this, () => processJob.apply(this, job));
  };

  // A job that came with the end of another one would wait here for as long as the queue is paused.
  Queue.prototype._processJobOnNextTick = function (next, index, resolve, job) {
    const { paused } = this;
    if (job) this.paused = null;
    step.call(this, next, index, resolve, job);
    if (job) this.paused = paused;
  };

  Queue.prototype.pause = async function (isLocal, ...rest) {
    await pause.call(this, isLocal, ...rest);
    // n8n ends by its own limit (N8N_GRACEFUL_SHUTDOWN_TIMEOUT) where this takes too long. Between the end of a job and
    // the begin of the one that came with it there is no turn of the event loop, so the count does not meet that gap.
    while (isLocal && inHand.get(this) > 0) await sleep(LOOK_EVERY_MS);
  };
}

const isQueue = (loaded) =>
  typeof loaded === 'function' && loaded.prototype?.process && loaded.prototype.moveToActive;

const KNOWN_PARTS = ['pause', 'getNextJob', 'processJob', '_processJobOnNextTick'];

function install() {
  const load = Module._load;
  let isDone = false;
  Module._load = function (request, ...rest) {
    const loaded = load.call(this, request, ...rest);
    if (!isDone && /(^|[\\/])(bull|queue)([\\/]index)?(\.js)?$/.test(request) && isQueue(loaded)) {
      // It stays: to put back what was before would drop what other scripts have put on top.
      isDone = true;
      if (KNOWN_PARTS.every((name) => loaded.prototype[name])) patch(loaded);
      else process.stderr.write('n8n-tuned: finish-jobs: this Bull is unknown, left as it is\n');
    }
    return loaded;
  };
}

if (!process.env.N8N_TUNED_WITHOUT?.split(',').includes('finish-jobs')) install();
