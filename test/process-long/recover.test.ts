import { Redis } from 'ioredis';
import type { PassReport } from '../../cli/src/features/recover/pass';
import { LAZY, openQueue } from '../../cli/src/features/recover/queue';
import type { Running } from '../../cli/src/targets/target';
import { bringUp, bringUpMs, never, quiet, workload } from '../process/stage';
import { buildCli, endStartedClis, runCli, startCli } from '../support/cli';
import { newApiKey } from '../support/n8n-owner';
import { until } from '../support/wait';

/** Processes of a real n8n are killed, the recovering retry among their work: nothing that was accepted stays lost. */

const work = workload('side-effect');
const WORK_MS = 6_000;
const TAG = 'recover';
const ENV = {
  // So that n8n gives up on a dead worker's jobs sooner than after a minute.
  QUEUE_WORKER_LOCK_DURATION: '8000',
  QUEUE_WORKER_LOCK_RENEW_TIME: '2000',
  QUEUE_WORKER_STALLED_INTERVAL: '3000',
};
const SCOPES = ['execution:list', 'execution:read', 'execution:retry', 'workflow:list'].concat(
  ...['tag:create', 'workflowTags:update'],
);

let n8n: Running;
let key: string;
beforeAll(async () => {
  buildCli();
  n8n = await bringUp({ mode: 'queue', workers: { count: 2 }, env: ENV }, work);
  await n8n.ready(work.requests, quiet, never());
  key = await newApiKey(n8n, SCOPES);
}, bringUpMs);
afterAll(async () => {
  endStartedClis();
  await n8n.down(quiet);
});

async function api<T>(method: string, path: string, body?: unknown): Promise<T> {
  const reply = await fetch(`${n8n.baseUrl}/api/v1${path}`, {
    ...{ method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) },
    headers: { 'X-N8N-API-KEY': key, 'content-type': 'application/json' },
  });
  if (!reply.ok) throw new Error(`${path}: ${String(reply.status)} ${await reply.text()}`);
  return (await reply.json()) as T;
}

async function counts(step: string): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for (const effect of (await n8n.drillAccess?.effects()) ?? []) {
    if (effect.step === step) found.set(effect.id, (found.get(effect.id) ?? 0) + 1);
  }
  return found;
}

/** 0: the connection broke. */
async function sent(id: string): Promise<number> {
  try {
    const reply = await fetch(`${n8n.baseUrl}/webhook/load-side-effect?ms=${String(WORK_MS)}`, {
      method: 'POST',
      headers: { 'x-load-id': id },
    });
    await reply.text();
    return reply.status;
  } catch {
    return 0;
  }
}

const begun = (ids: readonly string[]) => async (): Promise<boolean> => {
  const all = await counts('begun');
  return ids.every((id) => all.has(id));
};

const flags = (...more: string[]): string[] => [
  ...['recover', '--url', n8n.baseUrl, '--redis', n8n.redis?.url ?? '', '--json'],
  ...['--age', '1s', '--back-off', '1s', ...more],
  ...(more.includes('--retry') ? ['--at-once', '8'] : []),
];
const recover = async (...more: string[]): Promise<{ code: number | null; report: PassReport }> => {
  const { code, stdout, stderr } = await runCli(flags(...more), { N8N_API_KEY: key });
  if (stdout === '') throw new Error(stderr);
  return { code, report: JSON.parse(stdout) as PassReport };
};
const outcomes = ({ attempts }: PassReport): string[] => attempts.map(({ outcome }) => outcome);

test('it promises something only where the metrics of every worker say that keep-stalled is in force', async () => {
  const { report } = await recover();
  expect(report.keptStalled).toMatchObject({ state: 'not known' });
  const workers = n8n.metrics.filter(({ role }) => role === 'worker');
  const asked = workers.flatMap(({ url }) => ['--metrics-url', `worker=${url}`]);
  expect((await recover(...asked)).report.keptStalled).toEqual({
    state: 'in force',
    text: 'keep-stalled is in force in all 2 workers that responded',
  });
  const nowhere = await recover(...asked, '--metrics-url', 'worker=http://127.0.0.1:1/metrics');
  expect(nowhere.report.keptStalled?.text).toContain('http://127.0.0.1:1/metrics cannot be read');
});

