// A Redis that only IPv6 leads to, as in a cluster of IPv6: what n8n, the exporter and recovery make of its name.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cacheFolder } from '../../cli/src/lab/paths';
import { freePort } from '../../cli/src/targets/process/ports';
import { awaitPort } from '../../cli/src/targets/process/redis';
import { n8nFolder, node24 } from '../nodes/support/lab';
import { N8N_VERSION } from '../support/versions';
import { until } from '../support/wait';
import { chart } from './support/helm.ts';

const LOOKUP = join(__dirname, 'support/only-ipv6.cjs');
const HOST = join(__dirname, 'support/redis-host.cjs');
const MANIFEST = join(n8nFolder(N8N_VERSION), 'package.json');

const folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-ipv6-'));
let store: ChildProcess;
let port: number;
beforeAll(async () => {
  port = await freePort();
  const args = ['--port', String(port), '--bind', '::1', '--save', '', '--dir', folder];
  store = spawn(join(cacheFolder(), 'bin/redis-server'), args, { stdio: 'ignore' });
  await awaitPort(port, 'Redis', () => store.exitCode === null, '::1');
});
afterAll(async () => {
  store.kill('SIGTERM');
  if (store.exitCode === null) await once(store, 'exit');
  rmSync(folder, { recursive: true });
});

function started(dualStack: string, args: readonly string[], more: NodeJS.ProcessEnv = {}) {
  const child = spawn(node24(), ['--require', LOOKUP, ...args], {
    env: {
      ...{ N8N_PACKAGE: MANIFEST, N8N_USER_FOLDER: folder, EXECUTIONS_MODE: 'queue' },
      ...{ QUEUE_BULL_REDIS_HOST: 'redis-of-ipv6.test', QUEUE_BULL_REDIS_PORT: String(port) },
      ...{ QUEUE_BULL_REDIS_DUALSTACK: dualStack, ...more },
    },
  });
  const said = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (part: string) => (said.out += part));
  child.stderr.setEncoding('utf8').on('data', (part: string) => (said.err += part));
  return { child, said };
}

test.each([
  ['false', 'ENOTFOUND'],
  ['true', 'PONG'],
])("with dual stack %s, n8n's own client of Redis gets %s", async (dualStack, expected) => {
  const { child, said } = started(dualStack, [HOST, MANIFEST]);
  await once(child, 'close');
  expect(said.out.split('\n').at(-1)).toBe(expected);
});

test.each([
  ['false', '0'],
  ['true', '1'],
])('with dual stack %s, the exporter says %s of Redis', async (dualStack, expected) => {
  const listensAt = String(await freePort());
  const { child } = started(dualStack, [join(chart, 'files/exporter.cjs')], {
    LISTEN_PORT: listensAt,
  });
  // Nothing but an address of IPv6 leads to the exporter there too.
  const text = async (path: string): Promise<string> =>
    (await fetch(`http://[::1]:${listensAt}${path}`)).text();
  await until('the exporter listens', () =>
    text('/healthz').then(
      () => true,
      () => false,
    ),
  );
  const up = `n8n_tuned_exporter_up{store="redis"} ${expected}`;
  await until(`it says ${up}`, async () => (await text('/metrics')).includes(up));
  child.kill('SIGTERM');
  await once(child, 'close');
});

test.each([
  ['false', 'the name redis-of-ipv6.test is not known to DNS'],
  ['true', 'this Redis has no n8n queue with the prefix bull'],
])('with dual stack %s, recovery says: %s', async (dualStack, expected) => {
  const { child, said } = started(dualStack, [join(chart, 'files/recover.cjs')], {
    ...{ PATH: join(n8nFolder(N8N_VERSION), '../.bin'), N8N_URL: 'http://127.0.0.1:9' },
    ...{ N8N_API_KEY: 'a-key', RECOVERY_TAG: 'recover', RECOVERY_RETRY: 'false' },
    ...{ RECOVERY_ATTEMPTS: '3', RECOVERY_AT_ONCE: '2', RECOVERY_STOP_AFTER: '3' },
    ...{ RECOVERY_AGE_SECONDS: '300', RECOVERY_BACK_OFF_SECONDS: '60' },
    ...{ RECOVERY_SINCE_HOURS: '10', RECOVERY_PATIENCE_SECONDS: '20' },
  });
  await once(child, 'close');
  expect(said.out + said.err).toContain(expected);
});
