// What studies make of their runs, and what their pages say of it.
import * as figures from '../../studies/isolate-pool/figures';
import { poolTable } from '../../lab/generate/studies/database';
import { coefficientOfVariation } from '../../lab/generate/studies/balancing';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sidesOf } from '../../studies/patches/figures';
import * as summary from '../../studies/statements/summary';
import { summaryOf } from '../../studies/cpu-profile/summary';
import { ratiosByVersion, whyExpressionsGainLess } from '../../lab/generate/studies/tuning';
import * as versions from '../../studies/versions/figures';
import type { CompareRecord } from '../../cli/src/features/compare/record';

// How many sandboxes to keep ready.
const RUN = {
  profile: { warmupSeconds: 8 },
  summary: {
    offered: { requests: 100 },
    achieved: { requests: 99 },
    unanswered: { requests: 1 },
    latencyMs: { p50: 10, p95: 20, max: 30 },
    cpuMillisecondsPerRequest: 25,
    roles: [
      { role: 'generator', rssPeakMiB: 50 },
      { role: 'main', rssPeakMiB: 300 },
    ],
  },
};
const figuresOf = (rows: string[]): { coldSandboxes: number | null } =>
  figures.figuresOf(RUN, `${['tMs,role,instance,metric,value', ...rows].join('\n')}\n`);
const cold = (tMs: number, value: number, role = 'main'): string =>
  `${String(tMs)},${role},${role},coldSandboxes,${String(value)}`;

test('sandboxes are counted from the end of the warm-up', () => {
  const rows = [cold(-100, 1), cold(7000, 5), cold(9000, 6), cold(50_000, 9)];
  expect(figuresOf([...rows, cold(60_000, 99, 'worker')])).toEqual({
    ...{ requests: 100, expected: 99, unanswered: 1, p50Ms: 10, p95Ms: 20, maxMs: 30 },
    ...{ cpuMillisecondsPerRequest: 25, memoryMiB: 300, coldSandboxes: 4 },
  });
});

test('without the counter the number is not known', () => {
  expect(figuresOf(['9000,main,main,rssMiB,300'])).toMatchObject({ coldSandboxes: null });
});

// The pool of database connections: what the page says of the cells that were measured.
const cell = (poolSize: number, more: object = {}): object => ({
  ...{ poolSize, concurrency: 10, ratePerSecond: 20, isControl: false },
  ...{ requests: 1800, expected: 1800, status503: 0, errors: {}, unanswered: 0, p95Ms: 100 },
  ...more,
});
const broken = {
  ...{ expected: 445, status503: 296, unanswered: 4 },
  errors: { 'status 503': 296, 'status 500': 695, timeout: 240, unanswered: 4 },
};

test('a row adds up what the requests of a pool got, at every concurrency, and has the highest p95', () => {
  const cells = [
    cell(10, { acquireMs: { worker: { max: 5 } } }),
    cell(2, broken),
    cell(2, { concurrency: 50, p95Ms: 900 }),
  ];
  const text = poolTable([
    { path: 'a.json', roundTripMs: 10, pingTimeoutMs: 5000, cells },
  ] as unknown as Parameters<typeof poolTable>[0]);
  expect(text).toContain(
    '| expected responses | status 503 | all errors | longest mean wait for a connection | p95, at most |',
  );
  expect(text.split('\n').slice(2)).toEqual([
    '| 10 ms | 5000 | 2 | 3600 | 2245 | 296 | 1235 | 0 ms | 900 ms |',
    '| 10 ms | 5000 | 10 | 1800 | 1800 | 0 | 0 | 5 ms | 100 ms |',
  ]);
});

test('a pool with which n8n did not live is a row without requests', () => {
  const cells = [cell(2, { requests: 0, expected: 0, p95Ms: null })];
  const conditions = [{ path: 'a.json', roundTripMs: 10, pingTimeoutMs: 5000, cells }];
  expect(poolTable(conditions as unknown as Parameters<typeof poolTable>[0])).toContain(
    '| 2 | 0 | 0 | 0 | 0 | 0 ms | - |',
  );
});

