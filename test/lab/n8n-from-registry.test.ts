import { existsSync, readFileSync } from 'node:fs';
import { missingAmong, missingIn, nearest } from '../../lab/n8n/from-registry.mjs';
import { BASE_PROGRAMS, FakeLab } from './fake-lab';
import { compareVersions } from '../../cli/src/ui/versions';
import { rangeOf, rangeWith, sortedVersions } from '../../lab/n8n/ranges';
import { pinned, readVersions } from '../../cli/src/lab/paths';

const OURS = pinned(readVersions(), 'N8N_VERSION');

test.each([
  [
    'npm error notarget No matching version found for linkedom@^0.18.13.',
    { name: 'linkedom', wanted: '^0.18.13' },
  ],
  [
    'npm error notarget No matching version found for @n8n/config@2.38.0.',
    { name: '@n8n/config', wanted: '2.38.0' },
  ],
  [
    "npm error 404  '@n8n/gone@1.2.0' is not in this registry.",
    { name: '@n8n/gone', wanted: '1.2.0' },
  ],
  [
    'npm error network request to https://cdn.example.com/xlsx-0.20.2/xlsx-0.20.2.tgz failed, reason: getaddrinfo ENOTFOUND cdn.example.com',
    { name: 'xlsx', wanted: '0.20.2' },
  ],
  [
    'npm error 404 Not Found - GET https://registry.example.com/@msgpackr-extract%2fwin/-/win-3.0.5.tgz - Not found',
    { name: '@msgpackr-extract/win', wanted: '3.0.5' },
  ],
  [
    'npm error 404 Not Found - GET https://registry.example.com/npm/mailparser/-/mailparser-3.9.0.tgz - Not found',
    { name: 'mailparser', wanted: '3.9.0' },
  ],
  ['npm error code ENOSPC', null],
])('what npm could not get is read from its words: %s', (said, missing) => {
  expect(missingIn(said)).toEqual(missing);
});

test('the nearest version is the newest one before it, or else the oldest one after it', () => {
  const there = ['1.0.0', '1.2.0', '1.10.0', '1.11.0-beta.1', '2.0.0'];
  expect(nearest('^1.10.1', there)).toBe('1.10.0');
  expect(nearest('1.10.0', there)).toBe('1.2.0');
  expect(nearest('0.9.0', there)).toBe('1.0.0');
  expect(nearest('latest', there)).toBe('2.0.0');
  expect(nearest('1.0.0', ['1.0.0'])).toBeNull();
});

test('what the packages of n8n ask of each other and the registry lacks is known before npm is asked for all of it', async () => {
  const registry: Record<string, Record<string, Record<string, string>>> = {
    n8n: { '2.0.0': { 'n8n-core': '2.0.0', '@n8n/di': '0.2.0', express: '5.0.0' } },
    'n8n-core': { '1.9.0': { '@n8n/di': '0.1.0' }, '1.8.0': { '@n8n/gone': '1.0.0' } },
    '@n8n/di': { '0.1.0': {}, '0.2.0': { '@n8n/gone': '1.0.0' } },
  };
  const asked: string[] = [];
  const overrides = await missingAmong(
    '2.0.0',
    (name: string, wanted: string) => {
      asked.push(`${name}@${wanted}`);
      return Promise.resolve(registry[name]?.[wanted] ?? null);
    },
    (name: string) => Object.keys(registry[name] ?? {}),
  );
  expect(overrides).toEqual({ 'n8n-core': '1.9.0' });
  expect(asked.toSorted()).toEqual([
    ...['@n8n/di@0.1.0', '@n8n/di@0.2.0', '@n8n/gone@1.0.0'],
    ...['n8n-core@1.9.0', 'n8n-core@2.0.0', 'n8n@2.0.0'],
  ]);
});

