/**
 * Node.js closes a connection that has been idle for 5 s, and n8n does so with it: what k6 then sees is
 * provoked here on a bare server of Node.js, and counted on both sides.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { runPlainK6 } from '../support/k6';

jest.setTimeout(60_000);

let server: Server;
let connections: number;
/** Requests that came on each connection. */
let served: Map<Socket, number>;
/** Whether a connection, by the number of its request, is closed instead of answered. */
let closes: (request: number) => boolean;

beforeEach(async () => {
  connections = 0;
  served = new Map();
  closes = () => false;
  server = createServer((request, response) => {
    const count = (served.get(request.socket) ?? 0) + 1;
    served.set(request.socket, count);
    request.resume();
    if (closes(count)) request.socket.destroy();
    else response.end('{"ok":true}');
  });
  server.on('connection', () => (connections += 1));
  server.keepAliveTimeout = 1_000;
  // Newer versions of Node.js wait longer than they say.
  Object.assign(server, { keepAliveTimeoutBuffer: 0 });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const load = (method: string, rate: number, seconds: number): ReturnType<typeof runPlainK6> =>
  runPlainK6('load', {
    BASE_URL: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    ...{ REQUEST: `${method} /x`, EXPECT: 'json.ok==true' },
    ...{ RATE: rate, DURATION: `${String(seconds)}s`, WARMUP: 0, READY: 0, DRAIN: '1s' },
  });

test('requests further apart than the server keeps a connection each open one, and none fails', async () => {
  const { summary } = await load('GET', 0.5, 7);
  expect(summary?.requests).toBeGreaterThanOrEqual(3);
  expect(summary?.errors).toEqual({});
  expect(summary?.newConnections).toBe(summary?.requests);
  expect(connections).toBe(summary?.newConnections);
});

test('closer together they share connections', async () => {
  const { summary } = await load('GET', 10, 3);
  expect(summary?.errors).toEqual({});
  expect(connections).toBe(summary?.newConnections);
  expect(connections).toBeLessThan((summary?.requests ?? 0) / 3);
});

describe('a server that closes a connection just as it is used again', () => {
  beforeEach(() => {
    closes = (request) => request > 1;
  });

  test('fails a POST, which nobody may send twice: counted as what it is', async () => {
    const { summary } = await load('POST', 10, 2);
    const resets = summary?.errors['reset on idle connection'] ?? 0;
    const requests = [...served.values()].reduce((sum, count) => sum + count, 0);
    expect(resets).toBeGreaterThan(3);
    // Every request on a connection but its first was cut off.
    expect(resets).toBe(requests - served.size);
    expect(summary?.errors).toEqual({ 'reset on idle connection': resets });
  });

  test('does not fail a GET, which k6 sends again on a new connection', async () => {
    const { summary } = await load('GET', 10, 2);
    expect(summary?.errors).toEqual({});
    // k6 tells nothing of the connection on which it does so.
    expect(connections).toBeGreaterThan((summary?.requests ?? 0) / 2);
    expect(summary?.newConnections).toBeLessThan(connections);
  });
});
