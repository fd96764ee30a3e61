import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { startReaper } from '../../../cli/src/linux/reaper';
import { eventually } from '../../support/wait';

const folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-reaper test-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function sleeper(): ChildProcess {
  return spawn('/bin/sh', ['-c', 'trap "" TERM; sleep 60 & wait'], {
    detached: true,
    stdio: 'ignore',
  });
}

function groupIsThere(pid: number): boolean {
  try {
    process.kill(-pid, 0);
    return true;
  } catch {
    return false;
  }
}

test('the death of its owner ends what it watches, deaf processes and children too, and removes folders', async () => {
  const watched = mkdtempSync(join(folder, 'with space '));
  const victim = sleeper();
  const bystander = sleeper();
  const pid = victim.pid ?? 0;
  const script = join(folder, 'owner.cjs');
  buildSync({
    stdin: {
      contents: `import { startReaper } from './cli/src/linux/reaper';
        const reaper = startReaper();
        reaper.watchGroup(${String(pid)}, 'TERM');
        reaper.watchGroup(${String(bystander.pid)}, 'TERM');
        reaper.forgetGroup(${String(bystander.pid)});
        reaper.watchFolder(${JSON.stringify(watched)});
        setTimeout(() => process.kill(process.pid, 'SIGKILL'), 300);`,
      resolveDir: join(__dirname, '..', '..', '..'),
    },
    bundle: true,
    platform: 'node',
    outfile: script,
  });
  try {
    expect(spawnSync(process.execPath, [script]).signal).toBe('SIGKILL');
    await eventually(() => !groupIsThere(pid) && !existsSync(watched));
    expect(groupIsThere(pid)).toBe(false);
    expect(existsSync(watched)).toBe(false);
    expect(groupIsThere(bystander.pid ?? 0)).toBe(true);
  } finally {
    for (const child of [victim, bystander]) {
      if (groupIsThere(child.pid ?? 0)) process.kill(-(child.pid ?? 0), 'SIGKILL');
    }
  }
});

test('dismissed, it leaves everything', async () => {
  const kept = mkdtempSync(join(folder, 'kept-'));
  writeFileSync(join(kept, 'file'), '');
  const reaper = startReaper();
  reaper.watchFolder(kept);
  await reaper.dismiss();
  expect(existsSync(join(kept, 'file'))).toBe(true);
});
