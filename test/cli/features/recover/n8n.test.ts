import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isCrash, STALLED } from '../../../../cli/src/analysis/n8n-execution';
import { claimWithoutQueue } from '../../../../cli/src/features/recover/command';
import { recoverOnce } from '../../../../cli/src/features/recover/once';
import { NOTHING_KNOWN } from '../../../../cli/src/features/recover/saves';
import { RecoveryApi } from '../../../../cli/src/features/recover/n8n';
import { N8nApi } from '../../../../cli/src/targets/url/api';

/** What recovery reads of an execution, from what the API of n8n 2.41 says. */

const asking = (status: number, body: unknown): RecoveryApi => {
  jest
    .spyOn(globalThis, 'fetch')
    .mockImplementation(() => Promise.resolve(new Response(JSON.stringify(body), { status })));
  return new RecoveryApi(new N8nApi('http://n8n', 'a-key'));
};
afterEach(() => jest.restoreAllMocks());

const shown = (resultData: object): object => ({
  data: { executionData: { nodeExecutionStack: [{ node: { name: 'Webhook' } }] }, resultData },
});

test("n8n's own error names no node, also where nodes have run before", async () => {
  const stored = await asking(
    200,
    shown({
      error: { level: 'warning', tags: {}, message: STALLED, stack: 'Error: ...' },
      lastNodeExecuted: 'Before',
      runData: { Before: [{ executionStatus: 'success' }] },
    }),
  ).stored('1');
  expect(stored).toEqual({
    ...{
      next: ['Webhook'],
      waits: [],
      ran: ['Before'],
      error: STALLED,
      failedNode: null,
      runnerId: null,
    },
  });
  expect(isCrash(stored)).toBe(true);
});

test.each([
  ['names its node', { error: { message: STALLED, node: { name: 'Work' } } }],
  [
    'is that of its last run',
    {
      error: { message: STALLED },
      runData: { Work: [{ executionStatus: 'success' }, { error: { message: STALLED } }] },
    },
  ],
])('a failed node is known and is no crash where its error %s', async (_, resultData) => {
  const stored = await asking(200, shown(resultData)).stored('1');
  expect(stored).toMatchObject({ error: STALLED, failedNode: 'Work' });
  expect(isCrash(stored)).toBe(false);
});

test.each([
  ['died', 'Node execution failed', true],
  ['had too little memory', 'Node ran out of memory', false],
])('the runner of a failed node is known where its task runner %s', async (_, message, isOne) => {
  const error = { level: 'error', message, runnerId: '5z_EYdumRSrtyN2-cwQTA' };
  const stored = await asking(200, shown({ error, runData: { Work: [{ error }] } })).stored('1');
  expect(stored).toMatchObject({ failedNode: 'Work', runnerId: error.runnerId });
  expect(isCrash(stored)).toBe(isOne);
});

test('what n8n has no longer has no data, and ends no pass', async () => {
  expect(await asking(404, { message: 'Not Found' }).stored('1')).toBe('no data');
  await expect(asking(500, { message: 'away' }).stored('1')).rejects.toThrow('with status 500');
});

test('an execution that n8n has no longer is gone, and one that a proxy does not find is not', async () => {
  expect(await asking(404, { message: 'Not Found' }).execution('1')).toBeNull();
  await expect(asking(404, '<html>').execution('1')).rejects.toThrow('with status 404');
});

test('data that is larger than recovery may hold is not read to its end, and ends no pass', async () => {
  const large = { data: { resultData: { runData: { Work: 'x'.repeat(17 * 2 ** 20) } } } };
  expect(await asking(200, large).stored('1')).toBe('too large');
});

const order = {
  ...{ url: 'http://n8n', apiKey: 'a-key', tag: 'recover', withinMs: 1, patienceMs: 1 },
  ...{ rules: { maxAttempts: 3, minAgeMs: 1, backOffMs: 1 }, saves: NOTHING_KNOWN },
  ...{ retries: true, atOnce: 1, stopAfterLost: 3, metrics: [] },
};
const passing = (): Promise<unknown> =>
  recoverOnce(order, null, () => undefined, new AbortController().signal);

/** What n8n before 2.13 says of a status that it does not have, and before 2.28 of that parameter. */
const refusing = (isRefused: (url: string) => boolean, metrics = ''): string[] => {
  const asked: string[] = [];
  jest.spyOn(globalThis, 'fetch').mockImplementation((input) => {
    const url = input as string;
    asked.push(url);
    if (url.endsWith('/metrics')) return Promise.resolve(new Response(metrics));
    const status = isRefused(url) ? 400 : 200;
    const data = url.includes('/workflows') ? [{ id: 'w', name: 'w' }] : [];
    const body = status === 400 ? { message: 'request/query must be equal' } : { data };
    return Promise.resolve(new Response(JSON.stringify(body), { status }));
  });
  return asked;
};

test.each(['0.221.2', '1.123.81', '2.12.2'])(
  'n8n %s is refused by what its metrics say, before it is asked for anything',
  async (version) => {
    const told = `# HELP n8n_version_info n8n\nn8n_version_info{version="v${version}"} 1\n`;
    const asked = refusing(() => false, told);
    await expect(passing()).rejects.toThrow(
      `recover requires n8n 2.13.0 or newer, whose API can list crashed executions, but this n8n is ${version}`,
    );
    expect(asked).toEqual(['http://n8n/metrics']);
  },
);

