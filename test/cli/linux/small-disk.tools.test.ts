/** A file system of our own that is full for a while, mounted for real where that is allowed. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { mountSmallDisk, whyNoMount } from '../../../cli/src/linux/small-disk';
import { eventually } from '../../support/wait';

const folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-disk test-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const status = (mask: string): string =>
  `Name:\tnode\nCapPrm:\t0000\nCapEff:\t${mask}\nSeccomp:\t0`;

test.each([
  ['000001ffffffffff', null],
  ['0000000000200000', null],
  ['00000000a80425fb', 'CAP_SYS_ADMIN'],
  ['0000000000000000', 'CAP_SYS_ADMIN'],
])('whether a disk can be mounted is read from the capabilities %s', (mask, lacks) => {
  const why = whyNoMount(status(mask));
  if (lacks === null) expect(why).toBeNull();
  else expect(why).toContain(lacks);
});

test('a disk requires root where no capabilities are in sight', () => {
  expect(whyNoMount('Name:\tnode\n')).toContain('requires root');
});

test('what cannot be mounted is said in one line', async () => {
  const error = await mountSmallDisk(join(folder, 'not there'), null).catch(
    (caught: unknown) => caught,
  );
  expect(String(error)).toMatch(/^Error: mount failed: .+$/);
});

// Something else than the capabilities may forbid it, as AppArmor does; tried where nobody else sees it.
const tried = spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'n8n-tuned', folder]);

const mayMount = whyNoMount() === null && tried.status === 0;

const testOfMount: (name: string, run: () => Promise<void>) => void = mayMount
  ? test
  : (name) => {
      process.stderr.write(`not tried, as nothing can be mounted here: ${name}\n`);
    };

testOfMount(
  'nothing more can be written while it is full, what is there stays, and space comes back',
  async () => {
    const place = join(folder, 'with space');
    mkdirSync(place);
    const disk = await mountSmallDisk(place, null);
    const file = join(place, 'data');
    try {
      writeFileSync(file, 'x'.repeat(3 * 1024 ** 2));
      for (let times = 0; times < 2; times += 1) {
        const more = join(place, `more-${String(times)}`);
        const usedMiB = await disk.fill();
        expect(usedMiB).toBeGreaterThanOrEqual(3);
        expect(() => {
          writeFileSync(more, 'more');
        }).toThrow(expect.objectContaining({ code: 'ENOSPC' }) as Error);
        // It is as on a disk: what a file has already can be written again.
        writeFileSync(file, 'yyy', { flag: 'r+' });
        expect(readFileSync(file, 'utf8').slice(0, 4)).toBe('yyyx');
        await disk.freeUp();
        writeFileSync(more, 'more');
        expect(readFileSync(more, 'utf8')).toBe('more');
      }
    } finally {
      await disk.unmount();
    }
    expect(() => readFileSync(file)).toThrow('ENOENT');
  },
);

testOfMount('the death of its owner unmounts it and removes its folder', async () => {
  const place = join(folder, 'of the dead');
  mkdirSync(place);
  const script = join(folder, 'owner.cjs');
  buildSync({
    stdin: {
      contents: `import { startReaper } from './cli/src/linux/reaper';
        import { mountSmallDisk } from './cli/src/linux/small-disk';
        const reaper = startReaper();
        reaper.watchMount(${JSON.stringify(place)});
        reaper.watchFolder(${JSON.stringify(place)});
        void mountSmallDisk(${JSON.stringify(place)}, null).then(() => process.kill(process.pid, 'SIGKILL'));`,
      resolveDir: join(__dirname, '..', '..', '..'),
    },
    bundle: true,
    platform: 'node',
    outfile: script,
  });
  expect(spawnSync(process.execPath, [script]).signal).toBe('SIGKILL');
  // What is mounted cannot be removed.
  await eventually(() => !existsSync(place));
  expect(existsSync(place)).toBe(false);
});
