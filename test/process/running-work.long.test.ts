/** What a worker with the patch keep-stalled does for the executions that it runs, on n8n's own code and a real Redis. */
import { join } from 'node:path';
import { withN8n } from '../chart/support/n8n-program';
import { ownRedis } from '../support/redis';

const PATCH = join(__dirname, '../../charts/n8n-tuned/files/preload/keep-stalled.cjs');
const HOST = join(__dirname, '../chart/support/running-work-host.cjs');

jest.setTimeout(120_000);

const redis = ownRedis();

const NODE = { node: 'Work' };
/** Longer than a lease. */
const STAND = { stand: 40_000 };
const TAKE = { take: true };
const END = { end: 'success' };
const LOOK = { look: true };
const TAKEN = 'Execution 1 was taken from this worker';

/** With the patch, Redis has been told of the execution before the first step. */
async function goes(
  steps: object[],
  scripts = [PATCH],
  more: object = {},
): Promise<{ wrote: unknown[]; said: string }> {
  if (scripts.length === 0) return withN8n(HOST, scripts, { redis: redis.url, steps });
  const all = { redis: redis.url, steps: [{ told: true }, ...steps], ...more };
  const { wrote, said } = await withN8n<unknown[]>(HOST, scripts, all);
  expect(wrote.shift()).toBe(true);
  return { wrote, said };
}

test('a worker that stood still says that it is back, and runs on where nobody has taken its work', async () => {
  const { wrote, said } = await goes([NODE, STAND, NODE, LOOK, END]);
  expect(wrote).toEqual(['runs', null, 'runs', { alive: ['1'], done: [] }, 'stored']);
  expect(said).toBe('');
});

test('a worker that stood still runs no other node of what recovery has taken, and stores nothing, and n8n alone does', async () => {
  const steps = [NODE, STAND, TAKE, NODE, NODE, END];
  const { wrote, said } = await goes(steps);
  expect(wrote).toEqual(['runs', null, null, TAKEN, TAKEN, 'not stored']);
  expect(said).toBe(
    'n8n-tuned: keep-stalled: execution 1 was taken from this worker while it stood still: it ends here\n',
  );
  expect((await goes(steps, [])).wrote).toEqual(['runs', null, null, 'runs', 'runs', 'stored']);
});

test('what recovery has taken is not stored either where the worker stood still in its last node', async () => {
  expect((await goes([NODE, STAND, TAKE, END])).wrote).toEqual(['runs', null, null, 'not stored']);
});

test('what recovery took before this run of it began is no reason to end it', async () => {
  const before = { ...TAKE, agoMs: 3_600_000 };
  const { wrote } = await goes([before, STAND, NODE, END]);
  expect(wrote).toEqual([null, null, 'runs', 'stored']);
});

test('a worker whose Redis user may not use these keys works on as n8n does, and says so once', async () => {
  await redis.client.call('ACL', 'SETUSER', 'narrow', 'reset', 'on', '>secret', '~bull:*', '+@all');
  const narrow = redis.url.replace('//', '//narrow:secret@');
  const { wrote, said } = await withN8n<unknown[]>(HOST, [PATCH], {
    redis: narrow,
    steps: [STAND, NODE, STAND, NODE, END, { state: true }],
  });
  const state = wrote.pop();
  expect(wrote).toEqual([null, 'runs', null, 'runs', 'stored']);
  expect(state).toBe('failed');
  expect(said).toBe(
    'n8n-tuned: keep-stalled: Redis lets n8n use no key that begins with n8n-tuned, so recovery does not see what runs\n',
  );
});

test('a worker tells Redis at once what it runs, and again where Redis comes back empty', async () => {
  // It tells what runs every 10 s in any case.
  const { wrote } = await goes([NODE, { reborn: true }, { told: true }, NODE, END]);
  expect(wrote).toEqual(['runs', null, true, 'runs', 'stored']);
});

test('a worker asks Redis only where it has not been heard of for a while', async () => {
  expect((await goes([TAKE, NODE, END])).wrote).toEqual([null, 'runs', 'stored']);
});

test.each([
  ['failed', 'error', TAKEN, 'not stored'],
  ['crashed', 'crashed', TAKEN, 'not stored'],
  ['running', 'running', 'runs', 'stored'],
])('without Redis a worker that stood still asks the database: %s', async (_, row, node, end) => {
  const { wrote } = await goes([{ noRedis: true }, STAND, { row }, NODE, END]);
  expect(wrote).toEqual([null, null, null, node, end]);
});

const REFUSED = Array<string>(5).fill('ECONNREFUSED');

test('a worker that stood still and reaches neither store runs no node until one of them says whose the execution is', async () => {
  const alone = [{ noRedis: true }, { rowFails: REFUSED }, STAND];
  const mine = await goes([...alone, NODE, END]);
  expect(mine.wrote).toEqual([null, null, null, 'runs', 'stored']);
  const taken = await goes([...alone, { row: 'error' }, NODE, END]);
  expect(taken.wrote).toEqual([null, null, null, null, TAKEN, 'not stored']);
  expect((await goes([...alone, { row: 'error' }, NODE, END], [])).wrote[4]).toBe('runs');
});

test('an execution of which neither store knows for 10 minutes ends', async () => {
  const rowFails = Array<string>(500).fill('EAI_AGAIN');
  const { wrote, said } = await goes([{ noRedis: true }, { rowFails }, STAND, NODE]);
  expect(wrote).toEqual([null, null, null, TAKEN]);
  expect(said).toContain('neither Redis nor the database knows whose execution 1 is');
});