describe('another release of n8n', () => {
  let lab: FakeLab;
  beforeEach(() => {
    lab = new FakeLab();
    lab.write('n8n/from-registry.mjs', readFileSync('lab/n8n/from-registry.mjs', 'utf8'));
    lab.tool('n8n', `kind=n8n version=${OURS} node=fake`);
    lab.tool('build-tools', 'kind=group requires=');
  });
  afterEach(() => {
    lab.end();
  });

  // npm has one package less than n8n asks for, until that is overridden.
  const NPM = `
case "$*" in
  --version) ;;
  'view @n8n/gone versions --json') echo '["1.0.0", "1.1.0", "3.0.0"]' ;;
  install*)
    if grep -q '"@n8n/gone": "1.1.0"' package.json; then
      mkdir -p node_modules/n8n/bin node_modules/sqlite3/build/Release
      : >node_modules/n8n/bin/n8n
      echo '{"name":"sqlite3","version":"5.1.7"}' >node_modules/sqlite3/package.json
    else
      echo 'npm error notarget No matching version found for @n8n/gone@2.0.0.' >&2
      exit 1
    fi ;;
  rebuild*)
    while [ "$1" != --prefix ]; do shift; done
    echo once >>"$N8N_TUNED_CACHE/compiled"
    : >"$2/node_modules/sqlite3/build/Release/node_sqlite3.node" ;;
esac`;

  test('is installed beside the pinned one, with the nearest version of what the registry does not have', () => {
    const PATH = lab.programs({ npm: NPM }, [...BASE_PROGRAMS, 'node']);
    lab.write('recipe', 'exit 0');
    const { code, said } = lab.install(['n8n@2.39.10'], { PATH });
    expect(said).toContain('n8n 2.39.10: ready after');
    expect(code).toBe(0);
    const kept = JSON.parse(readFileSync(lab.in('n8n/2.39.10/package.json'), 'utf8')) as object;
    expect(kept).toMatchObject({
      dependencies: { n8n: '2.39.10' },
      overrides: { '@n8n/gone': '1.1.0' },
    });
    expect(lab.install(['n8n@2.39.10'], { PATH })).toEqual({ code: 0, said: '' });
  });

  test('takes over the sqlite3 that was compiled for one beside it', () => {
    const PATH = lab.programs({ npm: NPM }, [...BASE_PROGRAMS, 'node', 'cmp']);
    lab.write('recipe', 'exit 0');
    for (const name of ['n8n@2.39.10', 'n8n@2.38.7']) {
      expect(lab.install([name], { PATH })).toMatchObject({ code: 0 });
    }
    expect(
      existsSync(lab.in('n8n/2.38.7/node_modules/sqlite3/build/Release/node_sqlite3.node')),
    ).toBe(true);
    expect(readFileSync(lab.in('compiled'), 'utf8')).toBe('once\n');
  });

  test('that cannot be had leaves nothing in place, and the exit code says so', () => {
    const PATH = lab.programs({ npm: 'echo npm error code E500 >&2; exit 1' }, [
      ...BASE_PROGRAMS,
      'node',
    ]);
    expect(lab.install(['n8n@2.39.10'], { PATH })).toMatchObject({ code: 1 });
    expect(existsSync(lab.in('n8n/2.39.10'))).toBe(false);
  });

  test.each([`n8n@${OURS}`, 'k6@1.0.0', 'n8n@latest'])('is none by the name %s', (name) => {
    expect(lab.install([name]).code).toBe(2);
  });
});

test('versions are compared by number, and a candidate counts as its release', () => {
  expect(compareVersions('1.10.0', '1.9.9')).toBeGreaterThan(0);
  expect(compareVersions('1.26', '1.26.0')).toBe(0);
  expect(compareVersions('0.9.9', '1.0.0')).toBeLessThan(0);
  expect(compareVersions('2.0.0-rc.1', '2.0.0')).toBe(0);
});

test('releases are put in order, and candidates are left out', () => {
  expect(sortedVersions(['2.10.0', '2.9.1', '2.11.0-rc.1', '1.123.81'])).toEqual([
    ...['1.123.81', '2.9.1', '2.10.0'],
  ]);
});

test('a range begins with the first release that has it and ends with the first that has it no more', () => {
  const read = (text: string): { version: string; has: boolean }[] =>
    text.split(' ').map((word) => ({ version: word.slice(1), has: word.startsWith('+') }));
  expect(rangeOf(read('-1.0.0 +1.123.66 +1.123.81 -2.0.0 +2.16.0 +2.41.1'))).toBe(
    '>=1.123.66-0 <2.0.0-0 || >=2.16.0-0',
  );
  expect(rangeOf(read('+1.0.0 -2.0.0'))).toBe('>=1.0.0-0 <2.0.0-0');
  expect(rangeOf(read('-1.0.0 -2.0.0'))).toBeNull();
});

test.each<[string | undefined, boolean, string | null]>([
  ['>=2.30.0-0', true, '>=2.30.0-0'],
  ['>=2.30.0-0', false, '>=2.30.0-0 <2.42.0-0'],
  ['>=1.1.0-0 <2.0.0-0', false, '>=1.1.0-0 <2.0.0-0'],
  ['>=1.1.0-0 <2.0.0-0', true, '>=1.1.0-0 <2.0.0-0 || >=2.42.0-0'],
  ['>=1.1.0-0 <2.0.0-0 || >=2.16.0-0', false, '>=1.1.0-0 <2.0.0-0 || >=2.16.0-0 <2.42.0-0'],
  [undefined, true, '>=2.42.0-0'],
  [undefined, false, null],
])('a newer release changes the range %s: it has the variable: %s', (range, has, after) => {
  expect(rangeWith(range, '2.42.0', has)).toBe(after);
});
