import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { cacheFolder } from '../../cli/src/lab/paths';
import { freePort } from '../../cli/src/targets/process/ports';
import { awaitPort } from '../../cli/src/targets/process/redis';

/** The arguments of a Redis of a test's own, which keeps nothing and lets everybody in. */
export const plainRedis = (port: number, folder: string): string[] => [
  ...['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'],
  ...['--dir', folder],
];

/** A Redis of a file of tests: started before all of them, emptied after each, and ended after all. */
export function ownRedis(): { url: string; client: Redis; server: ChildProcess } {
  const own = {} as ReturnType<typeof ownRedis>;
  const folder = mkdtempSync(join(tmpdir(), 'redis-of-a-test-'));
  beforeAll(async () => {
    const port = await freePort();
    const program = join(cacheFolder(), 'bin/redis-server');
    own.server = spawn(program, plainRedis(port, folder), { stdio: 'ignore' });
    await awaitPort(port, 'Redis', () => own.server.exitCode === null);
    own.url = `redis://127.0.0.1:${String(port)}`;
    own.client = new Redis(own.url);
  });
  afterEach(() => own.client.flushall());
  afterAll(async () => {
    own.client.disconnect();
    own.server.kill('SIGTERM');
    if (own.server.exitCode === null) await once(own.server, 'exit');
    rmSync(folder, { recursive: true });
  });
  return own;
}