test.each(['new', 'crashed'])(
  'one whose metrics are not there is refused where its API does not know the status %s',
  async (status) => {
    refusing((url) => url.includes(`status=${status}`));
    const saves = { ...NOTHING_KNOWN, failures: true, successes: true };
    const signal = new AbortController().signal;
    await expect(recoverOnce({ ...order, saves }, null, () => undefined, signal)).rejects.toThrow(
      'recover requires n8n 2.13.0 or newer, whose API can list crashed executions, but this n8n is older',
    );
  },
);

test('in queue mode it looks back no further than marks of finished executions last', async () => {
  const asked = refusing(() => false);
  const opening = (): Promise<never> => Promise.reject(new Error('the queue is asked'));
  const looking = (days: number): Promise<unknown> =>
    recoverOnce(
      { ...order, withinMs: days * 24 * 3_600_000 },
      ...([opening, () => undefined, new AbortController().signal] as const),
    );
  await expect(looking(7.1)).rejects.toThrow('recovery in queue mode looks back at most 168 hours');
  expect(asked).toEqual([]);
  await expect(looking(7)).rejects.toThrow('the queue is asked');
});

const MIB = 2 ** 20;
test.each([
  ['tells no size', {}, ['/1', '/1?includeData=true'], 'no data'],
  [
    'shows it as too large',
    { dataTooLargeToDisplay: true },
    ['/1', '/1?includeData=true'],
    'too large',
  ],
  ['tells that it is large', { jsonSizeBytes: 17 * MIB }, ['/1'], 'too large'],
  [
    'tells that recovery can read it',
    { jsonSizeBytes: 15 * MIB },
    ['/1', '/1?includeData=true&ignoreDataSizeLimit=true'],
    'no data',
  ],
])('the data of an execution is asked for where n8n %s', async (_, told, paths, stored) => {
  const asked: string[] = [];
  jest.spyOn(globalThis, 'fetch').mockImplementation((input) => {
    asked.push((input as string).replace(/^.*executions/, ''));
    return Promise.resolve(new Response(JSON.stringify(told)));
  });
  expect(await new RecoveryApi(new N8nApi('http://n8n', 'a-key')).stored('1')).toBe(stored);
  expect(asked).toEqual(paths);
});

test('an n8n that does not know the parameter for large data is asked without it', async () => {
  const asked: string[] = [];
  jest.spyOn(globalThis, 'fetch').mockImplementation((input) => {
    const url = input as string;
    asked.push(url.replace(/^.*executions/, ''));
    const status = url.includes('ignoreDataSizeLimit') ? 400 : 200;
    return Promise.resolve(new Response('{"jsonSizeBytes":1000}', { status }));
  });
  await new RecoveryApi(new N8nApi('http://n8n', 'a-key')).stored('1');
  expect(asked).toEqual([
    ...['/1', '/1?includeData=true&ignoreDataSizeLimit=true', '/1?includeData=true'],
  ]);
});

test.each([
  ['ahead of', 14_000, /the clock of n8n is 1\d(\.\d+)? s ahead of the clock of this machine/],
  ['behind', -15_000, /the clock of n8n is 1\d(\.\d+)? s behind the clock of this machine/],
  ['close to', 4000, null],
])('a clock of n8n that is %s that of recovery', async (_, aheadMs, refusal) => {
  jest.spyOn(globalThis, 'fetch').mockImplementation(() => {
    const headers = { date: new Date(Date.now() + aheadMs).toUTCString() };
    return Promise.resolve(new Response(JSON.stringify({ data: [] }), { headers }));
  });
  if (refusal === null) expect(await passing()).toMatchObject({ attempts: [] });
  else await expect(passing()).rejects.toThrow(refusal);
});

test('without Redis a second pass for the same URL is refused, until the first one ends or is gone', () => {
  const cache = mkdtempSync(join(tmpdir(), 'recover-'));
  const before = process.env['N8N_TUNED_CACHE'];
  process.env['N8N_TUNED_CACHE'] = cache;
  try {
    const first = claimWithoutQueue('http://n8n:5678');
    expect(() => claimWithoutQueue('http://n8n:5678')).toThrow(
      `another recovery is already running for http://n8n:5678 (process ${String(process.pid)})`,
    );
    claimWithoutQueue('http://other:5678')?.end();
    first?.end();
    claimWithoutQueue('http://n8n:5678');
    const folder = join(cache, 'recover');
    const [left = ''] = readdirSync(folder);
    writeFileSync(join(folder, left), JSON.stringify({ pid: process.pid, startedAtMs: 1 }));
    claimWithoutQueue('http://n8n:5678')?.end();
    expect(readdirSync(folder)).toEqual([]);
  } finally {
    if (before === undefined) delete process.env['N8N_TUNED_CACHE'];
    else process.env['N8N_TUNED_CACHE'] = before;
    rmSync(cache, { recursive: true });
  }
});
