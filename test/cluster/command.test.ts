// The command on a real cluster: a run, a search, and each error that a user can make, caused for real.
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { limitName } from '../../cli/src/analysis/limits/table';
import type { FindRecord } from '../../cli/src/features/find/record';
import type { RunRecord } from '../../cli/src/record/run-record';
import { buildCli } from '../support/cli';
import { createNamespace, inCluster, type Namespace, type Outcome } from '../support/cluster';
import {
  n8nTuned,
  OURS,
  ourNamespaces,
  resultsFolder,
  sentenceOf,
} from '../support/cluster-command';
import { installKnown, onKnown } from '../support/known-release';
import { isLong } from '../support/properties';
import { helm } from '../support/release';
import { N8N_VERSION } from '../support/versions';

jest.setTimeout(600_000);

const { path: out, remove } = resultsFolder();
let space: Namespace;
beforeAll(async () => {
  buildCli();
  space = await createNamespace('command');
});
afterAll(async () => {
  remove();
  await space?.remove();
});

const run = (...args: string[]): Promise<Outcome> =>
  n8nTuned('run', '--target', 'kubernetes', '--workload', 'last-node', '--out', out, ...args);

/** What the user reads when it does not work: one sentence on standard error, and no stack. */
function mistakeIn({ code, stderr }: Outcome): string {
  expect([2, 3]).toContain(code);
  return sentenceOf({ stderr });
}

test('a topology is deployed, loaded from inside by two generators, measured and removed again', async () => {
  const { stdout, stderr } = await run(
    ...['--rate', '5', '--duration', '10s', '--warmup', '2s', '--cpu', '1', '--memory', '1536Mi'],
    ...['--slo', 'errors<10%', '--ready', '300s', '--generators', '2', '--json'],
  );
  if (stdout === '') throw new Error(stderr);
  const record = JSON.parse(stdout) as RunRecord & { folder: string };
  // Another file of tests uses the same cores, so how fast it was decides nothing here.
  expect(record.verdict.outcome).not.toBe('aborted');
  expect(record.topology).toMatchObject({ main: { cpuMillicores: 1000, memoryMiB: 1536 } });
  expect(record.target.deployed).toMatchObject({
    release: expect.stringMatching(/^n8n-[0-9a-f]{8}$/) as string,
    chart: expect.stringMatching(/^n8n-tuned /) as string,
    manifestHash: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
  });
  // Requests of the measured part, counted by k6 and by n8n's own database.
  expect(record.summary.offered.requests).toBe(50);
  expect(record.summary.executions).toMatchObject({ failed: 0, unfinished: 0, source: 'database' });
  expect(record.summary.matched).toMatchObject({
    source: 'database',
    notExecuted: { requests: 0 },
  });
  const { parts = [] } = record.summary.generator;
  expect(parts).toMatchObject([
    { node: expect.stringMatching(/./) as string, requests: 25, notSent: 0, lost: null },
    { node: expect.stringMatching(/./) as string, requests: 25, notSent: 0, lost: null },
  ]);
  // One node: both clocks are that of the command.
  for (const { clock } of parts) {
    expect(Math.abs(clock?.aheadMs ?? 0)).toBeLessThanOrEqual((clock?.uncertainMs ?? 0) + 20);
  }
  expect(Object.keys(record.target.deployed?.nodes ?? {})).toEqual(
    expect.arrayContaining(parts.map(({ name }) => name)),
  );
  const [main] = record.summary.roles.filter(({ role }) => role === 'main');
  expect(main).toMatchObject({ instances: 1, restarts: 0, oomKills: 0 });
  expect(main?.cpuCoresMean).toBeGreaterThan(0.01);
  expect(main?.rssPeakMiB).toBeGreaterThan(100);
  expect(record.summary.generator.cpuCores).toBeGreaterThan(0);
  const limits = record.verdict.limitedBy.ranked?.map(limitName) ?? [];
  expect(limits).toEqual(
    expect.arrayContaining(['main CPU limit', 'main event loop', 'main memory', 'load generator']),
  );
  expect(readdirSync(record.folder)).toEqual(
    expect.arrayContaining(['report.html', 'report.md', 'run.json', 'samples.csv']),
  );
  expect(await ourNamespaces()).toBe('');
});

