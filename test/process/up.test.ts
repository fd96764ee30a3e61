import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kept, type KeptState } from '../../cli/src/targets/kept';
import { readStat } from '../../cli/src/linux/proc';
import { buildCli, endStartedClis, runCli } from '../support/cli';
import { N8N_VERSION } from '../support/versions';
import { EXIT } from '../../cli/src/ui/exit';
import { unlessInvalid, until } from '../support/wait';

jest.setTimeout(330_000);

const name = `test-${String(process.pid)}`;
const out = mkdtempSync(join(tmpdir(), 'up-'));

beforeAll(buildCli);

afterAll(async () => {
  endStartedClis();
  if (new Kept(name).read() !== null) await runCli(['down', name]);
  rmSync(out, { recursive: true, force: true });
});

/** Memory and heap, each with its limit where there is one, CPU and event loop. */
const MAIN = /^main +1 +[\d,]+( of [\d,]+)? +[\d,]+( of [\d,]+)? +[\d.e-]+ +[\d.,]+ m?s$/m;

test('up leaves n8n up for other commands, until down', async () => {
  expect((await runCli(['down', name])).code).toBe(2);

  const up = await runCli([
    ...['up', '--name', name, '--n8n', N8N_VERSION, '--json', '--env', 'OWN_TOKEN=an-own-secret'],
  ]);
  expect([up.code, up.stderr]).toEqual([0, expect.anything()]);
  const state = JSON.parse(up.stdout) as KeptState;
  expect(state.versions['n8n']).toBe(N8N_VERSION);

  // For every user of the machine to read, hours later.
  const words = readFileSync(`/proc/${String(state.keeper.pid)}/cmdline`, 'utf8');
  expect(words).not.toContain('an-own-secret');

  const again = await runCli(['up', '--name', name]);
  expect(again.code).toBe(2);
  expect(again.stderr).toContain(`'${name}' is already up at ${state.baseUrl}`);

  const url = ['--target', 'url', '--url', state.baseUrl, '--out', out];
  const load = ['--workload', 'last-node', '--profile', 'smoke', '--duration', '4s'];
  const { code } = await unlessInvalid(
    () => runCli(['run', ...url, ...load]),
    (run) => run.code === EXIT.invalid,
  );
  // How fast it was on a busy machine decides nothing here.
  expect([EXIT.fine, EXIT.notMet]).toContain(code);

  const watched = await runCli(['watch', name]);
  expect(watched.code).toBe(0);
  expect(watched.stdout).toContain(`n8n ${N8N_VERSION} at ${state.baseUrl}`);
  expect(watched.stdout).toMatch(/^executions +[\d.]+\/s succeeded/m);
  expect(watched.stdout).toMatch(/^webhooks +[\d.]+\/s, [\d.]+\/s with 5xx/m);
  expect(watched.stdout).toMatch(MAIN);
  const seenFromOutside = await runCli(['watch', '--url', state.baseUrl]);
  // From n8n's own metrics.
  expect(seenFromOutside.stdout).toMatch(MAIN);

  expect((await runCli(['down', name])).code).toBe(0);
  const pids = [state.keeper.pid, ...state.processes.map(({ pid }) => pid)];
  await until('all has ended', () => pids.every((pid) => readStat(pid) === null));
  await expect(fetch(state.baseUrl)).rejects.toThrow();

  const gone = await runCli(['watch', name]);
  expect(gone.code).toBe(2);
  expect(gone.stderr).toContain(`there is no instance with the name '${name}'`);
});

test('a mistake is told by the one who waits, and nothing stays', async () => {
  const { code, stderr } = await runCli(['up', '--name', name, '--workload', 'nonsense']);
  expect(code).toBe(2);
  expect(stderr).toContain('nonsense');
  expect(new Kept(name).read()).toBeNull();
});
