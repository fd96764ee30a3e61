// The patch of n8n's sessions with PostgreSQL: every session still has its settings, and they are sent once.
import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { paths } from '../support/helm.ts';
import { withN8n } from '../support/n8n-program';
import { startOwnPostgresql, type OwnPostgresql } from '../support/own-postgresql';
import { script, testOf, withoutKnowledge } from '../support/preload-folder';

const run = promisify(execFile);
const PATCH = script('session-once');
const HOST = join(__dirname, '../support/typeorm-host.cjs');

interface Session {
  pid: number;
  searchPath: string;
  timeout: string;
}

let server: OwnPostgresql;
let log = '';

beforeAll(async () => {
  server = await startOwnPostgresql(['-c', 'log_statement=all']);
  server.stderr.setEncoding('utf8').on('data', (part: string) => (log += part));
}, 300_000);
afterAll(() => server.end());

/** What came of the steps, and how many statements of which kind the server was sent. */
async function use(
  script: string[],
  given: { schema?: string; steps: string[] },
): Promise<{ seen: Session[]; sets: string[]; said: string }> {
  log = '';
  const { wrote, said } = await withN8n<Session[]>(HOST, script, {
    ...{ port: server.port, password: server.password, statementTimeoutMs: 12_345, ...given },
  });
  const sets = [...log.matchAll(/statement: (SET .*)/g)].map(([, statement]) => statement ?? '');
  return { seen: wrote, sets, said };
}

const STEPS = ['query', 'query', 'transaction', 'at once', 'query', 'transaction'];
const SETTINGS = ['SET search_path TO public', 'SET statement_timeout = 12345'];

testOf('session-once')(
  'every session has its settings, sent once per connection instead of before every query',
  async () => {
    const plain = await use([], { steps: STEPS });
    const patched = await use([PATCH], { steps: STEPS });
    for (const { seen } of [plain, patched]) {
      expect(seen).toHaveLength(9);
      for (const one of seen)
        expect(one).toMatchObject({ searchPath: 'public', timeout: '12345ms' });
    }
    expect(new Set(patched.seen.map(({ pid }) => pid)).size).toBe(2);
    expect([...patched.sets].sort()).toEqual([...SETTINGS, ...SETTINGS].sort());
    expect(plain.sets.length).toBeGreaterThanOrEqual(2 * 9);
    expect(patched.said).toBe('');
  },
);

testOf('session-once')(
  'so has a session that takes the place of a broken one, and none stays taken after an error',
  async () => {
    const steps = ['at once', 'broken', 'refused', 'refused', 'query', 'at once'];
    const { seen } = await use([PATCH], { steps });
    const sessions = seen.filter((one) => typeof one === 'object');
    expect(sessions).toHaveLength(10);
    for (const one of sessions) {
      expect(one).toMatchObject({ searchPath: 'public', timeout: '12345ms' });
    }
    expect(new Set(sessions.map(({ pid }) => pid)).size).toBe(3);
  },
);

testOf('session-once')('a schema of its own is left to n8n', async () => {
  const steps = ['query', 'query'];
  const plain = await use([], { schema: 'own', steps });
  const patched = await use([PATCH], { schema: 'own', steps });
  expect(patched.sets).toEqual(plain.sets);
  expect(patched.seen[1]?.searchPath).toBe('own, public');
});

testOf('session-once')('the script says what it does not know and changes nothing', async () => {
  const other = script('session-once', withoutKnowledge());
  const plain = await use([], { steps: ['query', 'query'] });
  const patched = await use([other], { steps: ['query', 'query'] });
  expect(patched.sets).toEqual(plain.sets);
  expect(patched.said).toMatch(/^n8n-tuned: session-once: .* left as it is\n$/);
});

testOf('session-once')(
  'it is found by a relative name too, as n8n 2.30 and 2.31 load the driver',
  async () => {
    const { stdout } = await run(process.execPath, [
      ...['--require', PATCH, '--eval'],
      `const path = require('node:path');
     const driver = path.join(${JSON.stringify(dirname(paths.n8n))}, '../../@n8n/typeorm/dist/driver');
     const relative = require('node:module').createRequire(path.join(driver, 'DriverFactory.js'));
     const { PostgresDriver } = relative('./postgres/PostgresDriver');
     console.log(String(PostgresDriver.prototype.obtainMasterConnection).includes('set.has(connection)'));`,
    ]);
    expect(stdout).toBe('true\n');
  },
);
