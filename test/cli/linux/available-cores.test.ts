import { allowanceOf, availableCores, cpuAllowance } from '../../../cli/src/linux/available-cores';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { highestClockMHz, isOnBattery } from '../../../cli/src/linux/power';

const reading = (files: Record<string, string>) => (file: string) => files[file] ?? null;

const V2 = { '/proc/mounts': 'cgroup2 /sys/fs/cgroup cgroup2 rw,nosuid 0 0\n' };
const V1 = {
  '/proc/mounts':
    'cgroup /sys/fs/cgroup/cpu cgroup rw,cpu 0 0\ncgroup /sys/fs/cgroup/memory cgroup rw,memory 0 0\n',
};
const cpus = (list: string): Record<string, string> => ({
  '/proc/self/status': `Name:\tnode\nCpus_allowed_list:\t${list}\n`,
});

describe('cores that a process may use', () => {
  test.each([
    ['0-3', 4],
    ['0-1,4,6-7', 5],
    ['5', 1],
  ])('affinity %s is %d', (list, cores) => {
    expect(availableCores('self', reading(cpus(list)))).toBe(cores);
  });

  test('a deployment may use the CPUs of all its processes, and not those of the command', () => {
    const files = {
      ...cpus('1'),
      '/proc/11/status': 'Cpus_allowed_list:\t0,2\n',
      '/proc/12/status': 'Cpus_allowed_list:\t2-3\n',
    };
    const { cores, cpus: numbers } = allowanceOf([11, 12], reading(files));
    expect({ cores, numbers: [...(numbers ?? [])] }).toEqual({ cores: 3, numbers: [0, 2, 3] });
    // One that has ended says nothing.
    expect(allowanceOf([13], reading(files)).cores).toBe(1);
    expect(allowanceOf([], reading(files)).cores).toBe(1);
  });

  test('the quota of the command bounds the deployment that it runs', () => {
    const files = {
      ...V2,
      ...cpus('0-7'),
      '/proc/11/status': 'Cpus_allowed_list:\t0-3\n',
      '/proc/self/cgroup': '0::/\n',
      '/sys/fs/cgroup/cpu.max': '150000 100000\n',
    };
    expect(allowanceOf([11], reading(files)).cores).toBe(1.5);
  });

  test('of version 2 the least quota from the group upwards counts', () => {
    const files = {
      ...V2,
      ...cpus('0-7'),
      '/proc/self/cgroup': '0::/pods/one\n',
      '/sys/fs/cgroup/pods/one/cpu.max': 'max 100000\n',
      '/sys/fs/cgroup/pods/cpu.max': '150000 100000\n',
    };
    expect(availableCores('self', reading(files))).toBe(1.5);
  });

  test('of version 1 the cpu hierarchy counts, and -1 is none', () => {
    const files = {
      ...V1,
      ...cpus('0-1'),
      '/proc/self/cgroup': '4:memory:/else\n1:cpu:/a/b\n0::/\n',
      '/sys/fs/cgroup/cpu/a/b/cpu.cfs_quota_us': '20000\n',
      '/sys/fs/cgroup/cpu/a/b/cpu.cfs_period_us': '100000\n',
      '/sys/fs/cgroup/cpu/a/cpu.cfs_quota_us': '-1\n',
      '/sys/fs/cgroup/cpu/a/cpu.cfs_period_us': '100000\n',
    };
    expect(availableCores('self', reading(files))).toBe(0.2);
  });

  test('a container with a quota of 1 of 8 cores has 1, and its use is that of its group', () => {
    const files = {
      ...V2,
      ...cpus('0-7'),
      '/proc/self/cgroup': '0::/\n',
      '/sys/fs/cgroup/cpu.max': '100000 100000\n',
      '/sys/fs/cgroup/cpu.stat': 'usage_usec 2500000\nuser_usec 1\n',
    };
    const { cores, quota } = cpuAllowance('self', reading(files));
    expect(cores).toBe(1);
    expect(quota?.usedMs()).toBe(2500);
    const more = { ...files, '/sys/fs/cgroup/cpu.max': '800000 100000\n' };
    expect(cpuAllowance('self', reading(more))).toMatchObject({ cores: 8, quota: null });
  });

  test('in version 1 what a group has used is counted beside its quota, or not known', () => {
    const files = {
      '/proc/mounts': `${V1['/proc/mounts']}cgroup /sys/fs/cgroup/cpuacct cgroup rw,cpuacct 0 0\n`,
      ...cpus('0-7'),
      '/proc/self/cgroup': '1:cpu:/a\n2:cpuacct:/a\n',
      '/sys/fs/cgroup/cpu/a/cpu.cfs_quota_us': '100000\n',
      '/sys/fs/cgroup/cpu/a/cpu.cfs_period_us': '100000\n',
    };
    expect(cpuAllowance('self', reading(files)).quota?.usedMs()).toBeNull();
    const counted = { ...files, '/sys/fs/cgroup/cpuacct/a/cpuacct.usage': '7000000\n' };
    expect(cpuAllowance('self', reading(counted)).quota?.usedMs()).toBe(7);
  });

  test('without any of that they are those of the machine', () => {
    expect(availableCores('self', () => null)).toBeGreaterThanOrEqual(1);
  });
});

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'power-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

function write(files: Record<string, string>): void {
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), `${text}\n`);
  }
}

describe('a battery', () => {
  it('runs this machine where it discharges, and is not that of a mouse', () => {
    write({
      ...{ 'AC/type': 'Mains', 'BAT0/type': 'Battery', 'BAT0/status': 'Charging' },
      ...{ 'hid/type': 'Battery', 'hid/scope': 'Device', 'hid/status': 'Discharging' },
    });
    expect(isOnBattery(folder)).toBe(false);
    write({ 'BAT0/status': 'Discharging' });
    expect(isOnBattery(folder)).toBe(true);
    expect(isOnBattery(join(folder, 'none'))).toBe(false);
  });
});

describe('the clock', () => {
  it('is that of the fastest core, and not known where no core tells it', () => {
    expect(highestClockMHz(folder)).toBeNull();
    write({
      ...{ 'cpu0/cpufreq/scaling_cur_freq': '800000', 'cpu1/cpufreq/scaling_cur_freq': '3400000' },
      'cpufreq/scaling_cur_freq': '9900000',
    });
    expect(highestClockMHz(folder)).toBe(3_400);
  });
});
