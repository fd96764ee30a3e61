/**
 * Workflows of users as twins, in a network namespace without a route out: whatever still left n8n would fail there.
 */
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunRecord } from '../../cli/src/record/run-record';
import { runCli, startCli } from '../support/cli';

jest.setTimeout(900_000);

const folder = mkdtempSync(join(tmpdir(), 'twins-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Loopback alone. */
const OFFLINE = ['unshare', '--net', 'sh', '-c', 'ip link set lo up && exec "$0" "$@"'];

/** What a node of the loop returned, 200 times within a second. */
const EXECUTION = {
  data: {
    resultData: {
      runData: {
        Contact: Array.from({ length: 200 }, (_, id) => ({
          executionTime: 5,
          data: { main: [[{ json: { id, name: 'Ada Example' } }]] },
        })),
      },
    },
  },
};

/** Those that ended after the load too: a busy machine is slow. */
const ALL_SUCCEEDED = { failed: 0, unfinished: 0, requests: 5, expectedResponses: 5 };

async function loaded(name: string, ...more: string[]): Promise<RunRecord> {
  copyFileSync(join(__dirname, `../process/twins/${name}.json`), join(folder, `${name}.json`));
  const made = await runCli(['twin', `${name}.json`, ...more], {}, folder);
  expect(made).toMatchObject({ code: 0, stderr: '' });
  const patience = ['--timeout', '5m', '--drain', '5m', '--ready', '5m'];
  const flags = ['--rate', '0.5', '--duration', '10s', '--warmup', '0s', ...patience];
  const words = ['run', '--workload', `${name}.twin.json`, ...flags, '--json'];
  const run = startCli(words, {}, folder, OFFLINE);
  await run.ended;
  if (run.stdout() === '') throw new Error(`no record: ${run.stderr()}`);
  return JSON.parse(run.stdout()) as RunRecord;
}

test('no address of the internet is reached from where the twins are loaded', async () => {
  const look = startCli(['doctor', '--json'], {}, folder, [
    ...OFFLINE.slice(0, 4),
    'ip link set lo up && ip route show | wc -l',
  ]);
  await look.ended;
  expect(look.stdout().trim()).toBe('0');
});

test.each([
  ['order', 'an order of 14 nodes with HTTP, a database, a chat, mail and a sheet'],
  ['agent', 'an agent with a memory and two tools'],
  ['tools', 'a server of tools for clients of MCP'],
])('%s, %s, succeeds offline', async (name) => {
  const { summary } = await loaded(name);
  expect(summary?.executions).toMatchObject(ALL_SUCCEEDED);
  expect(summary?.errors.requests).toBe(0);
});

test('loop, 200 items with a call each, succeeds offline, with none of the recorded values', async () => {
  writeFileSync(join(folder, 'execution.json'), JSON.stringify(EXECUTION));
  const { summary } = await loaded('loop', '--from-execution', 'execution.json');
  expect(readFileSync(join(folder, 'loop.twin.rules.yaml'), 'utf8')).not.toContain('Ada');
  expect(summary?.executions).toMatchObject(ALL_SUCCEEDED);
  expect(summary?.errors.requests).toBe(0);
});
