import {
  alertsNow,
  CHECKS,
  type AlertsView,
} from '../../../../../cli/src/features/watch/analysis/alerts';
import { rateOf } from '../../../../../cli/src/features/watch/analysis/series';
import { viewOf } from '../../../../../cli/src/features/watch/analysis/view';
import { topologySchema } from '../../../../../cli/src/plan/topology';
import type { Metric } from '../../../../../cli/src/record/metrics';
import type { SampledRole } from '../../../../../cli/src/record/run-record';
import { bars, renderWatch } from '../../../../../cli/src/features/watch/report/terminal';
import { Latest } from '../../../../../cli/src/features/watch/command';
import { alertGroups } from '../../../../../monitoring/alerts';

let nowMs: number;
let latest: Latest;

beforeEach(() => {
  nowMs = 1_000_000;
  latest = new Latest(() => nowMs);
});

const queue = topologySchema.parse({ mode: 'queue', workers: { count: 2, concurrency: 10 } });
const none: AlertsView = { source: 'nobody', firing: [] };

/** Ten seconds of a queue: two workers that make 3 executions a second each, main that hears of all. */
function tenSeconds(): void {
  for (let second = 0; second <= 10; second += 1) {
    for (const worker of ['worker-1', 'worker-2']) {
      latest.sample('worker', worker, 'executionsSucceeded', 100 + 3 * second);
      latest.sample('worker', worker, 'rssMiB', 600);
      latest.sample('worker', worker, 'groupWorkingSetMiB', 500);
      latest.sample('worker', worker, 'groupMemoryLimitMiB', 1536);
      latest.sample('worker', worker, 'heapUsedMiB', 100);
      latest.sample('worker', worker, 'heapLimitMiB', 768);
      latest.sample('worker', worker, 'cpuCores', 0.4);
    }
    latest.sample('main', 'main', 'executionsSucceeded', 200 + 6 * second);
    latest.sample('main', 'main', 'eventLoopLagMs', 12);
    latest.sample('main', 'main', 'webhookRequests', 50 * second);
    latest.sample('main', 'main', 'webhookErrors', 2 * second);
    latest.sample('main', 'main', 'webhookMeanMs', 20 + second);
    latest.sample('main', 'main', 'webhookP95Ms', 90);
    latest.sample('redis', 'redis', 'queueWaiting', second);
    latest.sample('redis', 'redis', 'queueActive', 10);
    latest.sample('redis', 'redis', 'queueOldestMs', 1500);
    nowMs += 1000;
  }
  nowMs -= 1000;
}

const lines = (width: number, alerts = none): string[] =>
  renderWatch(
    'n8n 2.41.1 at http://127.0.0.1:5678',
    { view: viewOf(latest, nowMs, queue), alerts },
    { width, nowMs },
  );

test('shows rate, latency, errors, queue, slots, and memory of each role against its limit', () => {
  tenSeconds();
  const view = viewOf(latest, nowMs, queue);
  expect(view.executions?.succeededPerSecond).toBeCloseTo(6, 6);
  expect(view.queue).toMatchObject({ waiting: 10, active: 10, slots: 20 });
  expect(view.webhooks).toMatchObject({ perSecond: 50, errorsPerSecond: 2, meanMs: 28, p95Ms: 90 });
  expect(view.roles).toMatchObject([
    { role: 'main', instances: 1, memoryMiB: null, eventLoopLagMs: 12 },
    { role: 'worker', instances: 2, memoryMiB: 1000, memoryLimitMiB: 3072, cpuCores: 0.8 },
  ]);
  const text = lines(100).join('\n');
  expect(text).toContain('6/s succeeded, 0/s failed');
  expect(text).toContain('50/s, 2/s with 5xx, mean 28 ms, p95 about 90 ms');
  expect(text).toContain('10 waiting, oldest 1.5 s');
  expect(text).toMatch(/^slots +10 of 20 \(50%\)$/m);
  expect(text).toMatch(/^worker +2 +1,000 of 3,072 +200 of 1,536 +0\.8 +-$/m);
});

test('slots are those that workers show, where they show them', () => {
  tenSeconds();
  latest.sample('worker', 'worker-1', 'workerSlots', 50);
  expect(viewOf(latest, nowMs, queue).queue?.slots).toBe(50);
  expect(viewOf(new Latest(), nowMs, queue).queue).toBeNull();
});

