import { lengthSeconds, planOf } from '../../../loadtests/lib/profile';
import type { RunFolder } from '../../../cli/src/record/folder';
import { Observations, sampleEveryMs } from '../../../cli/src/run/samples';

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
