import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  missingAmong,
  missingIn,
  nearest,
  olderOf,
  refitted,
  unmetPeer,
} from '../../lab/n8n/from-registry.mjs';
import { isWhole, type ReleaseRow, type VersionRow } from '../../cli/src/features/n8n/analysis/row';
import { admitLines, triedLines } from '../../cli/src/features/n8n/report/terminal';
import { BASE_PROGRAMS, FakeLab } from './fake-lab';
import { compareVersions } from '../../cli/src/ui/versions';
import { rangeOf, rangeWith, sortedVersions } from '../../lab/n8n/ranges';
import { pinned, readVersions } from '../../cli/src/lab/paths';

const OURS = pinned(readVersions(), 'N8N_VERSION');

test.each([
  ['n8n 2.34.6 in /cache does not load\n', 'do not fit together, so that n8n does not load'],
  ['npm error code EINTEGRITY\n', 'npm could not install it'],
])('a release that is not there in the end is told why: %j', (log, said) => {
  const folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-test-'));
  writeFileSync(join(folder, 'log'), log);
  const script = 'LAB=lab version=2.34.6; . lab/kinds/n8n-release.sh; kind_explain "$1"';
  const printed = execFileSync('bash', ['-c', script, 'bash', join(folder, 'log')], {
    encoding: 'utf8',
  });
  rmSync(folder, { recursive: true });
  expect(printed).toContain(said);
});

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

test('a package is known that needs another version of a package than it gets', () => {
  const locked = {
    '': { dependencies: { n8n: '2.23.4' } },
    'node_modules/n8n': { version: '2.23.4', dependencies: { old: '1.0.0', fits: '^1.0.0' } },
    'node_modules/core': { version: '1.1.41' },
    'node_modules/old': { version: '1.0.0', peerDependencies: { core: '1.1.0' } },
    'node_modules/fits': { version: '1.0.0', peerDependencies: { core: '^1.0.0' } },
    'node_modules/chain': { version: '1.3.0', dependencies: { graph: '^1.1.0', may: '^1.1.0' } },
    'node_modules/chain/node_modules/graph': {
      ...{ version: '1.7.3', peerDependencies: { core: '^1.3.4' } },
    },
    'node_modules/chain/node_modules/may': {
      ...{ version: '1.1.0', peerDependencies: { core: '^9.0.0' } },
      peerDependenciesMeta: { core: { optional: true } },
    },
  };
  const satisfies = (_version: string, _name: string, range: string): boolean =>
    ['^1.0.0', '^1.1.0', '1.0.0'].includes(range);
  const unmet = (place: string): unknown => unmetPeer(locked, place, satisfies);
  expect(unmet('node_modules/chain/node_modules/graph')).toEqual({
    ...{ name: 'graph', version: '1.7.3', parent: 'chain', asked: '^1.1.0' },
    ...{ peer: 'core', range: '^1.3.4', has: '1.1.41' },
  });
  expect(unmet('node_modules/old')).toMatchObject({
    asked: '1.0.0',
    range: '1.1.0',
    has: '1.1.41',
  });
  for (const place of ['node_modules/fits', 'node_modules/chain', '']) {
    expect(unmet(place)).toBeNull();
  }
  expect(unmet('node_modules/chain/node_modules/may')).toBeNull();
  expect(olderOf('1.2.2', ['0.9.0', '1.0.0', '1.10.0', '1.1.6', '1.2.0-rc.1', '1.2.2'])).toEqual([
    ...['1.1.6', '1.0.0', '0.9.0'],
  ]);
});

test('a package that does not load is replaced below its parent by an older one that fits, or gets what it needs where n8n asks for its very version', () => {
  const folder = mkdtempSync(join(tmpdir(), 'n8n-refitted-'));
  const { PATH: path, N8N_NODE: node } = process.env;
  try {
    const graph = 'node_modules/chain/node_modules/@chain/graph';
    const packages = {
      '': { dependencies: { n8n: '2.23.4' } },
      'node_modules/core': { version: '1.1.41' },
      'node_modules/chain': { version: '1.0.1', dependencies: { '@chain/graph': '^1.1.0' } },
      [graph]: { version: '1.3.0', peerDependencies: { core: '^1.3.4' } },
      'node_modules/n8n': { dependencies: { tracing: '10.0.0' } },
      'node_modules/tracing': { version: '10.0.0', peerDependencies: { core: '^2.1.0' } },
    };
    writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ packages }));
    writeFileSync(join(folder, 'package.json'), '{}');
    const programs = {
      npm: `case "$*" in
        'view @chain/graph versions --json' | 'view @chain/graph@^1.1.0 version --json')
          echo '["1.2.9", "1.3.0"]';;
        'view @chain/graph@1.2.9 peerDependencies --json') echo '{"core": "^1.1.0"}';;
        'view core@^1.1.0 version --json') echo '["1.1.41", "1.3.4"]';;
        'view core@^1.3.4 version --json') echo '["1.3.4"]';;
        'view core@^2.1.0 version --json') echo '["2.1.0", "2.12.1"]';;
        'view tracing@10.0.0 version --json') echo '"10.0.0"';;
        'view tracing versions --json') echo '["9.0.0", "10.0.0"]';;
      esac`,
      // n8n has its command once the older one is there, and starts once the newer one is.
      node: `if ! grep -q '"@chain/graph": "1.2.9"' package.json; then
          echo '    at a (${realpathSync(folder)}/${graph}/dist/a.js:1:1)' >&2
          exit 1
        fi
        case "$*" in *--help | *start.js*) exit;; esac
        grep -q '"core": "2.12.1"' package.json && exit
        echo '    at b (${realpathSync(folder)}/node_modules/tracing/b.js:1:1)' >&2
        exit 1`,
    };
    for (const [name, body] of Object.entries(programs))
      writeFileSync(join(folder, name), `#!/bin/sh\n${body}\n`, { mode: 0o755 });
    process.env['PATH'] = `${folder}:${path ?? ''}`;
    process.env['N8N_NODE'] = join(folder, 'node');
    expect(refitted('2.23.4', folder, { chain: '1.0.1', other: '1.0.0' })).toBe(true);
    expect(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))).toMatchObject({
      dependencies: { n8n: '2.23.4', core: '2.12.1' },
      overrides: { chain: { '.': '1.0.1', '@chain/graph': '1.2.9' }, other: '1.0.0' },
    });
  } finally {
    process.env['PATH'] = path;
    if (node === undefined) delete process.env['N8N_NODE'];
    else process.env['N8N_NODE'] = node;
    rmSync(folder, { recursive: true });
  }
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

