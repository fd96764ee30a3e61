import { existsSync } from 'node:fs';
import { BASE_PROGRAMS, FakeLab } from './fake-lab';

const NOBODY = 65534;
const isRoot = process.getuid?.() === 0;

let lab: FakeLab;
beforeEach(() => {
  lab = new FakeLab();
});
afterEach(() => {
  lab.end();
});

const path = (...folders: string[]): Record<string, string> => ({ PATH: folders.join(':') });
const basePath = (
  without: string[] = [],
  scripts: Record<string, string> = {},
): Record<string, string> =>
  path(
    lab.programs(
      scripts,
      BASE_PROGRAMS.filter((name) => !without.includes(name) && !(name in scripts)),
    ),
  );

/** One sentence for the user, the exit code of a thing to fix first, and nothing installed. */
function expectMistake(outcome: { code: number | null; said: string }, sentence: RegExp): void {
  expect(outcome.said.trim()).toMatch(sentence);
  expect(outcome.said.trim().split('\n')).toHaveLength(1);
  expect(outcome.code).toBe(2);
  expect(existsSync(lab.in('bin/fake'))).toBe(false);
}

test('a tool that does not exist is refused', () => {
  expectMistake(lab.install(['k7']), /there is no tool k7: .*--list shows them/);
});

test('an option that does not exist is refused', () => {
  expectMistake(lab.install(['--force']), /there is no option --force/);
});

test('Go that is missing is told in one sentence', () => {
  lab.tool(
    'fake',
    'kind=go version=1.0.0 package=local.test/fake stamps= own_program=fake own_from=1.0.0 own_below=2.0.0',
  );
  lab.write('go/fake/go.mod', 'module local.test/fake\n');
  lab.write('go/fake/go.sum', '');
  expectMistake(
    lab.install(['fake'], basePath()),
    /go is not on the PATH: install Go 1\.26 or later, or fake from 1\.0\.0 on/,
  );
});

test('npm that is missing is told in one sentence', () => {
  lab.tool('fake', 'kind=node version=24.21.0');
  lab.write('node/24.21.0/package.json', '{}');
  lab.write('node/24.21.0/package-lock.json', '{}');
  const env = basePath([], { uname: 'case $1 in -s) echo Linux ;; *) echo x86_64 ;; esac' });
  expectMistake(
    lab.install(['fake'], env),
    /npm is not on the PATH: install Node\.js 20 or later with npm/,
  );
});

test('a user who is not root is told where a package of the system is missing', () => {
  lab.tool('fake', 'kind=apt packages=no-such-package programs=no-such-program');
  const env = basePath([], { 'apt-get': 'exit 1' });
  const cache = lab.folderForAll();
  const outcome = lab.install(
    ['fake'],
    { ...env, N8N_TUNED_CACHE: cache },
    isRoot ? NOBODY : undefined,
  );
  expectMistake(
    outcome,
    /only root can install it: run apt-get install -y no-such-package as root/,
  );
});

test('apt-get that is missing is told in one sentence', () => {
  lab.tool('fake', 'kind=apt packages=no-such-package programs=no-such-program');
  expectMistake(
    lab.install(['fake'], basePath()),
    /no apt-get: install no-such-package with its own package manager/,
  );
});

test('a cache that cannot be written is told in one sentence', () => {
  expectMistake(
    lab.install(['fake'], { N8N_TUNED_CACHE: '/proc/cache' }),
    /\/proc\/cache cannot be written: set N8N_TUNED_CACHE/,
  );
});

test('a disk with too little room is told before much is installed', () => {
  const df = 'echo Filesystem 1024-blocks Used Available; echo disk 9999999 1 5242880';
  lab.tool('big', 'kind=fake version=1.0.0');
  lab.change('kinds/fake.sh', '[ "$tool" != big ] || kind_is_big=yes\n');
  expectMistake(
    lab.install(['big'], basePath([], { df })),
    /only 5 GB are free .* needs 8: free some/,
  );
  expect(lab.install(['fake'], basePath([], { df })).code).toBe(0);
});

test('a platform that the lab does not know is refused', () => {
  const uname = 'case $1 in -s) echo MINGW64_NT ;; *) echo x86_64 ;; esac';
  expectMistake(
    lab.install(['fake'], basePath([], { uname })),
    /this is MINGW64_NT on x86_64: the lab runs on Linux, on macOS, and on Windows under WSL/,
  );
});

test('on macOS what runs only on Linux is left out, and refused when asked for', () => {
  const uname = 'case $1 in -s) echo Darwin ;; *) echo arm64 ;; esac';
  lab.tool('linux', 'kind=fake version=1.0.0 only_linux_x64=yes');
  lab.tool('all', 'kind=group requires="fake linux"');
  const all = lab.install(['all'], basePath([], { uname }));
  expect(all.said).toContain('linux: left out on Darwin on arm64');
  expect(all.code).toBe(0);
  expect(lab.runs('fake')).toBe('made');
  const asked = lab.install(['linux'], basePath([], { uname }));
  expect(asked.said).toMatch(/linux runs only on Linux on x86-64, .* url or kubernetes target/);
  expect(asked.code).toBe(2);
});

describe('no network', () => {
  const unreachable = 'http://127.0.0.1:9/';

  it('for npm: the registry is named as the cause, and nothing counts as installed', () => {
    // No Node.js of the machine's own is as new.
    lab.tool('fake', 'kind=node version=99.0.0 only_linux_x64=no');
    lab.write('node/99.0.0/package.json', '{"dependencies":{"left":"1.0.0"}}');
    lab.write(
      'node/99.0.0/package-lock.json',
      '{"lockfileVersion":3,"packages":{"":{"dependencies":{"left":"1.0.0"}},"node_modules/left":{"version":"1.0.0","integrity":"sha512-AAAA"}}}',
    );
    const outcome = lab.install(['fake'], {
      npm_config_registry: unreachable,
      npm_config_fetch_retries: '0',
      npm_config_cache: lab.in('npm'),
    });
    expect(outcome.said).toContain(
      'fake: the package registry cannot be reached: check the network and the proxy settings, and run again',
    );
    expect(outcome.code).toBe(1);
    expect(lab.install(['--list']).said).toMatch(/^fake .* missing/m);
  });

  it('is told for Go likewise', () => {
    lab.tool('fake', 'kind=go version=1.0.0 package=local.test/left stamps=');
    lab.write(
      'go/fake/go.mod',
      'module local.test/fake\n\ngo 1.21\n\nrequire local.test/left v1.0.0\n',
    );
    lab.write(
      'go/fake/go.sum',
      `local.test/left v1.0.0 h1:${'A'.repeat(43)}=\nlocal.test/left v1.0.0/go.mod h1:${'A'.repeat(43)}=\n`,
    );
    const outcome = lab.install(['fake'], {
      GOPROXY: unreachable,
      GONOSUMDB: '*',
      GOFLAGS: '',
      GOMODCACHE: lab.in('mod'),
    });
    expect(outcome.said).toContain('fake: the package registry cannot be reached');
    expect(outcome.code).toBe(1);
  });
});
