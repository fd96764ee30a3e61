// A server whose capacity is known from its own figures. It serves in order of arrival and counts how
// long each service really took, as timers are never exact.
//   node server.mjs '{"slots":4,"serviceMs":50}'        prints its address; after SIGTERM its figures
import { createServer } from 'node:http';
import { performance } from 'node:perf_hooks';

const {
  slots = 1,
  serviceMs = 0,
  spread = 'none',
  cpuMs = 0,
  maxPerSecond = 0,
} = JSON.parse(process.argv[2]);

const waiting = [];
let busy = 0;
let served = 0;
let totalMs = 0;

function next() {
  if (busy >= slots || waiting.length === 0) return;
  busy += 1;
  const answer = waiting.shift();
  const begun = performance.now();
  setTimeout(() => {
    busy -= 1;
    served += 1;
    totalMs += performance.now() - begun;
    answer();
    next();
  }, serviceTime());
}

const serviceTime = () =>
  spread === 'exponential' ? -serviceMs * Math.log(1 - Math.random()) : serviceMs;

function spin(ms) {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

/** A token for each request, refilled evenly, with a second's worth in store. */
let tokens = maxPerSecond;
let filledAt = performance.now();
function hasToken() {
  const now = performance.now();
  tokens = Math.min(maxPerSecond, tokens + ((now - filledAt) / 1000) * maxPerSecond);
  filledAt = now;
  if (tokens < 1) return false;
  tokens -= 1;
  return true;
}

const server = createServer((request, response) => {
  const answer = () => response.end('{"ok":true}');
  if (maxPerSecond > 0) {
    if (!hasToken()) response.statusCode = 429;
    answer();
  } else if (cpuMs > 0) {
    spin(cpuMs);
    answer();
  } else {
    waiting.push(answer);
    next();
  }
});
server.listen(0, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${server.address().port}`);
});
process.once('SIGTERM', () => {
  console.log(JSON.stringify({ served, meanServiceMs: served > 0 ? totalMs / served : null }));
  process.exit();
});
