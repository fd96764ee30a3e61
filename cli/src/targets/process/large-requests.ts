/** Requests that are as large as n8n takes them, and many times as large in its memory. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { LoadRequest } from '../../../../loadtests/lib/workload';
import { filled } from '../../../../loadtests/lib/fill';
import type { LargeRequests } from '../target';
import { READY } from './ready';

/** Callers that send one large request after the other. */
const CALLERS = 3;
const WITHIN_MS = 60_000;
/** Nothing listens for a moment, or it was refused at once. */
const AGAIN_MS = 200;

/**
 * Empty objects in a list: three bytes each, of which Node.js makes many times as many. What n8n then stores has a text for
 * each of them too.
 */
export function largeBody(mebibytes: number): string {
  const items = Math.floor((mebibytes * 2 ** 20 - 2) / 3);
  return `[${'{},'.repeat(items - 1)}{}]`;
}

/** So little below what is allowed is still taken. */
const SPARE_MIB = 0.25;

/** `onExhausted` tells once the instance has run out of memory, until what it returns is called. */
export async function sendUntilExhausted(
  port: number,
  given: LoadRequest,
  watch: {
    allowedMiB: number;
    signal: AbortSignal;
    onExhausted: (told: (why: string) => void) => () => void;
    withinMs?: number;
  },
): Promise<LargeRequests> {
  const { allowedMiB, onExhausted, withinMs = WITHIN_MS } = watch;
  const request = filled(given, { n: 0, id: READY, random: Math.random });
  const mebibytes = allowedMiB - SPARE_MIB;
  const body = largeBody(mebibytes);
  const over = new AbortController();
  const { signal } = over;
  const end = (): void => {
    over.abort();
  };
  const timer = setTimeout(end, withinMs);
  watch.signal.addEventListener('abort', end, { once: true });
  if (watch.signal.aborted) end();
  let exhausted: string | null = null;
  let sent = 0;
  const stop = onExhausted((why) => {
    exhausted ??= why;
    // The next process of the same name is to get none of it.
    end();
  });
  const call = async (): Promise<void> => {
    while (!signal.aborted) {
      sent += 1;
      await fetch(`http://127.0.0.1:${String(port)}${request.path}`, {
        method: request.method,
        // Such an id belongs to no request of the load.
        headers: { 'content-type': 'application/json', 'x-load-id': READY },
        ...{ body, signal },
      })
        .then((response) => response.arrayBuffer())
        .catch(() => undefined);
      await sleep(AGAIN_MS, undefined, { signal }).catch(() => undefined);
    }
  };
  try {
    await Promise.all(Array.from({ length: CALLERS }, call));
    return { sent, mebibytes, exhausted };
  } finally {
    clearTimeout(timer);
    watch.signal.removeEventListener('abort', end);
    stop();
  }
}
