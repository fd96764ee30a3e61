import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { proofIn } from '../../../../cli/src/features/n8n/admit';
import {
  functionsLoaded,
  isAdmitted,
  rowOf,
  rowWithRanges,
  type Kit,
  type PatchProof,
  type Read,
} from '../../../../cli/src/features/n8n/analysis/row';
import {
  forAPerson,
  hashesAdded,
  isWhole,
  knownSchema,
  knownWith,
  rowAfter,
  rowsWith,
  type VersionRow,
} from '../../../../cli/src/features/n8n/analysis/row';
import { writtenWhile } from '../../../../cli/src/features/n8n/full';
import { fetchPackages } from '../../../../cli/src/features/n8n/packages';
import { admitLines, triedLines } from '../../../../cli/src/features/n8n/report/terminal';
import { table } from '../../../../cli/src/plan/environment';

const PRELOAD = 'charts/n8n-tuned/files/preload';
const known = (
  JSON.parse(readFileSync(`${PRELOAD}/known.json`, 'utf8')) as {
    functions: Record<string, Record<string, unknown>>;
  }
).functions;

const kit: Kit = {
  patches: [
    { name: 'lazy-character-map', range: '>=2.35.0-0', code: 'sandbox' },
    { name: 'read-once', range: '>=1.29.1-0', code: ['EntityManager.findOne'] },
    { name: 'keep-alive', range: null, code: [] },
  ],
  known: { 'EntityManager.findOne': { aaaa: {} } },
  variables: { DB_PING_TIMEOUT_MS: '>=2.27.3-0', N8N_WEBHOOK_URL: '>=2.30.0-0' },
};
const read: Read = {
  version: '2.39.10',
  functions: { 'EntityManager.findOne': 'aaaa' },
  bundle: { hash: 'b1', isKnown: false, verdict: { 'lazy-character-map': null } },
  variables: new Set(['DB_PING_TIMEOUT_MS', 'N8N_WEBHOOK_URL']),
  missing: {},
};

test('a release in which all code is known or proven is admitted', () => {
  const row = rowOf(read, kit);
  expect(admitLines(row, [])).toEqual([
    'n8n 2.39.10',
    'lazy-character-map  proven',
    'read-once           known',
    'keep-alive          known',
    'variables           as listed',
  ]);
  expect(isAdmitted(row)).toBe(true);
});

test.each<[string, Partial<Read>, string]>([
  [
    'another function',
    { functions: { 'EntityManager.findOne': 'bbbb' } },
    'read-once           unknown     EntityManager.findOne differs from the known code (bbbb)',
  ],
  [
    'a function that is gone',
    { functions: {} },
    'read-once           unknown     EntityManager.findOne is missing',
  ],
  [
    'a bundle whose test failed',
    {
      bundle: {
        hash: 'b1',
        isKnown: false,
        verdict: { 'lazy-character-map': ['unknown', 'no gain'] },
      },
    },
    'lazy-character-map  unknown     no gain',
  ],
  [
    'a bundle that could not be tried',
    { bundle: { hash: 'b1', isKnown: false, verdict: null, why: 'the test did not end: why' } },
    'lazy-character-map  not tried   the test did not end: why',
  ],
  [
    'a variable that is gone',
    { variables: new Set(['DB_PING_TIMEOUT_MS']) },
    'variables           different   N8N_WEBHOOK_URL: listed, but missing',
  ],
])('a release with %s is not admitted, and the row says why', (_, changed, line) => {
  const row = rowOf({ ...read, ...changed }, kit);
  expect(admitLines(row, [])).toContain(line);
  expect(isAdmitted(row)).toBe(false);
});

test('the test of a bundle that gives no answer says why', () => {
  const answer = { 'zone-once': null };
  const killed = { message: 'Command failed', stdout: JSON.stringify(answer), stderr: '' };
  expect(proofIn(killed)).toEqual({ verdict: answer });
  const failed = { message: 'Command failed', stdout: '', stderr: 'a\nError: not found\n' };
  expect(proofIn(failed)).toEqual({
    ...{ verdict: null, why: 'the test did not end: Error: not found' },
  });
  expect(proofIn(new Error('spawn node24 ENOENT')).why).toBe(
    'the test did not end: spawn node24 ENOENT',
  );
});

