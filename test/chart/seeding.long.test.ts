// The script that seeds load targets, on a real n8n with SQLite: seeds, repeats, respects a user's own, takes out again.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Link } from '../../cli/src/targets/process/link.ts';
import { freePort } from '../../cli/src/targets/process/ports.ts';
import { newCluster, postgresql } from '../../cli/src/targets/process/postgresql.ts';
import type { ProcessSpec } from '../../cli/src/targets/process/supervisor.ts';
import { findProgram } from '../../cli/src/lab/paths.ts';
import { loadChart, paths, renderOf, type Manifest } from './support/helm.ts';
import { pause } from '../support/wait';
import { N8N_LEGACY_VERSION, N8N_VERSION } from '../support/versions';

const run = promisify(execFile);
/** Importing starts an n8n, on a busy machine slowly. */
const PATIENCE_MS = 300_000;

class SeededN8n {
  readonly folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-seeding-'));
  private readonly script: string;

  constructor(
    private readonly node: string,
    private readonly program: string,
    files: Manifest,
  ) {
    for (const [key, content] of Object.entries(files['data'] as Record<string, string>)) {
      writeFileSync(join(this.folder, key), content);
    }
    mkdirSync(join(this.folder, 'bin'));
    symlinkSync(node, join(this.folder, 'bin/node'));
    symlinkSync(program, join(this.folder, 'bin/n8n'));
    this.script = join(this.folder, 'load-targets.cjs');
  }

  private get env(): Record<string, string> {
    return {
      PATH: `${join(this.folder, 'bin')}:/usr/bin:/bin`,
      HOME: this.folder,
      N8N_USER_FOLDER: this.folder,
      N8N_ENCRYPTION_KEY: 'a key of this test',
      N8N_DIAGNOSTICS_ENABLED: 'false',
      N8N_LOG_LEVEL: 'error',
      DB_TYPE: 'sqlite',
    };
  }

  async act(mode: 'seed' | 'remove', database: Record<string, string> = {}): Promise<string> {
    const { stdout, stderr } = await run(this.node, [this.script, mode], {
      env: { ...this.env, ...database },
    });
    return stdout + stderr;
  }

  async importOwn(workflow: object): Promise<void> {
    const folder = join(this.folder, 'own');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'own.json'), JSON.stringify(workflow));
    await run('n8n', ['import:workflow', '--separate', `--input=${folder}`], { env: this.env });
  }

  /** By n8n's own driver, under n8n's own Node.js. */
  async workflows(): Promise<{ id: string | number; name: string; active: number }[]> {
    const look = `const { Database } = require('node:module').createRequire(${JSON.stringify(this.program)})('sqlite3');
      new Database(${JSON.stringify(join(this.folder, '.n8n/database.sqlite'))})
        .all('select id, name, active from workflow_entity', (_, rows) => console.log(JSON.stringify(rows)));`;
    const { stdout } = await run(this.node, ['-e', look]);
    return JSON.parse(stdout) as { id: string | number; name: string; active: number }[];
  }

  end(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

async function stage(node: string, program: string, args: string[]): Promise<SeededN8n> {
  const { manifests } = await renderOf(loadChart, paths.helm3, args);
  const files = manifests.find(({ metadata }) => metadata.name === 'n8n-load-targets');
  if (files === undefined) throw new Error('the chart renders no load targets');
  return new SeededN8n(node, program, files);
}

describe.each([
  [
    N8N_VERSION,
    paths.node24,
    paths.n8n,
    [],
    'load-last-node',
    ['load-memory-hog', 'load-target-memory-hog'],
  ],
  [
    N8N_LEGACY_VERSION,
    paths.node18,
    paths.n8nLegacy,
    ['--set', `n8nVersion=${N8N_LEGACY_VERSION}`],
    9001,
    [9005],
  ],
] as const)('n8n %s', (_, node, program, args, ownId, crashing) => {
  let n8n: SeededN8n;
  beforeAll(async () => {
    n8n = await stage(node, program, [...args]);
  });
  afterAll(() => {
    n8n.end();
  });

  test(
    'is seeded once, keeps what a user imported himself, and is cleared again',
    async () => {
      await expect(n8n.act('remove')).resolves.toBe('');
      await n8n.importOwn({
        id: ownId,
        name: 'my own',
        active: false,
        nodes: [],
        connections: {},
        settings: {},
      });

      await expect(n8n.act('seed')).resolves.toMatch(
        /is a user's own, left as it is[^]*workflows seeded, \d+ of them active/,
      );
      const seeded = await n8n.workflows();
      expect(seeded.length).toBeGreaterThan(4);
      const inactive = seeded.filter(({ active }) => !active);
      expect(inactive.map(({ id }) => id).sort()).toEqual([ownId, ...crashing].sort());
      expect(inactive).toContainEqual({ id: ownId, name: 'my own', active: 0 });

      await expect(n8n.act('seed')).resolves.toMatch(/all there already/);
      await expect(n8n.act('remove')).resolves.toMatch(/workflows taken out/);
      expect(await n8n.workflows()).toEqual([{ id: ownId, name: 'my own', active: 0 }]);
    },
    PATIENCE_MS,
  );
});

test.each(['at its own address', 'behind a proxy that was there before it'])(
  'a PostgreSQL that starts later than n8n is waited for, %s',
  async (where) => {
    const folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-late-postgresql-'));
    chmodSync(folder, 0o755);
    // Its own user may enter no folder of ours, nor the lab's, where only links are.
    const programs = dirname(realpathSync(findProgram('postgres') ?? ''));
    const place = { folder: '/', log: join(folder, 'log') };
    const data = join(folder, 'data');
    const port = await freePort();
    const n8n = await stage(paths.node24, paths.n8n, []);
    const started = ({ command: [program, ...args], env }: ProcessSpec) =>
      spawn(program, args, { cwd: '/', stdio: 'ignore', env: { ...process.env, ...env } });
    const made = started(newCluster(programs, data, 'of-the-test', place));
    expect(await once(made, 'exit')).toEqual([0, null]);
    const proxyPort = await freePort();
    const proxy = await Link.open(proxyPort, { host: '127.0.0.1', port });
    const seenAt = where === 'at its own address' ? port : proxyPort;
    const seeding = n8n.act('remove', {
      DB_TYPE: 'postgresdb',
      DB_POSTGRESDB_HOST: '127.0.0.1',
      DB_POSTGRESDB_PORT: String(seenAt),
      DB_POSTGRESDB_DATABASE: 'n8n',
      DB_POSTGRESDB_USER: 'n8n',
      DB_POSTGRESDB_PASSWORD: 'of-the-test',
      DB_POSTGRESDB_SCHEMA: 'public',
    });
    await pause(2_000, 'n8n has looked in vain by then');
    const database = started(postgresql(programs, data, port, place));
    try {
      // A script that gave up would have said so.
      await expect(seeding).resolves.toBe('');
    } finally {
      database.kill('SIGINT');
      await once(database, 'exit');
      await proxy.close();
      n8n.end();
      rmSync(folder, { recursive: true });
    }
  },
  PATIENCE_MS,
);
