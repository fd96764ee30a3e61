import { spawn, execFileSync } from 'node:child_process';
import { parseMetrics } from '../../../cli/src/samplers/n8n-metrics';
import {
  parseStat,
  readDisksBusyMs,
  readMainThread,
  readStat,
  uptimeMs,
} from '../../../cli/src/linux/proc';
import { ProcessTree } from '../../../cli/src/linux/process-tree';
import { processLine } from '../../../cli/src/features/sample/record';
import { eventually, until } from '../../support/wait';
import { getPriority, setPriority } from 'node:os';
import { OthersWatch } from '../../../cli/src/features/find/quiet/others-watch';
import { Strangers } from '../../../cli/src/linux/strangers';
import { spawnFirst } from '../../../cli/src/linux/spawn-first';

test('a process whose name holds spaces and brackets is read right', () => {
  const stat =
    '42 (a) b (c) S 7 42 42 0 -1 4194560 100 0 0 0 150 50 0 0 20 0 11 0 360000 999 2560 184467 1 1 0';
  expect(parseStat(stat)).toEqual({
    parent: 7,
    cpuMs: 2000,
    threads: 11,
    startedAtMs: 3_600_000,
    rssMiB: 10,
  });
});

test('this very process is read as it is', () => {
  const stat = readStat(process.pid);
  expect(stat?.parent).toBe(process.ppid);
  const rssMiB = process.memoryUsage.rss() / (1024 * 1024);
  expect(Math.abs((stat?.rssMiB ?? 0) - rssMiB)).toBeLessThan(rssMiB / 2);
});

