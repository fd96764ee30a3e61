// KEDA for real: workers follow the depth of the queue and webhook processors their CPU, there and back, and every request
// gets its answer meanwhile.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { until } from '../support/cluster';
import { load, Release, ROOT } from '../support/release';
import { seen } from '../support/seen';
import { readVersions } from '../../cli/src/lab/paths';
import type { LoadSummary } from '../../loadtests/lib/load-summary';
import { pause } from '../support/wait';

jest.setTimeout(2_400_000);

const KEDA = readVersions()['KEDA_VERSION'] ?? '';
/** Scaled in soon after the load has gone, and no sooner than a worker may take to finish. */
const SOON = { cooldownSeconds: 20 };
const SHUTDOWN = { timeoutSeconds: 30 };
const VALUES = {
  executions: { mode: 'queue' },
  database: { type: 'postgresql' },
  webhook: { enabled: true, replicas: 1, shutdown: SHUTDOWN },
  worker: { replicas: 1, concurrency: 4, shutdown: SHUTDOWN },
  loadTargets: { enabled: true },
};
const PATIENT = { TIMEOUT: '120s', DRAIN: '120s' };

let n8n: Release;
beforeAll(async () => {
  n8n = await Release.inNewNamespace('chart-keda');
  const bringKeda = promisify(execFile)(join(ROOT, 'lab', 'cluster', 'keda', 'up.sh'), {
    timeout: 1_500_000,
  });
  await Promise.all([bringKeda, n8n.deploy(VALUES)]);
});
afterAll(() => n8n?.remove());

const replicas = async (role: string): Promise<number> =>
  Number(
    await n8n.space.kubectl('get', 'deployment', `n8n-${role}`, '-o', 'jsonpath={.spec.replicas}'),
  );

/** The number of pods of a role each time that it changes, until `stop` is called. */
function watch(role: string): { steps: number[]; stop: () => Promise<void> } {
  const steps: number[] = [];
  let isOn = true;
  const done = (async () => {
    while (isOn) {
      const now = await replicas(role);
      if (now !== steps.at(-1)) steps.push(now);
      await pause(1_000, 'the pace at which it looks');
    }
  })();
  const stop = (): Promise<void> => {
    isOn = false;
    return done;
  };
  return { steps, stop };
}

const figures = (...loads: LoadSummary[]): object => ({
  keda: KEDA,
  requests: loads.reduce((sum, { requests }) => sum + requests, 0),
  lost: loads.reduce((sum, { requests, expected }) => sum + requests - expected, 0),
  errors: Object.assign({}, ...loads.map(({ errors }) => errors)) as object,
});

test('workers follow the queue from 1 to 4 and back to 1 under load, and no request is lost', async () => {
  const keda = { enabled: true, minReplicas: 1, maxReplicas: 4, pollingSeconds: 2, ...SOON };
  await n8n.deploy({ ...VALUES, worker: { ...VALUES.worker, keda } });
  const url = await n8n.serviceUrl('-webhook');
  await n8n.expectedResponse(`${url}/webhook/load-test`);
  await until('one worker', async () => (await replicas('worker')) === 1, 300_000);
  const { steps, stop } = watch('worker');
  const ofWork = (RATE: number, DURATION: string): Promise<LoadSummary> =>
    load(url, { ...{ WORKLOAD: 'wait-5s', RATE, DURATION }, ...PATIENT });
  // 13 executions of 5 s at any time, and 4 at once for each worker; then 2 at any time.
  const much = await ofWork(2.6, '80s');
  const little = ofWork(0.4, '75s');
  await until('one worker again', async () => (await replicas('worker')) === 1, 300_000);
  const summaries = [much, await little];
  await stop();
  seen('KEDA: workers on queue depth', { steps, ...figures(...summaries) });
  expect([steps[0], Math.max(...steps), steps.at(-1)]).toEqual([1, 4, 1]);
  expect(figures(...summaries)).toMatchObject({ lost: 0, errors: {} });
});

test('webhook processors follow their CPU from 1 to 2 and back to 1 under load, and no request is lost', async () => {
  const keda = { enabled: true, minReplicas: 1, maxReplicas: 2, cpuPercent: 60, ...SOON };
  const resources = { requests: { cpu: '100m' } };
  await n8n.deploy({ ...VALUES, webhook: { ...VALUES.webhook, resources, keda } });
  const url = await n8n.serviceUrl('-webhook');
  await n8n.expectedResponse(`${url}/webhook/load-last-node`);
  await until('one processor', async () => (await replicas('webhook')) === 1, 300_000);
  const { steps, stop } = watch('webhook');
  const requests = (RATE: number, DURATION: string): Promise<LoadSummary> =>
    load(url, { RATE, DURATION, ...PATIENT });
  const much = await requests(15, '80s');
  const little = requests(1, '75s');
  await until('one processor again', async () => (await replicas('webhook')) === 1, 300_000);
  const summaries = [much, await little];
  await stop();
  seen('KEDA: webhook processors on CPU', { steps, ...figures(...summaries) });
  expect([steps[0], Math.max(...steps), steps.at(-1)]).toEqual([1, 2, 1]);
  expect(figures(...summaries)).toMatchObject({ lost: 0, errors: {} });
});
