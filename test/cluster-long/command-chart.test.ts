// Another chart on the cluster, as --chart describes it: ours without its load targets stands in for it, with stores of its own.
import { join } from 'node:path';
import type { CompareRecord } from '../../cli/src/features/compare/record';
import type { FindRecord } from '../../cli/src/features/find/record';
import type { RunRecord } from '../../cli/src/record/run-record';
import { buildCli } from '../support/cli';
import { n8nTuned, ourNamespaces, resultsFolder } from '../support/cluster-command';

jest.setTimeout(900_000);

const root = join(__dirname, '../..');
const { path: out, written, remove } = resultsFolder();
beforeAll(buildCli);
afterAll(remove);
afterEach(async () => {
  expect(await ourNamespaces()).toBe('');
});

const CHART = `chart: ${join(root, 'charts/n8n-tuned')}\n`;

test('a chart in queue mode with stores beside it takes workloads by its API, and its pods are looked at', async () => {
  written(
    'values.yaml',
    [
      'fullnameOverride: n8n',
      'executions: { mode: queue }',
      'database: { type: postgresql, external: { host: postgres, existingSecret: postgres } }',
      'redis: { external: { host: redis } }',
      'worker: { replicas: 1 }',
      'encryptionKey: { value: a-key-for-a-test }',
    ].join('\n'),
  );
  const file = written(
    'chart.yaml',
    `${CHART}values: [values.yaml]\nmanifests: [${join(root, 'studies/charts/stores.yaml')}]\nservice: { name: n8n }\nroles: { redis: { app: redis }, postgresql: { app: postgres } }\n`,
  );
  const { stdout, stderr } = await n8nTuned(
    ...['run', '--target', 'kubernetes', '--chart', file, '--workload', 'last-node'],
    ...['--rate', '3', '--duration', '15s', '--warmup', '3s', '--slo', 'errors<10%'],
    ...['--ready', '300s', '--out', out, '--json'],
  );
  if (stdout === '') throw new Error(stderr);
  const record = JSON.parse(stdout) as RunRecord & { folder: string };
  expect(record.verdict.outcome).not.toBe('aborted');
  // Which value of a foreign chart is a secret is not known: each is recorded as a hash.
  const hashed: unknown = expect.stringMatching(/^\*\*\*:[0-9a-f]{12}$/);
  expect(record.target.deployed).toMatchObject({ values: { executions: { mode: hashed } } });
  // Read from the PostgreSQL beside the chart.
  expect(record.summary.executions).toMatchObject({ failed: 0, unfinished: 0 });
  expect(record.summary.executions?.succeeded).toBeGreaterThan(40);
});

test('find searches for the capacity of a chart of a file', async () => {
  written('regular.yaml', 'fullnameOverride: n8n\n');
  const file = written('searched.yaml', `${CHART}values: [regular.yaml]\n`);
  const { stdout, stderr } = await n8nTuned(
    ...['find', '--target', 'kubernetes', '--chart', file, '--workload', 'last-node'],
    ...['--slo', 'p95<300ms', '--slo', 'errors<1%', '--budget', '60s'],
    ...['--ready', '300s', '--out', out, '--json'],
  );
  if (stdout === '') throw new Error(stderr);
  const { target, probes, capacity } = JSON.parse(stdout) as FindRecord;
  expect(target.kind).toBe('kubernetes');
  expect(probes.length).toBeGreaterThan(1);
  // One process on these cores sustains nothing near this; how much less is for a machine that is idle.
  expect(capacity.ratePerSecond).toBeLessThan(500);
  expect(probes.some(({ achievedPerSecond }) => achievedPerSecond > 0)).toBe(true);
});

test('compare takes a chart file as a side', async () => {
  written('regular.yaml', 'fullnameOverride: n8n\n');
  const other = written('other.yaml', `${CHART}values: [regular.yaml]\n`);
  const ours = written('ours.yaml', 'tuning: { profile: default }\n');
  const { stdout, stderr } = await n8nTuned(
    ...['compare', other, ours, '--target', 'kubernetes', '--workload', 'last-node'],
    ...['--vus', '2', '--duration', '4s', '--warmup', '2s', '--pairs', '2', '--budget', '30s'],
    ...['--ready', '300s', '--out', out, '--json'],
  );
  if (stdout === '') throw new Error(stderr);
  const record = JSON.parse(stdout) as CompareRecord;
  expect(record.a.topology).toBeNull();
  expect(record.b.topology).toMatchObject({ tuning: 'default' });
  expect([record.a.values.length, record.b.values.length]).toEqual([2, 2]);
});
