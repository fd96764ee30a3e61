// Packages of the system, with an apt-get of the test's own: the real one would change the machine.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BASE_PROGRAMS, FakeLab } from './fake-lab';

let lab: FakeLab;
let policy: string;
let system: string;
beforeEach(() => {
  lab = new FakeLab();
  policy = join(lab.root, 'policy-rc.d');
  const kind = readFileSync(join(lab.lab, 'kinds/apt.sh'), 'utf8');
  lab.write('kinds/apt.sh', kind.replace('/usr/sbin/policy-rc.d', policy));
  lab.tool('server', 'kind=apt packages=the-server programs=server-program');
  // It notes its calls, and what the policy says of starting services while it works.
  const aptGet = `
    echo "$1 $([ -x ${policy} ] && ${policy}; echo $?)" >>${lab.root}/calls
    [ "$1" = update ] || [ -e ${lab.root}/breaks ] || { echo '#!/bin/sh' >"${lab.root}/server"; chmod +x "${lab.root}/server"; ln -s "${lab.root}/server" "$(dirname "$0")/server-program"; }
    [ ! -e ${lab.root}/breaks ] || { echo 'E: Unable to locate package'; exit 100; }`;
  system = lab.programs(
    { 'apt-get': aptGet, id: 'echo 0' },
    BASE_PROGRAMS.filter((name) => name !== 'id'),
  );
});
afterEach(() => {
  lab.end();
});

const calls = (): string[] => readFileSync(join(lab.root, 'calls'), 'utf8').trim().split('\n');

test('what is missing is installed and linked, and no service is started meanwhile', () => {
  const { code, said } = lab.install(['server'], { PATH: system });
  expect(said).toMatch(/server: ready/);
  expect(code).toBe(0);
  expect(calls()).toEqual(['update 101', 'install 101']);
  expect(existsSync(policy)).toBe(false);
  expect(existsSync(lab.in('bin/server-program'))).toBe(true);
  expect(lab.install(['server'], { PATH: system }).said).toBe('');
});

test('what is there is only linked', () => {
  writeFileSync(join(system, 'server-program'), '#!/bin/sh\n', { mode: 0o755 });
  expect(lab.install(['server'], { PATH: system }).said).toContain("server: the system's own");
  expect(existsSync(join(lab.root, 'calls'))).toBe(false);
  expect(existsSync(lab.in('bin/server-program'))).toBe(true);
});

test("a policy that a killed run left is removed, and the system's own is left alone", () => {
  writeFileSync(policy, '#!/bin/sh\n# n8n-tuned lab: left over\nexit 101\n', { mode: 0o755 });
  lab.install(['server'], { PATH: system });
  expect(existsSync(policy)).toBe(false);

  const own = '#!/bin/sh\nexit 104\n';
  writeFileSync(policy, own, { mode: 0o755 });
  lab.tool('other', 'kind=apt packages=other programs="server-program no-such"');
  const { code, said } = lab.install(['other'], { PATH: system });
  expect(said).toContain('other: other brought no program no-such: install one that does');
  expect(code).toBe(1);
  expect(readFileSync(policy, 'utf8')).toBe(own);
  expect(calls().at(-1)).toBe('install 104');
});

test('a package that cannot be installed is named, with the log', () => {
  writeFileSync(join(lab.root, 'breaks'), '');
  const { code, said } = lab.install(['server'], { PATH: system });
  expect(said).toMatch(
    /server: apt-get could not install the-server: the log says why; .* \(log: .*server\.log\)/,
  );
  expect(code).toBe(1);
  expect(existsSync(policy)).toBe(false);
});
