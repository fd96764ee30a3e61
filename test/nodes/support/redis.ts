import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Redis, type RedisOptions } from 'ioredis';
import { freePort } from '../../../cli/src/targets/process/ports';
import { eventually } from '../../support/wait';

const execute = promisify(execFile);
const SERVER = '/usr/bin/redis-server';

/** Debian's Redis, each with a folder and a port of its own. */
export class RedisServers {
  readonly folder = mkdtempSync(join(tmpdir(), 'n8n-redis-test-'));
  private readonly running: ChildProcess[] = [];

  /** Starts one with these options on a free port (or on `port`), and waits until it answers. */
  async start(options: string[] = [], client: RedisOptions = {}, port?: number): Promise<number> {
    if (!existsSync(SERVER)) throw new Error(`${SERVER} is missing: install Debian's redis-server`);
    const own = port ?? (await freePort());
    const dir = join(this.folder, String(own));
    mkdirSync(dir, { recursive: true });
    const secure = options.includes('--tls-port');
    const listen = secure ? ['--port', '0', '--tls-port', String(own)] : ['--port', String(own)];
    const args = [...listen, ...options.filter((option) => option !== '--tls-port')];
    await this.launch([...args, '--bind', '127.0.0.1', '--save', '', '--dir', dir], own, client);
    return own;
  }

  /** A Sentinel that watches the server on `port` as the group `queue`. */
  async startSentinel(port: number, password: string): Promise<number> {
    const own = await freePort();
    const config = join(this.folder, `sentinel-${String(own)}.conf`);
    writeFileSync(
      config,
      [
        ...['bind 127.0.0.1', `port ${String(own)}`, `dir ${this.folder}`],
        ...[`requirepass ${password}`, `sentinel monitor queue 127.0.0.1 ${String(port)} 1`],
      ].join('\n'),
    );
    await this.launch([config, '--sentinel'], own, { password });
    return own;
  }

  /** Three primaries that share the slots. */
  async startCluster(): Promise<number[]> {
    // By itself the bus takes a port 10,000 higher, where outgoing connections may have it.
    const ports = await Promise.all(
      [1, 2, 3].map(async () =>
        this.start(['--cluster-enabled', 'yes', '--cluster-port', String(await freePort())]),
      ),
    );
    const nodes = ports.map((port) => `127.0.0.1:${String(port)}`);
    await execute('/usr/bin/redis-cli', ['--cluster', 'create', ...nodes, '--cluster-yes']);
    const client = new Redis({ port: ports[0] ?? 0 });
    try {
      await eventually(async () =>
        String(await client.cluster('INFO')).includes('cluster_state:ok'),
      );
    } finally {
      client.disconnect();
    }
    return ports;
  }

  async stopOn(port: number): Promise<void> {
    const server = this.running.find(({ spawnargs }) => spawnargs.includes(String(port)));
    if (server) await stop(server);
  }

  async stopAll(): Promise<void> {
    await Promise.all(this.running.map(stop));
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async launch(args: string[], port: number, client: RedisOptions): Promise<void> {
    const server = spawn(SERVER, args, { stdio: 'ignore' });
    this.running.push(server);
    const ended = new Promise<never>((_, reject) => {
      server.once('exit', () => reject(new Error(`redis-server ended: ${args.join(' ')}`)));
    });
    ended.catch(() => undefined);
    // A busy machine takes seconds to start a program.
    const retries = { retryStrategy: () => 50, maxRetriesPerRequest: 600 };
    const probe = new Redis({ port, lazyConnect: true, ...client, ...retries });
    probe.on('error', () => undefined);
    try {
      await Promise.race([probe.ping(), ended]);
    } finally {
      probe.disconnect();
    }
  }
}

async function stop(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const ended = new Promise((resolve) => server.once('exit', resolve));
  server.kill('SIGKILL');
  await ended;
}

/** A certificate for 127.0.0.1 from an authority of its own; gives the paths. */
export async function certificates(
  folder: string,
): Promise<{ ca: string; cert: string; key: string }> {
  const path = (name: string): string => join(folder, name);
  const openssl = (...args: string[]): Promise<unknown> =>
    execute('openssl', args, { cwd: folder });
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  await openssl(
    ...['req', '-x509', ...newKey, '-keyout', 'ca.key', '-out', 'ca.crt', '-days', '2'],
    ...['-subj', '/CN=Test CA'],
  );
  await openssl(
    ...['req', ...newKey, '-keyout', 'redis.key', '-out', 'redis.csr', '-subj', '/CN=redis'],
  );
  writeFileSync(path('san.cnf'), 'subjectAltName=IP:127.0.0.1,DNS:localhost');
  await openssl(
    ...['x509', '-req', '-in', 'redis.csr', '-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial'],
    ...['-out', 'redis.crt', '-days', '2', '-extfile', 'san.cnf'],
  );
  return { ca: path('ca.crt'), cert: path('redis.crt'), key: path('redis.key') };
}

/** The credential of the node, with what its fields hold when they are left as they are. */
export function credential(more: Record<string, unknown>): Record<string, unknown> {
  return {
    ...{ mode: 'single', host: '127.0.0.1', port: 6379, nodes: '', sentinelGroup: 'mymaster' },
    ...{ sentinelPassword: '', user: '', password: '', database: 0, prefix: 'bull' },
    ...{ tls: false, ca: '' },
    ...more,
  };
}
