import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  InsideReader,
  insideScript,
  NODE_COMMAND,
  type Inside,
} from '../../../cli/src/linux/container-stats';
import { nodeCounters } from '../../../cli/src/linux/node-counters';

const stat = (pid: number, parent: number, name: string): string =>
  `/proc/${String(pid)}/stat:${String(pid)} (${name}) S ${String(parent)} 0 0 0 -1 0 0 0 0 0 100 50 0 0 20 0 11 0 5000 0 25600 0`;

const read = (text: string): Inside | null => {
  const reader = new InsideReader();
  return text
    .trim()
    .split('\n')
    .map((line) => reader.read(line))
    .reduce((last, now) => now ?? last, null);
};

const PROCESSES = [
  '/proc/1/cmdline:tini -- node n8n ',
  '/proc/7/cmdline:node /usr/local/bin/n8n ',
  '/proc/9/cmdline:node /x/task-runner/dist/start.js ',
  '/proc/uptime:100.50 20.00',
  stat(1, 0, 'tini'),
  stat(7, 1, 'node (n8n)'),
  stat(9, 7, 'node'),
  // Who looks, and a probe: they come from outside.
  stat(40, 0, 'sh'),
  stat(41, 40, 'grep'),
  '/proc/7/schedstat:2000000000 500000000 12',
].join('\n');

test('only the tree of the first process belongs to a container', () => {
  const inside = read(`${PROCESSES}\nend`);
  expect(inside?.uptimeMs).toBe(100_500);
  expect(inside?.processes.map(({ pid, command }) => [pid, command])).toEqual([
    [1, 'tini -- node n8n'],
    [7, 'node /usr/local/bin/n8n'],
    [9, 'node /x/task-runner/dist/start.js'],
  ]);
  expect(inside?.processes[1]).toMatchObject({
    stat: { cpuMs: 1500, rssMiB: 100, threads: 11, startedAtMs: 50_000 },
    thread: { onCpuMs: 2000, waitedMs: 500 },
  });
  expect(inside?.group).toBeNull();
});

const V1 = `
/sys/fs/cgroup/cpu/cpu.stat:nr_periods 100
/sys/fs/cgroup/cpu/cpu.stat:nr_throttled 25
/sys/fs/cgroup/cpu/cpu.stat:throttled_time 3000000000
/sys/fs/cgroup/cpu/cpu.cfs_quota_us:50000
/sys/fs/cgroup/cpu/cpu.cfs_period_us:100000
/sys/fs/cgroup/cpuacct/cpuacct.usage:7000000000
/sys/fs/cgroup/memory/memory.usage_in_bytes:209715200
/sys/fs/cgroup/memory/memory.stat:inactive_file 1
/sys/fs/cgroup/memory/memory.stat:total_inactive_file 104857600
/sys/fs/cgroup/memory/memory.max_usage_in_bytes:314572800
/sys/fs/cgroup/memory/memory.oom_control:oom_kill_disable 0
/sys/fs/cgroup/memory/memory.oom_control:oom_kill 2
/sys/fs/cgroup/memory/memory.limit_in_bytes:536870912`;

const V2 = `
/sys/fs/cgroup/cpu.stat:usage_usec 7000000
/sys/fs/cgroup/cpu.stat:nr_periods 100
/sys/fs/cgroup/cpu.stat:nr_throttled 25
/sys/fs/cgroup/cpu.stat:throttled_usec 3000000
/sys/fs/cgroup/cpu.max:50000 100000
/sys/fs/cgroup/memory.current:209715200
/sys/fs/cgroup/memory.stat:anon 1
/sys/fs/cgroup/memory.stat:inactive_file 104857600
/sys/fs/cgroup/memory.peak:314572800
/sys/fs/cgroup/memory.events:oom 3
/sys/fs/cgroup/memory.events:oom_kill 2
/sys/fs/cgroup/memory.max:536870912`;

test.each([
  ['1', V1],
  ['2', V2],
])('the command reads the figures of a control group of version %s', (_version, text) => {
  expect(read(`${PROCESSES}${text}\nend`)).toMatchObject({
    group: {
      cpuMs: 7000,
      periods: 100,
      throttledPeriods: 25,
      throttledMs: 3000,
      memoryMiB: 200,
      workingSetMiB: 100,
      memoryPeakMiB: 300,
      oomKills: 2,
    },
    limits: { cpuMillicores: 500, memoryMiB: 512 },
  });
});

test('no limit is none, in the words of both versions', () => {
  const none = [
    V1.replace(':50000', ':-1').replace(':536870912', ':9223372036854771712'),
    V2.replace(':50000 ', ':max ').replace(':536870912', ':max'),
  ];
  for (const text of none) expect(read(`${PROCESSES}${text}\nend`)?.limits).toEqual({});
});

test('a shell really writes it, look after look, and ends with whoever reads', async () => {
  const shell = spawn('sh', ['-c', insideScript(NODE_COMMAND)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const reader = new InsideReader();
  const looks: Inside[] = [];
  let rest = '';
  for await (const chunk of shell.stdout as AsyncIterable<Buffer>) {
    const lines = (rest + chunk.toString()).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const inside = reader.read(line);
      if (inside !== null) looks.push(inside);
    }
    if (looks.length >= 2) break;
  }
  const exit = once(shell, 'exit');
  shell.stdin.end();
  await exit;
  const [first, second] = looks;
  expect(second?.uptimeMs).toBeGreaterThan((first?.uptimeMs ?? NaN) + 900);
  expect(first?.processes.find(({ pid }) => pid === 1)?.stat.rssMiB).toBeGreaterThan(0);
  expect(nodeCounters(second?.files ?? new Map(), 0)).toMatchObject({
    cpu: { cores: expect.any(Number) as number, total: expect.any(Number) as number },
    memoryAvailableMiB: expect.any(Number) as number,
  });
});
