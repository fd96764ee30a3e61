// A pod that has to go leaves its Service, but callers keep the connections that they have to it. What n8n receives over
// one of them in its last moments is lost: it ends its database connections, and itself, without waiting for requests that
// have not become executions yet. So once preStop has touched a file, each answer tells its caller to take a new
// connection, which leads to another pod; and n8n learns of SIGTERM when no request has come for a moment. Connections
// without requests are left alone: one that is closed may just be bringing a request. Loaded before n8n (node --require).
const fs = require('node:fs');
const http = require('node:http');
const { clearInterval, setInterval } = require('node:timers');
const { plainPatch } = require('./in-force.cjs');

const STOPPING = '/tmp/n8n-tuned-stopping';
const LOOK_EVERY_MS = 200;
/** In turns of the event loop, not in time: one that was late has requests before it that it has not read. */
const QUIET_LOOKS = 5;
/** The pod's grace period has 15 s for more than n8n's own shutdown. */
const LONGEST_DELAY_MS = 5000;

// A container that was restarted finds the file of the one before.
const started = Date.now();
const unanswered = new Set();
let quietLooks = 0;
let isStopping = false;
let looking;

function look() {
  if ((fs.statSync(STOPPING, { throwIfNoEntry: false })?.mtimeMs ?? 0) >= started) stop();
}

function stop() {
  clearInterval(looking);
  isStopping = true;
  for (const response of unanswered) closeAfter(response);
}

function closeAfter(response) {
  if (!response.headersSent) response.setHeader('Connection', 'close');
}

function closeConnections() {
  const emit = http.Server.prototype.emit;
  http.Server.prototype.emit = function (event, ...args) {
    if (event === 'request') {
      const response = args[1];
      looking ??= setInterval(look, LOOK_EVERY_MS).unref();
      quietLooks = 0;
      unanswered.add(response);
      response.once('close', () => unanswered.delete(response));
      if (isStopping) closeAfter(response);
    }
    return emit.call(this, event, ...args);
  };
}

function delayTheEnd() {
  let isDelayed = false;
  const emitOfProcess = process.emit;
  process.emit = function (event, ...args) {
    // A second SIGTERM is for n8n at once.
    if (event !== 'SIGTERM' || isDelayed) return emitOfProcess.call(this, event, ...args);
    isDelayed = true;
    stop();
    const signalled = Date.now();
    const delay = setInterval(() => {
      quietLooks = unanswered.size === 0 ? quietLooks + 1 : 0;
      if (quietLooks <= QUIET_LOOKS && Date.now() - signalled < LONGEST_DELAY_MS) return;
      clearInterval(delay);
      emitOfProcess.call(this, event, ...args);
    }, LOOK_EVERY_MS);
    return true;
  };
}

plainPatch('last-answers', () => {
  closeConnections();
  delayTheEnd();
});