if (isLong) {
  test('a search on a release that is there finds the capacity that its server is known to have', async () => {
    await installKnown(space, out, { oneAtATime: { serviceMs: 50 } });
    const { stdout, stderr } = await n8nTuned(
      ...[
        'find',
        ...onKnown(space),
        '--out',
        out,
        '--slo',
        'p95<300ms',
        '--budget',
        '40s',
        '--json',
      ],
    );
    if (stdout === '') throw new Error(stderr);
    const { capacity, probes, target } = JSON.parse(stdout) as FindRecord;
    expect(target.kind).toBe('kubernetes');
    expect(probes.length).toBeGreaterThan(0);
    // The server is done with 20 a second; a busy machine can only make it seem less, down to nothing. At a limit of seconds,
    // the short probes of this budget would end before their queue has grown to it.
    expect(capacity.ratePerSecond).toBeLessThan(24);
    // Nothing of the release was changed, and nothing of ours is left beside it.
    expect(await helm(['history', 'known', '-n', space.name, '--output', 'json'])).toMatch(
      /"revision":1,[^}]*"status":"deployed"[^}]*}]/,
    );
    expect(await space.kubectl('get', 'jobs,configmaps', '-l', OURS, '-o', 'name')).toBe('');
  });
}

/** A kubeconfig of the cluster with something changed in it. */
async function kubeconfig(change: (text: string) => string): Promise<string> {
  const { stdout } = await inCluster([
    ...['kubectl', 'config', 'view', '--raw', '--flatten', '--minify'],
  ]);
  const file = join(out, `${randomBytes(4).toString('hex')}.kubeconfig`);
  writeFileSync(file, change(stdout), { mode: 0o600 });
  return file;
}

/** With the token of an account in place of the administrator's certificate. */
const withToken = (token: string): Promise<string> =>
  kubeconfig((text) =>
    text.replace(/client-certificate-data: .*\n\s*client-key-data: .*/, `token: ${token}`),
  );

function valuesFile(text: string): string[] {
  const file = join(out, `${randomBytes(4).toString('hex')}.yaml`);
  writeFileSync(file, text);
  return ['--values', file];
}

/** What waits for pods: LONG=1 has it too. */
const WAITS = ['noGenerator', 'noImage', 'noNode', 'quota', 'range'];
const isAsked = (name: string): boolean => isLong || !WAITS.includes(name);

