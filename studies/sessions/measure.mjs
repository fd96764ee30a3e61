// What two SETs before each query cost n8n's TypeORM, by the distance of the database: without and with the patch
// session-once, in turns.
//   make lab && node studies/sessions/measure.mjs        about two minutes
import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { loadavg, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { cache } from '../../lab/cache.mjs';
import { freePort } from '../../lab/free-port.mjs';
import { compiled } from '../../lab/generate/compiled.mjs';
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

const { awaitPostgresql, newCluster, newPassword, postgresql, postgresqlUrl } = await compiled(`
  export { awaitPostgresql, newCluster, postgresql, postgresqlUrl } from './targets/process/postgresql';
  export { newPassword } from './targets/process/secrets';
`);

async function startPostgresql(place, port, password) {
  const bin = dirname(realpathSync(join(cache, 'bin/postgres')));
  const data = join(place.folder, 'data');
  const { command, env } = newCluster(bin, data, password, place);
  execFileSync(command[0], command.slice(1), { env: { ...process.env, ...env }, stdio: 'ignore' });
  const [program, ...args] = postgresql(bin, data, port, place).command;
  const server = spawn(program, args, { stdio: 'ignore' });
  await awaitPostgresql(postgresqlUrl(port, password), () => server.exitCode === null);
  return server;
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

const folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-sessions-'));
chmodSync(folder, 0o755);
const port = await freePort();
const password = newPassword();
const server = await startPostgresql({ folder, log: '' }, port, password);
const delay = { ms: 0 };
const proxy = await startProxy(port, delay);
const record = {
  ...{ when: new Date().toISOString(), command: commandOf(import.meta.filename) },
  ...{ n8n: VERSION, loadAverageAtStart: loadavg()[0] },
  rows: DELAYS_MS.map((delayMs) => ({ delayMs, without: [], with: [] })),
};
try {
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
        const options = { env: { ...process.env, PGPASSWORD: password } };
        const { stdout } = await run(join(cache, 'bin/node24'), args, options);
        row[turn].push(JSON.parse(stdout));
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
