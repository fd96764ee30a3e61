// What two SETs before each query cost n8n's TypeORM, by the distance of the database: without and with the patch
// session-once, in turns.
//   make lab && node studies/sessions/measure.mjs        about two minutes
import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { loadavg, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { cache } from '../../lab/cache.mjs';
import { freePort } from '../../lab/free-port.mjs';
import { commandOf } from '../command-of.mjs';
import { later } from '../later.cjs';
import { recordsOf } from '../archive.mjs';

const VERSION = '2.41.1';
const DELAYS_MS = [0, 0.5, 1, 3];
const ROUNDS = 4;
const SECONDS = 3;

const run = promisify(execFile);
const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const manifest = join(cache, 'n8n', VERSION, 'node_modules/n8n/package.json');
const PATCH = path('../../charts/n8n-tuned/files/preload/session-once.cjs');

/** PostgreSQL refuses to run as root. */
function asUser(folder, command) {
  if (process.getuid() !== 0) return command;
  const id = (flag) => Number(execFileSync('id', [flag, 'postgres']));
  chownSync(folder, id('-u'), id('-g'));
  return [
    'setpriv',
    `--reuid=${id('-u')}`,
    `--regid=${id('-g')}`,
    '--clear-groups',
    '--',
    ...command,
  ];
}

async function startPostgresql(folder, port) {
  const bin = dirname(realpathSync(join(cache, 'bin/postgres')));
  const data = join(folder, 'data');
  mkdirSync(data, { mode: 0o700 });
  const make = `"$1/initdb" -D "$2" -U n8n --auth=trust --no-sync &&
    echo 'CREATE DATABASE n8n' | "$1/postgres" --single -D "$2" postgres`;
  const [init, ...given] = asUser(data, ['/bin/sh', '-c', make, 'sh', bin, data]);
  execFileSync(init, given, { stdio: 'ignore' });
  const options = ['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='];
  const [program, ...args] = asUser(data, [
    `${bin}/postgres`,
    '-D',
    data,
    '-p',
    String(port),
    ...options,
  ]);
  return spawn(program, args, { stdio: 'ignore' });
}

/** Passes on what the database sends `delay.ms` after it came. */
async function startProxy(port, delay) {
  const server = createServer({ noDelay: true }, (client) => {
    const upstream = connect({ host: '127.0.0.1', port, noDelay: true });
    client.pipe(upstream);
    upstream.on('data', (chunk) => later(() => client.write(chunk), delay.ms));
    upstream.on('end', () => later(() => client.end(), delay.ms));
    upstream.on('error', () => client.destroy());
    client.on('error', () => upstream.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

async function isUp(port) {
  const socket = connect(port, '127.0.0.1');
  const answered = await Promise.race([
    once(socket, 'connect').then(
      () => true,
      () => false,
    ),
    sleep(500, false),
  ]);
  socket.destroy();
  return answered;
}

const folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-sessions-'));
chmodSync(folder, 0o755);
const port = await freePort();
const server = await startPostgresql(folder, port);
const delay = { ms: 0 };
const proxy = await startProxy(port, delay);
const record = {
  ...{ when: new Date().toISOString(), command: commandOf(import.meta.filename) },
  ...{ n8n: VERSION, loadAverageAtStart: loadavg()[0] },
  rows: DELAYS_MS.map((delayMs) => ({ delayMs, without: [], with: [] })),
};
try {
  while (!(await isUp(port))) await sleep(100);
  await sleep(1000);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const row of record.rows) {
      delay.ms = row.delayMs;
      const turns = round % 2 === 0 ? ['without', 'with'] : ['with', 'without'];
      for (const turn of turns) {
        const required = turn === 'with' ? ['--require', PATCH] : [];
        const args = [
          ...required,
          path('queries.cjs'),
          manifest,
          String(proxy.address().port),
          String(SECONDS),
        ];
        row[turn].push(JSON.parse((await run(join(cache, 'bin/node24'), args)).stdout));
      }
    }
  }
  recordsOf('sessions').write('record', record);
} finally {
  proxy.close();
  const gone = once(server, 'exit');
  server.kill('SIGINT');
  await gone;
  rmSync(folder, { recursive: true });
}
