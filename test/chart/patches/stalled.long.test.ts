// The patch of executions whose job has failed: what was stored stays, with the error, and no late job runs them.
import { join } from 'node:path';
import { ownRedis } from '../../support/redis';
import { chart } from '../support/helm.ts';
import { withN8n } from '../support/n8n-program';
import { describeOf, testOf } from '../support/preload-folder';

const PATCH = join(chart, 'files/preload/keep-stalled.cjs');
const HOST = join(__dirname, '../support/failed-job-host.cjs');
const LATE = join(__dirname, '../support/late-job-host.cjs');

interface Run {
  status: string;
  data: {
    resultData: { error: { message: string }; runData: object; lastNodeExecuted?: string };
    executionData?: { nodeExecutionStack: { node: { name: string } }[] };
  };
}

const BEGUN = {
  resultData: { runData: { Webhook: [{ executionStatus: 'success' }] } },
  executionData: { nodeExecutionStack: [{ node: { name: 'Work' } }] },
};
const fails = (
  scripts: string[],
  given: { message: string; name?: string; mode?: string; stored?: object | null; away?: number },
): Promise<{ wrote: Run; said: string }> => {
  const { message, name = 'Error', mode = 'queue', stored = BEGUN, away = 0 } = given;
  // n8n looks again for a while at one that has not ended, in case that its worker is alive.
  return withN8n<Run>(HOST, scripts, {
    ...{ mode, stored, away, error: { name, message }, status: 'crashed' },
  });
};

const messageOf = ({ wrote }: { wrote: Run }): string => wrote.data.resultData.error.message;

testOf('keep-stalled').each([
  ['stalled', { name: 'MaxStalledCountError', message: 'job stalled' }],
  ['was found stalled later', { message: 'job stalled more than allowable limit' }],
  ['had a worker without its database', { message: 'Driver not Connected' }],
])('a job that %s keeps what is stored, and n8n alone does not', async (_, error) => {
  const [own, kept] = [await fails([], error), await fails([PATCH], error)];
  expect(own.wrote.data.executionData?.nodeExecutionStack ?? []).toEqual([]);
  expect(own.wrote.data.resultData.runData).toEqual({});
  expect(kept.wrote).toMatchObject({
    status: 'error',
    data: {
      executionData: BEGUN.executionData,
      resultData: { ...BEGUN.resultData, lastNodeExecuted: 'Work' },
    },
  });
  expect(messageOf(kept)).toBe(messageOf(own));
  expect(kept.said).toBe('');
});

describeOf('keep-stalled')('a job that fails while the database is away', () => {
  const error = { message: 'Connection terminated' };

  test('is stored as failed, with its data, once it is back, and n8n alone leaves it as it is', async () => {
    expect((await fails([], { ...error, away: 1 })).wrote).toEqual({ problem: error.message });
    const kept = await fails([PATCH], { ...error, away: 60 });
    expect(kept.wrote).toMatchObject({ status: 'error', data: BEGUN });
    expect(messageOf(kept)).toBe(error.message);
    expect(kept.said).toBe(
      'n8n-tuned: keep-stalled: execution 1 has failed, which is stored once the database is back: Error: Connection terminated\n',
    );
  });

  test('asks for it by one look, however many failed, and by few at a time once it is back', async () => {
    const [many, awayMs] = [300, 60_000];
    const { wrote } = await withN8n<{ stored: number; askedInVain: number; max: number }>(
      ...[HOST, [PATCH]],
      { mode: 'queue', stored: BEGUN, error, status: 'crashed', many, awayMs },
    );
    expect(wrote.stored).toBe(many);
    // Each once as it fails, and then one look in at most 8 s, with a first one after half a second.
    expect(wrote.askedInVain).toBeLessThan(many + 60);
    // Each of them is read several times, so that all at once would be many more.
    expect(wrote.max).toBeLessThan(many);
  });

  test('is left as n8n leaves it where the database stays away, or it is no job', async () => {
    const away = 10_000;
    expect((await fails([PATCH], { ...error, away })).wrote).toEqual({ problem: error.message });
    const own = await fails([PATCH], { ...error, away, mode: 'regular' });
    expect(own.wrote).toMatchObject({ status: 'error', data: { resultData: { runData: {} } } });
    expect(own.said).toBe('');
  });
});

testOf('keep-stalled')(
  'what ran to its end keeps what its nodes did, so that nobody takes it for lost',
  async () => {
    const stored = {
      resultData: {
        runData: {
          Webhook: [{ executionStatus: 'success' }],
          Work: [{ executionStatus: 'success' }],
        },
        lastNodeExecuted: 'Work',
      },
      executionData: { nodeExecutionStack: [] },
    };
    const kept = await fails([PATCH], { message: 'Driver not Connected', stored });
    expect(kept.wrote).toMatchObject({ status: 'error', data: stored });
    expect(messageOf(kept)).toBe('Driver not Connected');
  },
);

