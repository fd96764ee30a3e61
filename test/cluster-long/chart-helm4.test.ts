// Helm 4 applies on the server, where a field with two owners or a list with one name twice is an error.
import { until } from '../support/cluster';
import { Release } from '../support/release';
import { seen } from '../support/seen';

jest.setTimeout(2_400_000);

const VALUES = {
  executions: { mode: 'queue' },
  database: { type: 'postgresql' },
  webhook: { enabled: true, replicas: 1 },
  worker: { autoscaling: { enabled: true, minReplicas: 2, maxReplicas: 2 } },
  loadTargets: { enabled: true },
};
/** What users change: env that the chart sets itself, a profile, resources. */
const CHANGED = {
  ...VALUES,
  tuning: { profile: 'throughput' },
  env: { N8N_LOG_LEVEL: 'error', EXECUTIONS_DATA_MAX_AGE: '24' },
  worker: { ...VALUES.worker, concurrency: 20 },
};

let n8n: Release;
beforeEach(async () => {
  n8n = await Release.inNewNamespace('chart-helm4');
});
afterEach(() => n8n.remove());

const webhook = async (): Promise<number> =>
  (await n8n.expectedResponse(`${await n8n.serviceUrl('-webhook')}/webhook/load-last-node`)).status;
const workers = async (): Promise<number> =>
  Number(
    await n8n.space.kubectl('get', 'deployment/n8n-worker', '-o', 'jsonpath={.spec.replicas}'),
  );

test('Helm 4 installs, upgrades beside an autoscaler, tests and rolls back', async () => {
  const statuses: Record<string, number> = {};
  await n8n.deploy(VALUES, 4);
  statuses['installed'] = await webhook();
  // From here the autoscaler owns the number of replicas.
  await until('two workers', async () => (await workers()) === 2);
  await n8n.deploy(CHANGED, 4);
  expect(await workers()).toBe(2);
  statuses['upgraded'] = await webhook();
  expect(await n8n.helm(['test', '--timeout', '10m'], 4)).toMatch(/Phase:\s+Succeeded/);
  await n8n.helm(['rollback', '1', '--wait', '--timeout', '10m'], 4);
  expect(await workers()).toBe(2);
  statuses['rolledBack'] = await webhook();
  seen('Helm 4', { statuses, workersKept: 2, helmTest: 'Succeeded' });
});

test('a release of Helm 3 is upgraded by Helm 4', async () => {
  const statuses: Record<string, number> = {};
  await n8n.deploy(VALUES, 3);
  statuses['installed'] = await webhook();
  await n8n.deploy(CHANGED, 4);
  statuses['upgraded'] = await webhook();
  seen('from Helm 3 to Helm 4', { statuses });
  expect(statuses).toEqual({ installed: 200, upgraded: 200 });
});