test('the work of a killed worker is recovered, also when another worker is killed meanwhile', async () => {
  const ids = Array.from({ length: 8 }, (_, index) => `worker-killed-${String(index)}`);
  const replies = ids.map(sent);
  await until('all have begun', begun(ids));
  await n8n.drillAccess?.signal('worker-1', 'SIGKILL');
  const statuses = await Promise.all(replies);
  const lost = ids.filter((_, index) => statuses[index] !== 200);
  expect(lost.length).toBeGreaterThan(0);
  const done = await counts('done');
  expect(lost.filter((id) => done.has(id))).toEqual([]);

  // Nothing is touched without the tag, nor without --retry.
  const untagged = await recover('--retry');
  expect([untagged.code, untagged.report.attempts, untagged.report.due]).toEqual([0, [], []]);
  const { data: workflows } = await api<{ data: { id: string }[] }>('GET', '/workflows');
  const tag = await api<{ id: string }>('POST', '/tags', { name: TAG });
  for (const { id } of workflows) {
    await api('PUT', `/workflows/${id}/tags`, [{ id: tag.id }]);
  }
  // n8n stores what became of an execution after it has told the caller.
  await until('all that is lost is due', async () => {
    const { code, report } = await recover();
    expect([code, report.attempts]).toEqual([1, []]);
    return report.due.length === lost.length;
  });
  const before = await counts('begun');
  expect(ids.map((id) => before.get(id))).toEqual(ids.map(() => 1));

  // Both workers have retries of it when they die.
  const first = startCli(flags('--retry'), { N8N_API_KEY: key });
  await until(
    'the retries have begun',
    async () => {
      const all = await counts('begun');
      return lost.every((id) => all.get(id) === 2);
      // What is lost is looked at for 40 s first.
    },
    120_000,
  );
  const second = await runCli(flags('--retry'), { N8N_API_KEY: key });
  expect([second.code, second.stderr]).toEqual([
    0,
    expect.stringContaining('another recovery is already running for this n8n instance') as string,
  ]);
  for (const worker of ['worker-1', 'worker-2']) await n8n.drillAccess?.signal(worker, 'SIGKILL');
  await first.ended;
  const report = JSON.parse(first.stdout()) as PassReport;
  // n8n may answer before it has stored of what they failed.
  expect(outcomes(report).filter((one) => !/^(lost again|not known)$/.test(one))).toEqual([]);
  expect(outcomes(report)).toHaveLength(lost.length);

  await until('all is recovered', async () => (await recover('--retry')).code === 0, 300_000);
  const after = await counts('done');
  expect(ids.map((id) => after.get(id))).toEqual(ids.map(() => 1));
  const again = await recover('--retry');
  expect([again.code, again.report.due, again.report.attempts]).toEqual([0, [], []]);
}, 600_000);

test('work is recovered when main and every worker are killed at once, and nobody is left to fail it', async () => {
  const ids = Array.from({ length: 4 }, (_, index) => `all-killed-${String(index)}`);
  const replies = ids.map(sent);
  await until('all have begun', begun(ids));
  for (const instance of ['main', 'worker-1', 'worker-2']) {
    const found = n8n.processes().find((process) => process.instance.startsWith(instance));
    await n8n.drillAccess?.signal(found?.instance ?? instance, 'SIGKILL');
  }
  expect(await Promise.all(replies)).toEqual(ids.map(() => 0));
  await n8n.ready(work.requests, quiet, never());
  const queue = await openQueue(new Redis(n8n.redis?.url ?? '', LAZY), 'bull', quiet);
  await until('no job is left of them', async () => (await queue.queued()).size === 0, 120_000);
  await queue.end();
  await until(
    'all is recovered',
    async () => {
      const { code, report } = await recover('--retry');
      return code === 0 && report.due.length === 0;
    },
    240_000,
  );
  const after = await counts('done');
  expect(ids.map((id) => after.get(id))).toEqual(ids.map(() => 1));
}, 600_000);

test('work that a killed worker had run to its end, but not stored, becomes a success with its result', async () => {
  const ids = Array.from({ length: 4 }, (_, index) => `stored-by-main-${String(index)}`);
  const replies = ids.map(sent);
  await until('all have begun', begun(ids));
  const startAgain = await n8n.drillAccess?.keepDown('postgresql', 0);
  await until('all are done', async () => {
    const done = await counts('done');
    return ids.every((id) => done.has(id));
  });
  const redis = new Redis(n8n.redis?.url ?? '');
  await until('their results are in Redis', async () => {
    const kept = await redis.keys('n8n-tuned:{bull}:result:*');
    return kept.length === ids.length;
  });
  const marks = await redis.zrange('n8n-tuned:{bull}:done', 0, -1);
  for (const worker of ['worker-1', 'worker-2']) await n8n.drillAccess?.signal(worker, 'SIGKILL');
  await startAgain?.();
  // Their callers hear of it, too.
  expect(await Promise.all(replies)).toEqual(ids.map(() => 200));
  for (const id of marks) {
    const execution = await api<{ status: string; data: { resultData: { runData: object } } }>(
      ...(['GET', `/executions/${id}?includeData=true`] as const),
    );
    expect(execution.status).toBe('success');
    expect(Object.keys(execution.data.resultData.runData).length).toBeGreaterThan(1);
  }
  expect(await redis.keys('n8n-tuned:{bull}:result:*')).toEqual([]);
  redis.disconnect();
  const { code, report } = await recover('--retry');
  expect([code, report.due, report.attempts]).toEqual([0, [], []]);
  const [begin, done] = [await counts('begun'), await counts('done')];
  expect(ids.map((id) => [begin.get(id), done.get(id)])).toEqual(ids.map(() => [1, 1]));
}, 600_000);