// How evenly requests are spread, as the page on balancing says it.
test.each([
  ['as many for each', [25, 25, 25, 25], 0],
  ['all for one of four', [0, 100, 0, 0], Math.sqrt(3)],
  ['one of two gets a third', [100, 200], 1 / 3],
  ['a single process', [7], 0],
])('%s', (_, counts, variation) => {
  expect(coefficientOfVariation(counts)).toBeCloseTo(variation, 12);
});

test('neither the order of the processes nor how many requests there were matters', () => {
  const of = coefficientOfVariation([10, 20, 70]);
  expect(coefficientOfVariation([70, 10, 20])).toBeCloseTo(of, 12);
  expect(coefficientOfVariation([1000, 2000, 7000])).toBeCloseTo(of, 12);
});

// What each patch is worth: what is kept of the runs beside the comparison.
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sides-'));
  for (const [name, p95, waits] of [
    ['slow', 80, [3, 40, 9]],
    ['fast', 20, [1, 2, 3]],
  ] as const) {
    const run = join(folder, name);
    mkdirSync(run);
    const summary = { achieved: { ratePerSecond: 10 }, latencyMs: { p95 } };
    writeFileSync(join(run, 'run.json'), JSON.stringify({ summary, files: { samples: 's.csv' } }));
    const rows = waits.map((ms, i) => `${String(i)},worker,worker-1,dbPoolAcquireMs,${String(ms)}`);
    writeFileSync(join(run, 's.csv'), ['tMs,role,instance,metric,value', ...rows].join('\n'));
  }
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

test('latency and waits for connections are kept of every valid run', () => {
  const side = (name: string, run: string) => ({
    ...{ name, runs: [run, 'not-there'], values: [1, null] },
  });
  expect(sidesOf({ a: side('without', 'slow'), b: side('with', 'fast') }, folder)).toEqual([
    {
      name: 'without',
      runs: [{ ratePerSecond: 10, p95Ms: 80, acquireMs: { worker: { median: 9, max: 40 } } }],
    },
    {
      name: 'with',
      runs: [{ ratePerSecond: 10, p95Ms: 20, acquireMs: { worker: { median: 2, max: 3 } } }],
    },
  ]);
});

// Which statements an execution sends: what is made of those that were captured.
test.each([
  ['START  TRANSACTION', 'START TRANSACTION'],
  ['SET statement_timeout = 300000', 'SET statement_timeout = 300000'],
  ['SELECT "a"."id" FROM "public"."a" "a" LEFT JOIN "public"."b" "b" ON 1=1', 'SELECT FROM a, b'],
  [
    'SELECT DISTINCT "distinctAlias"."id" FROM (SELECT "a"."id" FROM "public"."a" "a") "distinctAlias" LIMIT 1',
    'SELECT DISTINCT id FROM a',
  ],
  ['UPDATE "public"."a" SET "x" = $1, "y" = CURRENT_TIMESTAMP WHERE "id" = $2', 'UPDATE a: x, y'],
  [
    'INSERT INTO "public"."a"("x") VALUES ($1) ON CONFLICT ("x") DO UPDATE SET "x" = EXCLUDED."x"',
    'INSERT INTO a',
  ],
  ['WITH batch AS (DELETE FROM "a" WHERE 1=1) SELECT 1', 'WITH FROM a'],
])('%s is short', (text, short) => {
  expect(summary.shortOf(text)).toBe(short);
});

const STACK = `Error: 
    at Client.query (/repo/studies/limits/capture.cjs:27:56)
    at PostgresQueryRunner.query (/lab/node_modules/@n8n/typeorm/dist/driver/a.js:184:50)
    at async ExecutionPersistence.create (/lab/node_modules/n8n/src/executions/b.ts:109:12)
    at async /lab/node_modules/.pnpm/n8n-core@2/node_modules/n8n-core/src/c.ts:7:1`;

