import { keptStalled } from '../../cli/src/features/recover/saves';
import type { Running } from '../../cli/src/targets/target';
import { bringUp, bringUpMs, never, quiet, workload } from '../process/stage';
import { newApiKey } from '../support/n8n-owner';
import { pause, until } from '../support/wait';

/** What n8n keeps of the work of a dead worker, and what its own retry makes of it: docs/recovery.md. */

const work = workload('side-effect');
const WORK_MS = 6_000;
const IDS = Array.from({ length: 6 }, (_, index) => `retry-${String(index)}`);
/** So that n8n gives up on a dead worker's jobs sooner than after a minute. */
const SOON = {
  QUEUE_WORKER_LOCK_DURATION: '8000',
  QUEUE_WORKER_LOCK_RENEW_TIME: '2000',
  QUEUE_WORKER_STALLED_INTERVAL: '3000',
};
const SCOPES = ['execution:list', 'execution:read', 'execution:retry'];

interface Shown {
  id: number | string;
  status: string;
  retrySuccessId: string | null;
  data?: {
    executionData?: { nodeExecutionStack: { node: { name: string } }[] };
    resultData: { error?: { message: string } };
  };
}

interface Fate {
  /** What its caller got. */
  reply: number;
  status: string;
  error: string | undefined;
  /** Nodes that a retry would begin with. */
  next: string[];
  before: Record<string, number>;
  /** What the response to the retry says, and as n8n shows it later. */
  retry: { code: number; said: string | undefined; shown: string | undefined };
  after: Record<string, number>;
  isKnownAsRetried: boolean;
}

const cases = [
  {
    name: 'as n8n comes',
    env: { N8N_TUNED_WITHOUT: 'keep-stalled' },
    expected: { next: [], said: 'error', shown: 'error', begun: 1, done: 0 },
    kept: 'not in force',
  },
  {
    name: 'with keep-stalled',
    env: {},
    expected: { next: ['Webhook'], said: 'success', shown: 'success', begun: 2, done: 1 },
    kept: 'in force',
  },
  {
    name: 'with keep-stalled and progress saved, successes not',
    env: {
      EXECUTIONS_DATA_SAVE_ON_PROGRESS: 'true',
      EXECUTIONS_DATA_SAVE_ON_SUCCESS: 'none',
    },
    // Main has deleted the retry by then.
    expected: { next: ['Work'], said: 'success', shown: undefined, begun: 1, done: 1 },
    kept: 'in force',
  },
];

describe.each(cases)('$name', ({ env, expected, kept }) => {
  let n8n: Running;
  beforeAll(async () => {
    const given = { mode: 'queue', workers: { count: 2 }, env: { ...SOON, ...env } };
    n8n = await bringUp(given, work);
    await n8n.ready(work.requests, quiet, never());
  }, bringUpMs);
  afterAll(() => n8n.down(quiet));

  const effectsOf = async (id: string): Promise<Record<string, number>> => {
    const own = ((await n8n.drillAccess?.effects()) ?? []).filter((effect) => effect.id === id);
    const count = (step: string): number => own.filter((effect) => effect.step === step).length;
    return { begun: count('begun'), done: count('done') };
  };

  const sent = async (id: string): Promise<{ id: string; status: number }> => {
    const reply = await fetch(`${n8n.baseUrl}/webhook/load-side-effect?ms=${String(WORK_MS)}`, {
      method: 'POST',
      headers: { 'x-load-id': id },
    });
    await reply.text();
    return { id, status: reply.status };
  };

  test('the metrics of the processes say which of the two it is', async () => {
    const seen = await Promise.all(
      n8n.metrics.map(async ({ role, url }) => ({
        ...{ url, isWorker: role === 'worker' },
        text: await (await fetch(url)).text(),
      })),
    );
    expect(keptStalled(seen)).toMatchObject({ state: kept });
    // Without those of the workers, main alone cannot say that it is.
    const ofMain = keptStalled(seen.filter(({ isWorker }) => !isWorker)).state;
    expect(ofMain).toBe(kept === 'in force' ? 'not known' : kept);
  });

  test('a retry of what a dead worker had', async () => {
    const key = await newApiKey(n8n, SCOPES);
    const api = async (method: string, path: string): Promise<{ code: number; body: unknown }> => {
      const reply = await fetch(`${n8n.baseUrl}/api/v1${path}`, {
        ...{ method, ...(method === 'POST' ? { body: '{}' } : {}) },
        headers: { 'X-N8N-API-KEY': key, 'content-type': 'application/json' },
      });
      return { code: reply.status, body: await reply.json() };
    };
    // One after the other, so that the newest execution is that of the request.
    const ids = new Map<string, string>();
    const replies = [];
    for (const id of IDS) {
      replies.push(sent(id));
      await until(`${id} has begun`, async () => (await effectsOf(id))['begun'] === 1);
      const { body } = await api('GET', '/executions?status=running&limit=1');
      ids.set(id, String((body as { data: Shown[] }).data[0]?.id));
    }
    await n8n.drillAccess?.signal('worker-1', 'SIGKILL');
    const failed = (await Promise.all(replies)).filter(({ status }) => status !== 200);
    expect(failed.length).toBeGreaterThan(0);
    // n8n writes what became of it after it has told the caller.
    await pause(3_000, 'n8n tells no end of what it writes');
    const fates = await Promise.all(
      failed.map(async ({ id, status: reply }): Promise<Fate> => {
        const path = `/executions/${ids.get(id) ?? ''}`;
        const { body } = await api('GET', `${path}?includeData=true`);
        const { status, data } = body as Shown;
        const before = await effectsOf(id);
        const retry = await api('POST', `${path}/retry`);
        const made = retry.body as Partial<Shown>;
        const { body: shown } = await api('GET', `/executions/${String(made.id)}`);
        const { body: later } = await api('GET', path);
        return {
          ...{ reply, status, before, error: data?.resultData.error?.message },
          next: (data?.executionData?.nodeExecutionStack ?? []).map(({ node }) => node.name),
          retry: { code: retry.code, said: made.status, shown: (shown as Partial<Shown>).status },
          after: await effectsOf(id),
          isKnownAsRetried: (later as Shown).retrySuccessId !== null,
        };
      }),
    );
    console.log(JSON.stringify(fates, null, 1));
    const { next, said, shown, begun, done } = expected;
    expect(fates).toEqual(
      failed.map(() => ({
        ...{ reply: 500, status: 'error', next },
        error: expect.stringContaining('failed to be processed too many times') as string,
        before: { begun: 1, done: 0 },
        retry: { code: 200, said, shown },
        after: { begun, done },
        isKnownAsRetried: true,
      })),
    );
  }, 300_000);
});