test('functions of patches that the chart does not load for a release are not compared', () => {
  expect([...functionsLoaded('2.39.10', kit)]).toEqual(['EntityManager.findOne']);
  expect([...functionsLoaded('1.20.0', kit)]).toEqual([]);
});

test('what an old release does not need, or does not get, is no reason against it', () => {
  const old = { ...read, version: '1.20.0', bundle: null, functions: {}, variables: null };
  const row = rowOf(old, {
    ...kit,
    patches: [...kit.patches, { name: 'zone-once', range: null, code: 'sandbox' }],
  });
  expect(admitLines(row, [])).toEqual([
    'n8n 1.20.0',
    'lazy-character-map  not loaded  for n8n >=2.35.0',
    'read-once           not loaded  for n8n >=1.29.1',
    'keep-alive          known',
    'zone-once           not needed  expressions have no sandbox',
    'variables           not read',
  ]);
  expect(isAdmitted(row)).toBe(true);
});

test.each<[string, Partial<Read>, string]>([
  [
    'the sandbox of expressions',
    { bundle: null, missing: { '@n8n/expression-runtime': '0.31.0' } },
    'lazy-character-map  not tried   the registry has no @n8n/expression-runtime 0.31.0',
  ],
  [
    'a function',
    { functions: {}, missing: { '@n8n/typeorm': '0.11.0' } },
    'read-once           not tried   EntityManager.findOne was not read: the registry has no @n8n/typeorm 0.11.0',
  ],
  [
    'its variables',
    { variables: null, missing: { '@n8n/config': '2.38.0' } },
    'variables           not read    the registry has no @n8n/config 2.38.0',
  ],
])('a release is not admitted where the package with %s could not be had', (_, changed, line) => {
  const row = rowOf({ ...read, ...changed }, kit);
  expect(admitLines(row, [])).toContain(line);
  expect(isAdmitted(row)).toBe(false);
});

describe('fetching the packages of a release', () => {
  let folder: string;
  const path = process.env['PATH'];
  // An npm that has n8n 2.40.0 alone, and says of each other package what npm says.
  const stub = (...said: string[]) => {
    const text = [
      '#!/bin/sh',
      'cd "$5" || exit 2',
      'case $2 in n8n@2.40.0)',
      '  mkdir package',
      '  echo \'{"dependencies":{"bull":"4.16.4","lodash":"4.0.0"}}\' >package/package.json',
      '  tar czf n8n.tgz package; echo n8n.tgz; exit;;',
      'esac',
      ...said.map((line) => `echo "npm error ${line}" >&2`),
      'exit 1',
    ];
    writeFileSync(join(folder, 'npm'), text.join('\n'), { mode: 0o755 });
    return fetchPackages('2.40.0', folder, () => undefined, new AbortController().signal);
  };
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'n8n-admit-'));
    process.env['PATH'] = `${folder}:${path ?? ''}`;
  });
  afterEach(() => {
    process.env['PATH'] = path;
    rmSync(folder, { recursive: true });
  });

  test('says which of them the registry does not have', async () => {
    const packages = await stub('code ETARGET', 'notarget No matching version found.');
    expect(packages).toEqual({
      folders: { n8n: join(folder, 'n8n') },
      missing: { bull: '4.16.4' },
    });
  });

  test('fails where the registry cannot be reached, and takes nothing for missing', async () => {
    const said = ['code ECONNREFUSED', 'syscall connect', 'errno ECONNREFUSED', 'FetchError: no'];
    await expect(stub(...said)).rejects.toThrow('npm cannot fetch bull 4.16.4: FetchError: no');
  });
});

