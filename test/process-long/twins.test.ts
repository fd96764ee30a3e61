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

async function make(name: string, ...more: string[]): Promise<void> {
  copyFileSync(join(__dirname, `../process/twins/${name}.json`), join(folder, `${name}.json`));
  const made = await runCli(['twin', `${name}.json`, '--force', ...more], {}, folder);
  expect(made).toMatchObject({ code: 0, stderr: '' });
}

async function loaded(name: string, ...more: string[]): Promise<RunRecord> {
  const patience = ['--timeout', '5m', '--drain', '5m', '--ready', '5m'];
  const flags = ['--rate', '0.5', '--duration', '10s', '--warmup', '0s', ...patience];
  const words = ['run', '--workload', `${name}.twin.json`, ...flags, ...more, '--json'];
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
  await make(name);
  const { summary } = await loaded(name);
  expect(summary?.executions).toMatchObject(ALL_SUCCEEDED);
  expect(summary?.errors.requests).toBe(0);
});

test('loop, 200 items with a call each, succeeds offline, with none of the recorded values', async () => {
  writeFileSync(join(folder, 'execution.json'), JSON.stringify(EXECUTION));
  await make('loop', '--from-execution', 'execution.json');
  const { summary } = await loaded('loop');
  expect(readFileSync(join(folder, 'loop.twin.rules.yaml'), 'utf8')).not.toContain('Ada');
  expect(summary?.executions).toMatchObject(ALL_SUCCEEDED);
  expect(summary?.errors.requests).toBe(0);
});

test('orders are made of rows, and n8n answers with what a row says', async () => {
  await make('order');
  const rows = Array.from({ length: 5 }, (_, at) => JSON.stringify({ id: `row-${String(at)}` }));
  writeFileSync(join(folder, 'rows.jsonl'), rows.join('\n'));
  const file = join(folder, 'order.twin.json');
  const workload = JSON.parse(readFileSync(file, 'utf8')) as object;
  const reply = { expect: ['json.orderId~row-'] };
  writeFileSync(file, JSON.stringify({ ...workload, reply }, null, 2));
  const { summary } = await loaded('order', '--body', '@rows.jsonl');
  expect(summary?.executions).toMatchObject(ALL_SUCCEEDED);
  expect(summary?.errors.requests).toBe(0);
});
