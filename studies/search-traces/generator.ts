// A small load generator of its own: what the search is tuned on must not come from the generator that it drives.
import { Buffer } from 'node:buffer';
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Target {
  url: string;
  isExpected: (body: string) => boolean;
}

const TIMEOUT_MS = 30_000;
/** n8n's server closes an idle connection after 5 s: never reuse one that is nearly that old. */
const agent = new Agent({ keepAlive: true, maxSockets: Infinity, timeout: 4_000 });

/** One request: true where the expected response came back. */
function send({ url, isExpected }: Target): Promise<boolean> {
  return new Promise((resolve) => {
    const sent = request(url, { agent, timeout: TIMEOUT_MS }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', () => {
        resolve(false);
      });
      response.on('end', () => {
        const body = Buffer.concat(chunks).toString('utf8');
        resolve(response.statusCode === 200 && isExpected(body));
      });
    });
    sent.on('timeout', () => sent.destroy());
    sent.on('error', () => {
      resolve(false);
    });
    sent.end();
  });
}

const tenths = (ms: number): number => Math.round(ms * 10) / 10;

/**
 * Requests at even distances, sent when due whether or not earlier ones are answered. Latency counts from
 * when a request was due, in ms; null where the expected response did not come.
 */
export async function openLoop(
  target: Target,
  { ratePerSecond, seconds }: { ratePerSecond: number; seconds: number },
) {
  const count = Math.round(ratePerSecond * seconds);
  const latencyMs = new Array<number | null>(count).fill(null);
  const startedAt = performance.now() + 50;
  const answers: Promise<void>[] = [];
  let maxLatenessMs = 0;
  for (let i = 0; i < count; i += 1) {
    const dueAt = startedAt + (1000 * i) / ratePerSecond;
    const waitMs = dueAt - performance.now();
    if (waitMs > 0.5) await sleep(waitMs);
    maxLatenessMs = Math.max(maxLatenessMs, performance.now() - dueAt);
    answers.push(
      send(target).then((expected) => {
        if (expected) latencyMs[i] = tenths(performance.now() - dueAt);
      }),
    );
  }
  await Promise.all(answers);
  return { ratePerSecond, seconds, maxLatenessMs: tenths(maxLatenessMs), latencyMs };
}

/** Clients that send as soon as they have their answer; the moments at which answers came, in ms. */
export async function closedLoop(
  target: Target,
  { clients, seconds }: { clients: number; seconds: number },
) {
  const startedAt = performance.now();
  const endsAt = startedAt + 1000 * seconds;
  const answeredAtMs: number[] = [];
  let errors = 0;
  const client = async (): Promise<void> => {
    while (performance.now() < endsAt) {
      if (await send(target)) answeredAtMs.push(tenths(performance.now() - startedAt));
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
export async function untilIdle(
  target: Target,
  baselineMs: number,
  withinSeconds = 30,
): Promise<boolean> {
  const giveUpAt = performance.now() + 1000 * withinSeconds;
  let inARow = 0;
  while (inARow < 3 && performance.now() < giveUpAt) {
    await sleep(300);
    const sentAt = performance.now();
    const expected = await send(target);
    inARow = expected && performance.now() - sentAt < 2 * baselineMs ? inARow + 1 : 0;
  }
  return inARow >= 3;
}

/** The median latency of single requests, in ms. */
export async function baseline(target: Target, requests = 15): Promise<number> {
  const all: number[] = [];
  for (let i = 0; i < requests; i += 1) {
    const sentAt = performance.now();
    if (await send(target)) all.push(performance.now() - sentAt);
    await sleep(100);
  }
  return all.sort((a, b) => a - b)[Math.floor(all.length / 2)] ?? NaN;
}
