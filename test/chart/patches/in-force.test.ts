// What a process says of its patches once n8n serves its port and has loaded its code, and at /metrics.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../../../cli/src/targets/process/ports';
import { n8nFolder, node24 } from '../../nodes/support/lab';
import { N8N_VERSION } from '../../support/versions';
import { PRELOAD, script, withoutKnowledge } from '../support/preload-folder';

const run = promisify(execFile);
// The package of n8n 1.x has no folder dist.
const ENTITY_MANAGER = ['dist/', '']
  .map((folder) => `@n8n/typeorm/${folder}entity-manager/EntityManager.js`)
  .map((file) => join(dirname(n8nFolder(N8N_VERSION)), file))
  .find((file) => existsSync(file));
const NAMES = ['keep-alive', 'read-once', 'zone-once', 'last-answers', 'limit-metrics'];

/** A process that serves n8n's port, loads n8n's code after that, and ends with what its metrics say. */
const SERVE = `
  const server = require('node:net').createServer();
  server.listen(Number(process.env.N8N_PORT), '127.0.0.1', () => {
    setTimeout(() => require(process.env.ENTITY_MANAGER), 300);
    const { register } = require('prom-client');
    const end = setInterval(async () => {
      const text = await register.metrics();
      if (!/patch="read-once",state="(known|unknown)"/.test(text)) return;
      clearInterval(end);
      setTimeout(() => { console.log(text); process.exit(); }, 500);
    }, 50);
  });
`;

async function serve(
  folder = PRELOAD,
  renderedFor = N8N_VERSION,
  started: string[] = [],
  more: Record<string, string> = {},
): Promise<{ said: string[]; metrics: string[] }> {
  const words = NAMES.flatMap((name) => ['--require', script(name, folder)]);
  const { stdout, stderr } = await run(node24(), [...words, '-e', SERVE, ...started], {
    cwd: n8nFolder(N8N_VERSION),
    env: {
      N8N_PORT: String(await freePort()),
      N8N_TUNED_WITHOUT: 'last-answers',
      N8N_TUNED_RENDERED_FOR: renderedFor,
      IN_FORCE: join(folder, 'in-force.cjs'),
      ENTITY_MANAGER,
      ...more,
    },
  });
  const metrics = stdout.split('\n').filter((line) => line.startsWith('n8n_tuned_patch_in_force{'));
  return { said: stderr.trimEnd().split('\n'), metrics: metrics.sort() };
}

test('one line names each patch with its state, once n8n has loaded its own code', async () => {
  const { said } = await serve();
  expect(said).toEqual([
    'n8n-tuned: patches: keep-alive known, read-once known, zone-once waiting, last-answers off, limit-metrics known',
  ]);
});

test('an image with another n8n than the chart was rendered for is named', async () => {
  const { said } = await serve(PRELOAD, '2.99.0');
  expect(said[0]).toBe(
    `n8n-tuned: version: this is n8n ${N8N_VERSION}, and the chart was rendered for 2.99.0: set image.version`,
  );
});

test('an n8n whose package cannot be read runs on, and its patches are told', async () => {
  const { said } = await serve(PRELOAD, '2.99.0', ['/nowhere/n8n']);
  expect(said).toEqual([expect.stringMatching(/^n8n-tuned: patches: keep-alive known/)]);
});

test('a metric of each patch is 1 only if it is in force', async () => {
  const { metrics } = await serve();
  expect(metrics).toEqual([
    'n8n_tuned_patch_in_force{patch="keep-alive",state="known"} 1',
    'n8n_tuned_patch_in_force{patch="last-answers",state="off"} 0',
    'n8n_tuned_patch_in_force{patch="limit-metrics",state="known"} 1',
    'n8n_tuned_patch_in_force{patch="read-once",state="known"} 1',
    'n8n_tuned_patch_in_force{patch="zone-once",state="waiting"} 0',
  ]);
});

test('a patch of the sandbox is not needed where n8n evaluates expressions without one', async () => {
  const { said, metrics } = await serve(PRELOAD, N8N_VERSION, [], {
    N8N_EXPRESSION_ENGINE: 'legacy',
  });
  expect(said).toEqual([expect.stringContaining('zone-once not needed, ')]);
  expect(metrics).toContain('n8n_tuned_patch_in_force{patch="zone-once",state="not needed"} 0');
});

test('both say of code that is not known that its patch is not in force', async () => {
  const { said, metrics } = await serve(withoutKnowledge('EntityManager.findOne'));
  expect(said).toEqual([
    expect.stringMatching(/^n8n-tuned: read-once: .* left as it is$/),
    expect.stringContaining('read-once unknown'),
  ]);
  expect(metrics).toContain('n8n_tuned_patch_in_force{patch="read-once",state="unknown"} 0');
});

test.each([
  ['Queue.toKey', ['worker-guard', 'requeue-lost']],
  ['Job.lockKey', ['worker-guard']],
  ['Job.finished', ['requeue-lost']],
  ['Queue.pause', ['finish-jobs']],
])('what a patch of the queue wraps or calls has to be known: %s', async (name, of) => {
  const folder = withoutKnowledge(name);
  const code = `
    require('bull');
    const { states } = require(process.env.IN_FORCE);
    console.log(JSON.stringify(states()));`;
  const scripts = ['worker-guard', 'requeue-lost', 'finish-jobs'];
  const words = scripts.flatMap((name) => ['--require', script(name, folder)]);
  const { stdout } = await run(node24(), [...words, '-e', code], {
    cwd: n8nFolder(N8N_VERSION),
    env: { N8N_TUNED_GUARD_SECONDS: '60', IN_FORCE: join(folder, 'in-force.cjs') },
  });
  // Half of what requeue-lost needs is loaded later.
  const otherwise = { 'worker-guard': 'known', 'requeue-lost': 'waiting', 'finish-jobs': 'known' };
  const unknown = Object.fromEntries(of.map((patch) => [patch, 'unknown']));
  expect(JSON.parse(stdout)).toEqual({ ...otherwise, ...unknown });
});
