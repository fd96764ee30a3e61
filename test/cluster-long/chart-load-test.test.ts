// The chart's own load test as a Job in a restricted namespace: it ends by itself, its log holds the summary, and an
// SLO that cannot be met makes it fail.
import { until } from '../support/cluster';
import { Release } from '../support/release';
import { seen } from '../support/seen';
import type { LoadSummary } from '../../loadtests/lib/load-summary';

jest.setTimeout(1_800_000);

let n8n: Release;
beforeAll(async () => {
  n8n = await Release.inNewNamespace('chart-load-test');
});
afterAll(() => n8n?.remove());

interface Job {
  metadata: { name: string };
  status: { succeeded?: number; failed?: number };
}

/** The release with this load test, and what its Job came to. */
async function loadTest(slo: string): Promise<{ ended: Job['status']; summary: LoadSummary }> {
  await n8n.deploy({
    loadTargets: { enabled: true },
    loadTest: {
      enabled: true,
      profile: 'load',
      env: { RATE: 5, DURATION: '20s', WARMUP: '5s', SLO: slo, SUMMARY_FILE: 'stdout' },
      resources: { requests: { cpu: '50m', memory: '128Mi' }, limits: { memory: '1Gi' } },
    },
  });
  const job = await until(
    'the end of the load test',
    async () => {
      const { items } = JSON.parse(
        await n8n.space.kubectl(
          ...['get', 'jobs', '-o', 'json', '-l', 'app.kubernetes.io/component=load-test'],
        ),
      ) as { items: Job[] };
      const [only, ...others] = items;
      // An upgrade takes the Job of the revision before with it.
      if (only === undefined || others.length > 0) return false;
      return (only.status.succeeded ?? 0) + (only.status.failed ?? 0) > 0 ? only : false;
    },
    900_000,
  );
  if (job === false) throw new Error('the load test did not end');
  const log = await n8n.space.kubectl('logs', `job/${job.metadata.name}`);
  const [json] = /^\{\n[^]*?\n\}$/m.exec(log) ?? [];
  if (json === undefined) throw new Error(`the log holds no summary: ${log.slice(-2000)}`);
  return { ended: job.status, summary: JSON.parse(json) as LoadSummary };
}

test('the Job loads the release and succeeds', async () => {
  // The largest latency says how late k6 itself may be on a busy node.
  const { ended, summary } = await loadTest('errors<=0%,max<60s');
  seen('load test as a Job', {
    succeeded: ended.succeeded ?? 0,
    requests: summary.requests,
    expected: summary.expected,
    p95Ms: Math.round(summary.latencyMs?.p95 ?? 0),
  });
  expect(ended.succeeded).toBe(1);
  expect(summary).toMatchObject({ workloads: ['last-node'], errors: {}, passed: true });
  expect(summary.requests).toBeGreaterThan(80);
  expect(summary.expected).toBe(summary.requests);
});

test('a missed SLO fails the Job, and its log says which', async () => {
  const { ended, summary } = await loadTest('p95<1ms');
  expect(ended.failed).toBe(1);
  expect(summary.slo).toEqual([
    { text: 'p95<1ms', met: false },
    { text: 'errors<5%', met: true },
  ]);
  expect(summary.expected).toBeGreaterThan(80);
});
