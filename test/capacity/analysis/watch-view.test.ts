import { bars, renderWatch } from '../../../capacity/src/report/watch/terminal';
import { Latest } from '../../../capacity/src/watch/latest';
import { rateOf, viewOf } from '../../../capacity/src/analysis/watch-view';

let nowMs: number;
let latest: Latest;

beforeEach(() => {
  nowMs = 1_000_000;
  latest = new Latest(() => nowMs);
});

/** Ten seconds of a queue: two workers that make 3 executions a second each, main that hears of all. */
function tenSeconds(): void {
  for (let second = 0; second <= 10; second += 1) {
    for (const worker of ['worker-1', 'worker-2']) {
      latest.sample('worker', worker, 'executionsSucceeded', 100 + 3 * second);
      latest.sample('worker', worker, 'rssMiB', 500);
      latest.sample('worker', worker, 'cpuCores', 0.4);
    }
    latest.sample('main', 'main', 'executionsSucceeded', 200 + 6 * second);
    latest.sample('main', 'main', 'eventLoopLagMs', 12);
    latest.sample('redis', 'redis', 'queueWaiting', second);
    latest.sample('redis', 'redis', 'queueActive', 10);
    nowMs += 1000;
  }
  nowMs -= 1000;
}

test('shows the rate, the queue, and each role as the sum of its instances', () => {
  tenSeconds();
  const view = viewOf(latest, nowMs);
  expect(view.executions?.succeededPerSecond).toBeCloseTo(6, 6);
  expect(view.queue).toMatchObject({ waiting: 10, active: 10 });
  expect(view.roles).toEqual([
    { role: 'main', instances: 1, rssMiB: null, cpuCores: null, eventLoopLagMs: 12 },
    { role: 'worker', instances: 2, rssMiB: 1000, cpuCores: 0.8, eventLoopLagMs: null },
  ]);
  const text = renderWatch('n8n 2.41.1', view, { width: 100, nowMs }).join('\n');
  expect(text).toContain('6/s succeeded, 0/s failed');
  expect(text).toContain('10 waiting, 10 active');
  expect(text).toMatch(/worker +2 +1.000 MiB +0\.8/);
});

test('what is no longer sampled is no longer shown', () => {
  tenSeconds();
  nowMs += 5000;
  latest.sample('worker', 'worker-2', 'rssMiB', 400);
  expect(viewOf(latest, nowMs).roles).toEqual([
    { role: 'worker', instances: 1, rssMiB: 400, cpuCores: null, eventLoopLagMs: null },
  ]);
});

test('a counter that began anew gives no negative rate', () => {
  const points = [900, 950, 3].map((value, second) => ({ atMs: second * 1000, value }));
  expect(rateOf(points, 2000)).toBe(0);
});

test('an n8n that does not count executions is told how it would', () => {
  const text = renderWatch('n8n', viewOf(latest, nowMs), { width: 200, nowMs }).join('\n');
  expect(text).toContain('N8N_METRICS_INCLUDE_MESSAGE_EVENT_BUS_METRICS=true');
});

test('no line is wider than the terminal', () => {
  tenSeconds();
  const lines = renderWatch('n8n', viewOf(latest, nowMs), { width: 40, nowMs });
  expect(Math.max(...lines.map((line) => line.length))).toBe(40);
});

test('bars are as high as their share of the highest', () => {
  expect(bars([0, 5, 10])).toBe('▁▅█');
  expect(bars([0, 0])).toBe('▁▁');
});
