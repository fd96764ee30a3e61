/** A correction of the time moves no fault and ends no wait. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RecoveryBeside } from '../../../../cli/src/features/drill/recovery-beside';
import { steadyClock } from '../../../../cli/src/ui/steady-clock';

const HOUR_MS = 3_600_000;

afterEach(() => {
  jest.restoreAllMocks();
});

test('the wait for recovery is as long as it was asked for, though the time jumps', async () => {
  const beside = new RecoveryBeside(
    () => Promise.resolve(null),
    () => Promise.resolve(1),
    5,
  );
  let now = Date.now();
  jest.spyOn(Date, 'now').mockImplementation(() => (now += HOUR_MS));
  const fromMs = performance.now();
  await beside.end(200);
  expect(performance.now() - fromMs).toBeGreaterThanOrEqual(199);
});

const SOURCES = join(__dirname, '../../../../cli/src');

/** Moments that are recorded, or held against the clock of another process; nobody else asks for the time of day. */
const ASKS_THE_TIME = [
  ...['drill/drill', 'drill/timed-fault', 'recover/once'].map((name) => `features/${name}`),
  ...['watch/command', 'watch/prometheus-view'].map((name) => `features/${name}`),
  ...['load/confine', 'load/gather', 'load/k6', 'run/count-within', 'stand-in/model-answers'],
  ...['run/make-load', 'run/remote-series', 'run/run', 'run/samples'],
  ...['samplers/bull-queue', 'targets/process/template', 'targets/url/api', 'ui/steady-clock'],
  ...['generators/generator-pod', 'pods/pod-logs', 'pods/pod-watch', 'release/rollout'].map(
    (name) => `targets/kubernetes/${name}`,
  ),
];

test('who asks for the time of day is listed here: what measures a duration asks performance.now()', () => {
  const asking = readdirSync(SOURCES, { recursive: true })
    .map(String)
    .filter((name) => name.endsWith('.ts'))
    .filter((name) => readFileSync(join(SOURCES, name), 'utf8').includes('Date.now'))
    .map((name) => name.replace(/\.ts$/, ''));
  expect(asking.sort()).toEqual([...ASKS_THE_TIME].sort());
});

test('a steady clock begins at the time of day, and goes on when that jumps', () => {
  const beganMs = Date.now();
  const now = steadyClock();
  jest.spyOn(Date, 'now').mockReturnValue(beganMs + HOUR_MS);
  expect(now()).toBeGreaterThanOrEqual(beganMs - 1);
  expect(now()).toBeLessThan(beganMs + HOUR_MS / 2);
});
