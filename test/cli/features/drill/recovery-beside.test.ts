import { metricsIn, RecoveryBeside } from '../../../../cli/src/features/drill/recovery-beside';
import type { PassReport, RetryAttempt } from '../../../../cli/src/features/recover/pass';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { steadyClock } from '../../../../cli/src/ui/within';

/** Passes beside a drill, with passes of its own: none of it waits for a time to be over. */

const NOTHING: PassReport = {
  due: [],
  attempts: [],
  left: [],
  waiting: [],
  refused: [],
  stopped: null,
  keptStalled: null,
};
const YOUNG = {
  ...{ executionId: '7', workflow: 'w', reason: 'it is younger than --age', isFinal: false },
};
const attempt = (outcome: RetryAttempt['outcome']): RetryAttempt => ({
  ...{ executionId: '7', workflow: 'w', attempt: 1, from: ['Webhook'] },
  ...{ outcome, retryId: '8', text: '' },
});
const RETRIED: PassReport = {
  ...NOTHING,
  due: [{ executionId: '7', workflow: 'w', attempt: 1, from: ['Webhook'] }],
  attempts: [attempt('recovered')],
};
const FOREVER_MS = 600_000;

/** Each pass in turn; the last one again and again. */
const passes = (...reports: (PassReport | null | Error)[]): (() => Promise<PassReport | null>) => {
  let next = 0;
  return () => {
    const report = reports[Math.min(next++, reports.length - 1)] ?? null;
    return report instanceof Error ? Promise.reject(report) : Promise.resolve(report);
  };
};
const beside = (
  onePass: () => Promise<PassReport | null>,
  unfinished: number | null = 0,
  ageMs = FOREVER_MS,
): RecoveryBeside => new RecoveryBeside(onePass, () => Promise.resolve(unfinished), 1, ageMs);

test('recovery beside a drill goes on until nothing is left to retry, and counts what became of it', async () => {
  const recovery = beside(
    passes(new Error('Redis is away'), { ...NOTHING, left: [YOUNG] }, RETRIED, NOTHING),
  );
  const { passes: made, failedPasses, attempts, left } = await recovery.end(FOREVER_MS);
  expect([failedPasses, attempts, left]).toEqual([1, { recovered: 1 }, {}]);
  expect(made).toBeGreaterThanOrEqual(3);
});

test('recovery beside a drill makes another pass for what n8n failed during the last one', async () => {
  let open = 1;
  const laterPass = passes(RETRIED, NOTHING);
  const onePass = (): Promise<PassReport | null> => {
    if (open === 0) return laterPass();
    // The pass has seen the execution with its job; n8n fails it before the pass is over.
    open = 0;
    return Promise.resolve(NOTHING);
  };
  const recovery = new RecoveryBeside(onePass, () => Promise.resolve(open), 1, FOREVER_MS);
  expect((await recovery.end(FOREVER_MS)).attempts).toEqual({ recovered: 1 });
});

test('recovery beside a drill names what it leaves alone for good', async () => {
  const gone = { ...YOUNG, reason: 'its data was pruned', isFinal: true };
  const recovery = beside(passes({ ...NOTHING, left: [gone, { ...gone, executionId: '9' }] }));
  expect((await recovery.end(FOREVER_MS)).left).toEqual({ 'its data was pruned': 2 });
});

test('recovery beside a drill waits for the age of what has not ended, and no longer than it may', async () => {
  const open = await beside(passes(NOTHING), 1, 20).end(FOREVER_MS);
  expect(open.passes).toBeGreaterThan(0);
  const never = await beside(passes({ ...NOTHING, left: [YOUNG] }), 1).end(30);
  expect(never.left).toEqual({ 'it is younger than --age': 1 });
});

test('recovery beside a drill waits for nothing once the drill is broken off', async () => {
  const open = beside(passes({ ...NOTHING, left: [YOUNG] }), 1);
  const { failedPasses } = await open.end(FOREVER_MS, AbortSignal.abort());
  expect(failedPasses).toBe(0);
});

test('recovery beside a drill waits no longer once it is stopped', async () => {
  const recovery = beside(passes({ ...NOTHING, left: [YOUNG] }));
  const end = recovery.end(FOREVER_MS);
  await recovery.stop();
  expect((await end).attempts).toEqual({});
});

test('recovery beside a drill makes no pass after it was stopped', async () => {
  let made = 0;
  const recovery = beside(() => Promise.resolve(made++ < 0 ? null : NOTHING));
  await recovery.stop();
  const before = made;
  await recovery.stop();
  expect(made).toBe(before);
});

test('recovery beside a drill asks the processes of n8n that run now, and none that was killed', () => {
  const at = (role: 'main' | 'worker' | 'webhook', instance: string) => ({
    ...{ role, instance, url: `http://${instance}/metrics` },
  });
  const running = ['main-1', 'worker-2', 'webhook-1'].map((instance) => ({
    ...{ instance, role: 'worker' as const, pid: 1 },
  }));
  const metrics = [
    ...[at('main', 'main-1'), at('worker', 'worker-1'), at('worker', 'worker-2')],
    at('webhook', 'webhook-1'),
  ];
  expect(metricsIn({ metrics, processes: () => running })).toEqual([
    { url: 'http://worker-2/metrics', isWorker: true },
    { url: 'http://webhook-1/metrics', isWorker: false },
  ]);
});

/** A correction of the time moves no fault and ends no wait. */
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

/** Files that may read the clock: they record a moment, or compare it with the clock of another process. */
const ASKS_THE_TIME = [
  ...['drill/drill', 'drill/timed-fault', 'recover/once'].map((name) => `features/${name}`),
  ...['watch/command', 'watch/prometheus-view'].map((name) => `features/${name}`),
  ...[
    'load/confine',
    'load/gather',
    'load/k6',
    'run/count-within',
    'stand-in/effects',
    'stand-in/model-answers',
  ],
  ...['run/make-load', 'run/remote-series', 'run/run', 'run/samples'],
  ...['samplers/bull-queue', 'targets/process/template', 'targets/url/api', 'ui/within'],
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
