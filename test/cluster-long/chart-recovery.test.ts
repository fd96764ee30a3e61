// Recovery as the chart's CronJob: a worker is killed under requests, and what it had is run again without anybody's doing.
import { request, until } from '../support/cluster';
import { Release } from '../support/release';
import { seen } from '../support/seen';
import { pause } from '../support/wait';

jest.setTimeout(1_800_000);

const REQUESTS = 6;
const SECRET = { existingSecret: 'api-key-of-n8n', existingSecretKey: 'key' };
/** The scopes of the key that recovery has, and of what the test does with it. */
const SCOPES = [
  ...['workflow:list', 'execution:list', 'execution:read', 'execution:retry'],
  ...['tag:create', 'workflowTags:update'],
];

let n8n: Release;
beforeAll(async () => {
  n8n = await Release.inNewNamespace('chart-recovery');
  await n8n.deploy({
    executions: { mode: 'queue' },
    database: { type: 'postgresql' },
    worker: { replicas: 1 },
    monitoring: { enabled: true, exporter: { enabled: true } },
    networkPolicy: { enabled: true },
    loadTargets: { enabled: true },
    // Every minute, and of what was last heard of a few seconds ago.
    recovery: {
      ...{ enabled: true, schedule: '* * * * *', ageSeconds: 5, backOffSeconds: 5 },
      apiKey: SECRET,
    },
    // So that n8n gives up on a dead worker's jobs sooner than after a minute.
    env: {
      ...{ QUEUE_WORKER_LOCK_DURATION: '10000', QUEUE_WORKER_LOCK_RENEW_TIME: '3000' },
      QUEUE_WORKER_STALLED_INTERVAL: '5000',
    },
  });
});
afterAll(() => n8n?.remove());

/** Makes what somebody makes in the editor: an owner, a key, and the tag on every workflow. */
async function keyAndTag(): Promise<string> {
  const script = `
    const send = async (method, path, headers, body) => {
      const ask = () => fetch('http://127.0.0.1:5678' + path,
        { method, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) });
      let reply = await ask();
      // n8n is ready before it has the routes of its editor.
      for (let tries = 0; reply.status === 404 && tries < 300; tries++) {
        await new Promise((resolve) => setTimeout(resolve, 200));
        reply = await ask();
      }
      if (!reply.ok) throw new Error(path + ': ' + reply.status + ' ' + await reply.text());
      return reply;
    };
    (async () => {
      const person = { email: 'owner@example.com', firstName: 'Owner', lastName: 'Example', password: 'N8n-' + crypto.randomUUID() };
      const owner = await send('POST', '/rest/owner/setup', {}, person);
      const cookie = owner.headers.getSetCookie().map((one) => one.split(';')[0]).join('; ');
      const made = await send('POST', '/rest/api-keys', { cookie }, { label: 'recovery', expiresAt: null, scopes: ${JSON.stringify(SCOPES)} });
      const key = { 'x-n8n-api-key': (await made.json()).data.rawApiKey };
      const tag = await (await send('POST', '/api/v1/tags', key, { name: 'recover' })).json();
      const { data } = await (await send('GET', '/api/v1/workflows', key)).json();
      for (const { id } of data) await send('PUT', '/api/v1/workflows/' + id + '/tags', key, [{ id: tag.id }]);
      console.log(key['x-n8n-api-key']);
    })();`;
  const main = await n8n.pod('main');
  return n8n.exec(main, 'env', '-u', 'NODE_OPTIONS', 'node', '--no-warnings', '-e', script);
}

/** The metrics of recovery, as Prometheus reads them. */
async function metrics(): Promise<Record<string, number>> {
  const pod = await n8n.pod('exporter');
  const ip = await n8n.space.kubectl('get', 'pod', pod, '-o', 'jsonpath={.status.podIP}');
  const { body } = await request(`http://${ip}:9100/metrics`);
  return Object.fromEntries(
    [...body.matchAll(/^n8n_tuned_recovery_(\S+) (\S+)$/gm)].map(([, name = '', value]) => [
      name,
      Number(value),
    ]),
  );
}

const RECOVERED = 'attempts_total{outcome="recovered"}';

async function executions(): Promise<{ retries: number; succeeded: number }> {
  const row = await n8n.space.kubectl(
    ...['exec', 'n8n-postgresql-0', '--', 'sh', '-c'],
    `psql -U "$POSTGRES_USER" -d "$POSTGRES_DB" -Atc "select count(*), count(*) filter (where status = 'success') from execution_entity where \\"retryOf\\" is not null"`,
  );
  const [retries = NaN, succeeded = NaN] = row.trim().split('|').map(Number);
  return { retries, succeeded };
}

test('what a killed worker had is run again by the CronJob, once', async () => {
  const url = `${await n8n.serviceUrl()}/webhook/load-test`;
  await n8n.expectedResponse(url);
  const key = await keyAndTag();
  await n8n.space.kubectl(
    ...['create', 'secret', 'generic', SECRET.existingSecret],
    `--from-literal=${SECRET.existingSecretKey}=${key}`,
  );

  const replies = Array.from({ length: REQUESTS }, () => request(url, '--max-time', '120'));
  await pause(2500, 'half of the time that each of them takes');
  // All but the first process of the container, which ends with them.
  await n8n
    .exec(await n8n.pod('worker'), 'sh', '-c', 'kill -9 -1')
    .catch((error: unknown) => String(error));
  const statuses = (await Promise.all(replies)).map(({ status }) => status);
  const lost = statuses.filter((status) => status !== 200).length;
  expect(lost).toBeGreaterThan(0);

  await until(
    'all that was lost is recovered',
    async () => (await metrics())[RECOVERED] === lost,
    600_000,
  );
  const { passes_total: passes = NaN } = await metrics();
  await until(
    'a further pass',
    async () => ((await metrics())['passes_total'] ?? 0) > passes,
    180_000,
  );
  expect(await executions()).toEqual({ retries: lost, succeeded: lost });
  expect(await metrics()).toMatchObject({ [RECOVERED]: lost, left_executions: 0 });
  seen('recovery by the CronJob', { requests: REQUESTS, lost, recovered: lost, passes });
});
