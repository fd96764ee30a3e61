import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { FakeLab, killGroup } from './fake-lab';
import { eventually } from '../support/wait';

let lab: FakeLab;
beforeEach(() => {
  lab = new FakeLab();
});
afterEach(() => {
  lab.end();
});

describe('an install', () => {
  it('puts the program into bin/, notes the time, and leaves nothing temporary', () => {
    const { code, said } = lab.install(['fake']);
    expect(said).toMatch(/fake 1\.0\.0: ready after \d+ s/);
    expect(code).toBe(0);
    expect(lab.runs('fake')).toBe('made');
    expect(readdirSync(lab.in('.tmp'))).toEqual([]);
    expect(readFileSync(lab.in('times.tsv'), 'utf8')).toMatch(/^tool-fake\t\d+\t\S+Z\tcold\n$/);
  });

  it('does nothing and says nothing the second time', () => {
    lab.install(['fake']);
    expect(lab.install(['fake'])).toEqual({ code: 0, said: '' });
    expect(lab.lines('builds')).toBe(1);
  });

  it('of a group notes how long it took, cold and warm', () => {
    lab.tool('all', 'kind=group requires=fake');
    lab.install(['all']);
    lab.install(['all']);
    const times = readFileSync(lab.in('times.tsv'), 'utf8');
    expect(times).toMatch(/^tools-all\t[\d.]+\t\S+Z\tcold\ntools-all\t[\d.]+\t\S+Z\twarm\n$/m);
  });

  it('installs what a tool rests on before it', () => {
    lab.tool('upper', 'kind=fake version=1.0.0 requires=fake');
    const { said } = lab.install(['upper']);
    expect(said.indexOf('fake 1.0.0: ready')).toBeGreaterThan(-1);
    expect(said.indexOf('fake 1.0.0: ready')).toBeLessThan(said.indexOf('upper 1.0.0: installing'));
  });

  it('replaces another version, and keeps none of its files', () => {
    lab.install(['fake']);
    lab.tool('fake', 'kind=fake version=2.0.0');
    expect(lab.install(['--list']).said).toMatch(/^fake +2\.0\.0 +outdated/m);
    lab.install(['fake']);
    expect(readdirSync(lab.in('fake/fake'))).toEqual(['2.0.0']);
    expect(lab.install(['--list']).said).toMatch(/^fake +2\.0\.0 +ready/m);
  });

  it('is made anew when what it was made from has changed', () => {
    lab.install(['fake']);
    lab.write('recipe', 'echo made anew');
    lab.install(['fake']);
    expect(lab.runs('fake')).toBe('made anew');
    expect(readdirSync(lab.in('fake/fake/1.0.0'))).toEqual(['fake']);
  });

  it('takes away what an older install of the tool has left, and nothing of one at work on another release', () => {
    for (const left of ['fake@0123', 'fake@2.16.1@0123']) {
      mkdirSync(lab.in(`.tmp/${left}/node_modules`), { recursive: true });
    }
    lab.install(['fake']);
    expect(readdirSync(lab.in('.tmp'))).toEqual(['fake@2.16.1@0123']);
  });

  it.each(['bin/fake', 'fake/fake/1.0.0', '.stamp/fake'])(
    'repairs a cache that lost %s',
    (lost) => {
      lab.install(['fake']);
      rmSync(lab.in(lost), { recursive: true });
      expect(lab.install(['fake']).code).toBe(0);
      expect(lab.runs('fake')).toBe('made');
      expect(readdirSync(lab.in('.tmp'))).toEqual([]);
    },
  );
});

test('--check says by its exit code whether all that is named is here and up to date', () => {
  lab.tool('group', 'kind=group requires=fake');
  expect(lab.install(['--check', 'group'])).toEqual({ code: 1, said: '' });
  lab.install(['fake']);
  expect(lab.install(['--check', 'group', 'fake'])).toEqual({ code: 0, said: '' });
  lab.write('recipe', 'echo made anew');
  expect(lab.install(['--check', 'group'])).toEqual({ code: 1, said: '' });
});