test('on 80 columns nothing is cut off where nothing is seen yet, and of long names', () => {
  const seen = new Latest(() => nowMs);
  const alerts = { source: `the rules of http://${'long-'.repeat(10)}name:9090`, firing: [] };
  const title = `n8n as http://${'long-'.repeat(10)}name:9090, scraped every 15 s`;
  const at = (width: number): string[] =>
    renderWatch(title, { view: viewOf(seen, nowMs, queue), alerts }, { width, nowMs });
  const words = (of: string[]): string[] => of.join(' ').split(/\s+/);
  expect(Math.max(...at(400).map((line) => line.length))).toBeGreaterThan(80);
  expect(Math.max(...at(80).map((line) => line.length))).toBeLessThanOrEqual(80);
  expect(words(at(80))).toEqual(words(at(400)));
});

test('a lag that a reader before has taken away is 0, not a fraction of a microsecond', () => {
  tenSeconds();
  latest.sample('main', 'main', 'eventLoopLagMs', 0.000511);
  expect(lines(80).join('\n')).toMatch(/^main .* 0 ms$/m);
});

test('on 80 columns nothing is cut off, with alerts that fire', () => {
  tenSeconds();
  const text = 'a sentence of twenty words '.repeat(5).trim();
  const wide = lines(400, { source: 'x', firing: [{ name: 'N8nQueueWaitLong', text }] });
  const narrow = lines(80, { source: 'x', firing: [{ name: 'N8nQueueWaitLong', text }] });
  expect(Math.max(...narrow.map((line) => line.length))).toBeLessThanOrEqual(80);
  const words = (of: string[]): string[] => of.join(' ').split(/\s+/);
  expect(words(narrow)).toEqual(words(wide));
});

test('what is no longer sampled is no longer shown', () => {
  tenSeconds();
  nowMs += 5000;
  latest.sample('worker', 'worker-2', 'rssMiB', 400);
  expect(viewOf(latest, nowMs).roles).toMatchObject([
    { role: 'worker', instances: 1, memoryMiB: 400, memoryLimitMiB: null, cpuCores: null },
  ]);
});

test('a counter that began anew gives no negative rate', () => {
  const points = [900, 950, 3].map((value, second) => ({ atMs: second * 1000, value }));
  expect(rateOf(points, 2000)).toBe(0);
});

test('an n8n that does not count executions or webhooks is told how it would', () => {
  const text = lines(200).join('\n');
  expect(text).toContain('N8N_METRICS_INCLUDE_MESSAGE_EVENT_BUS_METRICS=true');
  expect(text).toContain('N8N_METRICS_INCLUDE_WEBHOOK_METRICS=true');
});

test('no line is wider than the terminal', () => {
  tenSeconds();
  expect(Math.max(...lines(40).map((line) => line.length))).toBe(40);
});

test('bars are as high as their share of the highest', () => {
  expect(bars([0, 5, 10])).toBe('▁▅█');
  expect(bars([0, 0])).toBe('▁▁');
});

