// Where the CPU of a request goes: what is made of the profile of a process, and what the page says takes time out of it.
import { summaryOf } from '../../studies/cpu-profile/summary.mjs';
import * as page from '../../lab/generate/results/request-costs.mjs';

const frame = (functionName: string, url = ''): { functionName: string; url: string } => ({
  ...{ functionName, url },
});
const AT = '/home/any/node_modules';

/** A second of one thread, sampled each 100 ms from 1000 ms on. */
const PROFILE = {
  startedAtMs: 900,
  argv: [`${AT}/n8n/bin/n8n`, 'worker', '--concurrency=10'],
  profile: {
    nodes: [
      { id: 1, callFrame: frame('(root)'), children: [2, 3, 7, 8] },
      { id: 2, callFrame: frame('(idle)') },
      { id: 3, callFrame: frame('send', `${AT}/pg/lib/connection.js`), children: [4] },
      { id: 4, callFrame: frame('Socket.write', 'node:net'), children: [5] },
      { id: 5, callFrame: frame('writev') },
      { id: 6, callFrame: frame('run', `file://${AT}/@n8n/typeorm/a/b.js`) },
      { id: 7, callFrame: frame('(garbage collector)') },
      { id: 8, callFrame: frame('processTicks', 'node:internal'), children: [6] },
    ],
    samples: [2, 5, 5, 6, 7, 8, 2, 3, 4, 2],
    timeDeltas: Array.from({ length: 10 }, () => 100_000),
  },
};

interface Summary {
  role: string;
  threadMs: number;
  groups: { name: string; ms: number }[];
  functions: { name: string; ms: number }[];
}
const of = (fromMs: number, toMs: number, argv = PROFILE.argv): Summary =>
  summaryOf({ ...PROFILE, argv }, { fromMs, toMs });

test('native code counts for the package that called it, and Node.js for itself only at the bottom', () => {
  const { role, threadMs, groups, functions } = of(0, 10_000);
  expect([role, threadMs]).toEqual(['worker', 1_000]);
  expect(groups).toEqual([
    { name: 'pg', ms: 400 },
    { name: 'idle', ms: 300 },
    { name: '@n8n/typeorm', ms: 100 },
    { name: 'garbage collection', ms: 100 },
    { name: 'Node.js', ms: 100 },
  ]);
  expect(functions[0]).toEqual({
    ...{ name: 'writev (native code, for send of pg/lib/connection.js)', ms: 200 },
  });
  expect(functions).toContainEqual({ name: 'run (@n8n/typeorm/a/b.js)', ms: 100 });
});

test('only the time under load counts', () => {
  const { threadMs, groups } = of(1_050, 1_250);
  expect(threadMs).toBe(200);
  expect(groups).toEqual([{ name: 'pg', ms: 200 }]);
});

test.each([
  ['main', ['n8n/bin/n8n', 'start']],
  ['webhook', ['n8n/bin/n8n', 'webhook']],
  ['runner', ['@n8n/task-runner/dist/start.js']],
])('%s is told by how it was started', (role, argv) => {
  expect(of(0, 1, argv).role).toBe(role);
});

describe('what takes time out of a request', () => {
  const BRIDGE = '@n8n/expression-runtime/dist/cjs/bridge/isolated-vm-bridge.js';
  const profile = {
    ...{ path: 'a.json', workload: 'expressions', clients: 8, responses: 10, seconds: 5 },
    versions: { n8n: '2.41.1' },
    processes: [
      {
        ...{ role: 'worker', threadMs: 1_000, groups: [{ name: 'idle', ms: 400 }] },
        functions: [
          { name: `evalClosureSync (native code, for execute of ${BRIDGE})`, ms: 60 },
          { name: `Isolate (native code, for IsolatedVmBridge of ${BRIDGE})`, ms: 100 },
          { name: `dispose (native code, for dispose of ${BRIDGE})`, ms: 20 },
          { name: 'writev (native code, for submit of pg/lib/query.js)', ms: 40 },
          { name: 'parse (flatted/cjs/index.js)', ms: 50 },
          { name: 'query (pg/lib/client.js)', ms: 1 },
        ],
      },
      {
        ...{ role: 'webhook', threadMs: 1_000, groups: [{ name: 'idle', ms: 600 }] },
        functions: [{ name: 'writev (native code, for submit of pg/lib/query.js)', ms: 40 }],
      },
    ],
  };

  test('is the CPU of each process for a response, and their sum', () => {
    const text = page.requestCostsText({ profiles: [profile], changes: [] });
    expect(text).toContain('| expressions | 40 ms | 60 ms | 0 ms | 100 ms | 2/s |');
  });

  test('what is left is named by what it does, of all processes, the largest first', () => {
    const left = page.leftOf([profile]);
    expect(left.map(({ what, shares }) => [what, shares[0]?.share, shares[0]?.ms])).toEqual([
      ['Making and disposing of isolates', 0.12, 12],
      [expect.stringContaining('Sending statements to PostgreSQL'), 0.08, 8],
      [expect.stringContaining('`evalClosureSync`'), 0.06, 6],
      ['parse (flatted/cjs/index.js)', 0.05, 5],
    ]);
    expect(left.at(-1)?.why).toBe('not looked into');
  });

  test('a comparison is named by what the second topology has and the first has not', () => {
    const topology = (more: object): object => ({
      ...{ tuning: 'default', env: {}, webhooks: { count: 0 } },
      ...{ workers: { count: 1, concurrency: 10 }, ...more },
    });
    const change = (a: object, b: object): string => page.changeOf(topology(a), topology(b));
    const without = (patches: string): object => ({ env: { N8N_TUNED_WITHOUT: patches } });
    expect(change(without('zone-once'), {})).toBe('the patch `zone-once`');
    expect(change(without('a,b,c'), without('c'))).toBe('the patches `a`, `b`');
    expect(change({ tuning: 'none' }, {})).toBe('profile default instead of n8n as it comes');
    expect(change({}, { workers: { count: 2, concurrency: 10 }, env: { A: '1' } })).toBe(
      '2 workers with 10 slots each, `A=1`',
    );
    expect(change({}, {})).toBe('nothing');
  });
});
