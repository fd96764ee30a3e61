/** Requests that are too large for the memory of who takes them, with a stand-in for n8n. */
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { largeBody, sendUntilExhausted } from '../../../../cli/src/targets/process/large-requests';

const REQUEST = {
  ...{ method: 'POST', path: '/webhook/x', headers: {}, body: null, expect: [], weight: 1 },
} as unknown as Parameters<typeof sendUntilExhausted>[1];

let server: Server | undefined;
afterEach(() => {
  server?.close();
  server?.closeAllConnections();
});

async function listening(onBody: (body: string, id: string) => void) {
  const own = createServer((request, response) => {
    let body = '';
    request.on('data', (part: Buffer) => (body += part.toString()));
    request.on('end', () => {
      onBody(body, String(request.headers['x-load-id']));
      response.end();
    });
  });
  server = own;
  own.listen(0, '127.0.0.1');
  await once(own, 'listening');
  return (own.address() as AddressInfo).port;
}

test('a large body is a list as large as it is to be, with an object for every three bytes', () => {
  const body = largeBody(0.001);
  expect(body.length).toBeLessThanOrEqual(0.001 * 2 ** 20);
  const list = JSON.parse(body) as unknown[];
  expect(list).toHaveLength(Math.floor((0.001 * 2 ** 20 - 2) / 3));
  expect(list[0]).toEqual({});
});

test('large requests belong to no request of the load, and end once the one that takes them has run out of memory', async () => {
  const ids = new Set<string>();
  let size = 0;
  let tell: (why: string) => void = () => undefined;
  const port = await listening((body, id) => {
    ids.add(id);
    size = body.length;
    if (taken++ === 4) tell('main ended: its heap was full');
  });
  let taken = 0;
  const done = await sendUntilExhausted(port, REQUEST, {
    ...{ allowedMiB: 1, signal: new AbortController().signal },
    onExhausted: (told) => {
      tell = told;
      return () => undefined;
    },
  });
  expect(done).toMatchObject({ mebibytes: 0.75, exhausted: 'main ended: its heap was full' });
  expect(done.sent).toBeGreaterThanOrEqual(5);
  expect(size).toBeGreaterThan(0.74 * 2 ** 20);
  expect([...ids]).toEqual(['ready']);
});

test('one that takes every large request is left alone after a while', async () => {
  const port = await listening(() => undefined);
  const done = await sendUntilExhausted(port, REQUEST, {
    ...{ allowedMiB: 1, signal: new AbortController().signal, withinMs: 500 },
    onExhausted: () => () => undefined,
  });
  expect(done.exhausted).toBeNull();
  expect(done.sent).toBeGreaterThan(0);
});
