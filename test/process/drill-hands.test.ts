import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Redis } from 'ioredis';
import pg from 'pg';
import { findControl, readLimits } from '../../cli/src/linux/cgroup';
import { runOutOfMemory } from '../../cli/src/linux/memory-limit';
import { ACTIVITY } from '../../cli/src/targets/activity-sql';
import { balancer, balancerConfig } from '../../cli/src/targets/process/balancer';
import {
  failOver as failOverPostgresql,
  useUpConnections,
} from '../../cli/src/targets/process/connections';
import { freePort } from '../../cli/src/targets/process/ports';
import {
  awaitPostgresql,
  newCluster,
  postgresql,
  postgresqlUrl,
  query,
} from '../../cli/src/targets/process/postgresql';
import {
  awaitPort,
  failOver as failOverRedis,
  redis,
  redisConfig,
  redisUrl,
} from '../../cli/src/targets/process/redis';
import { isRoot } from '../../cli/src/targets/process/run-user';
import { Supervisor } from '../../cli/src/targets/process/supervisor';
import { findTools, needed } from '../../cli/src/targets/process/tools';
import { Workspace } from '../../cli/src/targets/process/workspace';
import { never, topology } from './stage';
import { eventually, pause } from '../support/wait';

/** What drills do to a PostgreSQL, to who takes requests, and to the memory of a process, without n8n. */

jest.setTimeout(240_000);

const control = findControl();
let workspace: Workspace;
let supervisor: Supervisor;
beforeEach(async () => {
  workspace = await Workspace.open({ node: process.execPath, n8nCommand: [__filename] });
  supervisor = new Supervisor(`hands-${String(process.pid)}`, control, workspace.user);
  supervisor.watchFolder(workspace.folder);
});
afterEach(async () => {
  await supervisor.end();
  await workspace.remove();
  await supervisor.dismissReaper();
});

const PASSWORD = 'of-the-test';

async function ownPostgresql(): Promise<string> {
  const tools = findTools(topology({ mode: 'queue', workers: { count: 1 } }));
  const programs = needed(tools.postgresqlBin, 'PostgreSQL');
  const hasUser = workspace.user.id !== null;
  const place = { ...workspace.place('postgresql'), folder: '/', hasUser };
  const data = `${workspace.folder}/data`;
  const port = await freePort();
  const url = postgresqlUrl(port, PASSWORD);
  const task = newCluster(programs, data, PASSWORD, place);
  await workspace.user.give(data);
  await supervisor.run(task);
  await supervisor.start(postgresql(programs, data, port, place));
  await awaitPostgresql(url, () => supervisor.runs('postgresql'));
  return url;
}

test.each(['a superuser', 'another user'])(
  'connections that are all taken are seen to be all that there are: %s',
  async (who) => {
    const asN8n = await ownPostgresql();
    await query(asN8n, `CREATE ROLE plain LOGIN PASSWORD '${PASSWORD}'`);
    const url = who === 'a superuser' ? asN8n : asN8n.replace('n8n:', 'plain:');
    const clients: pg.Client[] = [];
    for (let isFull = false; !isFull;) {
      const client = new pg.Client(url);
      await client.connect().then(
        () => clients.push(client),
        () => (isFull = true),
      );
    }
    const [{ connections, most }] = (await clients[0]?.query(ACTIVITY))?.rows as [
      { connections: number; most: number },
    ];
    await Promise.all(clients.map((client) => client.end()));
    expect(most).toBeGreaterThan(50);
    expect(connections).toBe(most);
  },
);