test('the callers are those of n8n, the innermost first', () => {
  expect(summary.callersOf(STACK)).toEqual([
    'ExecutionPersistence.create (n8n/src/executions/b.ts:109)',
    'n8n-core/src/c.ts:7',
  ]);
});

test('a statement counts for a response when it was sent in its time, and for timers when it is rare', () => {
  const at = (atMs: number, text: string): summary.Captured => ({
    atMs,
    role: 'start',
    text,
    stack: STACK,
  });
  const captured = [at(5, 'COMMIT'), at(10, 'COMMIT'), at(12, 'COMMIT'), at(15, 'SELECT 1')];
  const counted = summary.statementsOf([...captured, at(20, 'COMMIT')], {
    fromMs: 10,
    toMs: 20,
    responses: 4,
  });
  expect(counted.statements).toMatchObject([
    { role: 'main', statement: 'COMMIT', sent: 2, perResponse: 0.5 },
  ]);
  expect(counted.byTimers).toBe(1);
});

// What the CPU of a request is used for: what is made of the profile of a process.
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

// Versions of n8n: what is kept of a comparison, and what the page says of it.
const side = (name: string, values: (number | null)[], more: object = {}): object => ({
  ...{ name, topology: null, values, runs: [], versions: { n8n: '2.40.7' }, ...more },
});
const patches = { main: { 'zone-once': 'known' } };
const compared = (more: object = {}): CompareRecord =>
  ({
    ...{ startedAt: '2026-11-28T10:00:00Z', totalSeconds: 150, machine: {}, versions: {} },
    ...{ ratio: { value: 3.2, low: 2.9, high: 3.5 }, doubts: ['a doubt'] },
    ...{ a: side('as it comes', [10, 11, 10, null]), b: side('d', [32, 33, 34, 35], { patches }) },
    ...more,
  }) as unknown as CompareRecord;
const ofCell = { n8n: '2.40.7', workload: 'last-node', mode: 'queue' } as const;

test('a cell keeps the ratio, the version and the patches that the running n8n told', () => {
  expect(versions.ratioOf(ofCell, compared())).toMatchObject({
    ...{ ...ofCell, clients: 16, asItComes: [10, 11, 10, null], defaults: [32, 33, 34, 35] },
    ...{ ratio: { value: 3.2, low: 2.9, high: 3.5 }, patches, doubts: ['a doubt'] },
  });
  const open = compared({ ratio: { value: 3.2, low: 0, high: Infinity } });
  expect(versions.ratioOf(ofCell, open)).toMatchObject({ ratio: { high: null } });
});

test.each<[string, object, string]>([
  [
    'another version responded',
    { b: side('d', [1, 1], { patches, versions: { n8n: '2.41.1' } }) },
    'another n8n than 2.40.7 responded: 2.41.1',
  ],
  ['no patch is seen', { b: side('d', [1, 1]) }, 'n8n showed no state of its patches'],
  ['runs were not valid', { a: side('a', [null, 1, null, null]) }, 'a doubt'],
])('nothing is kept of a cell where %s', (_, more, why) => {
  expect(versions.ratioOf(ofCell, compared(more))).toEqual({ why });
});

const ratio = (n8n: string, workload: versions.Workload, value: number, spread = 0.1) =>
  ({
    ...(versions.ratioOf({ ...ofCell }, compared()) as versions.Ratio),
    ...{ n8n, workload, ratio: { value, low: value * (1 - spread), high: value * (1 + spread) } },
  }) satisfies versions.Ratio;

