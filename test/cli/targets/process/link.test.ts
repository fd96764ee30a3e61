/** What passes through a link, on real connections of loopback. */
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import fc from 'fast-check';
import { Link } from '../../../../cli/src/targets/process/link';
import { freePort } from '../../../../cli/src/targets/process/ports';
import { pause } from '../../../support/wait';

/** Long enough for what passes to have passed; where nothing may pass, a slow machine cannot make the test fail. */
const A_WHILE_MS = 150;

let store: Server;
let link: Link;
let port: number;
const sockets: Socket[] = [];

/** Sends back what it gets. */
beforeEach(async () => {
  store = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.pipe(socket);
  });
  store.listen(0, '127.0.0.1');
  await once(store, 'listening');
  port = await freePort();
  link = await Link.open(port, { host: '127.0.0.1', port: (store.address() as AddressInfo).port });
});

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await link.close();
  await new Promise((resolve) => store.close(resolve));
});

interface Client {
  socket: Socket;
  got: () => Buffer;
  /** Once so many bytes have come. */
  has: (bytes: number) => Promise<void>;
}

async function client(): Promise<Client> {
  const socket = connect(port, '127.0.0.1');
  sockets.push(socket);
  socket.on('error', () => undefined);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(socket, 'connect');
  const got = (): Buffer => Buffer.concat(chunks);
  return {
    ...{ socket, got },
    has: async (bytes) => {
      while (got().length < bytes) await once(socket, 'data');
    },
  };
}

test('whatever is sent comes back whole and in order, however the link is slowed and stopped meanwhile', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.oneof(
          fc.uint8Array({ minLength: 1, maxLength: 200_000 }),
          fc.constantFrom('freeze', 'thaw', 'slow', 'at once'),
        ),
        { minLength: 1, maxLength: 12 },
      ),
      async (steps) => {
        const { socket, got, has } = await client();
        const sent: Uint8Array[] = [];
        for (const step of steps) {
          if (step === 'freeze') link.freeze();
          else if (step === 'thaw') link.thaw();
          else if (step === 'slow') link.slow(3);
          else if (step === 'at once') link.slow(0);
          else if (typeof step !== 'string') {
            sent.push(step);
            socket.write(step);
          }
        }
        link.thaw();
        const whole = Buffer.concat(sent);
        await has(whole.length);
        expect(got().equals(whole)).toBe(true);
        socket.destroy();
      },
    ),
    { numRuns: 25 },
  );
});

test('a link that is led to another server ends what was open, and new connections get to that one', async () => {
  const other = createServer((socket) => {
    sockets.push(socket);
    socket.end('other');
  });
  other.listen(0, '127.0.0.1');
  await once(other, 'listening');
  const before = await client();
  before.socket.write('a');
  await before.has(1);
  const ended = once(before.socket, 'close');
  link.lead({ host: '127.0.0.1', port: (other.address() as AddressInfo).port });
  await ended;
  const after = await client();
  await after.has(5);
  expect(after.got().toString()).toBe('other');
  other.close();
});

test('a slow link answers later, and as before when it is over', async () => {
  const { socket, has } = await client();
  link.slow(100);
  const began = performance.now();
  socket.write('ping');
  await has(4);
  // The timer of Node.js may be a millisecond early.
  expect(performance.now() - began).toBeGreaterThanOrEqual(198);
  link.slow(0);
  socket.write('pong');
  await has(8);
});

test('what was sent while it was frozen comes when it is over, and so does the end of a connection', async () => {
  const [open, ended] = [await client(), await client()];
  for (const { socket, has } of [open, ended]) {
    socket.write('a');
    await has(1);
  }
  link.freeze();
  open.socket.write('later');
  const [, atStore] = sockets.filter(({ localPort }) => localPort === storePort());
  atStore?.destroy();
  await pause(A_WHILE_MS, 'nothing may come in this time');
  expect(open.got().toString()).toBe('a');
  expect(ended.socket.destroyed).toBe(false);
  link.thaw();
  await once(ended.socket, 'close');
  await open.has(6);
});

const storePort = (): number => (store.address() as AddressInfo).port;

test('lost connections stay open and carry nothing, and new ones are as they should be', async () => {
  const lost = await client();
  lost.socket.write('before');
  await lost.has(6);
  expect(link.lose()).toBe(1);
  lost.socket.write('after');
  for (const socket of sockets.filter(({ localPort }) => localPort === storePort())) {
    socket.write('nor this');
    socket.end();
  }
  const fresh = await client();
  fresh.socket.write('fresh');
  await fresh.has(5);
  await pause(A_WHILE_MS, 'nothing may come in this time');
  expect(lost.got().toString()).toBe('before');
  expect(lost.socket.destroyed).toBe(false);
  expect(link.lose()).toBe(2);
});

test('a connection ends at both ends, whichever ended it, also where no store listens', async () => {
  const { socket, has } = await client();
  socket.write('a');
  await has(1);
  const [atStore] = sockets.filter(({ localPort }) => localPort === storePort());
  socket.end();
  if (atStore !== undefined && !atStore.destroyed) await once(atStore, 'close');
  for (const each of sockets.splice(0)) each.destroy();
  await new Promise((resolve) => store.close(resolve));
  const refused = await client();
  if (!refused.socket.destroyed) await once(refused.socket, 'close');
  store.listen(0, '127.0.0.1');
  await once(store, 'listening');
});
