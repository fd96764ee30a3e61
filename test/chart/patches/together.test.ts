// All preload scripts in one n8n: each does its work, whatever n8n loads first, and whatever order they are loaded in.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { n8nFolder, node24 } from '../../nodes/support/lab';
import { isLoaded, PATCHES, PRELOAD } from '../support/preload-folder';
import { N8N_VERSION } from '../../support/versions';

const HOST = join(__dirname, '../support/preloads-host.cjs');
const SCRIPTS = PATCHES().map((name) => `${name}.cjs`);
const MODULES = [
  'bull',
  'prom-client',
  ...(isLoaded('session-once') ? ['PostgresDriver'] : []),
  'EntityManager',
  'workflow-runner',
  'job-processor',
  'sqlite3',
];

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-preloads-'));
  const runner = 'exports.WorkflowRunner = class { processError() {} enqueueExecution() {} };\n';
  writeFileSync(join(folder, 'workflow-runner.js'), runner);
  const processor = 'exports.JobProcessor = class { processJob() {} };\n';
  writeFileSync(join(folder, 'job-processor.js'), processor);
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

interface Seen {
  done: Record<string, boolean>;
  said: string;
}

function load(scripts: readonly string[], order: readonly string[]): Promise<Seen> {
  const args = scripts.flatMap((name) => ['--require', join(PRELOAD, name)]);
  const env = { ...process.env, NODE_OPTIONS: '', N8N_TUNED_GUARD_SECONDS: '60' };
  return new Promise((resolve, reject) => {
    const child = execFile(node24(), [...args, HOST], { env }, (error, stdout, said) => {
      if (error === null) resolve({ done: JSON.parse(stdout) as Seen['done'], said });
      else reject(error);
    });
    const manifest = join(n8nFolder(N8N_VERSION), 'package.json');
    child.stdin?.end(JSON.stringify({ manifest, own: folder, order }));
  });
}

const orders = MODULES.map((_, first) => [...MODULES.slice(first), ...MODULES.slice(0, first)]);

test.each(orders)('each patch is there where n8n loads %s first, then %s', async (...order) => {
  for (const scripts of [SCRIPTS, SCRIPTS.toReversed()]) {
    const { done, said } = await load(scripts, order);
    expect(done).toEqual(Object.fromEntries(order.map((name) => [name, true])));
    expect(said.match(/keep-stalled: this n8n fails executions in an unknown way/g)).toHaveLength(
      1,
    );
    expect(said.match(/requeue-lost: this n8n queues executions in an/g)).toHaveLength(1);
    expect(said.match(/keep-stalled: this n8n runs jobs in an unknown way/g)).toHaveLength(1);
  }
});

test('without them n8n has none of it', async () => {
  const { done, said } = await load([], MODULES);
  expect(done).toEqual({
    ...{
      bull: false,
      'prom-client': false,
      ...(isLoaded('session-once') ? { PostgresDriver: false } : {}),
      EntityManager: false,
      sqlite3: false,
    },
    'workflow-runner': true,
    'job-processor': true,
  });
  expect(said).toBe('');
});