test('a success that waits for the database is not stored where recovery has taken the execution meanwhile', async () => {
  const ours = { ...END, fails: ['57P01'], between: [STAND] };
  expect((await goes([ours])).wrote).toEqual(['stored']);
  const taken = { ...ours, between: [STAND, TAKE] };
  expect((await goes([taken])).wrote).toEqual(['not stored']);
  expect((await goes([taken], [])).wrote).toEqual(['refused with 57P01']);
});

test('a success that the database does not take is stored later, with a mark until then, and n8n alone loses it', async () => {
  // The password or the user may have been replaced.
  const refused = ['53100', '53300', '57P01', '25006', 'ECONNREFUSED', '28P01', '28000'];
  const { wrote, said } = await goes([{ ...END, fails: refused }, LOOK]);
  expect(wrote).toEqual(['stored', { alive: ['1'], done: [] }]);
  expect(said).toBe(
    'n8n-tuned: keep-stalled: execution 1 has ended, which is stored once the database takes it: Error: refused with 53100\n',
  );
  expect((await goes([{ ...END, fails: refused }], [])).wrote).toEqual(['refused with 53100']);
});

test.each([
  ['for more than 10 minutes', Array<string>(200).fill('53100')],
  ['for another reason', ['23505']],
])('a success that the database refuses %s keeps its mark', async (_, fails) => {
  const { wrote } = await goes([{ ...END, fails }, LOOK]);
  expect(wrote).toEqual([`refused with ${String(fails[0])}`, { alive: ['1'], done: ['1'] }]);
});

const HOUR_MS = 3_600_000;

test.each([
  ['right, and was set back', 0, -HOUR_MS],
  ['an hour ahead, and was set right', HOUR_MS, -HOUR_MS],
  ['an hour behind, and was set right', -HOUR_MS, HOUR_MS],
])('no mark is older than its execution where the clock was %s', async (_, aheadMs, byMs) => {
  const beganMs = Date.now() + aheadMs;
  const steps = [NODE, { stand: byMs }, { ...END, fails: ['23505'] }, { look: 'when' }];
  const { wrote } = await goes(steps, [PATCH], { aheadMs });
  const [id, markedAtMs] = wrote[3] as [string, string];
  expect([id, Number(markedAtMs) >= beganMs]).toEqual(['1', true]);
});

test('marks are kept for a week by the clock of Redis, whatever the clock of the worker says', async () => {
  const done = 'n8n-tuned:{bull}:done';
  const day = 24 * HOUR_MS;
  await redis.client.zadd(done, Date.now() - 6 * day, 'young', Date.now() - 8 * day, 'old');
  await goes([NODE, { ...END, fails: ['23505'] }], [PATCH], { aheadMs: 30 * day });
  expect((await redis.client.zrange(done, 0, -1)).toSorted()).toEqual(['1', 'young']);
});

test('many that end while the database is away ask for it by one look at a time, and by few at once when it is back', async () => {
  const many = 300;
  const { wrote } = await withN8n<{ stored: number; askedInVain: number; max: number }>(
    ...[HOST, [PATCH], { redis: redis.url, many, awayMs: 60_000 }],
  );
  expect(wrote.stored).toBe(many);
  // Each once as it ends, and then one look in at most 8 s, with a first one after half a second.
  expect(wrote.askedInVain).toBeLessThan(many + 60);
  expect(wrote.max).toBeLessThanOrEqual(10);
});

test('a statement that the database never answers does not hold up what else waits for it', async () => {
  const { wrote } = await withN8n<{ stored: number }>(
    ...[HOST, [PATCH], { redis: redis.url, many: 20, awayMs: 5_000, hangs: true }],
  );
  expect(wrote.stored).toBe(19);
});

test('a failure is stored later too, and has no mark', async () => {
  const steps = [{ end: 'error', fails: ['57P03'] }, LOOK];
  expect((await goes(steps)).wrote).toEqual(['stored', { alive: ['1'], done: [] }]);
  const fails = Array<string>(200).fill('57P03');
  expect((await goes([{ end: 'error', fails }, LOOK])).wrote).toEqual([
    ...['refused with 57P03', { alive: ['1'], done: [] }],
  ]);
});

const RUN = {
  ...{ workflowId: 'w', mode: 'webhook', finished: true, startedAt: '2026-11-27T12:00:00.000Z' },
  data: { resultData: { runData: { Work: [{ executionStatus: 'success' }] } } },
};
const AWAY = Array<string>(200).fill('57P03');
const WHOLE = { look: 'whole' };

test('the result of a success that the database does not take is in Redis until it is stored, for an hour', async () => {
  const kept = { ...RUN, status: 'success', data: expect.any(String) as string };
  const { wrote } = await goes([{ ...END, run: RUN, fails: AWAY }, WHOLE]);
  expect(wrote).toEqual(['refused with 57P03', { done: ['1'], result: kept, isKept: true }]);
  const later = await goes([{ ...END, run: RUN, fails: ['57P03'] }, WHOLE]);
  expect(later.wrote).toEqual(['stored', { done: [], result: null, isKept: false }]);
});

test.each([
  ['is larger than 256 KiB', { ...RUN, data: { text: 'x'.repeat(256 * 1024) } }, 'success'],
  ['is none, as the execution failed', RUN, 'error'],
])('no result is in Redis where it %s', async (_, run, end) => {
  const { wrote } = await goes([{ end, run, fails: AWAY }, WHOLE]);
  expect(wrote[1]).toMatchObject({ result: null });
});
