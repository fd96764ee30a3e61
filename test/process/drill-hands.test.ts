import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Redis } from 'ioredis';
import pg from 'pg';
import { findControl, readLimits } from '../../cli/src/linux/cgroup';
import { runOutOfMemory, takeFromAll } from '../../cli/src/linux/group-limits';
import { whyNoMount } from '../../cli/src/linux/small-disk';
import { jumpClock, withClock } from '../../cli/src/targets/process/clock';
import { nameOf, Names } from '../../cli/src/targets/process/names';
import { ACTIVITY } from '../../cli/src/targets/activity-sql';
import { balancer, balancerConfig } from '../../cli/src/targets/process/balancer';
import {
  failOver as failOverPostgresql,
  lockExecutions,
  useUpConnections,
} from '../../cli/src/targets/process/connections';
import type { StandbyPorts } from '../../cli/src/targets/process/layout';
import { Link } from '../../cli/src/targets/process/link';
import { freePort } from '../../cli/src/targets/process/ports';
import {
  awaitPostgresql,
  backUp,
  dumpIn,
  newCluster,
  postgresql,
  postgresqlUrl,
  query,
  restore,
  restoreDump,
} from '../../cli/src/targets/process/postgresql';
import {
  awaitPort,
  changePassword as changeRedisPassword,
  failOver as failOverRedis,
  ping,
  redis,
  redisConfig,
  redisUrl,
} from '../../cli/src/targets/process/redis';
import { isRoot } from '../../cli/src/targets/process/run-user';
import {
  endPostgresqlPrimary,
  endRedisPrimary,
  startPostgresqlStandby,
  startRedisStandby,
} from '../../cli/src/targets/process/standbys';
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

/** `port`: where it listens; left out: at any. */
async function ownPostgresql(port?: number): Promise<string> {
  const tools = findTools(topology({ mode: 'queue', workers: { count: 1 } }));
  const programs = needed(tools.postgresqlBin, 'PostgreSQL');
  const hasUser = workspace.user.id !== null;
  const place = { ...workspace.place('postgresql'), folder: '/', hasUser };
  const data = `${workspace.folder}/data`;
  const at = port ?? (await freePort());
  const url = postgresqlUrl(at, PASSWORD);
  const task = newCluster(programs, data, PASSWORD, place);
  await workspace.user.give(data);
  await supervisor.run(task);
  await supervisor.start(postgresql(programs, data, at, place));
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
    const [{ connections, max }] = (await clients[0]?.query(ACTIVITY))?.rows as [
      { connections: number; max: number },
    ];
    await Promise.all(clients.map((client) => client.end()));
    expect(max).toBeGreaterThan(50);
    expect(connections).toBe(max);
  },
);

test('every connection to PostgreSQL is ended and taken, and given back', async () => {
  const url = await ownPostgresql();
  const [allowed] = await query(url, 'SHOW max_connections');
  // It does what n8n does: it keeps some, and connects again as soon as one is gone.
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
        await pause(1, 'it was stopped, or there was none left');
      }
    }
  });
  const { taken, giveBack } = await useUpConnections(
    (name) => new pg.Client({ connectionString: url, application_name: name }),
  );
  expect(String(taken)).toBe(allowed?.['max_connections']);
  await expect(query(url, 'SELECT 1')).rejects.toMatchObject({ cause: { code: '53300' } });
  await giveBack();
  isOver = true;
  await Promise.all(others);
  expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

/** What pg_dump writes of a database whose tables belong to a role that is not here. */
const DUMP = `--
-- PostgreSQL database dump
--

\\restrict abc

SET statement_timeout = 0;
SELECT pg_catalog.set_config('search_path', '', false);

CREATE EXTENSION IF NOT EXISTS "not-there" WITH SCHEMA public;

CREATE FUNCTION public.twice(a integer) RETURNS integer
    LANGUAGE plpgsql
    AS $$
BEGIN
  RETURN 2 * a;
END;
$$;

ALTER FUNCTION public.twice(a integer) OWNER TO n8n_prod;

CREATE TABLE public.kept (
    id integer NOT NULL,
    data text
);

ALTER TABLE public.kept OWNER TO n8n_prod;

COPY public.kept (id, data) FROM stdin;
1\ta tab \\t and a line \\n and \u2028 and é
2\t\\N
\\.


INSERT INTO public.kept VALUES (3, 'inserted;
in two lines');
GRANT ALL ON TABLE public.kept TO n8n_prod;

\\unrestrict abc
`;

