// The chart's own Redis takes a password of any characters, and refuses what does not fit into its limit: its command is run
// with the Redis of the lab.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { paths, render } from './support/helm.ts';

const PASSWORD = String.raw`a "quoted" \ 'word' #not a comment $HOME %s é\n`;

interface Container {
  args?: string[];
}

test('the Redis of the chart takes a password of any characters, and refuses above three quarters of its limit', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-redis-'));
  const { manifests } = await render(paths.helm3, [
    ...['--set', 'executions.mode=queue', '--set', 'database.type=postgresql'],
    ...['--show-only', 'templates/redis/statefulset.yaml'],
  ]);
  const [container] = manifests
    .filter(({ kind }) => kind === 'StatefulSet')
    .flatMap(
      ({ spec }) =>
        (spec as { template: { spec: { containers: Container[] } } }).template.spec.containers,
    );
  const socket = join(folder, 'socket');
  const script = (container?.args?.[0] ?? '')
    .replaceAll('/run/redis', folder)
    .replace('dir /data', `dir ${folder}`)
    .trimEnd();
  expect(script).toMatch(/exec redis-server \S+$/);
  const server = spawn('sh', ['-c', `${script} --port 0 --unixsocket ${socket}`], {
    env: { PATH: `${paths.bin}:${process.env['PATH'] ?? ''}`, REDIS_PASSWORD: PASSWORD },
    stdio: 'ignore',
  });
  const client = new Redis({ path: socket, password: PASSWORD });
  client.on('error', () => undefined);
  try {
    // Asked before it listens, the client waits.
    expect(await client.ping()).toBe('PONG');
    expect(await client.config('GET', 'maxmemory')).toEqual(['maxmemory', String(384 << 20)]);
    await expect(client.call('AUTH', 'another')).rejects.toThrow(/WRONGPASS/);
  } finally {
    client.disconnect();
    server.kill();
    await once(server, 'close');
    rmSync(folder, { recursive: true, force: true });
  }
});
