// The exporter as a pod of the chart, in a namespace that admits only restricted pods: what it tells of a queue that nobody
// works off, and of the worker that comes back.
import { request, until } from '../support/cluster';
import { Release } from '../support/release';
import { seen } from '../support/seen';

jest.setTimeout(1_800_000);

const JOBS = 6;

let n8n: Release;
beforeAll(async () => {
  n8n = await Release.inNewNamespace('chart-exporter');
  await n8n.deploy({
    executions: { mode: 'queue' },
    database: { type: 'postgresql' },
    worker: { replicas: 1 },
    monitoring: { enabled: true, exporter: { enabled: true } },
    loadTargets: { enabled: true },
  });
});
afterAll(() => n8n.remove());

/** Each series by its name and labels. */
async function metrics(): Promise<Record<string, number>> {
  const pod = await n8n.pod('exporter');
  const ip = await n8n.space.kubectl('get', 'pod', pod, '-o', 'jsonpath={.status.podIP}');
  const { body } = await request(`http://${ip}:9100/metrics`);
  return Object.fromEntries(
    body
      .split('\n')
      .filter((line) => /^n8n_tuned_/.test(line))
      .map((line) => {
        const [, name = '', value = ''] = /^(\S+) (\S+)$/.exec(line) ?? [];
        return [name, Number(value)];
      }),
  );
}

const consumers = async (): Promise<number | undefined> =>
  (await metrics())['n8n_tuned_queue_consumers'];
const oldestSeconds = async (): Promise<number> =>
  (await metrics())['n8n_tuned_queue_oldest_job_seconds'] ?? -1;

test('a queue that nobody works off is seen, and so is the worker that comes back', async () => {
  await until('a worker consumes', async () => (await consumers()) === 1);
  const up = Object.entries(await metrics()).filter(([name]) =>
    name.startsWith('n8n_tuned_exporter_up'),
  );
  expect(up.map(([, value]) => value)).toEqual([1, 1]);
  expect(await oldestSeconds()).toBe(0);

  await n8n.space.kubectl('scale', 'deployment/n8n-worker', '--replicas=0');
  await until('no worker consumes', async () => (await consumers()) === 0);
  const url = `${await n8n.serviceUrl()}/webhook/load-async`;
  await n8n.expectedResponse(url);
  for (let job = 1; job < JOBS; job += 1) expect((await request(url)).status).toBe(200);
  await until('the oldest job is 5 s old', async () => (await oldestSeconds()) >= 5);
  const waited = await oldestSeconds();

  await n8n.space.kubectl('scale', 'deployment/n8n-worker', '--replicas=1');
  await until('a worker consumes again', async () => (await consumers()) === 1, 300_000);
  await until('no job waits', async () => (await oldestSeconds()) === 0, 300_000);
  const tables = Object.entries(await metrics()).filter(([name]) =>
    name.startsWith('n8n_tuned_table_size_bytes{'),
  );
  expect(tables.length).toBeGreaterThan(2);
  expect(Math.min(...tables.map(([, bytes]) => bytes))).toBeGreaterThan(0);
  expect(await n8n.ends('exporter')).toEqual({ restarts: 0, oomKilled: 0 });
  seen('exporter as a pod', { jobs: JOBS, oldestJobSeconds: waited, tables: tables.length });
});