test('a dump is restored whoever owned its tables, and a truncated dump is refused', async () => {
  const url = await ownPostgresql();
  const file = `${workspace.folder}/n8n.sql`;
  writeFileSync(file, DUMP);
  await query(url, 'CREATE TABLE of_before (one int)');
  await restoreDump(url, dumpIn(file));
  expect(await query(url, 'SELECT id, data, twice(id) FROM kept ORDER BY id')).toEqual([
    { id: 1, data: 'a tab \t and a line \n and \u2028 and é', twice: 2 },
    { id: 2, data: null, twice: 4 },
    { id: 3, data: 'inserted;\nin two lines', twice: 6 },
  ]);
  expect(await query(url, `SELECT to_regclass('of_before') AS found`)).toEqual([{ found: null }]);
  // More rows than a socket takes at once.
  const rows = Array.from({ length: 200_000 }, (_, id) => `${String(id)}\t${'x'.repeat(100)}`);
  writeFileSync(file, DUMP.replace(/^1\t.*$/m, rows.join('\n')));
  await restoreDump(url, dumpIn(file));
  expect(await query(url, 'SELECT count(*)::int AS many FROM kept')).toEqual([{ many: 200_002 }]);
  writeFileSync(file, DUMP.slice(0, DUMP.indexOf('2\t')));
  await expect(restoreDump(url, dumpIn(file))).rejects.toThrow(
    /n8n\.sql could not be restored: .*it ends within the rows of a table/,
  );
  writeFileSync(file, DUMP.replace('public.kept (id, data)', 'public.other (id, data)'));
  await expect(restoreDump(url, dumpIn(file))).rejects.toThrow(
    /could not be restored: relation "public\.other" does not exist/,
  );
});

