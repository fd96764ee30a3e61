import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import {
  createGroup,
  findControl,
  groupFolders,
  oomKills,
  readGroup,
  readLimits,
  type Control,
} from '../../../cli/src/linux/cgroup';
import { scopeCommand } from '../../../cli/src/linux/systemd';
import { runs } from '../../support/properties';
import { runOutOfMemory } from '../../../cli/src/linux/group-limits';

// A folder with the files of a control group, version 2: a machine has one version or the other.
const root = mkdtempSync(join(tmpdir(), 'n8n-tuned-cgroup-'));
afterAll(() => {
  rmSync(root, { recursive: true });
});

const control: Control = { kind: 'v2', root };
const group = 'n8n-tuned/run/main';

function lay(folder: string, files: Record<string, string>): void {
  mkdirSync(join(root, folder), { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, folder, name), text);
}

describe('control groups of version 2', () => {
  test('limits are written and read', () => {
    lay(group, { 'memory.swap.max': 'max\n', 'memory.oom.group': '0\n' });
    createGroup(control, group, { cpuMillicores: 1500, memoryMiB: 1024 });
    const [folder = ''] = groupFolders(control, group);
    expect(readFileSync(join(folder, 'cpu.max'), 'utf8')).toBe('150000 100000');
    expect(readFileSync(join(folder, 'memory.max'), 'utf8')).toBe(String(1024 * 1024 * 1024));
    expect(readFileSync(join(folder, 'memory.swap.max'), 'utf8')).toBe('0');
    expect(readFileSync(join(folder, 'memory.oom.group'), 'utf8')).toBe('1');
    expect(readLimits(control, group)).toEqual({ cpuMillicores: 1500, memoryMiB: 1024 });
    expect(readFileSync(join(root, 'n8n-tuned', 'cgroup.subtree_control'), 'utf8')).toBe(
      '+cpu +memory',
    );
  });

  test('what is measured gets ten times as much CPU as another program beside it', () => {
    createGroup(control, group, {});
    expect(readFileSync(join(root, 'n8n-tuned', 'cpu.weight'), 'utf8')).toBe('1000');
    const [cpu, memory] = ['cpu', 'memory'].map((name) => join(root, name)) as [string, string];
    createGroup({ kind: 'v1', cpu, memory }, group, {});
    expect(readFileSync(join(cpu, 'n8n-tuned', 'cpu.shares'), 'utf8')).toBe('10240');
  });

  test('every limit is written as a whole number, and read as it was asked for', () => {
    lay(group, { 'memory.oom.group': '0' });
    const [folder = ''] = groupFolders(control, group);
    fc.assert(
      fc.property(fc.integer({ min: 10, max: 4000 }), (cpuMillicores) => {
        createGroup(control, group, { cpuMillicores, memoryMiB: cpuMillicores / 7 });
        const read = (file: string): string => readFileSync(join(folder, file), 'utf8');
        expect(`${read('cpu.max')} ${read('memory.max')}`).toMatch(/^\d+ 100000 \d+$/);
        expect(readLimits(control, group).cpuMillicores).toBe(cpuMillicores);
      }),
      { numRuns: runs(300) },
    );
  });

  test('figures are read in our units', () => {
    lay(group, {
      'cpu.stat': 'usage_usec 5000000\nnr_periods 200\nnr_throttled 50\nthrottled_usec 1500000\n',
      'memory.current': String(300 * 1024 * 1024),
      'memory.stat': `anon 1\ninactive_file ${100 * 1024 * 1024}\n`,
      'memory.peak': String(400 * 1024 * 1024),
      'memory.events': 'low 0\nhigh 0\nmax 12\noom 3\noom_kill 2\n',
    });
    expect(readGroup(control, group)).toEqual({
      cpuMs: 5000,
      periods: 200,
      throttledPeriods: 50,
      throttledMs: 1500,
      memoryMiB: 300,
      workingSetMiB: 200,
      memoryPeakMiB: 400,
      oomKills: 2,
    });
  });

  test('no limit reads as none, a group that has gone as null', () => {
    lay('free', { 'cpu.max': 'max 100000\n', 'memory.max': 'max\n' });
    expect(readLimits(control, 'free')).toEqual({ cpuMillicores: undefined, memoryMiB: undefined });
    expect(readGroup(control, 'gone')).toBeNull();
  });
});

