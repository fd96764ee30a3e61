import { execFileSync, spawn } from 'node:child_process';
import { getPriority } from 'node:os';
import { Strangers } from '../../../cli/src/linux/strangers';
import { until } from '../../support/wait';

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
