// Where the CPU of a request goes: what is made of the profile of a process.
import { summaryOf } from '../../studies/cpu-profile/summary';

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
