// What two SETs before each query cost n8n's TypeORM, by the distance of the database: without and with the patch
// session-once, in turns.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync } from 'node:fs';
import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Part, Study } from '../../cli/src/features/study/study';
import { labPaths } from '../../cli/src/lab/paths';
import { freePort } from '../../cli/src/targets/process/ports';
import { newPassword } from '../../cli/src/targets/process/secrets';
import { later } from '../later.cjs';
import { startPostgresql } from '../up';

const VERSION = '2.41.1';
const DELAYS_MS = [0, 0.5, 1, 3];
const ROUNDS = 4;
const SECONDS = 3;

const PATCH = join(import.meta.dirname, '../../charts/n8n-tuned/files/preload/session-once.cjs');
const QUERIES = join(import.meta.dirname, 'queries.cjs');

/** Passes on what the database sends `delay.ms` after it came. */
async function startProxy(port: number, delay: { ms: number }): Promise<Server> {
  const server = createServer({ noDelay: true }, (client) => {
    const upstream = connect({ host: '127.0.0.1', port, noDelay: true });
    client.pipe(upstream);
    upstream.on('data', (chunk) => {
      later(() => client.write(chunk), delay.ms);
    });
    upstream.on('end', () => {
      later(() => client.end(), delay.ms);
    });
    upstream.on('error', () => client.destroy());
    client.on('error', () => upstream.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

interface Row {
  delayMs: number;
  without: unknown[];
  with: unknown[];
}
const TURNS = ['without', 'with'] as const;

const parts: Part[] = [{ name: 'record', seconds: 130 }];

export default {
  parts,
  async measured(_part, { scratch, isShort, signal }) {
    const { cache, node24 } = labPaths();
    const manifest = join(cache, 'n8n', VERSION, 'node_modules/n8n/package.json');
    // PostgreSQL may run as another user.
    chmodSync(scratch, 0o755);
    const [port, password, delay] = [await freePort(), newPassword(), { ms: 0 }];
    const server = await startPostgresql({ folder: scratch, log: '' }, port, password);
    const proxy = await startProxy(port, delay);
    const proxyPort = String((proxy.address() as AddressInfo).port);
    const rows = DELAYS_MS.map((delayMs): Row => ({ delayMs, without: [], with: [] }));
    try {
      for (let round = 0; round < (isShort ? 1 : ROUNDS); round += 1) {
        for (const row of rows) {
          delay.ms = row.delayMs;
          for (const turn of round % 2 === 0 ? TURNS : TURNS.toReversed()) {
            const required = turn === 'with' ? ['--require', PATCH] : [];
            const seconds = String(isShort ? 1 : SECONDS);
            const { stdout } = await promisify(execFile)(
              node24,
              [...required, QUERIES, manifest, proxyPort, seconds],
              { env: { ...process.env, PGPASSWORD: password }, signal },
            );
            row[turn].push(JSON.parse(stdout));
          }
        }
      }
    } finally {
      proxy.close();
      const gone = once(server, 'exit');
      server.kill('SIGINT');
      await gone;
    }
    return {
      record: { n8n: VERSION, rows },
      sentence: `${String(rows.length)} distances of the database, without and with the patch`,
    };
  },
} satisfies Study;
