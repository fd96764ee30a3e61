// The command where Helm 4 is the only Helm there is.
import { chmodSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { labPaths } from '../../cli/src/lab/paths';
import type { RunRecord } from '../../cli/src/record/run-record';
import { buildCli } from '../support/cli';
import { createNamespace, inCluster, type Namespace, type Outcome } from '../support/cluster';
import { CLI, ourNamespaces, resultsFolder, sentenceOf } from '../support/cluster-command';

jest.setTimeout(600_000);

const { path: out, written, remove } = resultsFolder();
const cache = join(out, 'cache');
const calls = join(out, 'helm-calls');
let space: Namespace;
beforeAll(async () => {
  buildCli();
  mkdirSync(join(cache, 'bin'), { recursive: true });
  const helm = written(
    'cache/bin/helm4',
    `#!/bin/sh\necho "$@" >>${calls}\nexec ${labPaths().helm4} "$@"\n`,
  );
  chmodSync(helm, 0o755);
  space = await createNamespace('helm4');
});
afterAll(async () => {
  remove();
  await space?.remove();
});
afterEach(async () => {
  expect(await ourNamespaces()).toBe('');
});

const run = (...args: string[]): Promise<Outcome> =>
  inCluster(
    [
      ...['env', `N8N_TUNED_CACHE=${cache}`, 'PATH=/usr/bin:/bin', process.execPath, CLI],
      ...['run', '--target', 'kubernetes', '--workload', 'last-node', '--out', out, '--json'],
      ...['--rate', '3', '--duration', '8s', '--warmup', '2s', '--slo', 'errors<10%', ...args],
    ],
    { timeoutMs: 300_000 },
  );
const called = (): string => readFileSync(calls, 'utf8');

test('the chart is deployed, loaded and removed from a namespace that was there', async () => {
  const { stdout, stderr } = await run('--namespace', space.name, '--ready', '300s');
  if (stdout === '') throw new Error(stderr);
  const record = JSON.parse(stdout) as RunRecord;
  expect(record.verdict.outcome).not.toBe('aborted');
  expect(record.target.deployed).toMatchObject({
    chart: expect.stringMatching(/^n8n-tuned /) as string,
    manifestHash: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
  });
  expect(called()).toMatch(/^install .*-- n8n-[0-9a-f]{8} /m);
  const kinds = 'deployments,jobs,persistentvolumeclaims,secrets';
  const left = await space.kubectl('get', kinds, '-o', 'name');
  expect(left.trim()).toBe('');
});

test('values that the chart refuses are named as with Helm 3', async () => {
  const values = written('refused.yaml', 'unknown: true\n');
  const refused = await run('--values', values);
  expect(refused.code).toBe(2);
  expect(sentenceOf(refused)).toMatch(/^the chart rejects (the|these) values: .*unknown/);
});

test('a release name that is taken is said', async () => {
  const helm = (...args: string[]): Promise<Outcome> =>
    inCluster([labPaths().helm4, '-n', space.name, ...args]);
  mkdirSync(join(out, 'empty'));
  written('empty/Chart.yaml', 'apiVersion: v2\nname: empty\nversion: 0.0.1\n');
  expect(await helm('install', 'n8n', join(out, 'empty'))).toMatchObject({ code: 0 });
  const refused = await run('--namespace', space.name, '--release', 'n8n');
  expect(refused.code).toBe(2);
  expect(sentenceOf(refused)).toMatch(/^the release name 'n8n' is taken in the namespace/);
  await helm('uninstall', 'n8n');
});
