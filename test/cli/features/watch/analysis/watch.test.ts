import { rateOf } from '../../../../../cli/src/features/watch/analysis/series';
import { viewOf, type AlertsView } from '../../../../../cli/src/features/watch/analysis/view';
import { topologySchema } from '../../../../../cli/src/plan/topology';
import { bars, renderWatch } from '../../../../../cli/src/features/watch/report/terminal';
import { Latest } from '../../../../../cli/src/features/watch/command';

let nowMs: number;
let latest: Latest;

beforeEach(() => {
  nowMs = 1_000_000;
  latest = new Latest(() => nowMs);
});

const queue = topologySchema.parse({ mode: 'queue', workers: { count: 2, concurrency: 10 } });

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

const lines = (width: number, alerts: AlertsView | null = null): string[] =>
  renderWatch(
    'n8n 2.41.1 at http://127.0.0.1:5678',
    { view: viewOf(latest, nowMs, queue), alerts },
    { width, nowMs },
  );

test('the live view shows rate, latency, errors, queue, slots, and memory of each role against its limit', () => {
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
