/** A correction of the time moves no fault and ends no wait. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RecoveryBeside } from '../../../capacity/src/drill/recovery-beside';

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

const SOURCES = join(__dirname, '../../../capacity/src');

/** Moments that are recorded, or held against the clock of another process; nobody else asks for the time of day. */
const ASKS_THE_TIME = [
  ...['commands/watch', 'drill/drill', 'drill/timed-fault', 'load/confine', 'load/elsewhere'],
  ...['load/gather', 'load/k6', 'recover/once', 'run/count-within', 'run/executions'],
  ...['run/make-load', 'run/remote-series', 'run/run', 'run/samples', 'run/trace'],
  ...['samplers/bull-queue', 'targets/process/template', 'targets/process/trace'],
  ...['targets/url/trace', 'watch/prometheus-view'],
  ...['generator-pod', 'pod-logs', 'pod-watch', 'rollout'].map(
    (name) => `targets/kubernetes/${name}`,
  ),
  // The length of a whole measurement, from the moment that is recorded.
  ...['compare/compare', 'find/find', 'study/run-study', 'sweep/sweep'],
];

test('who asks for the time of day is listed here: what measures a duration asks performance.now()', () => {
  const asking = readdirSync(SOURCES, { recursive: true })
    .map(String)
    .filter((name) => name.endsWith('.ts'))
    .filter((name) => readFileSync(join(SOURCES, name), 'utf8').includes('Date.now('))
    .map((name) => name.replace(/\.ts$/, ''));
  expect(asking.sort()).toEqual([...ASKS_THE_TIME].sort());
});