test('the page of versions has each ratio with its interval and its record, and names the versions without any', () => {
  const text = ratiosByVersion([
    ratio('2.40.7', 'last-node', 3.2),
    ratio('2.41.1', 'expressions', 2),
  ]);
  expect(text).toContain(
    '| 2.40.7 | - | [3.2x (2.88 to 3.52)](studies/versions/results.jsonl.gz#2.40.7-last-node-queue) | - | - |',
  );
  expect(text).toContain('| 2.41.1 | - | - | - | [2x (1.8 to 2.2)]');
  expect(text).not.toContain('| - | - | - | - |');
  const rest = versions.VERSIONS.filter((one) => one !== '2.40.7' && one !== '2.41.1');
  const line = text.split('\n').find((one) => one.startsWith('Not measured yet: ')) ?? '';
  expect(line.match(/\d+\.\d+\.\d+/g)).toEqual(rest);
  const all = versions.VERSIONS.map((n8n) => ratio(n8n, 'last-node', 3));
  expect(ratiosByVersion(all)).not.toContain('Not measured yet');
});

test('the page of versions names those without a sandbox, since the defaults gain less with them', () => {
  const sandboxed = [ratio('2.41.1', 'last-node', 3), ratio('1.123.81', 'last-node', 2)];
  expect(ratiosByVersion(sandboxed)).not.toContain('without a sandbox');
  expect(ratiosByVersion([...sandboxed, ratio('2.33.7', 'last-node', 1.2)])).toContain(
    'In n8n 2.33.7, expressions run without a sandbox',
  );
});

test('no row of a version has a figure of another one', () => {
  const measured = versions.VERSIONS.filter((_, index) => index % 2 === 0);
  const text = ratiosByVersion(measured.map((n8n) => ratio(n8n, 'expressions', 2)));
  for (const version of versions.VERSIONS) {
    const row = text.split('\n').find((line) => line.startsWith(`| ${version} |`)) ?? '';
    const linked = [...row.matchAll(/results\.jsonl\.gz#([\d.]+)-/g)].map(([, one]) => one);
    expect(linked).toEqual(measured.includes(version) ? [version] : []);
    expect(row.match(/\dx/g) ?? []).toHaveLength(linked.length);
  }
});

test('goals count only what they are about, and say what the lowest is', () => {
  const all = [
    ratio('2.39.10', 'last-node', 2.4),
    ratio('2.40.7', 'last-node', 3.2),
    ratio('2.40.7', 'expressions', 2.4),
    ratio('2.23.4', 'expressions', 0.95),
    ratio('2.23.4', 'last-node', 0.5),
  ];
  const text = ratiosByVersion(all);
  expect(text).toContain(
    'not met: 0 of 1; the lowest is 2.4x, n8n 2.40.7, expressions, queue mode',
  );
  expect(text).toContain('`last-node` at least 3x, from 2.40 on | met: 1 of 1; the lowest is 3.2x');
  expect(text).toContain(
    'no version slower | 1 interval lies below 1, and 1 of 5 include it, so either side may be faster; the lowest is 0.5x',
  );
  expect(ratiosByVersion([ratio('2.40.7', 'last-node', 3.2)])).toContain(
    'no version slower | no interval lies below 1, and none includes it; the lowest is 3.2x',
  );
  expect(ratiosByVersion([])).toContain('| no version slower | not measured yet |');
});

test('how busy the machine was is said by the records of all cells', () => {
  const [one, other] = [ratio('2.39.10', 'last-node', 2.4), ratio('2.40.7', 'last-node', 3.2)];
  expect(ratiosByVersion([one])).not.toContain('load average');
  const text = ratiosByVersion([
    { ...one, loadAverageAtStart: 8.3 },
    { ...other, loadAverageAtStart: 1.55 },
  ]);
  expect(text).toContain(
    "At the start of a cell, the machine's load average was 1.55 to 8.3, which",
  );
});

test('why expressions gain less with both cores than in a pod is said by the records of both', () => {
  const text = whyExpressionsGainLess();
  expect(text).toMatch(/CPU time per request falls from [\d.]+ ms to [\d.]+ ms/);
  expect(text).toMatch(/main used \[1\.\d+ cores\]\(/);
});