test('every connection to PostgreSQL is ended and taken, and given back', async () => {
  const url = await ownPostgresql();
  const [allowed] = await query(url, 'SHOW max_connections');
  // As n8n does it: it keeps some, and connects again as soon as one is gone.
  let isOver = false;
  const others = Array.from({ length: 4 }, async () => {
    while (!isOver) {
      const client = new pg.Client(url);
      const gone = new Promise((resolve) => client.once('end', resolve));
      client.on('error', () => undefined);
      try {
        await client.connect();
        await Promise.race([gone, pause(20, 'others connect meanwhile')]);
        await client.end();
      } catch {
        await pause(1, 'it was ended, or there was none left');
      }
    }
  });
  const { taken, giveBack } = await useUpConnections(
    (name) => new pg.Client({ connectionString: url, application_name: name }),
  );
  expect(String(taken)).toBe(allowed?.['max_connections']);
  await expect(query(url, 'SELECT 1')).rejects.toMatchObject({ code: '53300' });
  await giveBack();
  isOver = true;
  await Promise.all(others);
  expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

test('a PostgreSQL that fails over ends its connections, then refuses to write until it is promoted', async () => {
  const url = await ownPostgresql();
  await query(url, 'CREATE TABLE kept (one int)');
  const before = new pg.Client(url);
  before.on('error', () => undefined);
  const ended = new Promise((resolve) => before.once('end', resolve));
  await before.connect();
  const promote = await failOverPostgresql(() => new pg.Client(url));
  await ended;
  const after = new pg.Client(url);
  await after.connect();
  expect((await after.query('SELECT count(*)::int AS rows FROM kept')).rows).toEqual([{ rows: 0 }]);
  const write = (): Promise<unknown> => after.query('INSERT INTO kept VALUES (1)');
  await expect(write()).rejects.toMatchObject({ code: '25006' });
  await promote();
  await eventually(() =>
    write().then(
      () => true,
      () => false,
    ),
  );
  await after.end();
});

test('a Redis that fails over ends its connections, then refuses to write until it is promoted', async () => {
  const port = await freePort();
  const place = workspace.place('redis');
  const config = workspace.writeConfig('redis.conf', redisConfig(port, place.folder, PASSWORD));
  const tools = findTools(topology({ mode: 'queue', workers: { count: 1 } }));
  await supervisor.start(redis(needed(tools.redisServer, 'Redis'), config, place));
  await awaitPort(port, 'Redis', () => supervisor.runs('redis'));
  const client = new Redis(redisUrl(port, PASSWORD), { retryStrategy: () => 20 });
  client.on('error', () => undefined);
  await client.set('kept', 'as it was');
  const ended = once(client, 'close');
  const promote = await failOverRedis(redisUrl(port, PASSWORD));
  await ended;
  expect(await client.get('kept')).toBe('as it was');
  await expect(client.set('kept', 'changed')).rejects.toThrow('READONLY');
  await promote();
  expect([await client.set('kept', 'changed'), await client.get('kept')]).toEqual([
    'OK',
    'changed',
  ]);
  client.disconnect();
});

test('a service that is killed and kept down hears no signal, and is started again when it is told', async () => {
  const place = workspace.place('deaf');
  const heard = `${place.folder}/heard`;
  const events: string[] = [];
  supervisor.onEvent(({ kind }) => events.push(kind));
  await supervisor.start({
    ...place,
    ...{ role: 'main', instance: 'deaf', env: {}, limits: {}, stopSignal: 'TERM', kind: 'service' },
    command: ['/bin/sh', '-c', `trap 'echo heard >"${heard}"' TERM; while :; do sleep 0.1; done`],
  });
  const startAgain = await supervisor.keepDown('deaf', 0);
  expect([supervisor.runs('deaf'), existsSync(heard), events]).toEqual([false, false, []]);
  await startAgain();
  expect(supervisor.runs('deaf')).toBe(true);
});

/** A server that responds with its port: to `/webhook/slow` once what it holds is called. */
async function responding() {
  const held: (() => void)[] = [];
  const server = createServer(({ url }, response) => {
    const { port } = server.address() as AddressInfo;
    const respond = (): void => void response.end(String(port));
    if (url === '/webhook/slow') held.push(respond);
    else respond();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, held, port: (server.address() as AddressInfo).port };
}

test('one that is away gets no request, and responds to those that it has', async () => {
  const both = await Promise.all([responding(), responding()]);
  const [one, other] = both.map(({ port }) => port);
  const ports = { own: await freePort(), main: one ?? 0, webhooks: [one ?? 0, other ?? 0] };
  const tools = findTools(topology({ mode: 'queue', webhooks: { count: 2 } }));
  const place = workspace.place('balancer');
  const asRoot = isRoot() && workspace.user.id === null;
  const balance = (away: number[]): string =>
    workspace.writeConfig(
      'nginx.conf',
      balancerConfig(ports, place.folder, { away: new Set(away), asRoot }),
    );
  await supervisor.start(balancer(needed(tools.nginx, 'nginx'), balance([]), place));
  await awaitPort(ports.own, 'nginx', () => supervisor.runs('balancer'));
  // An nginx that is being replaced may close a connection over which a request is just being sent.
  const ask = (path: string): Promise<string> =>
    fetch(`http://127.0.0.1:${String(ports.own)}/webhook/${path}`).then(
      (response) => (response.ok ? response.text() : String(response.status)),
      () => 'closed',
    );
  const sendAway = (away: number[]): void => {
    balance(away);
    supervisor.signal('balancer', 'SIGHUP');
  };

  const slow = ask('slow');
  await eventually(() => both.some(({ held }) => held.length > 0));
  const [busy] = both.filter(({ held }) => held.length > 0);
  const rest = both.find(({ port }) => port !== busy?.port);
  sendAway([busy?.port ?? 0]);
  // nginx asks both in turn until it has taken it up.
  let inARow = 0;
  while (inARow < 10) {
    inARow = (await ask('quick')) === String(rest?.port) ? inARow + 1 : 0;
  }
  busy?.held[0]?.();
  expect(await slow).toBe(String(busy?.port));

  sendAway(ports.webhooks);
  await eventually(async () => (await ask('quick')) === '502');
  for (const { server } of both) {
    server.close();
    server.closeAllConnections();
  }
});

/** Takes and drops memory all the time, as n8n does. */
const BUSY = `
  let held = [];
  setInterval(() => {
    held.push(Buffer.alloc(1048576, 1));
    if (held.length > 120) held = held.slice(60);
  }, 10);
`;

(control.kind === 'none' ? test.skip : test)(
  'the kernel ends a process whose limit is what it uses, and the next one has the limit as it was',
  async () => {
    const events: string[] = [];
    supervisor.onEvent(({ kind }) => events.push(kind));
    await supervisor.start({
      ...workspace.place('busy'),
      ...{ role: 'worker', instance: 'busy', command: [process.execPath, '-e', BUSY] },
      ...{ env: {}, limits: { memoryMiB: 700 }, stopSignal: 'TERM', kind: 'service' },
    });
    const [found] = supervisor.processes();
    const group = found?.cgroup ?? '';
    await pause(500, 'the process is under way');
    const isOver = (): boolean => !supervisor.processes().some(({ pid }) => pid === found?.pid);
    await runOutOfMemory(control, group, isOver, never());
    await eventually(() => events.includes('restart'));
    expect(events).toEqual(['oom-kill', 'restart']);
    expect(readLimits(control, supervisor.processes()[0]?.cgroup ?? group).memoryMiB).toBe(700);
  },
);
