import { planOf } from '../../../capacity/src/plan/profile';
import type { RequestSample } from '../../../capacity/src/record/record';
import { conclude, type RunEnding } from '../../../capacity/src/run/conclude';
import { sampleRun } from '../../support/sample-run';

/** 30 a second were due for 8 s of warm-up and 40 s; every fourth could be sent. */
const plan = planOf('load', { ratePerSecond: 30, warmupSeconds: 8, durationSeconds: 40 });
const sent = Array.from({ length: (48 * 30) / 4 }, (_, i): RequestSample => ({
  tMs: (i * 4 * 1000) / 30,
  durationMs: 500,
  status: 200,
  ok: true,
  errorKind: '',
  id: String(i),
  workload: 'last-node',
  ranBy: '',
}));

function offered(droppedIterations: number): number {
  const { record } = sampleRun();
  const { warmupSeconds, durationSeconds, stages } = plan;
  const profile = { name: 'load', loop: 'open', warmupSeconds, durationSeconds, stages } as const;
  const ending: RunEnding = {
    endedAt: record.endedAt,
    aborted: null,
    generator: { cpuCoresMean: 0.1, droppedIterations, latenessP99Ms: null },
    executions: null,
    traced: { skipped: 'nothing to match' },
    queueDrained: null,
    countedWithin: null,
    failedSamplers: [],
    events: [],
    files: record.files,
    thinkTimeMs: 0,
  };
  const tables = { requests: sent, samples: [] };
  return conclude({ ...record, profile }, tables, ending).summary.offered.requests;
}

test('what could not be sent in the warm-up does not count as offered', () => {
  expect(offered(3 * sent.length)).toBe(40 * 30);
});

test('what the generator sent itself is offered, when nothing was left out', () => {
  expect(offered(0)).toBe((40 * 30) / 4);
});