testOf('keep-stalled').each([
  ['nothing is stored to go on with', { stored: { resultData: { runData: {} } } }, ''],
  ['its data cannot be read', { stored: null }, 'the data of execution 1 could not be kept'],
  ['it is no job, in regular mode', { mode: 'regular' }, ''],
])('n8n stores what it would have stored where %s', async (_, given, said) => {
  const error = { message: 'Driver not Connected', ...given };
  const [own, patched] = [await fails([], error), await fails([PATCH], error)];
  expect(messageOf(patched)).toBe('Driver not Connected');
  // The stack of an error tells of the patch.
  const withoutError = { error: null };
  expect({ ...patched.wrote.data.resultData, ...withoutError }).toEqual({
    ...own.wrote.data.resultData,
    ...withoutError,
  });
  expect(patched.wrote.data.executionData).toEqual(own.wrote.data.executionData);
  expect(patched.said).toContain(said);
  expect(patched.said).not.toContain('once the database is back');
});

const takesJob = (scripts: string[], status: string): Promise<{ wrote: unknown; said: string }> =>
  withN8n(LATE, scripts, { status });

testOf('keep-stalled')(
  'a worker that is back does not run an execution that has failed meanwhile, and n8n alone does',
  async () => {
    const [own, patched] = [await takesJob([], 'error'), await takesJob([PATCH], 'error')];
    expect(own.wrote).toBe('begun');
    // What n8n gives of an execution that has crashed.
    expect(patched.wrote).toEqual({ success: false });
    expect(await takesJob([], 'crashed')).toEqual({ wrote: patched.wrote, said: '' });
    expect(patched.said).toBe(
      'n8n-tuned: keep-stalled: execution 1 has failed before its job 7 came: not run\n',
    );
  },
);

testOf('keep-stalled').each(['new', 'running', 'waiting'])(
  'a worker runs what is %s',
  async (status) => {
    expect(await takesJob([PATCH], status)).toEqual({ wrote: 'begun', said: '' });
  },
);

describeOf('keep-stalled')('a job whose worker had run it to its end', () => {
  const redis = ownRedis();
  const RESULT = 'n8n-tuned:{bull}:result:1';
  const TAKEN = 'n8n-tuned:{bull}:taken';
  const ENDED = { resultData: { runData: { Work: [{ executionStatus: 'success' }] } } };
  const AT = '2026-11-27T12:00:00.000Z';
  const LATER = '2026-11-27T12:00:01.000Z';
  const RUN = {
    ...{ workflowId: 'w', mode: 'webhook', status: 'success', finished: true },
    ...{ startedAt: LATER, stoppedAt: LATER },
    // n8n writes it into its database like this.
    data: '[{"resultData":"1"},{"runData":"2"},{"Work":"3"},["4"],{"executionStatus":"5"},"success"]',
  };
  interface Ended {
    wrote: (Run & { finished: boolean; startedAt: string })[];
    told: Run[];
    left: string[];
  }
  const ends = async (
    more: { message?: string; row?: object; result?: object | null; status?: string } = {},
    scripts = [PATCH],
  ): Promise<{ wrote: Ended; said: string }> => {
    const { message = 'job stalled', result = RUN, row = {}, status = 'running' } = more;
    if (result !== null) await redis.client.set(RESULT, JSON.stringify(result));
    return withN8n<Ended>(HOST, scripts, {
      ...{ mode: 'queue', stored: BEGUN, status, redis: redis.url },
      row: { workflowId: 'w', startedAt: AT, ...row },
      error: { name: 'Error', message },
    });
  };

  test('is stored as a success with its result, which its caller gets, and n8n alone stores an error', async () => {
    const { wrote, said } = await ends();
    const run = { status: 'success', finished: true, startedAt: LATER, data: ENDED };
    expect(wrote.wrote).toEqual([expect.objectContaining(run)]);
    // n8n reads it from its database; the stand-in has what was there before.
    expect(wrote.told).toMatchObject([{ status: 'success' }]);
    expect(wrote.left).toEqual([]);
    expect(said).toBe(
      'n8n-tuned: keep-stalled: execution 1 had ended as a success when its job failed, and is stored with its result\n',
    );
    const own = await ends({}, []);
    expect(own.wrote.wrote).toMatchObject([{ status: 'error' }]);
    expect(own.wrote.told).toMatchObject([{ status: 'error' }]);
  });

  test.each([
    ['nothing of it is in Redis', { result: null }],
    ['the id was that of another workflow', { row: { workflowId: 'x' } }],
    [
      'the execution began later than what has ended',
      { row: { startedAt: '2026-11-28T00:00:00Z' } },
    ],
    ['a retry of it has succeeded', { row: { retrySuccessId: '2' } }],
    ['it is not readable', { result: { ...RUN, data: '[' } }],
  ])('is stored as failed, with its data, where %s', async (_, more) => {
    const { wrote } = await ends(more);
    expect(wrote.wrote).toMatchObject([{ status: 'error', data: BEGUN }]);
    expect(wrote.told).toMatchObject([{ status: 'error' }]);
  });

  test('is stored as failed where recovery has taken it', async () => {
    await redis.client.zadd(TAKEN, Date.now(), '1');
    expect((await ends()).wrote.wrote).toMatchObject([{ status: 'error', data: BEGUN }]);
  });

  test('is left alone where somebody cancelled it', async () => {
    const { wrote } = await ends({ message: 'The execution was cancelled manually' });
    expect([wrote.wrote, wrote.told]).toEqual([[], []]);
  });
});
