// A sweep whose cells are measured by a formula, as a process of its own that can be killed.
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { order } from '../../../../cli/src/features/sweep/analysis/drift-and-order';
import { cellKey } from '../../../../cli/src/features/sweep/plan/cells';
import { cellsOf } from '../../../../cli/src/features/sweep/plan/plan-cells';
import { parseSweepPlan } from '../../../../cli/src/features/sweep/plan/plan';
import { NO_FIGURES, type SweepRecord } from '../../../../cli/src/features/sweep/record';
import { SweepFolder } from '../../../../cli/src/features/sweep/folder';
import { goThrough } from '../../../../cli/src/features/sweep/sweep';

export function plannedSweep(planFile: string): SweepRecord {
  const plan = parseSweepPlan(readFileSync(planFile, 'utf8'), planFile);
  const { possible, skipped } = cellsOf(plan);
  return {
    schemaVersion: 1,
    kind: 'sweep',
    id: 'test',
    name: 'test',
    title: 'test',
    startedAt: '2026-11-20T10:00:00.000Z',
    command: [],
    machine: { cpu: 'Test CPU', cores: 2, memoryMiB: 1024, os: 'Linux', node: 'v24' },
    plan,
    steps: order(possible, { ...plan, control: possible[0] ?? {} }),
    skipped,
    estimatedSeconds: 1,
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const alive = setInterval(() => undefined, 60_000);
    signal.addEventListener('abort', () => {
      clearInterval(alive);
      resolve();
    });
  });
}

/** `holdAt`: the cell that is begun as that many-th in this folder goes on until the sweep is told to end. */
const [planFile, root, holdAt] = process.argv.slice(2);
if (planFile !== undefined && root !== undefined) {
  const folder = new SweepFolder(join(root, 'sweep'));
  const sweep = folder.sweep() ?? plannedSweep(planFile);
  folder.begin(sweep);
  const release = folder.claim();
  const controller = new AbortController();
  process.on('SIGINT', () => {
    controller.abort(new Error('stopped'));
  });
  void goThrough(
    folder,
    sweep,
    {
      disturbances: [],
      measureCell: async ({ cell, id }, path, _, signal) => {
        appendFileSync(join(root, 'begun.txt'), `${id}\n`);
        // Whoever measures into a folder that is not empty has found the leftovers of another.
        writeFileSync(join(path, 'half-done'), '', { flag: 'wx' });
        const begun = readFileSync(join(root, 'begun.txt'), 'utf8').trim().split('\n').length;
        if (begun === Number(holdAt)) await aborted(signal);
        signal.throwIfAborted();
        if (cell['workers'] === 3) throw new Error('main did not come up');
        return {
          outcome: 'sustained',
          sentence: cellKey(cell),
          limitedBy: null,
          figures: { ...NO_FIGURES, capacityPerSecond: cellKey(cell).length },
          run: null,
          versions: {},
        };
      },
      machine: sweep.machine,
      progress: () => undefined,
      onCell: () => undefined,
    },
    controller.signal,
  ).then(release);
}
