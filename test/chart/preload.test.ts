// The scripts that Node.js loads before n8n.
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import http, { type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { n8nFolder, node18, node24 } from '../nodes/support/lab';
import { attempt, chart, paths } from './support/helm';
import { copied, known, PATCHES, PRELOAD } from './support/preload-folder';
import { N8N_LEGACY_VERSION, N8N_VERSION } from '../support/versions';
import { eventually, pause } from '../support/wait';

const run = promisify(execFile);
const preload = PRELOAD;
const STOPPING = '/tmp/n8n-tuned-stopping';
const LONGEST_MS = 5000;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-preload-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

describe.each([
  ['24', node24],
  ['18', node18],
])('answers of a pod that has to go (Node.js %s)', (_, node) => {
  /** Answers at once, and under /slow when /go is asked. */
  const SERVER = `
    const waiting = [];
    const server = require('http').createServer((request, response) => {
      if (request.url === '/slow') return waiting.push(response);
      if (request.url === '/go') waiting.forEach((one) => one.end('late'));
      response.end('now');
    });
    server.keepAliveTimeout = 60_000;
    process.once('SIGTERM', () => process.exit(7));
    server.listen(0, '127.0.0.1', () => console.log(server.address().port));
  `;
  let server: ChildProcess;
  let agent: http.Agent;
  let port: string;

  beforeEach(() => {
    agent = new http.Agent({ keepAlive: true });
  });
  afterEach(() => {
    agent.destroy();
    server.kill('SIGKILL');
  });

  /** With the folder of the test instead of /tmp, which other tests share, and patience with a test that stalls. */
  async function start(longestDelayMs = 60_000): Promise<void> {
    const script = readFileSync(join(preload, 'last-answers.cjs'), 'utf8');
    const placed = script.replace(`'${STOPPING}'`, JSON.stringify(join(folder, 'stopping')));
    const own = placed.replace(/(?<=LONGEST_DELAY_MS = )\d+/, String(longestDelayMs));
    expect([placed === script, own === placed]).toEqual([false, longestDelayMs === LONGEST_MS]);
    const ownScript = join(copied(), 'last-answers.cjs');
    writeFileSync(ownScript, own);
    server = spawn(node(), ['--require', ownScript, '-e', SERVER]);
    const [line] = (await once(server.stdout ?? server, 'data')) as [Buffer];
    port = line.toString().trim();
  }
  const stop = (): void => writeFileSync(join(folder, 'stopping'), '');

  async function answer(path = '/'): Promise<{ connection: string | undefined; body: string }> {
    const request = http.get(`http://127.0.0.1:${port}${path}`, { agent });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    let body = '';
    for await (const part of response) body += String(part);
    return { connection: response.headers.connection, body };
  }
  const closing = async (): Promise<void> => {
    await eventually(async () => (await answer()).connection === 'close');
  };

  test('keep their connections until then, and close them from then on', async () => {
    await start();
    expect(await answer()).toEqual({ connection: 'keep-alive', body: 'now' });
    stop();
    await closing();
    expect(await answer()).toEqual({ connection: 'close', body: 'now' });
  });

  test('close them also where the question came before', async () => {
    await start();
    const slow = answer('/slow');
    await answer();
    stop();
    await closing();
    await answer('/go');
    expect(await slow).toEqual({ connection: 'close', body: 'late' });
  });

  test('leave a connection without requests alone, which may just be bringing one', async () => {
    await start();
    await answer();
    const [connection] = Object.values(agent.freeSockets).flat();
    let closed = false;
    connection?.once('close', () => (closed = true));
    stop();
    await pause(500, 'nothing may close the connection in this time');
    expect(closed).toBe(false);
    expect((await answer()).connection).toBe('close');
  });

  test('are given before n8n learns that it has to end', async () => {
    await start();
    const exit = once(server, 'exit');
    const slow = answer('/slow');
    await answer();
    server.kill('SIGTERM');
    await closing();
    await answer('/go');
    expect(await slow).toEqual({ connection: 'close', body: 'late' });
    expect(await exit).toEqual([7, null]);
  });

  test('delay the end for a moment, and not for ever', async () => {
    await start(LONGEST_MS);
    const exit = once(server, 'exit');
    const lost = expect(answer('/slow')).rejects.toThrow('socket hang up');
    await answer();
    server.kill('SIGTERM');
    expect(await exit).toEqual([7, null]);
    await lost;
  });

  test('delay nothing where a second signal asks for it', async () => {
    await start();
    const exit = once(server, 'exit');
    const lost = expect(answer('/slow')).rejects.toThrow('socket hang up');
    await answer();
    server.kill('SIGTERM');
    await closing();
    server.kill('SIGTERM');
    expect(await exit).toEqual([7, null]);
    await lost;
  });

  test('keep them in a container that was restarted', async () => {
    stop();
    const before = new Date(Date.now() - 1_000);
    utimesSync(join(folder, 'stopping'), before, before);
    await start();
    await answer();
    await pause(500, 'nothing may close the connection in this time');
    expect((await answer()).connection).toBe('keep-alive');
  });
});

describe.each([
  ['24', node24],
  ['18', node18],
])('connections that carry no request (Node.js %s)', (_, node) => {
  const LISTEN = `
    const timeouts = ['http', 'https'].map((name) => {
      const server = require(name).createServer();
      server.listen(0, '127.0.0.1', () => server.close());
      return server.keepAliveTimeout;
    });
    require('net').createServer().listen(0, '127.0.0.1', function () { this.close(); });
    console.log(JSON.stringify(timeouts));
  `;
  const timeouts = async (seconds?: string): Promise<unknown> => {
    const script = ['--require', join(preload, 'keep-alive.cjs'), '-e', LISTEN];
    const env = seconds === undefined ? {} : { N8N_TUNED_KEEP_ALIVE_SECONDS: seconds };
    return JSON.parse((await run(node(), script, { env })).stdout);
  };

  test('are kept as long as asked, of every HTTP server', async () => {
    expect(await timeouts('620')).toEqual([620_000, 620_000]);
  });

  test('are kept as long as Node.js wants where nothing was asked', async () => {
    expect(await timeouts()).toEqual([5_000, 5_000]);
  });
});

describe.each([
  [N8N_VERSION, node24],
  [N8N_LEGACY_VERSION, node18],
])('the errors of SQLite in n8n %s', (version, node) => {
  const ASK = `
    const load = require('module').createRequire(process.argv[1]);
    const { Database } = load('sqlite3').verbose();
    new Database(':memory:').all('SELECT absent', (error) => console.log(error.stack));
  `;
  const stack = async (...options: string[]): Promise<string> => {
    const manifest = join(n8nFolder(version), 'package.json');
    return (await run(node(), [...options, '-e', ASK, manifest])).stdout;
  };

  test('are traced as n8n wants it, and not with the script', async () => {
    const untraced = await stack('--require', join(preload, 'untraced-sqlite.cjs'));
    expect(untraced).toContain('no such column: absent');
    expect(untraced).not.toContain('--> in Database#all');
    expect(await stack()).toContain('--> in Database#all');
  });
});

/** The router of n8n, which takes a path in many spellings. */
describe.each([
  [N8N_VERSION, node24],
  [N8N_LEGACY_VERSION, node18],
])('metrics of n8n %s', (version, node) => {
  const SERVER = `
    const load = require('module').createRequire(process.argv[1]);
    const app = load('express')();
    app.get('/metrics', (request, response) => response.send('metrics'));
    app.use((request, response) => response.send('other'));
    const server = app.listen(0, '127.0.0.1', () => console.log(server.address().port));
  `;
  let server: ChildProcess;
  let port: number;
  beforeEach(async () => {
    const manifest = join(n8nFolder(version), 'node_modules/n8n/package.json');
    const script = join(preload, 'private-metrics.cjs');
    server = spawn(node(), ['--require', script, '-e', SERVER, manifest]);
    const [line] = (await once(server.stdout ?? server, 'data')) as [Buffer];
    port = Number(line.toString());
  });
  afterEach(() => server.kill('SIGKILL'));

  async function ask(path: string, headers: Record<string, string> = {}): Promise<string> {
    const request = http.get({ host: '127.0.0.1', port, path, headers });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    let body = '';
    for await (const part of response) body += String(part);
    return body;
  }
  const SPELLINGS = [
    '/metrics',
    '/METRICS/',
    '/metrics?x=1',
    '//metrics',
    '/%6Detrics',
    '/metrics#a',
  ];

  test.each(['X-Forwarded-For', 'Forwarded', 'X-Real-Ip'])(
    'are not for who sends %s',
    async (name) => {
      for (const path of SPELLINGS)
        expect(`${path} ${await ask(path, { [name]: '10.0.0.1' })}`).not.toMatch(/ metrics/);
      expect(await ask('/metrics', { [name]: '10.0.0.1' })).toContain('monitoring.public');
      expect(await ask('/metricsx', { [name]: '10.0.0.1' })).toBe('other');
      expect(await ask('/webhook/a', { [name]: '10.0.0.1' })).toBe('other');
    },
  );

  test('are for who asks the pod itself', async () => {
    expect(await ask('/metrics')).toBe('metrics');
    // Why a rule of an Ingress, which knows one spelling, would not do.
    expect(await ask('/METRICS/')).toBe('metrics');
  });
});

test('no script takes away what another one has put on top of it', () => {
  const scripts = readdirSync(preload).map((name) => readFileSync(join(preload, name), 'utf8'));
  const assigned = scripts.map((script) => [...script.matchAll(/Module\._load = (?!function)/g)]);
  expect(scripts.length).toBeGreaterThan(5);
  expect(assigned.flat()).toEqual([]);
});

test('no script fetches a fact: what it knows is in its folder, and it reaches no host but those of n8n', () => {
  // A connection of n8n's own to Redis or PostgreSQL is asked for by that connection. A client of its own is not there.
  const clients = /\b(?:fetch|XMLHttpRequest|WebSocket|EventSource)\b|https?:\/\/|\bimport\(/;
  const modules = /^(?:node:)?(?:https|http2|tls|dgram|dns)(?:\/|$)|^[a-z@](?!ode:)/;
  const calls = /\b(?:http|net)\.(?:request|get|connect|createConnection|Agent|ClientRequest)\b/;
  const names = readdirSync(preload).filter((name) => name.endsWith('.cjs'));
  expect(names.length).toBeGreaterThan(15);
  const found = names.flatMap((name) => {
    const text = readFileSync(join(preload, name), 'utf8').replace(/^\s*(?:\/\/|\/?\*).*$/gm, '');
    const loaded = [...text.matchAll(/\brequire\(\s*['"`]([^'"`]+)/g)].map(([, one]) => one ?? '');
    const reached = [clients, calls].flatMap((pattern) => pattern.exec(text)?.[0] ?? []);
    return [...reached, ...loaded.filter((one) => modules.test(one))].map((one) => [name, one]);
  });
  expect(found).toEqual([]);
});

test('NOTES call known what any part of an entry of known.json names, and nothing between the parts', async () => {
  const copy = join(folder, 'chart');
  cpSync(chart, copy, { recursive: true });
  const { bundles, functions } = known();
  const entry = {
    n8n: '2.90.0 to 2.90.2, 2.92.1, 2.94.0 to 2.94.3',
    how: 'tests',
    on: '2026-11-28',
  };
  const ours = Object.fromEntries(Object.keys(functions).map((name) => [name, { a: entry }]));
  writeFileSync(
    join(copy, 'files/preload/known.json'),
    JSON.stringify({
      bundles: Object.fromEntries(Object.keys(bundles).map((hash) => [hash, entry])),
      functions: ours,
    }),
  );
  const isKnown = (version: string, patterns: string[], others: string[]): object => ({
    it: version,
    template: 'NOTES.txt',
    set: {
      executions: { mode: 'queue' },
      database: { type: 'postgresql' },
      image: { tag: version },
    },
    asserts: [
      ...patterns.map((pattern) => ({ matchRegexRaw: { pattern } })),
      ...others.map((pattern) => ({ notMatchRegexRaw: { pattern } })),
    ],
  });
  const ALL = 'zone-once, .*keep-stalled.*: the code is known';
  const NONE = 'keep-stalled.*: active only if';
  const suite = {
    suite: 'versions',
    templates: ['NOTES.txt'],
    release: { name: 'n8n' },
    tests: [
      ...['2.90.2', '2.92.1', '2.94.2'].map((one) => isKnown(one, [ALL], [NONE])),
      ...['2.90.3', '2.93.0'].map((one) => isKnown(one, [NONE], ['the code is known'])),
    ],
  };
  rmSync(join(copy, 'tests'), { recursive: true });
  mkdirSync(join(copy, 'tests'));
  writeFileSync(join(copy, 'tests/versions_test.yaml'), JSON.stringify(suite));
  expect(await attempt(paths.helmUnittest, [copy])).toMatchObject({
    ...{ code: 0, output: expect.stringMatching(/Tests: +5 passed, 5 total/) as string },
  });
});

describe.each(PATCHES())('%s', (name) => {
  /** Names of the functions that the script replaces. */
  const replaced = async (env: Record<string, string>): Promise<unknown> => {
    const code = `
      const Module = require('node:module');
      const objects = {
        Module, fs: require('node:fs'), process,
        'net.Server': require('node:net').Server.prototype,
        'http.Server': require('node:http').Server.prototype,
      };
      const functions = () => Object.entries(objects).flatMap(([of, object]) =>
        Object.getOwnPropertyNames(object).map((name) => [of + '.' + name, object[name]]));
      const before = new Map(functions());
      require(${JSON.stringify(join(preload, `${name}.cjs`))});
      const changed = functions().filter(([name, value]) =>
        typeof value === 'function' && before.get(name) !== value);
      console.log(JSON.stringify(changed.map(([name]) => name)));
    `;
    const { stdout } = await run(node24(), ['-e', code], {
      env: { ...process.env, N8N_TUNED_GUARD_SECONDS: '60', ...env },
    });
    return JSON.parse(stdout);
  };

  test('changes nothing if it is named in N8N_TUNED_WITHOUT', async () => {
    expect(await replaced({})).not.toEqual([]);
    expect(await replaced({ N8N_TUNED_WITHOUT: `another,${name}` })).toEqual([]);
  });
});
