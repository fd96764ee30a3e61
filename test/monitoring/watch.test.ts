// `watch --prometheus` on a real Prometheus whose series and rule are known.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RemoteWrite } from '../../cli/src/prometheus/remote-write';
import type { TimeSeries } from '../../cli/src/prometheus/series';
import { buildCli, endStartedClis, runCli } from '../support/cli';
import { Prometheus } from './support/prometheus';
import { until } from '../support/wait';

jest.setTimeout(120_000);

let folder: string;
let prometheus: Prometheus;

const RULES = `
groups:
  - name: test
    rules:
      - alert: N8nQueueGrowing
        expr: max by (namespace, release) (n8n_scaling_mode_queue_jobs_waiting) > 50
        labels: { severity: warning }
        annotations: { summary: '{{ $value }} jobs wait in the queue, and their number is growing.' }
      - alert: SomebodyElses
        expr: vector(1)
`;

const MEBI = 1024 * 1024;
const of = (role: string): Record<string, string> => ({
  ...{ job: 'n8n', namespace: 'shop', release: 'prod', role, instance: `${role}:5678` },
});

/** Two minutes up to five ahead, a second each: the test need not be quick. */
function series(
  name: string,
  labels: Record<string, string>,
  at: (second: number) => number,
): TimeSeries {
  const nowMs = Math.floor(Date.now() / 1000) * 1000;
  return {
    labels: { __name__: name, ...labels },
    samples: Array.from({ length: 420 }, (_, index) => ({
      atMs: nowMs + 1000 * (index - 120),
      value: at(index),
    })),
  };
}

beforeAll(async () => {
  buildCli();
  folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-watch-'));
  mkdirSync(join(folder, 'prometheus'));
  const rules = join(folder, 'rules.yaml');
  writeFileSync(rules, RULES);
  prometheus = await Prometheus.start(join(folder, 'prometheus'), {
    rulesFiles: [rules],
    flags: ['--web.enable-remote-write-receiver'],
  });
  const [main, worker] = [of('main'), of('worker')];
  const webhook = { ...main, webhook_path: 'x', status_code: '200' };
  await RemoteWrite.at(`${prometheus.url}/api/v1/write`).write([
    ...[main, worker].flatMap((labels) => [
      series('up', labels, () => 1),
      series('n8n_process_start_time_seconds', labels, () => 1),
      series('n8n_process_resident_memory_bytes', labels, () => 600 * MEBI),
      series('n8n_tuned_memory_limit_bytes', labels, () => 1536 * MEBI),
      series('n8n_nodejs_heap_size_used_bytes', labels, () => 200 * MEBI),
      series('n8n_tuned_heap_limit_bytes', labels, () => 768 * MEBI),
      series('n8n_process_cpu_seconds_total', labels, (second) => 0.5 * second),
      series('n8n_nodejs_eventloop_lag_p99_seconds', labels, () => 0.012),
    ]),
    series(
      'n8n_workflow_execution_duration_seconds_count',
      { ...main, status: 'success' },
      (s) => 4 * s,
    ),
    series('n8n_webhook_request_duration_seconds_count', webhook, (s) => 5 * s),
    series('n8n_webhook_request_duration_seconds_sum', webhook, (s) => 0.1 * s),
    series('n8n_webhook_request_duration_seconds_bucket', { ...webhook, le: '0.03' }, (s) => 5 * s),
    series('n8n_webhook_request_duration_seconds_bucket', { ...webhook, le: '+Inf' }, (s) => 5 * s),
    series('n8n_scaling_mode_queue_jobs_waiting', main, () => 60),
    series('n8n_scaling_mode_queue_jobs_active', main, () => 9),
    series('n8n_tuned_worker_concurrency', worker, () => 10),
  ]);
  await until('the alert fires', async () => (await prometheus.firing()).length === 2);
});

afterAll(async () => {
  endStartedClis();
  await prometheus.stop();
  rmSync(folder, { recursive: true });
});

const watch = (...flags: string[]) => runCli(['watch', '--prometheus', prometheus.url, ...flags]);

test('watch shows an n8n that only Prometheus can see, and which of our alerts fire there', async () => {
  const { code, stdout, stderr } = await watch('--prometheus-release', 'prod');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^n8n as seen by http:\S+, scraped every 1 s, /);
  expect(stdout).toMatch(/^executions +4\/s succeeded, 0\/s failed/m);
  expect(stdout).toMatch(/^webhooks +5\/s, 0\/s with 5xx, mean 20 ms, p95 about 28\.5 ms$/m);
  expect(stdout).toMatch(/^queue +60 waiting /m);
  expect(stdout).toMatch(/^slots +9 of 10 \(90%\)$/m);
  expect(stdout).toMatch(/^worker +1 +600 of 1,536 +200 of 768 +0\.5 +12 ms$/m);
  expect(stdout).toMatch(/^alerts +1 firing \(the rules of http:\S+\)$/m);
  expect(stdout).toMatch(/^ {2}N8nQueueGrowing, warning\n {4}60 jobs wait in the queue/m);
  expect(stdout).not.toContain('SomebodyElses');
});

test('watch says in one sentence that there is no such n8n', async () => {
  const { code, stdout, stderr } = await watch('--prometheus-release', 'other');
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr.trim()).toMatch(/has no n8n metrics in namespace \.\*, release other: .*\?$/);
  expect(stderr.trim().split('\n')).toHaveLength(1);
});