test('what a script of the lab makes is left to that script, and here once its files are', () => {
  lab.tool('made', 'kind=script script="make.sh it" contents=made/it');
  lab.write(
    'make.sh',
    '#!/bin/sh\nmkdir -p "$N8N_TUNED_CACHE/made"; echo >"$N8N_TUNED_CACHE/made/$1"; echo made it >&2',
  );
  chmodSync(join(lab.lab, 'make.sh'), 0o755);
  expect(lab.install(['--check', 'made']).code).toBe(1);
  expect(lab.install(['made'])).toEqual({ code: 0, said: 'made it\n' });
  expect(lab.install(['--check', 'made']).code).toBe(0);
});

test('--help says how it is used, and nothing else', () => {
  const { code, said } = lab.install(['--help']);
  expect(code).toBe(0);
  expect(said).toContain('lab/install.sh k6 n8n');
  expect(said).not.toMatch(/shellcheck|set -e/);
});

describe('two installs at once', () => {
  it('build once: the second waits, says so, and finds it done', async () => {
    lab.hold();
    const first = lab.start(['fake']);
    await eventually(() => lab.lines('builds') === 1);
    const second = lab.start(['fake']);
    await eventually(() => second.said().includes('fake: waiting for another install'));
    lab.release();
    expect((await first.ended).code).toBe(0);
    expect((await second.ended).code).toBe(0);
    expect(lab.lines('builds')).toBe(1);
    expect(lab.runs('fake')).toBe('made');
  });
});

describe('an interrupted install', () => {
  it('stops what it started, and the next run goes on after the last finished step', async () => {
    lab.hold();
    const run = lab.start(['fake']);
    await eventually(() => lab.lines('builds') === 1);
    run.child.kill('SIGTERM');
    const { code, said } = await run.ended;
    expect(code).toBe(130);
    expect(said).toContain('fake: stopped; the next run goes on from here');
    expect(existsSync(lab.in('bin/fake'))).toBe(false);

    lab.release();
    const again = lab.install(['fake']);
    expect(again.code).toBe(0);
    expect(again.said).not.toContain('waiting');
    expect(lab.lines('builds')).toBe(2);
    expect(lab.lines('first-steps')).toBe(1);
    expect(lab.runs('fake')).toBe('made');
  });

  it('killed outright leaves a build that the next run waits for and takes', async () => {
    lab.hold();
    const run = lab.start(['fake']);
    await eventually(() => lab.lines('builds') === 1);
    killGroup(run.child);
    await run.ended;
    expect(lab.install(['--list']).said).toMatch(/^fake +1\.0\.0 +missing/m);

    const again = lab.start(['fake']);
    await eventually(() => again.said().includes('waiting for another install'));
    lab.release();
    expect((await again.ended).code).toBe(0);
    expect(lab.lines('builds')).toBe(1);
    expect(lab.runs('fake')).toBe('made');
    expect(readdirSync(lab.in('.tmp'))).toEqual([]);
  });
});

describe("a program of the user's own", () => {
  const uses = 'own_program=mine own_version_argument=version own_from=1.8.0 own_below=3.0.0';
  const version = (number: string): Record<string, string> => ({
    mine: `echo mine v${number} linux`,
  });
  const withPath = (folder: string): Record<string, string> => ({
    PATH: `${folder}:${process.env['PATH'] ?? ''}`,
  });
  beforeEach(() => {
    lab.tool('fake', `kind=fake version=1.9.0 ${uses}`);
  });

  it.each(['1.8.0', '2.0.1'])('of version %s is used', (number) => {
    const path = withPath(lab.programs(version(number)));
    expect(lab.install(['fake'], path).said).toMatch(/bin-\w+\/mine \(\S+\) fits/);
    expect(lab.runs('fake')).toBe(`mine v${number} linux`);
    expect(lab.install(['fake'], path).said).toBe('');
    expect(lab.lines('builds')).toBe(0);
  });

  it.each(['1.7.9', '3.0.0'])('of version %s is not', (number) => {
    lab.install(['fake'], withPath(lab.programs(version(number))));
    expect(lab.runs('fake')).toBe('made');
  });

  it('is given up when it is gone', () => {
    const folder = lab.programs(version('1.8.0'));
    lab.install(['fake'], withPath(folder));
    rmSync(folder, { recursive: true });
    lab.install(['fake']);
    expect(lab.runs('fake')).toBe('made');
  });
});