describe('what does not work is said in a sentence', () => {
  let quota: Namespace;
  let range: Namespace;
  let asked: Record<string, Promise<Outcome>>;

  // Most of them wait for the cluster, so they wait together.
  beforeAll(async () => {
    [quota, range] = await Promise.all([createNamespace('quota'), createNamespace('range')]);
    await quota.apply([
      {
        ...{ apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'small' } },
        spec: { hard: { 'limits.memory': '3000Mi' } },
      },
    ]);
    await range.apply([
      {
        ...{ apiVersion: 'v1', kind: 'LimitRange', metadata: { name: 'small' } },
        spec: { limits: [{ type: 'Container', max: { memory: '2Gi' } }] },
      },
    ]);
    await space.kubectl('create', 'serviceaccount', 'poor');
    const nowhere = await kubeconfig((text) =>
      text.replace(/server: .*/, 'server: https://127.0.0.1:1'),
    );
    const expired = await withToken('expired');
    const poor = await withToken(await space.kubectl('create', 'token', 'poor'));
    const chart = writtenChart();
    expect((await inCluster(['helm3', '-n', space.name, 'install', 'n8n', chart])).code).toBe(0);
    const existing = ['--existing', '--namespace', space.name, '--release'];
    const orders: Record<string, () => Promise<Outcome>> = {
      nowhere: () => run('--kubeconfig', nowhere),
      expired: () => run('--kubeconfig', expired),
      poor: () => run('--kubeconfig', poor),
      examined: () => n8nTuned('doctor', '--target', 'kubernetes', '--kubeconfig', poor),
      noGenerator: () => run('--generator-image', 'quay.io/no/such:1'),
      noImage: () => run(...valuesFile(`image: { repository: no/such, tag: ${N8N_VERSION} }`)),
      noNode: () =>
        run(
          ...valuesFile(
            // Without the Job that makes keys, which would have to end first.
            'main: { resources: { requests: { cpu: 999 } } }\nencryptionKey: { generate: false, existingSecret: none }',
          ),
          ...['--deploy-timeout', '60s'],
        ),
      quota: () => run('--namespace', quota.name),
      range: () => run('--namespace', range.name, '--memory', '3Gi'),
      taken: () => run('--namespace', space.name, '--release', 'n8n'),
      refused: () => run(...valuesFile('noSuchValue: 1')),
      absent: () => run(...existing, 'absent'),
      noN8n: () => run(...existing, 'n8n'),
    };
    asked = Object.fromEntries(
      Object.entries(orders)
        .filter(([name]) => isAsked(name))
        .map(([name, order]) => [name, order()]),
    );
  });
  afterAll(async () => {
    await Promise.all([quota?.remove(), range?.remove()]);
    // None has left anything behind.
    expect(await ourNamespaces()).toBe('');
  });

  const saidBy = async (name: string): Promise<string> =>
    mistakeIn((await asked[name]) ?? { code: 0, stdout: '', stderr: '' });

  const sentences: Array<[string, RegExp]> = [
    ['nowhere', /^no cluster responds at https:\/\/127\.0\.0\.1:1 .*nothing listens there/],
    ['expired', /does not accept the credentials .*log in again/],
    [
      'poor',
      /requires a permission that the user of context .* does not have: create namespaces in the whole cluster; docs\/kubernetes.md/,
    ],
    [
      'noGenerator',
      /^the load generator does not start: the image quay.io\/no\/such:1 cannot be pulled/,
    ],
    ['noImage', /does not start: the image .*no\/such:[\d.]+ cannot be pulled/],
    ['noNode', /not ready within 60 s .*no node can run it: .*Insufficient cpu.*request less/],
    ['quota', /exceed a quota of the namespace \(small, requested: limits.memory/],
    ['range', /refused by a LimitRange of the namespace \(maximum memory usage/],
    ['taken', /^the release name 'n8n' is taken in the namespace .* \(deployed\)/],
    ['refused', /^the chart rejects th\w+ values: .*noSuchValue/],
    ['absent', /^there is no release 'absent' in the namespace/],
    ['noN8n', /has no Service for webhooks/],
  ];
  test.each(sentences.filter(([name]) => isAsked(name)))('%s', async (name, sentence) => {
    expect(await saidBy(name)).toMatch(sentence);
  });

  test('the doctor names the right that is missing', async () => {
    const { code, stdout } = (await asked['examined']) ?? { code: null, stdout: '' };
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /missing {2}permission {2}get, create pods\/exec: get, create is missing/,
    );
  });

  test('a namespace that was there before stays, with nothing of ours in it', async () => {
    await Promise.all(Object.values(asked));
    const kinds = 'jobs,deployments,statefulsets,persistentvolumeclaims,secrets,services';
    for (const each of [quota, range]) {
      expect(await each.kubectl('get', kinds, '-o', 'name')).toBe('');
      expect(await each.kubectl('get', 'configmaps', '-l', OURS, '-o', 'name')).toBe('');
    }
  });
});

/** The chart of a release of Helm's that is no n8n. */
function writtenChart(): string {
  const folder = join(out, 'small');
  mkdirSync(join(folder, 'templates'), { recursive: true });
  writeFileSync(join(folder, 'Chart.yaml'), 'apiVersion: v2\nname: small\nversion: 1.0.0\n');
  writeFileSync(
    join(folder, 'templates', 'map.yaml'),
    'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: small }\n',
  );
  return folder;
}