test('a tree is followed as it forks, also when a parent dies before its child', async () => {
  // The grandchild outlives the child and is init's afterwards.
  const script = 'read go; (sleep 30 & echo $!; read go); echo orphaned; sleep 30';
  const root = spawn('/bin/sh', ['-c', script], {
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const said = root.stdout[Symbol.asyncIterator]();
  const pid = root.pid ?? 0;
  const tree = new ProcessTree<{ pid: number }>();
  const look = (): number[] => tree.look([{ pid }], uptimeMs()).map((member) => member.pid);
  try {
    expect(look()).toEqual([pid]);
    root.stdin.write('go\n');
    const grandchild = Number(String((await said.next()).value));
    expect(look()).toContain(grandchild);
    root.stdin.write('go\n');
    await said.next();
    expect(readStat(grandchild)?.parent).not.toBe(pid);
    expect(look()).toContain(grandchild);
  } finally {
    process.kill(-pid, 'SIGKILL');
  }
  await new Promise((resolve) => root.once('close', resolve));
  // One that has ended is there until init has taken notice of it.
  await eventually(() => look().length === 0);
});

test('metrics of n8n are summed over their labels, and only those that are wanted', () => {
  const text = `# HELP n8n_workflow_success_total x
n8n_workflow_success_total{workflow="a b"} 3
n8n_workflow_success_total{workflow="c"} 4
n8n_nodejs_eventloop_lag_p99_seconds 0.0125
n8n_workflow_success_total_other 9
n8n_nodejs_heap_size_used_bytes Nan
`;
  expect(Object.fromEntries(parseMetrics(text))).toEqual({
    n8n_workflow_success_total: 7,
    n8n_nodejs_eventloop_lag_p99_seconds: 0.0125,
  });
});

test('a line of CSV keeps commands with commas and quotes in one field', () => {
  const row = { tMs: 1.4, pid: 5, parent: 1, rssMiB: 2, cpuCores: null, threads: 1 };
  expect(processLine({ ...row, command: 'sh -c "a, b"' })).toBe('1,5,1,"sh -c ""a, b""",2.0,,1\n');
});

test('the main thread of a busy process is on a CPU, or waits for one, all the time', () => {
  const before = readMainThread(process.pid);
  const began = performance.now();
  while (performance.now() - began < 300);
  const after = readMainThread(process.pid);
  if (before === null || after === null) throw new Error('this kernel keeps no schedstat');
  const passedMs = performance.now() - began;
  const busyMs = after.onCpuMs - before.onCpuMs + after.waitedMs - before.waitedMs;
  expect(after.onCpuMs).toBeGreaterThan(before.onCpuMs);
  expect(busyMs / passedMs).toBeGreaterThan(0.8);
  expect(busyMs / passedMs).toBeLessThan(1.2);
});

test('an ended process has no main thread', () => {
  expect(readMainThread(2 ** 22 + 1)).toBeNull();
});

test('whole disks are read, parts of them and those in memory are not', () => {
  const line = (name: string, busyMs: number): string =>
    ` 254 0 ${name} 1 2 3 4 5 6 7 8 0 ${busyMs} 10 0 0 0 0 0 0`;
  const names = ['vda', 'vda1', 'nvme0n1', 'nvme0n1p2', 'sdb', 'sdb3', 'loop7', 'zram0', 'dm-0'];
  const disks = readDisksBusyMs(names.map((name, i) => line(name, 100 * i)).join('\n'));
  expect([...disks]).toEqual([
    ['vda', 0],
    ['nvme0n1', 200],
    ['sdb', 400],
    ['dm-0', 800],
  ]);
});

/** Uses a core until it is ended, and ends by itself where nobody does. */
const SPIN = 'const end = Date.now() + 60_000; while (Date.now() < end);';

const started: number[] = [];
afterAll(() => {
  for (const pid of started) process.kill(pid, 'SIGKILL');
});

/** Its parent is gone at once, as that of another program of this machine. */
function orphan(): number {
  const text = `nice -n 19 '${process.execPath}' -e '${SPIN}' >/dev/null 2>&1 & echo $!`;
  const pid = Number(execFileSync('sh', ['-c', text], { encoding: 'utf8' }));
  started.push(pid);
  return pid;
}

function child(): number {
  const { pid = 0 } = spawn(process.execPath, ['-e', SPIN], { stdio: 'ignore' });
  started.push(pid);
  return pid;
}

describe('processes that are none of ours', () => {
  it('are told with what they use and whether they step back, and our own are not among them', async () => {
    const [stranger, own, target] = [orphan(), child(), orphan()];
    const strangers = new Strangers(() => [{ pid: target }]);
    expect(strangers.look()).toEqual({ passedMs: 0, cpuMs: 0, busiest: [] });
    const found = await until('a look in which it used CPU', () => {
      const look = strangers.look();
      const one = look.busiest.find(({ pid }) => pid === stranger);
      return one === undefined ? null : { look, one };
    });
    expect(found.one).toMatchObject({ isNice: getPriority(stranger) > 0 });
    expect(found.one.name).toMatch(/^node/);
    expect(found.one.cores).toBeGreaterThan(0.02);
    expect(found.look.cpuMs).toBeGreaterThanOrEqual(found.one.cores * found.look.passedMs - 1);
    const pids = found.look.busiest.map(({ pid }) => pid);
    expect(pids).not.toContain(own);
    expect(pids).not.toContain(target);
  });
});

describe('waiting for other programs', () => {
  const watch = new OthersWatch({ processes: () => [] });
  afterAll(() => {
    watch.end();
  });
  const gone = async (othersMs: number, seconds: number, signal = new AbortController().signal) => {
    const told: string[] = [];
    const waited = await watch.gone({ othersMs, seconds }, (text) => told.push(text), signal);
    return { waited, told };
  };

  it('does not wait for those that use no more than they may', async () => {
    orphan();
    expect(await gone(Infinity, 60)).toEqual({ waited: 0, told: [] });
  });

  it('waits for the others no longer than it may, and names the busiest', async () => {
    const { waited, told } = await gone(-1, 2.5);
    expect(waited).toBeGreaterThanOrEqual(2);
    expect(told.at(-1)).toMatch(
      /^waiting until other programs use less CPU, mostly .+ \(pid \d+\)$/,
    );
  });

  it('ends with the search', async () => {
    expect(await gone(-1, 60, AbortSignal.abort())).toEqual({ waited: 0, told: [] });
  });
});

const mayRaise = ((): boolean => {
  const own = getPriority();
  try {
    setPriority(own - 1);
    setPriority(own);
    return true;
  } catch {
    return false;
  }
})();

async function nicenessOfChild(): Promise<number> {
  const child = spawnFirst('cat', ['/proc/self/stat'], {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: process.env,
  });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  await new Promise((resolve) => child.once('close', resolve));
  // After the name: state is 0, nice 16.
  return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[16]);
}

test('a process goes before the others where that is allowed, and this one stays where it was', async () => {
  const before = getPriority();
  expect(await nicenessOfChild()).toBe(mayRaise ? -10 : before);
  expect(getPriority()).toBe(before);
});
