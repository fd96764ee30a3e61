// Runs in queue mode on a real cluster: what Redis and PostgreSQL of the release say of themselves, and what a twin needs.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunRecord } from '../../cli/src/record/run-record';
import { inCluster } from '../support/cluster';
import { buildCli } from '../support/cli';
import { CLI, n8nTuned, ourNamespaces, resultsFolder } from '../support/cluster-command';

jest.setTimeout(900_000);

const { path: out, written, remove } = resultsFolder();
beforeAll(buildCli);
afterAll(remove);

test('the queue and the database are seen in their own pods', async () => {
  const { stdout, stderr } = await n8nTuned(
    ...['run', '--target', 'kubernetes', '--workload', 'last-node', '--mode', 'queue'],
    ...['--workers', '1', '--rate', '5', '--duration', '15s', '--warmup', '3s'],
    ...['--slo', 'errors<10%', '--ready', '300s', '--out', out, '--json'],
  );
  if (stdout === '') throw new Error(stderr);
  const record = JSON.parse(stdout) as RunRecord & { folder: string };
  expect(record.verdict.outcome).not.toBe('aborted');
  expect(record.summary.executions).toMatchObject({ failed: 0, unfinished: 0 });
  expect(record.events.filter(({ text }) => /sampler (queue|postgresql)/.test(text))).toEqual([]);
  const samples = readFileSync(join(record.folder, 'samples.csv'), 'utf8').split('\n');
  const valuesOf = (metric: string): number[] =>
    samples
      .filter((line) => line.includes(`,${metric},`))
      .map((line) => Number(line.split(',').at(-1)));
  expect(valuesOf('queueWaiting').length).toBeGreaterThan(5);
  expect(Math.min(...valuesOf('redisMemoryMiB'))).toBeGreaterThan(0.5);
  expect(Math.max(...valuesOf('dbConnections'))).toBeGreaterThan(0);
  expect(Math.min(...valuesOf('dbConnectionsMax'))).toBeGreaterThan(10);
  const transactions = valuesOf('dbTransactions');
  expect(transactions.at(-1) ?? 0).toBeGreaterThan((transactions[0] ?? 0) + 75);
  expect(Math.max(...valuesOf('dbSizeMiB'))).toBeGreaterThan(1);
  expect(await ourNamespaces()).toBe('');
});

test("a twin has its credential by n8n's API, and its stand-in beside the release", async () => {
  const agent = join(__dirname, '../process/twins/agent.json');
  const file = written('agent.json', readFileSync(agent, 'utf8'));
  const made = await inCluster(['node', CLI, 'twin', file]);
  expect(made.stderr).toBe('');
  const { stdout, stderr } = await n8nTuned(
    ...['run', '--target', 'kubernetes', '--workload', file.replace('.json', '.twin.json')],
    ...['--mode', 'queue', '--workers', '1', '--rate', '0.5', '--duration', '10s'],
    ...['--warmup', '0s', '--timeout', '5m', '--drain', '5m', '--ready', '300s'],
    ...['--out', out, '--json'],
  );
  if (stdout === '') throw new Error(stderr);
  const { summary, folder } = JSON.parse(stdout) as RunRecord & { folder: string };
  expect(summary.offered.requests).toBe(5);
  expect(summary.errors.requests).toBe(0);
  // A model is called for its choice of a tool, and for its answer.
  expect(summary.services).toContainEqual(
    expect.objectContaining({ host: 'api.openai.com', calls: 10, failed: 0 }),
  );
  expect(readFileSync(join(folder, 'samples.csv'), 'utf8')).toMatch(
    /,upstream,[^,]*-upstream-[^,]*,cpuCores,/,
  );
  expect(await ourNamespaces()).toBe('');
});
