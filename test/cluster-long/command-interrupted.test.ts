// What calls of the command leave on a real cluster when they are interrupted or killed.
import { spawn } from 'node:child_process';
import { buildCli } from '../support/cli';
import { FRONT_DOOR, until } from '../support/cluster';
import { CLI, n8nTuned, ourNamespaces, resultsFolder } from '../support/cluster-command';

jest.setTimeout(600_000);

const { path: out, remove } = resultsFolder();
beforeAll(buildCli);
afterAll(remove);

test('what an interrupted call has made is removed by it, and what a killed one left by clean', async () => {
  const start = (): ReturnType<typeof spawn> =>
    spawn(FRONT_DOOR, ['exec', 'node', CLI, 'run', '--target', 'kubernetes', '--out', out], {
      stdio: 'ignore',
    });
  const interrupted = start();
  const killed = start();
  await until('both namespaces', async () => (await ourNamespaces()).split('\n').length === 2);
  const ended = new Promise((resolve) => interrupted.once('exit', resolve));
  interrupted.kill('SIGINT');
  killed.kill('SIGKILL');
  await ended;
  const left = (await ourNamespaces()).split('\n');
  expect(left).toHaveLength(1);
  const { stdout } = await n8nTuned('clean', '--target', 'kubernetes');
  expect(stdout).toMatch(`removed the ${(left[0] ?? '').replace('/', ' ')}`);
  expect(await ourNamespaces()).toBe('');
});
