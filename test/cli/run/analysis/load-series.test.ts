import { LoadSeries } from '../../../../cli/src/run/analysis/load-series';
import { planOf } from '../../../../loadtests/lib/profile';
import type { RequestSample } from '../../../../cli/src/record/run-record';

const request = (durationMs: number, errorKind = ''): RequestSample => ({
  ...{ tMs: 0, durationMs, status: 200, ok: errorKind === '', errorKind },
  ...{ id: 'x', workload: 'w', ranBy: '' },
});

const load = planOf('load', { ratePerSecond: 30, warmupSeconds: 5, durationSeconds: 10 });

function shown(series: LoadSeries, seconds: number): Record<string, number> {
  return Object.fromEntries(
    series
      .at(seconds)
      .map(({ labels: { __name__ = '', ...labels }, value }) => [
        [__name__, ...Object.values(labels)].join(' '),
        value,
      ]),
  );
}

test('the series of a load counts requests by their result, and their latencies as the report does', () => {
  const series = new LoadSeries(load, { run: 'r' });
  [request(20), request(70), request(90_000, 'timeout'), request(3, 'status 500')].forEach(
    (one) => {
      series.add(one);
    },
  );
  const duration = 'n8n_tuned_load_request_duration_seconds';
  expect(shown(series, 6)).toMatchObject({
    'n8n_tuned_load_info r': 1,
    'n8n_tuned_load_requests_total expected': 2,
    'n8n_tuned_load_requests_total timeout': 1,
    'n8n_tuned_load_requests_total status 500': 1,
    // A quick wrong response has no latency.
    [`${duration}_bucket 0.01`]: 0,
    [`${duration}_bucket 0.025`]: 1,
    [`${duration}_bucket 0.1`]: 2,
    [`${duration}_bucket 60`]: 2,
    [`${duration}_bucket +Inf`]: 3,
    [`${duration}_count`]: 3,
    [`${duration}_sum`]: 90.09,
  });
});

test('the series of a load has a count of 0 before the first request, so that its rate begins there', () => {
  expect(shown(new LoadSeries(load, {}), 0)['n8n_tuned_load_requests_total expected']).toBe(0);
});

test.each([
  [4, 0],
  [6, 1],
  [16, 0],
])('at %i s says whether it is measured: %i', (seconds, measuring) => {
  expect(shown(new LoadSeries(load, {}), seconds)['n8n_tuned_load_measuring']).toBe(measuring);
});

test('the series of a load says what was asked for: a rate, or clients', () => {
  expect(shown(new LoadSeries(load, {}), 6)).toMatchObject({
    n8n_tuned_load_planned_requests_per_second: 30,
  });
  const closed = shown(new LoadSeries(planOf('closed', { clients: 8 }), {}), 6);
  expect(closed).toMatchObject({ n8n_tuned_load_clients: 8 });
  expect(closed).not.toHaveProperty('n8n_tuned_load_planned_requests_per_second');
});

test('the series of a load shows the load generator and the fault of a drill once they are known', () => {
  const series = new LoadSeries(load, {});
  series.generator(0.5, 2);
  series.fault('SIGKILL of worker-1');
  expect(shown(series, 6)).toMatchObject({
    n8n_tuned_generator_cpu_cores: 0.5,
    n8n_tuned_generator_resident_memory_bytes: 2 * 1024 * 1024,
    'n8n_tuned_drill_fault SIGKILL of worker-1': 1,
  });
});
