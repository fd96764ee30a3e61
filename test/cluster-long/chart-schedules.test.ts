// Schedules in the database (executions.durableSchedules): a schedule of every second fires once for each second over ten
// rollouts of main, in each of which an old and a new main run side by side.
import { Release } from '../support/release';
import { until } from '../support/cluster';
import { seen } from '../support/seen';
import { pause } from '../support/wait';

jest.setTimeout(1_800_000);

const ROLLOUTS = Number(process.env['ROLLOUTS'] ?? 10);
/** The scheduler looks at what is due every 5 s. */
const LATE_MS = 15_000;
const VALUES = {
  executions: { mode: 'queue', durableSchedules: true, maxResponseSeconds: 30 },
  database: { type: 'postgresql' },
  webhook: { enabled: true, replicas: 1 },
  worker: { replicas: 1 },
};
const EVERY_SECOND = {
  id: 'every-second',
  name: 'every second',
  active: false,
  settings: {},
  nodes: [
    {
      id: 'schedule',
      name: 'Schedule',
      type: 'n8n-nodes-base.scheduleTrigger',
      typeVersion: 1.2,
      position: [0, 0],
      parameters: { rule: { interval: [{ field: 'seconds', secondsInterval: 1 }] } },
    },
    {
      id: 'nothing',
      name: 'Nothing',
      type: 'n8n-nodes-base.noOp',
      typeVersion: 1,
      position: [200, 0],
      parameters: {},
    },
  ],
  connections: { Schedule: { main: [[{ node: 'Nothing', type: 'main', index: 0 }]] } },
};

let n8n: Release;
beforeAll(async () => {
  n8n = await Release.inNewNamespace('chart-schedules');
  await n8n.deploy(VALUES);
  const script = `echo '${Buffer.from(JSON.stringify([EVERY_SECOND])).toString('base64')}' | base64 -d > /tmp/in.json \
    && n8n import:workflow --input=/tmp/in.json >&2 && n8n publish:workflow --id=${EVERY_SECOND.id} >&2`;
  await n8n.exec(await n8n.pod('main'), 'sh', '-c', script);
});
afterAll(() => n8n?.remove());

interface Execution {
  status: string;
  /** By the key that n8n gives it: `<job>:<time>`. */
  dueMs: number;
}

async function executions(): Promise<Execution[]> {
  const rows = await n8n.space.kubectl(
    ...['exec', 'n8n-postgresql-0', '--', 'sh', '-c'],
    `psql -U "$POSTGRES_USER" -d "$POSTGRES_DB" -Atc "select status, \\"deduplicationKey\\" from execution_entity where \\"workflowId\\" = '${EVERY_SECOND.id}'"`,
  );
  return rows
    .split('\n')
    .filter((row) => row !== '')
    .map((row) => ({
      status: row.slice(0, row.indexOf('|')),
      dueMs: Date.parse(row.slice(row.indexOf(':') + 1)),
    }))
    .sort((a, b) => a.dueMs - b.dueMs);
}

async function dueTimes(): Promise<number[]> {
  return (await executions())
    .filter(({ status }) => status === 'success')
    .map(({ dueMs }) => dueMs);
}

test(`every second fires once over ${ROLLOUTS} rollouts of main`, async () => {
  await until('the first executions', async () => (await dueTimes()).length > 5, 240_000);
  const begun = Date.now();
  for (let rollout = 0; rollout < ROLLOUTS; rollout++) {
    await n8n.space.kubectl('rollout', 'restart', 'deployment/n8n-main');
    await n8n.rolledOut('main');
  }
  const ended = Date.now();
  await until(
    'what was due until the end has run',
    async () => (await dueTimes()).some((due) => due > ended),
    120_000,
  );
  await pause(LATE_MS, 'none may come later than that');
  const due = (await dueTimes()).filter((time) => time >= begun && time <= ended);
  const seconds = new Set(due.map((time) => Math.floor(time / 1000)));
  const first = Math.ceil(begun / 1000);
  const wanted = Array.from({ length: Math.floor(ended / 1000) - first }, (_, n) => first + n);
  const missing = wanted.filter((second) => !seconds.has(second));
  seen('schedules in the database over rollouts of main', {
    ...{ rollouts: ROLLOUTS, seconds: wanted.length, executions: due.length },
    ...{ missing: missing.length, twice: due.length - seconds.size },
  });
  const notDone = (await executions()).filter(({ status }) => status !== 'success');
  expect(notDone).toEqual([]);
  expect({ missing, twice: due.length - seconds.size }).toEqual({ missing: [], twice: 0 });
});
