import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SweepFolder } from '../../../../cli/src/features/sweep/folder';
import type { CellRecord, SweepRecord } from '../../../../cli/src/features/sweep/record';
import { until } from '../../../support/wait';

const ROOT = join(__dirname, '../../../..');
// The command looks for the chart above its own file.
const folder = mkdtempSync(join(ROOT, 'cli', 'node_modules', '.sweep-resume-'));
const program = join(folder, 'stepper.cjs');
const planFile = join(folder, 'plan.yaml');
const started = new Set<ChildProcess>();

beforeAll(() => {
  execFileSync(join(ROOT, 'node_modules/.bin/esbuild'), [
    ...[join(__dirname, 'stepper.ts'), '--bundle', '--platform=node', '--format=cjs'],
    ...['--log-level=error', `--outfile=${program}`],
  ]);
  writeFileSync(
    planFile,
    `slo: [p95<1s]
fixed: { mode: queue }
dimensions: { workers: [1, 2, 3], cpuMillicores: [500, 1000], memoryMiB: [1024, 2048] }
repeats: 2
controlEvery: 5
`,
  );
});
afterEach(() => {
  for (const child of started) child.kill('SIGKILL');
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** It goes on in the cell that is begun as the `holdAt`-th, so that it is interrupted there, however fast anything is. */
function start(root: string, holdAt?: number): ChildProcess {
  const child = spawn(process.execPath, [program, planFile, root, String(holdAt ?? '')]);
  started.add(child);
  return child;
}

const ended = (child: ChildProcess): Promise<number | null> =>
  new Promise((resolve) => child.once('exit', resolve));

const begun = (root: string): string[] => {
  const file = join(root, 'begun.txt');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
};

function results(root: string): { sweep: SweepRecord; records: CellRecord[] } {
  const place = new SweepFolder(join(root, 'sweep'));
  const sweep = place.sweep();
  if (sweep === null) throw new Error('there is no sweep');
  return { sweep, records: place.records(sweep) };
}

/** Without what differs between any two measurements. */
const comparable = ({ records }: { records: CellRecord[] }): unknown[] =>
  records.map(({ startedAt: _, seconds: __, ...rest }) => rest);

const newRoot = (): string => mkdtempSync(join(folder, 'run-'));

describe('a sweep of 12 cells, twice each', () => {
  test('killed twice and stopped once comes to the result of one that was not, measuring nothing twice', async () => {
    const whole = newRoot();
    await ended(start(whole));

    const root = newRoot();
    for (const [cells, signal] of [
      [4, 'SIGKILL'],
      [11, 'SIGKILL'],
      [17, 'SIGINT'],
    ] as const) {
      const child = start(root, cells);
      await until(`${String(cells)} cells begun`, () => begun(root).length >= cells);
      const gone = ended(child);
      child.kill(signal);
      await gone;
    }
    const before = results(root).records.length;
    expect(before).toBeLessThan(results(root).sweep.steps.length);
    await ended(start(root));

    const { sweep, records } = results(root);
    expect(records.map(({ id }) => id)).toEqual(sweep.steps.map(({ id }) => id));
    expect(comparable(results(root))).toEqual(comparable(results(whole)));
    // Only what each interruption broke off was begun again: no finished cell was.
    const all = begun(root);
    expect(all.length - new Set(all).size).toBe(3);
  }, 180_000);

  test('keeps cells in which n8n crashes as results, and goes on', () => {
    const root = newRoot();
    execFileSync(process.execPath, [program, planFile, root]);
    const crashed = results(root).records.filter(({ outcome }) => outcome === 'crashed');
    expect(new Set(crashed.map(({ cell }) => cell['workers']))).toEqual(new Set([3]));
    expect(crashed).toHaveLength(2 * 4);
    expect(crashed[0]?.sentence).toBe('main did not come up');
  });

  test('is measured by one command at a time', async () => {
    const root = newRoot();
    const child = start(root, 1);
    await until('the first cell', () => begun(root).length > 0);
    expect(() => new SweepFolder(join(root, 'sweep')).claim()).toThrow(
      `is being measured by process ${String(child.pid)}`,
    );
    const gone = ended(child);
    child.kill('SIGKILL');
    await gone;
    new SweepFolder(join(root, 'sweep')).claim()();
  });
});
