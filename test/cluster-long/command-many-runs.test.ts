// What makes many runs, on the cluster: each deploys, loads and removes by the same target as `run`.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { CompareRecord } from '../../cli/src/features/compare/record';
import type { FindRecord } from '../../cli/src/features/find/record';
import type { CellRecord } from '../../cli/src/features/sweep/record';
import { buildCli } from '../support/cli';
import { n8nTuned, ourNamespaces, resultsFolder } from '../support/cluster-command';

jest.setTimeout(1_000_000);

const { path: out, written, remove } = resultsFolder();
beforeAll(buildCli);
afterAll(remove);
afterEach(async () => {
  expect(await ourNamespaces()).toBe('');
});

const on = (command: string, ...args: string[]) =>
  n8nTuned(command, ...args, '--target', 'kubernetes', '--out', out, '--json');

test('find gives a recommendation in queue mode that is deployed and sustains its rate', async () => {
  const found = await on(
    'find',
    ...['--workload', 'last-node', '--mode', 'queue', '--workers', '1', '--ready', '120s'],
    ...['--slo', 'p95<2s', '--slo', 'errors<1%', '--budget', '60s'],
  );
  const record = JSON.parse(found.stdout) as FindRecord & { folder: string };
  // How steady the machine is decides nothing here.
  expect(['found', 'not confirmed', 'inconclusive']).toContain(record.verdict);
  expect(record.capacity.ratePerSecond).toBeGreaterThan(1);
  // The search is made as sure of its answer as on a quiet machine: a guess gets no values.
  const file = join(record.folder, 'find.json');
  const capacity = { ratePerSecond: 8, low: 7, high: 9, confirmed: true };
  writeFileSync(
    file,
    JSON.stringify({ ...(JSON.parse(readFileSync(file, 'utf8')) as FindRecord), capacity }),
  );
  const values = join(out, 'values.yaml');
  const proved = await on(
    'recommend',
    ...['--from', out, '--workload', 'last-node', '--rate', '2', '--slo', 'p95<2s', '--prove'],
    // A p95 needs 72 requests.
    ...['--duration', '45s', '--write', values, '--ready', '120s'],
  );
  if (proved.stdout === '') throw new Error(proved.stderr);
  const { verdict, attempts } = JSON.parse(proved.stdout) as {
    verdict: string;
    attempts: { sentence: string }[];
  };
  const said = attempts.map(({ sentence }) => sentence);
  expect([proved.code, verdict, ...said]).toEqual([0, 'PROVEN', ...said]);
  expect(parse(readFileSync(values, 'utf8'))).toMatchObject({ executions: { mode: 'queue' } });
});

test('compare takes two values files, both of which are up at the same time', async () => {
  const a = written(
    'a.yaml',
    'tuning: { profile: default }\nmain: { resources: { limits: { cpu: 1 } } }\n',
  );
  const b = written('b.yaml', 'tuning: { profile: throughput }\n');
  const { stdout } = await on(
    'compare',
    ...[a, b, '--workload', 'last-node', '--vus', '2', '--duration', '4s', '--warmup', '2s'],
    ...['--pairs', '2', '--budget', '30s', '--ready', '120s'],
  );
  const record = JSON.parse(stdout) as CompareRecord;
  expect(record.a.topology).toMatchObject({ tuning: 'default' });
  expect(record.b.topology).toMatchObject({ tuning: 'throughput' });
});

test('sweep makes a deployment for each cell', async () => {
  const plan = written(
    'plan.yaml',
    `slo: ['errors<50%']
measure: { profile: load, ratePerSecond: 3, duration: 8s, warmup: 1s, ready: 120s }
fixed: { workload: last-node }
dimensions:
  tuning: [none, default, throughput]
`,
  );
  const { stdout, stderr } = await on('sweep', '-f', plan);
  const { cells } = JSON.parse(stdout) as { cells: CellRecord[] };
  expect(stderr).toMatch(/1 cell is left out: tuning none is n8n as it comes, which the chart/);
  expect(new Set(cells.map(({ cell }) => cell['tuning']))).toEqual(
    new Set(['default', 'throughput']),
  );
  expect(cells.map(({ outcome }) => outcome)).toEqual(cells.map(() => 'sustained'));
});

test('predict takes a sweep over four sizes', async () => {
  const plan = written(
    'sizes.yaml',
    `measure: { profile: closed, clients: 6, duration: 8s, warmup: 4s, ready: 300s }
fixed: { workload: last-node, tuning: default, memoryMiB: 1024 }
dimensions:
  cpuMillicores: [400, 600, 800, 1000]
`,
  );
  const swept = await on('sweep', '-f', plan);
  expect(swept).toMatchObject({ code: 0 });
  const { folder } = JSON.parse(swept.stdout) as { folder: string };
  const predicted = await n8nTuned(
    ...['predict', '--from', folder, '--over', 'cpu', '--at', '1.5', '--out', out, '--json'],
  );
  if (predicted.stdout === '') throw new Error(predicted.stderr);
  const answer = JSON.parse(predicted.stdout) as {
    points: { n: number }[];
    sources: string[];
    topology: unknown;
  };
  // The control cell is measured more than once.
  expect(answer.sources.length).toBeGreaterThanOrEqual(4);
  expect(new Set(answer.points.map(({ n }) => n))).toEqual(new Set([0.4, 0.6, 0.8, 1]));
  expect(answer.topology).toMatchObject({ main: { cpuMillicores: 1500 } });
});
