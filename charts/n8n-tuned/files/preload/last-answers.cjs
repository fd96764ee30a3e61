// A pod that has to go leaves its Service, but callers keep the connections that they have to it. What n8n receives over
// one of them in its last moments is lost: it ends its database connections, and itself, without waiting for requests that
// have not become executions yet. So once preStop has touched a file, each answer tells its caller to take a new
// connection, which leads to another pod. Loaded before n8n (node --require).
const fs = require('node:fs');
const http = require('node:http');
const { clearInterval, setInterval } = require('node:timers');

const STOPPING = '/tmp/n8n-tuned-stopping';
const LOOK_EVERY_MS = 200;

// A container that was restarted finds the file of the one before.
const started = Date.now();
const unanswered = new Set();
let isStopping = false;
let looking;

function look() {
  if ((fs.statSync(STOPPING, { throwIfNoEntry: false })?.mtimeMs ?? 0) < started) return;
  clearInterval(looking);
  isStopping = true;
  for (const response of unanswered) closeAfter(response);
}

function closeAfter(response) {
  if (!response.headersSent) response.setHeader('Connection', 'close');
}

const emit = http.Server.prototype.emit;
http.Server.prototype.emit = function (event, ...args) {
  if (event === 'request') {
    const response = args[1];
    looking ??= setInterval(look, LOOK_EVERY_MS).unref();
    unanswered.add(response);
    response.once('close', () => unanswered.delete(response));
    if (isStopping) closeAfter(response);
  }
  return emit.call(this, event, ...args);
};
