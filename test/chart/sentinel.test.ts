// The proxy that follows the master of a Redis behind a Sentinel: real Redis, a real failover, no n8n.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createConnection, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram } from '../../cli/src/lab/paths.ts';
import { freePort } from '../../cli/src/targets/process/ports.ts';
import { until } from '../support/cluster.ts';
import { paths, render } from './support/helm.ts';
import { containersOf, podTemplates } from './support/pods.ts';

const PASSWORD = 'of redis';
const SENTINEL_PASSWORD = 'of the sentinel';
const PATIENCE_MS = 180_000;

let folder: string;
const started: ChildProcess[] = [];
let ports: { first: number; second: number; sentinel: number; proxy: number };

function start(program: string, args: string[], env: Record<string, string> = {}): ChildProcess {
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  started.push(child);
  return child;
}

/** What a Redis answers, as text; one connection that stays open. */
class Client {
  private constructor(private readonly socket: Socket) {
    socket.on('error', () => undefined);
  }
  static async to(port: number, password: string): Promise<Client> {
    const socket = createConnection({ host: '127.0.0.1', port });
    await once(socket, 'connect');
    const client = new Client(socket);
    await client.ask(`AUTH "${password}"`);
    return client;
  }
  async ask(command: string): Promise<string> {
    this.socket.write(`${command}\r\n`);
    const [answer] = (await Promise.race([
      once(this.socket, 'data'),
      once(this.socket, 'close').then(() => {
        throw new Error('closed');
      }),
    ])) as [Buffer];
    if (answer.toString().startsWith('-')) throw new Error(answer.toString());
    return answer.toString().trim();
  }
  get ended(): Promise<unknown> {
    return this.socket.closed ? Promise.resolve() : once(this.socket, 'close');
  }
  end(): void {
    this.socket.destroy();
  }
}

const askOnce = async (port: number, password: string, command: string): Promise<string> => {
  const client = await Client.to(port, password);
  try {
    return await client.ask(command);
  } finally {
    client.end();
  }
};

/** The container as the chart renders it, its Sentinel and its port being those of this test. */
async function startProxy(): Promise<ChildProcess> {
  const values = {
    executions: { mode: 'queue' },
    database: { type: 'postgresql' },
    redis: {
      external: {
        existingSecret: 'redis',
        sentinel: {
          // The first one is gone: the next is asked.
          nodes: ['127.0.0.1:1', `127.0.0.1:${ports.sentinel}`],
          master: 'queue',
          existingSecret: 'sentinel',
        },
      },
    },
  };
  const file = join(folder, 'values.json');
  writeFileSync(file, JSON.stringify(values));
  const { manifests } = await render(paths.helm3, ['-f', file]);
  const worker = podTemplates(manifests).find(({ owner }) =>
    owner.metadata.name.endsWith('-worker'),
  );
  const container = worker && containersOf(worker).find(({ name }) => name === 'redis-master');
  if (container === undefined) throw new Error('the chart renders no proxy');
  const env = Object.fromEntries(
    (container.env ?? []).map(({ name, value }) => [name, value ?? '']),
  );
  // The ConfigMap has it, which the pod mounts.
  const scripts = manifests.find(({ metadata }) => metadata.name.endsWith('-scripts'));
  const script = join(folder, 'redis-master.cjs');
  writeFileSync(script, (scripts?.['data'] as Record<string, string>)['redis-master.cjs'] ?? '');
  expect(container.args).toEqual(['/etc/n8n-tuned/scripts/redis-master.cjs']);
  return start(paths.node24, [script], {
    ...env,
    SENTINEL_PASSWORD,
    LISTEN_PORT: String(ports.proxy),
  });
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-sentinel-'));
  const redis = findProgram('redis-server');
  if (redis === null) throw new Error('redis-server is missing: run lab/install.sh redis');
  ports = {
    first: await freePort(),
    second: await freePort(),
    sentinel: await freePort(),
    proxy: await freePort(),
  };
  const server = (port: number, ...more: string[]): ChildProcess =>
    start(redis, [
      ...['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', folder],
      ...['--requirepass', PASSWORD, '--masterauth', PASSWORD, '--repl-diskless-sync-delay', '0'],
      ...more,
    ]);
  server(ports.first);
  server(ports.second, '--replicaof', '127.0.0.1', String(ports.first));
  const settings = join(folder, 'sentinel.conf');
  writeFileSync(
    settings,
    `port ${ports.sentinel}
bind 127.0.0.1
dir ${folder}
requirepass "${SENTINEL_PASSWORD}"
sentinel monitor queue 127.0.0.1 ${ports.first} 1
sentinel auth-pass queue "${PASSWORD}"
`,
  );
  start(redis, [settings, '--sentinel']);
  await until(
    'a Sentinel that knows the replica',
    async () =>
      (await askOnce(ports.sentinel, SENTINEL_PASSWORD, 'SENTINEL replicas queue')).includes(
        String(ports.second),
      ),
    PATIENCE_MS,
  );
}, PATIENCE_MS);

afterAll(async () => {
  await Promise.all(
    started
      .filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)
      .map((child) => {
        child.kill('SIGKILL');
        return once(child, 'exit');
      }),
  );
  rmSync(folder, { recursive: true, force: true });
});

test(
  'n8n reaches the master, and after a failover the new one',
  async () => {
    const proxy = await startProxy();
    let client!: Client;
    await until(
      'the proxy',
      async () => (client = await Client.to(ports.proxy, PASSWORD)),
      PATIENCE_MS,
    );
    await expect(client.ask('SET before failover')).resolves.toBe('+OK');
    // Redis answers before the replica has the write, and a failover in between loses it.
    await until(
      'a replica that has the write',
      async () => (await client.ask(`WAIT 1 ${PATIENCE_MS}`)) === ':1',
      PATIENCE_MS,
    );
    await expect(askOnce(ports.first, PASSWORD, 'ROLE')).resolves.toContain('master');

    await until(
      'a failover',
      async () =>
        (await askOnce(ports.sentinel, SENTINEL_PASSWORD, 'SENTINEL failover queue')) === '+OK',
      PATIENCE_MS,
    );
    await client.ended;
    await until(
      'the new master',
      async () => {
        await askOnce(ports.proxy, PASSWORD, 'SET after failover');
        return (await askOnce(ports.second, PASSWORD, 'GET after')).includes('failover');
      },
      PATIENCE_MS,
    );
    await expect(askOnce(ports.second, PASSWORD, 'ROLE')).resolves.toContain('master');
    // Written before it, and not lost by it.
    await expect(askOnce(ports.proxy, PASSWORD, 'GET before')).resolves.toContain('failover');

    proxy.kill('SIGTERM');
    await expect(once(proxy, 'exit')).resolves.toEqual([0, null]);
  },
  2 * PATIENCE_MS,
);
