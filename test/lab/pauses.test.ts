// A test waits for a condition. Where none can be waited for, it pauses, for one of these reasons. It also leaves no folder.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '../..');

/** Between two looks at something that no event tells of. */
const PACE = [
  'it is not up yet',
  'it was stopped, or there was none left',
  'no connection is free',
  'others connect meanwhile',
  'the file is not there yet',
  'the pace at which it asks',
  'the pace at which it looks',
  'the pace of the requests',
];

/** The test shows that something does not happen. */
const NOTHING = [
  'it looks more than once in this time, and may say nothing',
  'it looks so often, and may tell nothing',
  'it may look no more',
  'it renews the lease meanwhile',
  'more than twice as long as the guard waits',
  'n8n has looked in vain by then',
  'none may come in this time',
  'none may come later than that',
  'nothing may be called after the end',
  'nothing may close the connection in this time',
  'nothing may come in this time',
  'nothing may happen in this time',
  'the time of several looks',
  'two ticks would run side by side by then',
];

/** How long something takes is what the test is about. */
const TIME = [
  'a load of some seconds is what the worker loses',
  'a part takes a while',
  'a tick takes longer than the time between two',
  'each job takes so long',
  'half of the time that each of them takes',
  'Redis stays away for longer than one look',
  'some are asked for later than others',
  'some milliseconds later by any clock',
  'the fault takes longer than it was to last',
  'the length of a round',
  'the load is under way',
  'the measured part has begun',
  'the moment of the signal is the subject',
  'the time over which the cost is measured',
  'time passes between two collections',
];

/** What is waited for gives no sign. */
const NO_SIGN = [
  'animations of the editor come to rest',
  'Bull gives Redis half a second to close the connection',
  'by the eighth execution the event loop has been measured',
  'more than ten slots are asked for by then: some requests wait',
  'n8n has its own connections by then',
  'n8n tells no end of what it writes',
  'Prometheus scrapes each second: it has to see the traffic',
  'the first requests are answered by then',
  'the first ticks compile what the later ones run',
  'the worker has asked Redis, which does not answer',
  'what helm had ordered by then may still come',
];

/** They run in a program of their own, beside n8n or in its container, where `pause` is not. */
const OWN_PROGRAMS = [
  'test/chart/patches/finish-jobs.long.test.ts',
  'test/chart/patches/worker-guard.long.test.ts',
  'test/chart/support/sandbox-host.cjs',
  'test/cli/samplers/host.tools.test.ts',
  'test/cluster-long/chart-recovery.test.ts',
  'test/support/heap.ts',
  'test/support/mcp-sessions.mjs',
];

const files = execFileSync('git', ['ls-files', 'test'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((file) => /\.(ts|mjs|cjs)$/.test(file) && file !== 'test/support/wait.ts');
const textOf = (file: string): string => readFileSync(join(root, file), 'utf8');

test('every pause in a test has a reason that is known, and every reason is used', () => {
  const reasons = files.flatMap((file) =>
    [...textOf(file).matchAll(/\bpause\((?=\S)(?:[^,'`]|\([^)]*\))+,\s*'([^']+)',?\s*\)/g)].map(
      ([, reason = '']) => reason,
    ),
  );
  expect([...new Set(reasons)].sort()).toEqual([...PACE, ...NOTHING, ...TIME, ...NO_SIGN].sort());
});

test('nothing else in a test sleeps for a fixed time', () => {
  const sleeps =
    /waitForTimeout\(|=> (?:void )?setTimeout\((?:\w+), |setTimeout:\s+sleep|setTimeout\s+as\s/;
  expect(files.filter((file) => sleeps.test(textOf(file)))).toEqual(OWN_PROGRAMS);
});

test('a file of tests that makes a temporary folder also removes one', () => {
  const making = files.filter((file) => textOf(file).includes('mkdtempSync(join(tmpdir()'));
  expect(making.length).toBeGreaterThan(100);
  expect(making.filter((file) => !textOf(file).includes('rmSync('))).toEqual([]);
});
