// The script of the init container that lets variables reach the code in the external task runner.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { chart, paths, render } from './support/helm.ts';
import { containersOf, podTemplates } from './support/pods.ts';

const run = promisify(execFile);
const script = join(chart, 'files/runner-config.cjs');

/** What the launcher in the image reads, with two runners that keep variables from the code each in its way. */
const IMAGE_CONFIG = {
  'task-runners': [
    {
      'runner-type': 'javascript',
      command: '/usr/local/bin/node',
      args: ['--disable-proto=delete', 'start.js'],
      'allowed-env': ['PATH', 'NODE_OPTIONS'],
      'env-overrides': { NODE_FUNCTION_ALLOW_BUILTIN: 'crypto', HOST: '0.0.0.0' },
    },
    {
      'runner-type': 'python',
      command: 'python',
      args: ['-I', '-B', '-m', 'src.main'],
      'allowed-env': ['PATH'],
      'env-overrides': { N8N_RUNNERS_EXTERNAL_ALLOW: '' },
    },
  ],
};

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-runner-config-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

async function written(source: string, ...names: string[]): Promise<typeof IMAGE_CONFIG> {
  const [from, to] = [join(folder, 'from.json'), join(folder, 'to.json')];
  writeFileSync(from, source);
  await run(paths.node24, [script, from, to, ...names]);
  return JSON.parse(readFileSync(to, 'utf8')) as typeof IMAGE_CONFIG;
}

test('the configuration of runners passes the names on, overrides them no longer, and leaves the rest', async () => {
  const [javascript, python] = (
    await written(JSON.stringify(IMAGE_CONFIG), 'NODE_FUNCTION_ALLOW_BUILTIN', 'PATH')
  )['task-runners'];
  expect(javascript).toEqual({
    ...IMAGE_CONFIG['task-runners'][0],
    'allowed-env': ['PATH', 'NODE_OPTIONS', 'NODE_FUNCTION_ALLOW_BUILTIN'],
    'env-overrides': { HOST: '0.0.0.0' },
  });
  expect(python?.args).toEqual(IMAGE_CONFIG['task-runners'][1]?.args);
});

test('the configuration of runners lets Python look where PYTHONPATH says, and otherwise stay as isolated as it was', async () => {
  const [, python] = (
    await written(JSON.stringify(IMAGE_CONFIG), 'PYTHONPATH', 'N8N_RUNNERS_EXTERNAL_ALLOW')
  )['task-runners'];
  expect(python?.args).toEqual(['-P', '-s', '-B', '-m', 'src.main']);
  expect(python?.['env-overrides']).toEqual({});
});

test.each(['', '{}', '{"task-runners": [{}]}'])(
  'a config like %p fails in a sentence',
  async (text) => {
    await expect(written(text, 'X')).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^runner config: \S+ of the image is not the config of a task runner launcher \(.*\): use an image made from n8nio\/runners\.\n$/,
      ) as string,
    });
  },
);

test('the chart names what the code is to get, and never what is the launcher’s', async () => {
  const { manifests } = await render(paths.helm3, [
    ...[
      '--set',
      'taskRunners.mode=external',
      '--set',
      'taskRunners.env.NODE_FUNCTION_ALLOW_EXTERNAL=zod',
    ],
    ...['--set', 'taskRunners.env.N8N_RUNNERS_AUTH_TOKEN=x'],
  ]);
  const init = podTemplates(manifests)
    .flatMap(containersOf)
    .find(({ name }) => name === 'runner-config');
  const [script, from, to, ...names] = init?.args ?? [];
  expect([script, from, to]).toEqual([
    '/etc/n8n-tuned/scripts/runner-config.cjs',
    '/etc/n8n-task-runners.json',
    '/runner-config/config.json',
  ]);
  expect(names).toEqual(expect.arrayContaining(['NODE_FUNCTION_ALLOW_EXTERNAL', 'TZ']));
  expect(names.filter((name) => /TOKEN|LAUNCHER|CONFIG_PATH|BROKER/.test(name))).toEqual([]);
});
