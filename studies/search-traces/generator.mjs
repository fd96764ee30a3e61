// A small load generator of its own: what the search is tuned on must not come from the generator that it drives.
import { Buffer } from 'node:buffer';
import { Agent, request } from 'node:http';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

const TIMEOUT_MS = 30_000;
/** n8n's server closes an idle connection after 5 s: never reuse one that is nearly that old. */
const agent = new Agent({ keepAlive: true, maxSockets: Infinity, timeout: 4_000 });

/** One request: true where the expected response came back. */
function send(url, isExpected) {
  return new Promise((resolve) => {
    const sent = request(url, { agent, timeout: TIMEOUT_MS }, (response) => {
      const chunks = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('error', () => resolve(false));
      response.on('end', () => {
        const body = Buffer.concat(chunks).toString('utf8');
        resolve(response.statusCode === 200 && isExpected(body));
      });
    });
    sent.on('timeout', () => sent.destroy());
    sent.on('error', () => resolve(false));
    sent.end();
  });
}

const tenths = (ms) => Math.round(ms * 10) / 10;

/**
 * Requests at even distances, sent when due whether or not earlier ones are answered. Latency counts from
 * when a request was due, in ms; null where the expected response did not come.
 */
export async function openLoop({ url, isExpected, ratePerSecond, seconds }) {
  const count = Math.round(ratePerSecond * seconds);
  const latencyMs = new Array(count).fill(null);
  const startedAt = performance.now() + 50;
  const answers = [];
  let maxLatenessMs = 0;
  for (let i = 0; i < count; i += 1) {
    const dueAt = startedAt + (1000 * i) / ratePerSecond;
    const waitMs = dueAt - performance.now();
    if (waitMs > 0.5) await sleep(waitMs);
    maxLatenessMs = Math.max(maxLatenessMs, performance.now() - dueAt);
    answers.push(
      send(url, isExpected).then((expected) => {
        if (expected) latencyMs[i] = tenths(performance.now() - dueAt);
      }),
    );
  }
  await Promise.all(answers);
  return { ratePerSecond, seconds, maxLatenessMs: tenths(maxLatenessMs), latencyMs };
}

/** Clients that send as soon as they have their answer; the moments at which answers came, in ms. */
export async function closedLoop({ url, isExpected, clients, seconds }) {
  const startedAt = performance.now();
  const endsAt = startedAt + 1000 * seconds;
  const answeredAtMs = [];
  let errors = 0;
  const client = async () => {
    while (performance.now() < endsAt) {
      if (await send(url, isExpected)) answeredAtMs.push(tenths(performance.now() - startedAt));
      else {
        errors += 1;
        await sleep(100);
      }
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return { clients, seconds, errors, answeredAtMs };
}

/** Single requests, 300 ms apart, until three in a row take less than twice the baseline. */
export async function untilIdle({ url, isExpected, baselineMs, withinSeconds = 30 }) {
  const giveUpAt = performance.now() + 1000 * withinSeconds;
  let inARow = 0;
  while (inARow < 3 && performance.now() < giveUpAt) {
    await sleep(300);
    const sentAt = performance.now();
    const expected = await send(url, isExpected);
    inARow = expected && performance.now() - sentAt < 2 * baselineMs ? inARow + 1 : 0;
  }
  return inARow >= 3;
}

/** The median latency of single requests, in ms. */
export async function baseline({ url, isExpected, requests = 15 }) {
  const all = [];
  for (let i = 0; i < requests; i += 1) {
    const sentAt = performance.now();
    if (await send(url, isExpected)) all.push(performance.now() - sentAt);
    await sleep(100);
  }
  return all.sort((a, b) => a - b)[Math.floor(all.length / 2)];
}
