import type { Running } from '../../cli/src/targets/target';
import { urlTarget } from '../../cli/src/targets/url/url-target';
import { expectNotCompleted, loadedWell, SLOTS } from './answered-at-once';
import { bringUp, never, quiet, workload } from './stage';

/** Regular mode is in test/process-long. */

jest.setTimeout(480_000);

describe('queue mode, on PostgreSQL', () => {
  const chosen = workload('async');
  const light = workload('last-node');
  let running: Running;
  let outside: Running;

  beforeAll(async () => {
    running = await bringUp(
      {
        ...{ mode: 'queue', tuning: 'throughput', workers: { count: 1, concurrency: SLOTS } },
        env: { N8N_METRICS_INCLUDE_QUEUE_METRICS: 'true', N8N_METRICS_QUEUE_METRICS_INTERVAL: '1' },
      },
      { ...chosen, workflows: [...chosen.workflows, ...light.workflows] },
    );
    const metrics = running.metrics.filter(({ role }) => role === 'main');
    const target = urlTarget({
      ...{
        url: running.baseUrl,
        readyTimeoutMs: 60_000,
        apiKey: undefined,
        confirm: () => Promise.resolve(),
        warn: () => undefined,
        metrics,
      },
    });
    outside = await target.up(quiet, never());
  });

  afterAll(async () => {
    await outside.down(quiet);
    await running.down(quiet);
  });

  test('from outside, the metrics of its queue show that nothing is left', async () => {
    const { summary, verdict } = await loadedWell(outside, light, 'errors<20%,backlog=0', 10_000);
    expect([verdict.sentence, verdict.outcome]).toEqual([expect.anything(), 'sustained']);
    expect(summary.backlog?.source).toBe('queue metrics');
    expect(summary.backlog?.drainedAfterSeconds).not.toBeNull();
  });

  test('what its worker cannot complete is not sustained', async () => {
    const record = await loadedWell(running, chosen, 'p95<1s');
    expectNotCompleted(record);
    expect(record.summary.backlog?.slopePerSecond).toBeGreaterThan(1);
  });
});