test('the functions of each patch are those that known.json has, and that its script looks at', () => {
  const { patches } = table();
  const functionsOf = ({ code = [] }: (typeof patches)[number]) => (code === 'sandbox' ? [] : code);
  expect([...new Set(patches.flatMap(functionsOf))].sort()).toEqual(Object.keys(known).sort());
  const askers = patches.filter(({ name }) =>
    /\bknows\(/.test(readFileSync(`${PRELOAD}/${name}`, 'utf8')),
  );
  expect(askers).toEqual(patches.filter((patch) => functionsOf(patch).length > 0));
});

test('what admit --full runs has a test of each patch that asks known.json for functions', () => {
  const folder = join('test', 'chart', 'patches');
  const texts = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8'));
  const asks = table().patches.filter(({ code = [] }) => code !== 'sandbox' && code.length > 0);
  const untested = asks.filter(
    ({ name }) =>
      !texts.some(
        (text) => text.includes(name) || text.includes(`= script('${name.replace('.cjs', '')}')`),
      ),
  );
  expect(untested.map(({ name }) => name)).toEqual([]);
});

test('a release with other variables than those before it is whole once their ranges end or begin there', () => {
  const newest = { ...read, version: '2.43.0', variables: new Set(['N8N_WEBHOOK_URL']) };
  const row = rowOf(newest, kit);
  expect(row.variables).toEqual(['DB_PING_TIMEOUT_MS: listed, but missing']);
  const ranges = {
    ...kit.variables,
    ...{ DB_PING_TIMEOUT_MS: '>=2.27.3-0 <2.43.0-0', N8N_OTHER: '>=2.43.0-0' },
  };
  const after = rowWithRanges(row, newest, kit, ranges);
  expect(after).toEqual({ ...row, variables: [] });
  expect([isAdmitted(row), isAdmitted(after)]).toEqual([false, true]);
  // One that is older than what was read adds nothing.
  expect(rowWithRanges(row, newest, kit, kit.variables)).toEqual(row);
});

const before = knownSchema.parse({
  bundles: { b0: { n8n: '2.40.1 to 2.41.3', how: 'tests', on: '2026-11-27' } },
  functions: {
    'EntityManager.findOne': { aaaa: { n8n: '1.29.1 to 2.41.3', how: 'tests', on: '2026-11-27' } },
    'JobProcessor.processJob': { cccc: { n8n: '2.40.0', how: 'tests', on: '2026-11-27' } },
  },
});
const both: Kit = {
  ...kit,
  patches: [
    ...kit.patches,
    { name: 'keep-stalled', range: null, code: ['JobProcessor.processJob'] },
  ],
};
const known42 = (more: Partial<Read>) =>
  knownWith(before, { ...read, version: '2.42.0', ...more }, both, '2026-11-28');

test('what a release shares with others gets its version, and a release between them changes nothing', () => {
  const functions = { 'EntityManager.findOne': 'aaaa', 'JobProcessor.processJob': 'cccc' };
  const bundle = { hash: 'b0', isKnown: true, verdict: null };
  const { bundles, functions: after } = known42({ functions, bundle });
  expect(bundles['b0']?.n8n).toBe('2.40.1 to 2.41.3, 2.42.0');
  expect(after['EntityManager.findOne']?.['aaaa']?.n8n).toBe('1.29.1 to 2.41.3, 2.42.0');
  expect(after['JobProcessor.processJob']?.['cccc']?.n8n).toBe('2.40.0, 2.42.0');
  const again = { ...read, version: '2.40.3', functions, bundle };
  expect(knownWith(before, again, both, '2026-11-28').bundles).toEqual(before.bundles);
});

test('a changed function is added where tests show the same rows, and never where it stores or queues', () => {
  const functions = { 'EntityManager.findOne': 'bbbb', 'JobProcessor.processJob': 'dddd' };
  const { functions: after } = known42({ functions });
  expect(after['EntityManager.findOne']?.['bbbb']).toEqual({
    ...{ n8n: '2.42.0', how: 'tests', on: '2026-11-28' },
  });
  expect(after['JobProcessor.processJob']).toEqual(before.functions['JobProcessor.processJob']);
  const row = rowOf({ ...read, version: '2.42.0', functions }, both);
  expect(forAPerson(row).map(({ patch }) => patch)).toEqual(['keep-stalled']);
});

test('another bundle is added where each patch has proven itself in it', () => {
  expect(known42({}).bundles['b1']).toMatchObject({ n8n: '2.42.0', how: 'self-test and tests' });
  const verdict: PatchProof = { 'zone-once': ['unknown', 'no gain'] };
  const bundle = { hash: 'b1', isKnown: false, verdict };
  expect(known42({ bundle }).bundles).toEqual(before.bundles);
  expect(known42({ bundle: null }).bundles).toEqual(before.bundles);
});

test('what was added is known from then on, in the row too, and the file keeps its order', () => {
  const functions = { 'EntityManager.findOne': 'bbbb', 'JobProcessor.processJob': 'dddd' };
  const after = known42({ functions });
  const states = rowAfter({ ...read, version: '2.42.0', functions }, both, after).patches;
  expect(states.map(({ patch, state }) => [patch, state])).toEqual([
    ['lazy-character-map', 'known'],
    ['read-once', 'known'],
    ['keep-alive', 'known'],
    ['keep-stalled', 'unknown'],
  ]);
  expect(Object.keys(after)).toEqual(['bundles', 'functions']);
});

test('the tests of a release run with the code that it would add as admitted, and no other', () => {
  const functions = { 'EntityManager.findOne': 'bbbb', 'JobProcessor.processJob': 'dddd' };
  expect(hashesAdded(before, known42({ functions }))).toEqual(['b1', 'bbbb']);
  expect(hashesAdded(before, before)).toEqual([]);
});

const triedHow: NonNullable<VersionRow['tried']> = {
  ...{ node: '>=22', tests: { passed: 9, failed: 0, failing: [] }, inForce: {} },
  workloads: { responded: 3, failed: [] },
};
const tried: VersionRow = {
  ...{ n8n: '2.42.0', on: '2026-11-28', patches: [], variables: [], tried: triedHow },
};

test('the newest release comes first, and what was read later keeps what was tried', () => {
  const old: VersionRow = { ...tried, n8n: '2.9.0', tried: null };
  const rows = rowsWith([old, tried], { ...tried, tried: null, on: '2026-11-29' });
  expect(rows.map(({ n8n, on }) => [n8n, on])).toEqual([
    ['2.42.0', '2026-11-29'],
    ['2.9.0', '2026-11-28'],
  ]);
  expect(rows[0]?.tried).toEqual(tried.tried);
});

test('the time that a row took stays with how it was made', () => {
  const read = { ...tried, tried: null, tookSeconds: 9 };
  const whole = { ...tried, tookSeconds: 300 };
  expect(rowsWith([whole], read)).toEqual([whole]);
  expect(rowsWith([tried], read)).toEqual([tried]);
  expect(rowsWith([read], whole)).toEqual([whole]);
  expect(rowsWith([{ ...read, tookSeconds: 99 }], read)).toEqual([read]);
});

test.each<[string, VersionRow['tried'], boolean]>([
  ['all is well', tried.tried, true],
  ['a test failed', { ...triedHow, tests: { passed: 8, failed: 1, failing: ['a'] } }, false],
  ['no test ran', { ...triedHow, tests: { passed: 0, failed: 0, failing: [] } }, false],
  ['a workload failed', { ...triedHow, workloads: { responded: 2, failed: ['a'] } }, false],
  ['it did not run', null, false],
])('a release is whole: %s', (_, how, is) => {
  expect(isWhole(rowOf(read, kit), { ...tried, tried: how })).toBe(is);
});

test('each test that failed is named', () => {
  const tests = { passed: 8, failed: 1, failing: ['a bundle is changed'] };
  expect(triedLines({ ...tried, tried: { ...triedHow, tests } })).toEqual([
    'tests       8 tests of the patches passed, 1 failed',
    '            a bundle is changed',
    'workloads   3 of 3 responded',
  ]);
});

describe('what is written for the time of a start', () => {
  let file: string;
  beforeEach(() => {
    file = join(mkdtempSync(join(tmpdir(), 'n8n-admit-')), 'known.json');
    writeFileSync(file, 'before');
  });
  afterEach(() => {
    rmSync(dirname(file), { recursive: true });
  });
  const now = () => readFileSync(file, 'utf8');

  test.each([
    ['stays where it is to be kept', true, 'written'],
    ['is taken back where it is not', false, 'before'],
  ])('%s', async (_, isKept, left) => {
    const during = await writtenWhile(
      file,
      'written',
      () => Promise.resolve(now()),
      () => isKept,
    );
    expect([during, now()]).toEqual(['written', left]);
  });

  test('is taken back where n8n does not start', async () => {
    const failing = writtenWhile(
      file,
      'written',
      () => Promise.reject(new Error('no start')),
      () => true,
    );
    await expect(failing).rejects.toThrow('no start');
    expect(now()).toBe('before');
  });
});