test('a PostgreSQL that fails over ends its connections, then refuses to write until it is promoted', async () => {
  const url = await ownPostgresql();
  await query(url, 'CREATE TABLE kept (one int)');
  const before = new pg.Client(url);
  before.on('error', () => undefined);
  const ended = new Promise((resolve) => before.once('end', resolve));
  await before.connect();
  const { ended: count, promote } = await failOverPostgresql(() => new pg.Client(url));
  expect(count).toBe(1);
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
  const { ended: count, promote } = await failOverRedis(redisUrl(port, PASSWORD));
  expect(count).toBe(1);
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

const portsOf = async (sentinels: number): Promise<StandbyPorts> => ({
  ...{ primary: await freePort(), standby: await freePort() },
  sentinels: await Promise.all(Array.from({ length: sentinels }, () => freePort())),
});

test('the standby of a PostgreSQL that is killed has each committed row, and takes writes at the same address', async () => {
  const ports = await portsOf(0);
  const address = await freePort();
  const relay = await Link.open(address, { host: '127.0.0.1', port: ports.primary });
  const url = postgresqlUrl(address, PASSWORD);
  await ownPostgresql(ports.primary);
  const tools = findTools(topology({ mode: 'queue', workers: { count: 1 } }));
  const started = { supervisor, workspace, ports, password: PASSWORD };
  const hasUser = workspace.user.id !== null;
  const place = { ...workspace.place('postgresql-standby'), folder: '/', hasUser };
  const programs = needed(tools.postgresqlBin, 'PostgreSQL');
  await startPostgresqlStandby(started, programs, `${workspace.folder}/standby`, place);
  const client = new pg.Client(url);
  client.on('error', () => undefined);
  const ended = new Promise((resolve) => client.once('end', resolve));
  await client.connect();
  await client.query('CREATE TABLE kept (one int)');
  await client.query('INSERT INTO kept VALUES (1), (2)');
  const over = await endPostgresqlPrimary(started, relay);
  expect([over.primary, over.ended]).toEqual(['postgresql', 1]);
  await ended;
  await expect(query(url, 'SELECT 1')).rejects.toThrow();
  expect(await over.promote(never())).toBe(
    'postgresql-standby is the primary now, on timeline 2 after 1',
  );
  await query(url, 'INSERT INTO kept VALUES (3)');
  expect(await query(url, 'SELECT count(*)::int AS rows FROM kept')).toEqual([{ rows: 3 }]);
  await relay.close();
});

test('Sentinels make the replica of a killed Redis the primary, and who connects again is led there', async () => {
  const ports = await portsOf(3);
  const address = await freePort();
  const place = workspace.place('redis');
  const config = workspace.writeConfig(
    'redis.conf',
    redisConfig(ports.primary, place.folder, PASSWORD),
  );
  const tools = findTools(topology({ mode: 'queue', workers: { count: 1 } }));
  const program = needed(tools.redisServer, 'Redis');
  await supervisor.start(redis(program, config, place));
  await awaitPort(ports.primary, 'Redis', () => supervisor.runs('redis'));
  const started = { supervisor, workspace, ports, password: PASSWORD };
  await startRedisStandby(started, program, process.execPath, address);
  const client = new Redis(redisUrl(address, PASSWORD), { retryStrategy: () => 100 });
  client.on('error', () => undefined);
  await client.set('kept', 'as it was');
  expect(await client.wait(1, 5_000)).toBe(1);
  const over = await endRedisPrimary(started, address);
  expect(over.primary).toBe('redis');
  // Beside it there is only the connection of the proxy for the client.
  expect(over.ended).toBe(1);
  expect(await over.promote(never())).toBe('the Sentinels made redis-standby the primary');
  await over.startAgain?.();
  expect(await client.get('kept')).toBe('as it was');
  expect(await client.set('kept', 'changed')).toBe('OK');
  client.disconnect();
});

test('connections that need the locked executions wait and are counted, until the lock ends', async () => {
  const url = await ownPostgresql();
  await query(url, 'CREATE TABLE execution_entity (id serial)');
  const { waiting, unlock } = await lockExecutions(
    (name) => new pg.Client({ connectionString: url, application_name: name }),
  );
  expect(await waiting()).toBe(0);
  const others = [1, 2].map(() => query(url, 'INSERT INTO execution_entity DEFAULT VALUES'));
  await eventually(async () => (await waiting()) === 2);
  expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  await unlock();
  await Promise.all(others);
});

test('a database is closed and replaced by its backup, whose missing executions are counted', async () => {
  const url = await ownPostgresql();
  await query(url, 'CREATE TABLE execution_entity (id serial)');
  const add = (): Promise<unknown> => query(url, 'INSERT INTO execution_entity DEFAULT VALUES');
  await add();
  const busy = new pg.Client(url);
  busy.on('error', () => undefined);
  await busy.connect();
  await backUp(url);
  await add();
  await add();
  const open = await restore(url);
  await expect(query(url, 'SELECT 1')).rejects.toMatchObject({ cause: { code: '55000' } });
  expect(await open()).toEqual({ without: 2 });
  expect(await query(url, 'INSERT INTO execution_entity DEFAULT VALUES RETURNING id')).toEqual([
    { id: 2 },
  ]);
  await busy.end().catch(() => undefined);
});

test('a Redis with a new password refuses the old one, and keeps who is connected', async () => {
  const port = await freePort();
  const place = workspace.place('redis');
  const config = workspace.writeConfig('redis.conf', redisConfig(port, place.folder, PASSWORD));
  const tools = findTools(topology({ mode: 'queue', workers: { count: 1 } }));
  await supervisor.start(redis(needed(tools.redisServer, 'Redis'), config, place));
  await awaitPort(port, 'Redis', () => supervisor.runs('redis'));
  const client = new Redis(redisUrl(port, PASSWORD));
  await client.set('kept', 'as it was');
  await changeRedisPassword(redisUrl(port, PASSWORD), 'another');
  await expect(ping(redisUrl(port, PASSWORD))).rejects.toThrow();
  await ping(redisUrl(port, 'another'));
  expect(await client.get('kept')).toBe('as it was');
  client.disconnect();
});

/** Prints what it finds under a name, and the time, again and again. */
const LOOKING = `
  const { lookup } = require('node:dns');
  setInterval(() => console.log('time', new Date().getTime(), Date.now(), Date().slice(11, 15)), 50);
  const look = () => lookup(process.argv[1] ?? 'localhost', (error, address) => {
    console.log('name', error?.code ?? address);
    setTimeout(look, 50);
  });
  look();
`;

test('the time that one process reads is shifted and set right, and its timers go on', async () => {
  const place = workspace.place('looking');
  const spec = withClock(
    {
      ...place,
      ...{ role: 'worker', instance: 'looking', command: [process.execPath, '-e', LOOKING] },
      ...{ env: {}, limits: {}, stopSignal: 'TERM', kind: 'service' },
    },
    workspace,
  );
  await supervisor.start(spec);
  const times = (): number[] =>
    [...readFileSync(place.log, 'utf8').matchAll(/^time (\d+) (\d+) (\d+)$/gm)].map(
      ([, one, two]) => {
        expect(Math.abs(Number(one) - Number(two))).toBeLessThan(10_000);
        return Number(one) - Date.now();
      },
    );
  await eventually(() => times().length > 2);
  expect(times().at(-1)).toBeLessThan(60_000);
  const pid = supervisor.processes()[0]?.pid ?? 0;
  const setRight = await jumpClock(spec, pid, 3_600_000);
  const before = times().length;
  await eventually(() => times().length > before + 2);
  expect(times().at(-1)).toBeGreaterThan(3_000_000);
  expect(await setRight()).toBeGreaterThan(0);
  const after = times().length;
  await eventually(() => times().length > after + 1);
  expect(times().at(-1)).toBeLessThan(60_000);
});

(whyNoMount() === null ? test : test.skip)(
  'a process that asks our resolver finds a store by its name, and nothing while it is silent',
  async () => {
    const names = await Names.open();
    const own = await Workspace.open(
      { node: process.execPath, n8nCommand: [__filename] },
      names.files,
    );
    const reached = new Supervisor(`names-${String(process.pid)}`, control, own.user);
    const place = own.place('looking');
    const found = (): string[] =>
      [...readFileSync(place.log, 'utf8').matchAll(/^name (\S+)$/gm)].map(([, one]) => one ?? '');
    try {
      await reached.start({
        ...place,
        ...{ role: 'worker', instance: 'looking', env: {}, limits: {} },
        ...{ stopSignal: 'TERM', kind: 'service' },
        command: [process.execPath, '-e', LOOKING, nameOf('redis')],
      });
      await eventually(() => found().length > 0);
      expect(found()[0]).toBe('127.0.0.1');
      const speak = names.silence();
      await eventually(() => found().at(-1) === 'EAI_AGAIN');
      const asked = speak();
      expect([...asked.keys()]).toEqual([nameOf('redis')]);
      await eventually(() => found().at(-1) === '127.0.0.1');
    } finally {
      await reached.end();
      await own.remove();
      await reached.dismissReaper();
      names.close();
    }
  },
);

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

/** More than what Node.js has before its program runs. */
const residentMiB = (pid = 0): number =>
  (Number(readFileSync(`/proc/${String(pid)}/statm`, 'utf8').split(' ')[1]) * 4_096) / 2 ** 20;

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
    await eventually(() => residentMiB(found?.pid) > 100);
    const isOver = (): boolean => !supervisor.processes().some(({ pid }) => pid === found?.pid);
    await runOutOfMemory(control, group, isOver, never());
    await eventually(() => events.includes('restart'));
    expect(events).toEqual(['oom-kill', 'restart']);
    expect(readLimits(control, supervisor.processes()[0]?.cgroup ?? group).memoryMiB).toBe(700);
  },
);

(control.kind === 'none' || control.kind === 'systemd' ? test.skip : test)(
  'a process whose CPU is taken waits for it, and has the limit of before when it is given back',
  async () => {
    const start = (instance: string, cpuMillicores: number | undefined): Promise<void> =>
      supervisor.start({
        ...workspace.place(instance),
        ...{ role: 'worker', instance, command: [process.execPath, '-e', 'for (;;);'] },
        ...{ env: {}, limits: { cpuMillicores }, stopSignal: 'TERM', kind: 'service' },
      });
    await start('limited', 800);
    await start('free', undefined);
    const processes = supervisor.processes();
    const limits = (): (number | undefined)[] =>
      processes.map(({ cgroup }) => readLimits(control, cgroup ?? '').cpuMillicores);
    expect(limits()).toEqual([800, undefined]);
    const taken = takeFromAll(control, processes, 50);
    expect([taken.instances, limits()]).toEqual([
      ['limited', 'free'],
      [50, 50],
    ]);
    await eventually(() => taken.heldMs() > 100);
    taken.giveBack();
    expect(limits()).toEqual([800, undefined]);
  },
);
