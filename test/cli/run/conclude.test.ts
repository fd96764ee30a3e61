import { RequestsSeen } from '../../../cli/src/analysis/requests/seen';
import { planOf, lengthSeconds } from '../../../loadtests/lib/profile';
import type { RequestSample, Summary } from '../../../cli/src/record/run-record';
import { conclude, type RunEnding } from '../../../cli/src/run/conclude';
import { sampleRun } from '../../support/sample-run';
import type { RunFolder } from '../../../cli/src/record/folder';
import { Observations, sampleEveryMs } from '../../../cli/src/run/samples';

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

function concluded(notSent: number): Summary {
  const { record } = sampleRun();
  const { warmupSeconds, durationSeconds, stages } = plan;
  const profile = { name: 'load', loop: 'open', warmupSeconds, durationSeconds, stages } as const;
  const ending: RunEnding = {
    endedAt: record.endedAt,
    loadBeganAt: null,
    aborted: null,
    generator: { cpuCoresMean: 0.1, coresAvailable: 2, notSent },
    executions: null,
    traced: { skipped: 'nothing to match' },
    queueDrained: null,
    countedWithin: null,
    failedSamplers: [],
    events: [],
    files: record.files,
  };
  const requests = new RequestsSeen(profile, 0);
  for (const sample of sent) requests.add(sample);
  const seen = { requests, kept: sent, samples: [] };
  return conclude({ ...record, profile }, seen, ending).summary;
}

test('what the generator could not send is not offered, and never counts against n8n', () => {
  const summary = concluded(3 * sent.length);
  expect(summary.offered.requests).toBe((40 * 30) / 4);
  expect(summary.achieved.shareOfOffered).toBeGreaterThan(0.95);
  expect(summary.generator.saturated).toBe(true);
});

test('what the generator sent is offered, when nothing was left out', () => {
  expect(concluded(0).offered.requests).toBe((40 * 30) / 4);
});

const HOUR = 3600;

test.each([
  [60, 1000],
  [HOUR, 1000],
  [12 * HOUR, 7000],
  [7 * 24 * HOUR, 85_000],
])('a run of %p s is sampled every %p ms', (durationSeconds, everyMs) => {
  const plan = planOf('soak', { durationSeconds });
  expect(sampleEveryMs(plan)).toBe(everyMs);
  // All samples are kept until the end, whatever its length.
  expect((1000 * lengthSeconds(plan)) / everyMs).toBeLessThanOrEqual(7200);
});

test('a process that is started again and again does not fill the record', () => {
  const nowhere: Pick<RunFolder, 'sample'> = { sample: () => undefined };
  const seen = new Observations(nowhere);
  seen.begin(Date.now());
  for (let i = 0; i < 5000; i += 1) seen.event({ kind: 'restart', text: `number ${String(i)}` });
  expect(seen.events).toHaveLength(2001);
  expect(seen.events.at(-1)).toMatchObject({
    kind: 'recorder',
    text: 'more than 2000 events: later ones are not listed',
  });
});