describe('alerts without a Prometheus', () => {
  type Sample = [SampledRole, string, Metric, number];

  const firing = (samples: Sample[], later: Sample[] = samples): Record<string, string> => {
    latest.sample('worker', 'worker-1', 'rssMiB', 1);
    for (const [role, instance, metric, value] of samples)
      latest.sample(role, instance, metric, value);
    nowMs += 1000;
    latest.sample('worker', 'worker-1', 'rssMiB', 1);
    for (const [role, instance, metric, value] of later)
      latest.sample(role, instance, metric, value);
    const { firing: found } = alertsNow({ series: latest.series(), nowMs, topology: queue });
    return Object.fromEntries(found.map(({ name, text }) => [name, text]));
  };

  const jobs = (waiting: number, active: number, oldestMs = 10): Sample[] => [
    ['redis', 'redis', 'queueWaiting', waiting],
    ['redis', 'redis', 'queueActive', active],
    ['redis', 'redis', 'queueOldestMs', oldestMs],
  ];
  const webhooks = (requests: number, errors: number): Sample[] => [
    ['main', 'main-1', 'webhookRequests', requests],
    ['main', 'main-1', 'webhookErrors', errors],
  ];

  const cases: Record<
    string,
    { fires: [Sample[], Sample[]?]; text: string; silent: [Sample[], Sample[]?] }
  > = {
    N8nJobsWaitNoneActive: {
      fires: [jobs(3, 0)],
      text: '3 jobs wait, and no worker takes one.',
      silent: [jobs(3, 0), jobs(3, 1)],
    },
    N8nQueueGrowing: {
      fires: [jobs(50, 5), jobs(61, 5)],
      text: '61 jobs wait in the queue, and their number is growing.',
      silent: [jobs(61, 5), jobs(61, 5)],
    },
    N8nQueueWaitLong: {
      fires: [jobs(1, 5, 61_000)],
      text: 'The oldest job has waited for 61 s.',
      silent: [jobs(1, 5, 60_000)],
    },
    N8nWorkerSlotsFull: {
      fires: [jobs(1, 18)],
      text: '90% of the slots of all workers are taken, and jobs wait.',
      silent: [jobs(1, 18), jobs(0, 18)],
    },
    N8nWebhookErrorsFast: {
      fires: [webhooks(0, 0), webhooks(100, 15)],
      text: '15% of the webhook requests are answered with a 5xx status.',
      silent: [webhooks(0, 0), webhooks(100, 14)],
    },
    N8nEventLoopLag: {
      fires: [[['main', 'main-1', 'eventLoopLagMs', 600]]],
      text: 'The event loop of main-1 is late by 600 ms.',
      silent: [
        [['main', 'main-1', 'eventLoopLagMs', 600]],
        [['main', 'main-1', 'eventLoopLagMs', 10]],
      ],
    },
    N8nHeapNearLimit: {
      fires: [
        [
          ['main', 'main-1', 'heapLimitMiB', 100],
          ['main', 'main-1', 'heapUsedMiB', 95],
        ],
      ],
      text: "main-1 uses 95% of V8's heap limit.",
      silent: [[['main', 'main-1', 'heapUsedMiB', 95]]],
    },
    N8nContainerNearMemoryLimit: {
      fires: [
        [
          ['worker', 'worker-1', 'groupMemoryLimitMiB', 1000],
          ['worker', 'worker-1', 'groupWorkingSetMiB', 950],
        ],
      ],
      text: 'worker-1 uses 95% of its memory limit.',
      silent: [
        [
          ['worker', 'worker-1', 'groupMemoryLimitMiB', 1000],
          ['worker', 'worker-1', 'groupWorkingSetMiB', 900],
        ],
      ],
    },
    N8nCpuThrottled: {
      fires: [[['main', 'main-1', 'throttledShare', 0.5]]],
      text: 'main-1 is throttled in 50% of its CPU periods.',
      silent: [[['main', 'main-1', 'throttledShare', 0.2]]],
    },
    N8nDatabasePoolWaiting: {
      fires: [[['main', 'main-1', 'dbPoolPending', 2]]],
      text: '2 queries of main-1 wait for a connection.',
      silent: [[['main', 'main-1', 'dbPoolPending', 2]], [['main', 'main-1', 'dbPoolPending', 0]]],
    },
    N8nRedisMemoryNearLimit: {
      fires: [
        [
          ['redis', 'redis', 'redisMemoryMaxMiB', 100],
          ['redis', 'redis', 'redisMemoryMiB', 90],
        ],
      ],
      text: 'redis uses 90% of its maxmemory.',
      silent: [[['redis', 'redis', 'redisMemoryMiB', 90]]],
    },
    N8nPostgresqlConnections: {
      fires: [
        [
          ['postgresql', 'postgresql', 'dbConnectionsMax', 100],
          ['postgresql', 'postgresql', 'dbConnections', 90],
        ],
      ],
      text: 'postgresql uses 90% of its connections.',
      silent: [
        [
          ['postgresql', 'postgresql', 'dbConnectionsMax', 100],
          ['postgresql', 'postgresql', 'dbConnections', 80],
        ],
      ],
    },
  };

  test.each(Object.entries(cases))('%s', (name, { fires, text, silent }) => {
    expect(firing(...fires)[name]).toBe(text);
    latest = new Latest(() => nowMs);
    expect(firing(...silent)).not.toHaveProperty(name);
  });

  test('N8nNoWorkerUp, where there should be some', () => {
    const at = (topology: typeof queue | null): string[] =>
      alertsNow({ series: [], nowMs, topology }).firing.map(({ name }) => name);
    expect(at(queue)).toEqual(['N8nNoWorkerUp']);
    expect(at(null)).toEqual([]);
  });

  test('each has a case here, and is an alert of ours', () => {
    expect([...Object.keys(cases), 'N8nNoWorkerUp'].sort()).toEqual(Object.keys(CHECKS).sort());
    const names: string[] = alertGroups.flatMap(({ alerts }) => alerts.map(({ name }) => name));
    expect(Object.keys(CHECKS).filter((name) => !names.includes(name))).toEqual([]);
  });

  test('a quiet system has none, and who says so is said', () => {
    tenSeconds();
    const view = alertsNow({ series: latest.series(), nowMs, topology: queue });
    expect(view.firing).toEqual([]);
    expect(view.source).toMatch(
      /^13 of the alerts, evaluated from these samples; --prometheus URL shows all$/,
    );
  });
});
