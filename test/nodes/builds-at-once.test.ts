// Test files that run side by side build what others read: no file may be missing or half written meanwhile.
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { repositoryRoot } from '../../cli/src/lab/paths';

const run = promisify(execFile);
const root = repositoryRoot();
const node = (script: string, ...args: string[]): Promise<{ stdout: string }> =>
  run(process.execPath, ['--import', 'tsx', script, ...args], { cwd: root });

const READ = [
  'dist/n8n-nodes-load-target/dist/nodes/LoadTarget/LoadTarget.node.js',
  'dist/n8n-nodes-queue-monitor/dist/nodes/QueueMonitor/vendor/LICENSES.txt',
  'cli/dist/cli.js',
];

test('builds at the same time leave every file whole for its readers', async () => {
  await Promise.all([node('nodes/build.ts'), node('cli/build.ts')]);
  const whole = READ.map((file) => readFileSync(join(root, file), 'utf8'));

  const builds = [
    ...['nodes/build.ts', 'nodes/build.ts', 'nodes/build.ts'],
    ...['cli/build.ts', 'cli/build.ts'],
  ].map((script) => node(script));
  let ended = false;
  const all = Promise.all(builds).finally(() => (ended = true));
  let reads = 0;
  for (; !ended; reads += 1) {
    expect(READ.map((file) => readFileSync(join(root, file), 'utf8'))).toEqual(whole);
    await turn();
  }
  await all;
  expect(reads).toBeGreaterThan(10);
});

test('packages made at the same time are the same, and leave the built nodes alone', async () => {
  const folders = [1, 2].map(() => mkdtempSync(join(tmpdir(), 'n8n-packages-at-once-')));
  try {
    const packed = await Promise.all(
      folders.map(async (folder) => {
        const { stdout } = await node('nodes/pack.ts', folder);
        const made = JSON.parse(stdout) as { name: string; integrity: string }[];
        return made.map(({ name, integrity }) => [name, integrity]);
      }),
    );
    const [first = [], second] = packed;
    expect(first.map(([name]) => name)).toEqual([
      'n8n-nodes-queue-monitor',
      'n8n-nodes-load-target',
    ]);
    expect(second).toEqual(first);
    expect(existsSync(join(root, READ[0] ?? ''))).toBe(true);
  } finally {
    for (const folder of folders) rmSync(folder, { recursive: true });
  }
});
