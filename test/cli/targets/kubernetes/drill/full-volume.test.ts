/** The scripts that fill the volume of PostgreSQL and free it, on a file system of its own where one may be mounted. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { whyNoMount } from '../../../../../cli/src/linux/small-disk';
import { FILL_SCRIPT, FREE_SCRIPT } from '../../../../../cli/src/targets/kubernetes/drill/access';

let volume: string;
beforeEach(() => {
  volume = mkdtempSync(join(tmpdir(), 'volume-'));
});
afterEach(() => {
  rmSync(volume, { recursive: true, force: true });
});

function sh(script: string): { status: number | null; stdout: string; stderr: string } {
  const env = { ...process.env, PGDATA: join(volume, 'pgdata') };
  mkdirSync(env.PGDATA, { recursive: true });
  return spawnSync('sh', ['-c', script], { env, encoding: 'utf8' });
}

const isMounting = whyNoMount() === null;
(isMounting ? test : test.skip)('nothing more can be written until it is freed', () => {
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'n8n-tuned-test', volume]);
  try {
    const more = join(volume, 'more');
    const { status, stdout } = sh(FILL_SCRIPT);
    expect([status, /^\d+\n$/.test(stdout)]).toEqual([0, true]);
    expect(() => {
      writeFileSync(more, 'x'.repeat(4096));
    }).toThrow('ENOSPC');
    expect(sh(FREE_SCRIPT).status).toBe(0);
    writeFileSync(more, 'x'.repeat(4096));
  } finally {
    execFileSync('umount', ['-l', volume]);
  }
});

test('a folder on the disk of its node is left alone', () => {
  mkdirSync(join(volume, 'etc'));
  // /etc/hosts is on that disk in a pod; here it is where this folder is.
  const { status, stderr } = sh(FILL_SCRIPT.replace('/etc/hosts', join(volume, 'etc')));
  expect([status, stderr]).toEqual([1, expect.stringContaining('the disk of its node')]);
  expect(existsSync(join(volume, 'n8n-tuned-full-disk'))).toBe(false);
});
