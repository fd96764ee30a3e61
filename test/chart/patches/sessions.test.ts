// The patch of n8n's sessions with PostgreSQL: every session still has its settings, and they are sent once.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { cacheFolder } from '../../../capacity/src/lab/paths';
import { freePort } from '../../../capacity/src/targets/process/ports';
import {
  awaitPostgresql,
  newCluster,
  postgresql,
  postgresqlUrl,
} from '../../../capacity/src/targets/process/postgresql';
import { n8nFolder, node24 } from '../../nodes/support/lab';
import { chart } from '../support/helm.ts';

const PATCH = join(chart, 'files/preload/session-once.cjs');
const HOST = join(__dirname, '../support/typeorm-host.cjs');

interface Session {
  pid: number;
  searchPath: string;
  timeout: string;
}

let folder: string;
let server: ChildProcess;
let port: number;
let log = '';

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-sessions-'));
  // Also the user that PostgreSQL runs as has to enter it.
  chmodSync(folder, 0o755);
  const bin = dirname(realpathSync(join(cacheFolder(), 'bin/postgres')));
  const place = { folder, log: join(folder, 'log') };
  const data = join(folder, 'data');
  await once(run(newCluster(bin, data, place).command), 'exit');
  port = await freePort();
  server = run([...postgresql(bin, data, port, place).command, '-c', 'log_statement=all']);
  server.stderr?.setEncoding('utf8').on('data', (part: string) => (log += part));
  await awaitPostgresql(postgresqlUrl(port), () => server.exitCode === null);
}, 300_000);
afterAll(async () => {
  if (server.exitCode === null && server.kill('SIGINT')) await once(server, 'exit');
  rmSync(folder, { recursive: true });
});

function run([program = '', ...args]: readonly string[]): ChildProcess {
  return spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
}

/** What came of the steps, and how many statements of which kind the server was sent. */
async function use(
  script: string[],
  given: { schema?: string; steps: string[] },
): Promise<{ seen: Session[]; sets: string[]; said: string }> {
  log = '';
  const manifest = join(n8nFolder('2.41.1'), 'package.json');
  const required = script.flatMap((path) => ['--require', path]);
  const child = spawn(node24(), [...required, HOST, manifest]);
  let out = '';
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => (out += part));
  child.stderr.setEncoding('utf8').on('data', (part: string) => (said += part));
  child.stdin.end(JSON.stringify({ port, statementTimeoutMs: 12_345, ...given }));
  await once(child, 'close');
  const sets = [...log.matchAll(/statement: (SET .*)/g)].map(([, statement]) => statement ?? '');
  return { seen: JSON.parse(out) as Session[], sets, said };
}

const STEPS = ['query', 'query', 'transaction', 'at once', 'query', 'transaction'];
const SETTINGS = ['SET search_path TO public', 'SET statement_timeout = 12345'];

test('every session has its settings, sent once per connection instead of before every query', async () => {
  const plain = await use([], { steps: STEPS });
  const patched = await use([PATCH], { steps: STEPS });
  for (const { seen } of [plain, patched]) {
    expect(seen).toHaveLength(9);
    for (const one of seen) expect(one).toMatchObject({ searchPath: 'public', timeout: '12345ms' });
  }
  expect(new Set(patched.seen.map(({ pid }) => pid)).size).toBe(2);
  expect([...patched.sets].sort()).toEqual([...SETTINGS, ...SETTINGS].sort());
  expect(plain.sets.length).toBeGreaterThanOrEqual(2 * 9);
  expect(patched.said).toBe('');
});

test('so has a session that takes the place of a broken one, and none stays taken after an error', async () => {
  const steps = ['at once', 'broken', 'refused', 'refused', 'query', 'at once'];
  const { seen } = await use([PATCH], { steps });
  const sessions = seen.filter((one) => typeof one === 'object');
  expect(sessions).toHaveLength(10);
  for (const one of sessions) {
    expect(one).toMatchObject({ searchPath: 'public', timeout: '12345ms' });
  }
  expect(new Set(sessions.map(({ pid }) => pid)).size).toBe(3);
});

test('a schema of its own is left to n8n', async () => {
  const steps = ['query', 'query'];
  const plain = await use([], { schema: 'own', steps });
  const patched = await use([PATCH], { schema: 'own', steps });
  expect(patched.sets).toEqual(plain.sets);
  expect(patched.seen[1]?.searchPath).toBe('own, public');
});

test('the script says what it does not know and changes nothing', async () => {
  const other = join(folder, 'other.cjs');
  const text = readFileSync(PATCH, 'utf8').replace(/'[0-9a-f]{64}'/, "'another'");
  writeFileSync(other, text);
  const plain = await use([], { steps: ['query', 'query'] });
  const patched = await use([other], { steps: ['query', 'query'] });
  expect(patched.sets).toEqual(plain.sets);
  expect(patched.said).toMatch(/^n8n-tuned: session-once: .* left as it is\n$/);
});
