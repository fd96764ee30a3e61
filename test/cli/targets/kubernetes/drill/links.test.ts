/** The links of a pod, with real connections, ordered as from within the pod. */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { podLinks } from '../../../../../cli/src/targets/kubernetes/drill/links';
import { freePort } from '../../../../../cli/src/targets/process/ports';
import { until } from '../../../../support/wait';

const HOST = '127.0.0.1';
let store: Server;
let client: Socket;
let controlPort: number;
let end: () => Promise<void>;
let heard = '';

/** A store that sends back what it gets, and a client that reaches it through the link. */
beforeEach(async () => {
  heard = '';
  store = createServer((socket) => socket.on('error', () => undefined).pipe(socket));
  store.listen(0, HOST);
  await once(store, 'listening');
  const to = { host: HOST, port: (store.address() as AddressInfo).port };
  const port = await freePort();
  controlPort = await freePort();
  end = await podLinks({ controlPort, stores: { redis: { port, to } } });
  client = connect(port, HOST);
  client.on('data', (bytes) => (heard += bytes.toString()));
});
afterEach(async () => {
  client.destroy();
  await end();
  store.close();
});

async function order(path: string): Promise<[number, string]> {
  const reply = await fetch(`http://${HOST}:${String(controlPort)}${path}`, { method: 'POST' });
  return [reply.status, await reply.text()];
}

async function passes(text: string): Promise<void> {
  client.write(text);
  await until('what was sent', () => heard.endsWith(text));
}

test('pass on what comes, and stop it until they are told to go on', async () => {
  await passes('one');
  expect(await order('/redis/freeze')).toEqual([200, '']);
  client.write('two');
  expect(await order('/redis/slow/1')).toEqual([200, '']);
  expect(heard).toBe('one');
  await order('/redis/thaw');
  await until('what was stopped', () => heard === 'onetwo');
});

test('say what they carry: connections, and bytes that came in both directions, passed on or not', async () => {
  await passes('one');
  expect(await order('/redis/counts')).toEqual([200, '{"connections":1,"bytes":6}']);
  await order('/redis/freeze');
  client.write('four');
  await until('what waits', async () => (await order('/redis/counts'))[1].includes(':10}'));
  expect(heard).toBe('one');
});

test('say how many connections they have lost, which carry nothing any more', async () => {
  await passes('one');
  expect(await order('/redis/lose')).toEqual([200, '1']);
  client.write('two');
  await order('/redis/thaw');
  expect(heard).toBe('one');
});

test.each(['/postgresql/freeze', '/redis/burn', '/'])(
  'refuse what is no order: %s',
  async (path) => {
    expect(await order(path)).toEqual([404, `no order: ${path}`]);
  },
);
