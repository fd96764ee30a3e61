import { order } from '../../cli/src/features/sweep/analysis/drift-and-order';
import type { Cell } from '../../cli/src/features/sweep/plan/cells';
import { cellsOf } from '../../cli/src/features/sweep/plan/plan-cells';
import { parseSweepPlan } from '../../cli/src/features/sweep/plan/plan';
import { NO_FIGURES, type CellRecord, type SweepRecord } from '../../cli/src/features/sweep/record';

export const sweepMachine = {
  ...{ cpu: 'Test CPU', cores: 2, memoryMiB: 1024 },
  ...{ os: 'Linux', node: 'v24' },
};

/** A made-up sweep of n8n in queue mode over these dimensions, which are YAML. */
export function sampleSweep(dimensions: string, more = ''): SweepRecord {
  const plan = parseSweepPlan(
    `slo: [p95<1s]\nfixed: { mode: queue }\ndimensions: { ${dimensions} }\n${more}`,
    'plan.yaml',
  );
  const { possible, skipped } = cellsOf(plan);
  const control = possible[0] ?? {};
  return {
    schemaVersion: 1,
    kind: 'sweep',
    id: 'test',
    name: 'test',
    title: 'Workers & CPU',
    startedAt: '2026-11-20T10:00:00.000Z',
    command: ['sweep', '-f', 'plan.yaml'],
    machine: sweepMachine,
    plan,
    steps: order(possible, { ...plan, control }),
    skipped,
    estimatedSeconds: 100,
  };
}

/** 20/s for each worker, a little more in each block; the controls as `controls` says. */
export function sampleCells(
  { steps }: SweepRecord,
  capacity: (cell: Cell, block: number) => number | null = ({ workers }, block) =>
    20 * Number(workers) + block,
  controls: (index: number) => number = () => 50,
): CellRecord[] {
  return steps.map((step, index) => {
    const value = step.isControl ? controls(index) : capacity(step.cell, step.block);
    return {
      ...step,
      schemaVersion: 2,
      kind: 'cell',
      startedAt: new Date(Date.UTC(2026, 10, 20, 10, index)).toISOString(),
      seconds: 30,
      machine: sweepMachine,
      versions: { n8n: '2.41.1' },
      outcome: value === null ? 'crashed' : 'sustained',
      sentence: value === null ? 'main <died>' : 'n8n sustained it.',
      limitedBy: { limit: { role: 'host', resource: 'CPU' }, evidence: null, next: null },
      figures: { ...NO_FIGURES, capacityPerSecond: value, p99Ms: value === null ? null : 100 },
      run: value === null ? null : 'run',
    };
  });
}
