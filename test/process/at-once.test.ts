import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findK6 } from '../../capacity/src/load/find-k6';
import { repositoryRoot } from '../../capacity/src/lab/paths';
import type { ChosenWorkload } from '../../capacity/src/plan/chosen-workload';
import { planOf } from '../../capacity/src/plan/profile';
import { parseSlos } from '../../capacity/src/plan/slo';
import type { RunRecord } from '../../capacity/src/record/record';
import { measure } from '../../capacity/src/run/run';
import type { Running } from '../../capacity/src/targets/target';
import { urlTarget } from '../../capacity/src/targets/url/url-target';
import { bringUp, never, quiet, unlessInvalid, workload } from './stage';

/**
 * A workload that is answered at once and then works for 5 s, at a rate at which n8n answers every request
 * and can complete a tenth: it is judged by what was completed, wherever executions run.
 */

jest.setTimeout(480_000);

const out = mkdtempSync(join(tmpdir(), 'at-once-'));
afterAll(() => {
  rmSync(out, { recursive: true, force: true });
});

const RATE = 4;
const SLOTS = 2;
const SECONDS = 8;
/** Each takes 5 s. */
const COMPLETABLE = SLOTS / 5;

async function loaded(
  running: Running,
  chosen: ChosenWorkload,
  slo: string,
  drainMs = 500,
): Promise<RunRecord> {
  const plan = planOf('load', { ratePerSecond: RATE, durationSeconds: SECONDS, warmupSeconds: 0 });
  const { data } = await measure(
    running,
    {
      ...{ workload: chosen, plan, slos: parseSlos(slo), out, k6: findK6(), command: [] },
      ...{ scripts: join(repositoryRoot(), 'loadtests'), timeoutMs: 20_000, drainMs },
    },
    quiet,
    never(),
  );
  return data.record;
}

const loadedWell = (...args: Parameters<typeof loaded>): Promise<RunRecord> =>
  unlessInvalid(
    () => loaded(...args),
    ({ verdict }) => verdict.outcome === 'invalid',
  );

function expectNotCompleted({ summary, verdict }: RunRecord): void {
  expect(summary.achieved.shareOfOffered).toBeGreaterThan(0.95);
  expect(summary.errors.requests).toBe(0);
  expect(summary.completions?.ratePerSecond).toBeLessThan(COMPLETABLE + SLOTS / SECONDS);
  expect(verdict.outcome).toBe('not sustained');
  expect(verdict.sentence).toMatch(/of 4 req\/s were completed/);
}

test('regular mode, on SQLite', async () => {
  const chosen = workload('async');
  // A limit of executions would delay the answers: the slots are those of the task runner.
  const env = { N8N_RUNNERS_MAX_CONCURRENCY: String(SLOTS), N8N_GRACEFUL_SHUTDOWN_TIMEOUT: '1' };
  const running = await bringUp({ tuning: 'throughput', env }, chosen);
  try {
    expectNotCompleted(await loadedWell(running, chosen, 'p95<1s'));
  } finally {
    await running.down(quiet);
  }
});

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
      ...{ url: running.baseUrl, readyTimeoutMs: 60_000, apiKey: undefined, metrics },
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
