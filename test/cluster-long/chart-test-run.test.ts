// The chart's TestRun, run by a real k6-operator in a restricted namespace: to its end, each generator with its share.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { until } from '../support/cluster';
import { Release, ROOT } from '../support/release';
import { seen } from '../support/seen';
import { readVersions } from '../../cli/src/lab/paths';
import type { LoadSummary } from '../../loadtests/lib/load-summary';

jest.setTimeout(1_800_000);

const OPERATOR = join(ROOT, 'lab', 'cluster', 'k6-operator');
const inLab = promisify(execFile);
const LOAD_TEST = ['-l', 'app.kubernetes.io/component=load-test'];

let n8n: Release;
beforeAll(async () => {
  n8n = await Release.inNewNamespace('chart-test-run');
  await inLab(join(OPERATOR, 'up.sh'), { timeout: 1_200_000 });
});
afterAll(async () => {
  await n8n?.remove();
  await inLab(join(OPERATOR, 'down.sh'), { timeout: 300_000 });
});

interface TestRuns {
  items: { metadata: { name: string }; status?: { stage?: string } }[];
}

/** The stage in which it ends. */
async function ended(): Promise<{ name: string; stage: string }> {
  const end = await until(
    'the end of the TestRun',
    async () => {
      const text = await n8n.space.kubectl('get', 'testruns.k6.io', '-o', 'json', ...LOAD_TEST);
      const { items } = JSON.parse(text) as TestRuns;
      const [only, ...others] = items;
      // An upgrade takes the one of the revision before with it.
      if (only === undefined || others.length > 0) return false;
      const stage = only.status?.stage ?? '';
      return ['finished', 'error'].includes(stage) && { name: only.metadata.name, stage };
    },
    600_000,
  );
  if (end === false) throw new Error('the TestRun did not end');
  return end;
}

async function summaries(testRun: string): Promise<LoadSummary[]> {
  const runners = ['-l', `k6_cr=${testRun},runner=true`];
  const names = await n8n.space.kubectl('get', 'pods', '-o', 'name', ...runners);
  return Promise.all(
    names.split('\n').map(async (name) => {
      const log = await n8n.space.kubectl('logs', name);
      const [json] = /^\{\n[^]*?\n\}$/m.exec(log) ?? [];
      if (json === undefined) throw new Error(`${name} left no summary: ${log.slice(-2000)}`);
      return JSON.parse(json) as LoadSummary;
    }),
  );
}

/** Executions that n8n has begun, by the number that it gives each. */
async function executionsOfN8n(): Promise<number> {
  const script =
    "const db = new (require('/opt/n8n/node_modules/sqlite3').Database)(process.env.HOME + '/.n8n/database.sqlite');" +
    "db.get('select count(*) as n from execution_entity where status = ?', 'success', (_, row) => console.log(row.n));";
  return Number(await n8n.exec(await n8n.pod('main'), 'node', '-e', script));
}

const LOAD = { RATE: 6, DURATION: '20s', WARMUP: 0, SUMMARY_FILE: 'stdout' };
const deploy = (parallelism: number, env: object): Promise<string> =>
  n8n.deploy({
    loadTargets: { enabled: true },
    loadTest: {
      ...{ enabled: true, profile: 'load', parallelism, env: { ...LOAD, ...env } },
      resources: { requests: { cpu: '50m', memory: '128Mi' }, limits: { memory: '1Gi' } },
    },
  });

test('two generators make the load together, and n8n has executed all of it', async () => {
  await deploy(2, { SLO: 'errors<=0%,max<60s' });
  const { name, stage } = await ended();
  expect(stage).toBe('finished');
  const parts = await summaries(name);
  expect(parts.map(({ requests }) => requests)).toEqual([60, 60]);
  for (const part of parts) {
    expect(part).toMatchObject({ expected: 60, notSent: 0, passed: true });
  }
  // Each generator has looked once before, whether the webhook answers.
  const executed = await executionsOfN8n();
  expect(executed).toBeGreaterThanOrEqual(120);
  seen('load test by the k6-operator', {
    operator: readVersions()['K6_OPERATOR_VERSION'] ?? '',
    requests: parts.map(({ requests }) => requests),
    right: parts.map(({ expected }) => expected),
    executed,
  });
});

test('three generators share out what k6 would give to two, and what has quotes and spaces arrives whole', async () => {
  await deploy(3, {
    REQUEST: 'GET /webhook/load-last-node',
    HEADERS: 'x-said: said "a b" $c `d`',
    EXPECT: 'json.headers.x-said~said "a b" $c `d`',
  });
  const { name, stage } = await ended();
  expect(stage).toBe('finished');
  const parts = await summaries(name);
  expect(parts.map(({ requests }) => requests)).toEqual([40, 40, 40]);
  expect(parts.map(({ expected }) => expected)).toEqual([40, 40, 40]);
});

test('a missed SLO fails each generator that missed it', async () => {
  await deploy(2, { SLO: 'p95<1ms', DURATION: '5s' });
  const { name, stage } = await ended();
  // The operator does not tell apart how its Jobs ended.
  expect(stage).toBe('finished');
  const failed = await n8n.space.kubectl(
    ...[
      'get',
      'jobs',
      '-l',
      `k6_cr=${name},runner=true`,
      '-o',
      'jsonpath={.items[*].status.failed}',
    ],
  );
  expect(failed).toBe('1 1');
});