describe('control groups of version 1', () => {
  const v1 = (cpuacct?: string): Control => ({
    kind: 'v1',
    cpu: join(root, 'v1-cpu'),
    memory: join(root, 'v1-memory'),
    ...(cpuacct === undefined ? {} : { cpuacct: join(root, cpuacct) }),
  });

  test('figures are read in our units, the CPU from the controller that counts it', () => {
    const apart = v1('v1-cpuacct');
    createGroup(apart, group, {});
    lay(`v1-cpu/${group}`, {
      'cpu.stat': 'nr_periods 200\nnr_throttled 50\nthrottled_time 1500000000\n',
    });
    lay(`v1-cpuacct/${group}`, { 'cpuacct.usage': '5000000000\n' });
    lay(`v1-memory/${group}`, {
      'memory.usage_in_bytes': String(300 * 1024 * 1024),
      'memory.max_usage_in_bytes': String(400 * 1024 * 1024),
      'memory.stat': `total_inactive_file ${100 * 1024 * 1024}\n`,
      'memory.oom_control': 'oom_kill_disable 0\nunder_oom 0\noom_kill 2\n',
    });
    const figures = {
      cpuMs: 5000,
      periods: 200,
      throttledPeriods: 50,
      throttledMs: 1500,
      memoryMiB: 300,
      workingSetMiB: 200,
      memoryPeakMiB: 400,
      oomKills: 2,
    };
    expect(readGroup(apart, group)).toEqual(figures);
    expect(readGroup(v1(), group)).toEqual({ ...figures, cpuMs: null });
  });

  test('a controller mounted together with another is one folder', () => {
    expect(groupFolders(v1('v1-cpuacct'), group)).toHaveLength(3);
    expect(groupFolders(v1('v1-cpu'), group)).toHaveLength(2);
  });
});

test('where nothing is mounted the reason is given', () => {
  expect(findControl('tmpfs /tmp tmpfs rw 0 0')).toEqual({
    kind: 'none',
    reason: 'no control groups are mounted',
  });
});

test("a kill for memory is known when systemd's scope has gone with the process", () => {
  lay('app.slice', { 'memory.events': 'oom 1\noom_kill 1\n' });
  const systemd: Control = { kind: 'systemd', user: true, root };
  expect(oomKills(systemd, 'app.slice/n8n-tuned-a-main.scope')).toBe(1);
  expect(oomKills(systemd, 'other.slice/gone.scope')).toBe(0);
});

test('systemd is asked for a scope around the command, and only where there are limits', () => {
  const systemd: Control = { kind: 'systemd', user: true, root };
  const limits = { cpuMillicores: 500, memoryMiB: 512 };
  const asked = scopeCommand(systemd, 'n8n-tuned-a-main', { command: ['node', 'n8n'], limits });
  expect(asked.slice(0, 3)).toEqual(['systemd-run', '--user', '--scope']);
  expect(asked).toEqual(
    expect.arrayContaining(['--property=CPUQuota=50%', '--property=MemoryMax=512M']),
  );
  expect(asked.slice(-3)).toEqual(['--', 'node', 'n8n']);
  expect(scopeCommand(systemd, 'x', { command: ['node'], limits: {} })).toEqual(['node']);
});

/** With folders that stand in for control groups. */
const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const V1 = ['memory.usage_in_bytes', 'memory.limit_in_bytes', 'memory.memsw.limit_in_bytes'];
const V2 = ['memory.current', 'memory.max'];

test.each([
  ['v1', V1, '9223372036854771712'],
  ['v1 without an account of swap', V1.slice(0, 2), '1073741824'],
  ['v2', V2, 'max'],
] as const)(
  '%s: the limit is what is used until it is over, and then as it was',
  async (...args) => {
    const [kind, [used, ...limits], before] = args;
    const folder = mkdtempSync(join(tmpdir(), 'group-'));
    folders.push(folder);
    const read = (file: string): string => readFileSync(join(folder, file), 'utf8');
    writeFileSync(join(folder, used ?? ''), '4096\n');
    for (const limit of limits) writeFileSync(join(folder, limit), `${before}\n`);
    const control: Control =
      kind === 'v2' ? { kind, root: folder } : { kind: 'v1', cpu: folder, memory: folder };
    const seen: string[][] = [];
    const isOver = (): boolean => {
      seen.push(limits.map(read));
      if (seen.length === 2) writeFileSync(join(folder, used ?? ''), '2048\n');
      return seen.length > 3;
    };
    await runOutOfMemory(control, '.', isOver, new AbortController().signal);
    expect(seen.slice(1)).toEqual(['4096', '2048', '2048'].map((bytes) => limits.map(() => bytes)));
    expect(limits.map(read)).toEqual(limits.map(() => before));
    await runOutOfMemory(control, '.', () => false, AbortSignal.timeout(1));
    expect(limits.map(read)).toEqual(limits.map(() => before));
  },
);