test('a variable that an older line of n8n has got meanwhile is left to a whole reading', () => {
  const file = 'lab/n8n/variables.json';
  const before = readFileSync(file, 'utf8');
  const added = JSON.stringify({ version: '1.123.999', names: [] });
  const words = ['tsx', 'lab/n8n/read-variables.ts', '--add', added];
  const { status, stderr } = spawnSync('npx', words, { encoding: 'utf8' });
  expect(stderr).toContain('1.123.999 is older than what was read: run lab/n8n/read-variables.ts');
  expect(status).toBe(0);
  expect(readFileSync(file, 'utf8')).toBe(before);
});

describe('new releases of n8n, each night', () => {
  // A repository with the script, and a command, a registry and a GitHub that a test makes up.
  const COMMAND = `
    const { appendFileSync, readFileSync, writeFileSync } = require('node:fs');
    const [, , , action, version] = process.argv;
    const releases = JSON.parse(readFileSync('../releases.json', 'utf8'));
    if (action === 'list') console.log(JSON.stringify({ released: Object.keys(releases) }));
    else {
      appendFileSync('../calls', 'admit ' + version + '\\n');
      const record = JSON.parse(readFileSync('docs/records/versions.json', 'utf8'));
      record.versions.unshift({ n8n: version });
      writeFileSync('docs/records/versions.json', JSON.stringify(record, null, 2));
      writeFileSync('README.md', version);
      console.log(releases[version].said);
      process.exitCode = releases[version].code;
    }`;
  const GH = `#!/bin/bash
case "$1 $2" in
  'pr list') grep -c "^pr create .*n8n $(sed 's/.*--head n8n-\\([^ ]*\\).*/\\1/' <<<"$*")\\b" ../calls;;
  'issue list') sed -n 's/^issue create --title \\(.*\\) --body.*/\\1/p' ../calls;;
  *) echo "$*" >>../calls;;
esac
exit 0`;
  interface Said {
    said: string;
    code: number;
  }
  const row: ReleaseRow = {
    ...{ version: '2.42.0', variables: [], unread: [] },
    patches: [{ patch: 'read-once', state: 'known', because: [] }],
  };
  const tried: NonNullable<VersionRow['tried']> = {
    ...{ node: '>=22', tests: { passed: 9, failed: 0, failing: [] }, inForce: {} },
    workloads: { responded: 21, failed: [] },
  };
  /** What admit prints of a release, and its exit code. */
  const said = (changed: Partial<ReleaseRow> = {}, ran: Partial<typeof tried> = {}): Said => {
    const found = { ...row, ...changed };
    const { version: n8n, patches, variables } = found;
    const one = { n8n, on: '2026-11-29', patches, variables, tried: { ...tried, ...ran } };
    const lines = [...admitLines(found, []), ...triedLines(one)];
    return { said: lines.join('\n'), code: isWhole(found, one) ? 0 : 1 };
  };

  let root: string;
  const git = (...words: string[]) =>
    execFileSync('git', words, { cwd: join(root, 'work'), encoding: 'utf8' }).trim();
  const night = (releases: Record<string, Said>) => {
    writeFileSync(join(root, 'releases.json'), JSON.stringify(releases));
    writeFileSync(join(root, 'calls'), calls().join('\n') + (calls().length > 0 ? '\n' : ''));
    const env = { ...process.env, PATH: `${root}:${process.env['PATH'] ?? ''}`, GH_TOKEN: 'none' };
    return ['admit', 'publish'].map((step) => {
      const options = { cwd: join(root, 'work'), env, encoding: 'utf8' } as const;
      return spawnSync('bash', ['lab/n8n/new-versions.sh', step], options);
    });
  };
  const calls = () =>
    existsSync(join(root, 'calls'))
      ? readFileSync(join(root, 'calls'), 'utf8').split('\n').filter(Boolean)
      : [];
  const created = () =>
    calls()
      .filter((call) => / create /.test(call))
      .map((call) => call.replace(/ --body-file.*/, ''));
  const rowsOf = (ref: string) =>
    (
      JSON.parse(git('show', `${ref}:docs/records/versions.json`)) as {
        versions: { n8n: string }[];
      }
    ).versions.map(({ n8n }) => n8n);

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'n8n-new-versions-'));
    const work = join(root, 'work');
    const files = {
      'cli/dist/cli.js': COMMAND,
      'docs/records/versions.json': JSON.stringify({ versions: [{ n8n: '2.41.0' }] }, null, 2),
      'charts/known.json': '{}',
      'README.md': '2.41.0',
      '.gitignore': '/results/\n',
    };
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(dirname(join(work, file)), { recursive: true });
      writeFileSync(join(work, file), text);
    }
    cpSync('lab/n8n/new-versions.sh', join(work, 'lab/n8n/new-versions.sh'));
    writeFileSync(join(root, 'gh'), GH);
    chmodSync(join(root, 'gh'), 0o755);
    execFileSync('git', ['init', '--quiet', '--bare', join(root, 'origin.git')]);
    git('init', '--quiet', '--initial-branch=main');
    git('remote', 'add', 'origin', '../origin.git');
    git('add', '.');
    git('-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '--quiet', '-m', 'first');
  });
  afterEach(() => {
    rmSync(root, { recursive: true });
  });

  const ofOldLine = { '1.123.90': said() };

  test('each whole one becomes a pull request with its own row', () => {
    const steps = night({ ...ofOldLine, '2.42.0': said() });
    expect(steps.map(({ status, stderr }) => ({ status, stderr }))).toMatchObject([
      ...[{ status: 0 }, { status: 0 }],
    ]);
    expect(created()).toEqual(['pr create --title n8n 1.123.90', 'pr create --title n8n 2.42.0']);
    expect(rowsOf('origin/n8n-1.123.90')).toEqual(['1.123.90', '2.41.0']);
    expect(rowsOf('origin/n8n-2.42.0')).toEqual(['2.42.0', '2.41.0']);
    expect(git('show', 'origin/n8n-2.42.0:README.md')).toBe('2.42.0');
    expect(git('status', '--porcelain')).toBe('');
    const body = readFileSync(join(root, 'work/results/new-versions/2.42.0.md'), 'utf8');
    expect(body).toContain('read-once  known');
    expect(body).toContain('raise `testedBelow` in charts/n8n-tuned/files/versions.yaml');
  });

  test('what is open already is neither tried nor told again', () => {
    const failing = { tests: { passed: 8, failed: 1, failing: ['a'] } };
    const releases = { ...ofOldLine, '2.42.0': said({}, failing) };
    night(releases);
    const before = calls();
    expect(created()).toHaveLength(2);
    expect(night(releases).map(({ status }) => status)).toEqual([0, 0]);
    expect(calls()).toEqual(before);
  });

  const patch = (state: 'unknown' | 'not tried') => [
    { patch: 'read-once', state, because: ['why'] },
  ];
  test.each<[string, Partial<ReleaseRow>, Partial<typeof tried>]>([
    ['a patch does not know its code', { patches: patch('unknown') }, {}],
    ['code could not be read', { patches: patch('not tried') }, {}],
    ['a test of the patches fails', {}, { tests: { passed: 7, failed: 2, failing: ['a', 'b'] } }],
    ['a workload does not respond', {}, { workloads: { responded: 20, failed: ['a: late'] } }],
    ['variables differ', { variables: ['A: listed, but missing'] }, {}],
    [
      'variables differ',
      { variables: null, unread: ['the registry has no @n8n/config 2.42.0'] },
      {},
    ],
  ])('the issue of a release is named by what admit says: %s', (name, changed, ran) => {
    night({ ...ofOldLine, '2.42.0': said(changed, ran) });
    expect(created()).toEqual([
      'pr create --title n8n 1.123.90',
      `issue create --title n8n 2.42.0: ${name}`,
    ]);
    expect(rowsOf('origin/n8n-1.123.90')).toEqual(['1.123.90', '2.41.0']);
    expect(git('branch', '--remotes')).toBe('origin/n8n-1.123.90');
  });

  test('one that comes to no end keeps no other from it, and the step fails', () => {
    const [admit, publish] = night({ ...ofOldLine, '2.42.0': { said: '', code: 3 } });
    expect([admit?.status, publish?.status]).toEqual([3, 0]);
    expect(created()).toEqual(['pr create --title n8n 1.123.90']);
  });

  test('nothing is tried over changes that nobody has committed', () => {
    writeFileSync(join(root, 'work/charts/known.json'), '{"mine":1}');
    const [admit] = night(ofOldLine);
    expect(admit?.stderr).toContain('commit or stash them first');
    expect([admit?.status, calls()]).toEqual([2, []]);
  });
});
