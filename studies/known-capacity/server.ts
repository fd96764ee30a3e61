// A server whose capacity is known from its own figures. It serves in order of arrival and counts how
// long each service really took, as timers are never exact.
//   npx tsx server.ts '{"slots":4,"serviceMs":50}'        prints its address; after SIGTERM its figures
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Behaviour {
  slots?: number;
  serviceMs?: number;
  spread?: 'none' | 'exponential';
  cpuMs?: number;
  maxPerSecond?: number;
}

const {
  slots = 1,
  serviceMs = 0,
  spread = 'none',
  cpuMs = 0,
  maxPerSecond = 0,
} = JSON.parse(process.argv[2] ?? '{}') as Behaviour;

const waiting: (() => void)[] = [];
let busy = 0;
let served = 0;
let totalMs = 0;

function next(): void {
  if (busy >= slots) return;
  const answer = waiting.shift();
  if (answer === undefined) return;
  busy += 1;
  const begun = performance.now();
  setTimeout(() => {
    busy -= 1;
    served += 1;
    totalMs += performance.now() - begun;
    answer();
    next();
  }, serviceTime());
}

const serviceTime = (): number =>
  spread === 'exponential' ? -serviceMs * Math.log(1 - Math.random()) : serviceMs;

function spin(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

/** A token for each request, refilled evenly, with a second's worth in store. */
let tokens = maxPerSecond;
let filledAt = performance.now();
function hasToken(): boolean {
  const now = performance.now();
  tokens = Math.min(maxPerSecond, tokens + ((now - filledAt) / 1000) * maxPerSecond);
  filledAt = now;
  if (tokens < 1) return false;
  tokens -= 1;
  return true;
}

const server = createServer((_request, response) => {
  const answer = (): void => {
    response.end('{"ok":true}');
  };
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
  console.log(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}`);
});
process.once('SIGTERM', () => {
  console.log(JSON.stringify({ served, meanServiceMs: served > 0 ? totalMs / served : null }));
  process.exit();
});
