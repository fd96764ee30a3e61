import { topologySchema } from '../../cli/src/plan/topology';
import { costOfRun } from '../../cli/src/analysis/cost';
import type { CompareRecord } from '../../cli/src/features/compare/record';
import { SLOWER_SHARES, type ComparedRuns } from '../../cli/src/features/compare/report/seen';
import { sampleRun } from './sample-run';

/** A made-up comparison of four pairs: B answers about 2.5 times as much. */
export function sampleComparison(): CompareRecord {
  const { record } = sampleRun();
  return {
    schemaVersion: 2,
    kind: 'compare',
    id: '20261120T110000Z-last-node-compare-abcd',
    startedAt: '2026-11-20T11:00:00.000Z',
    endedAt: '2026-11-20T11:04:00.000Z',
    command: ['compare', 'none.yaml', 'tuned.yaml'],
    workload: record.workload,
    metric: 'throughput',
    slo: [],
    a: {
      name: 'none',
      topology: topologySchema.parse({ tuning: 'none' }),
      values: [40, 41, 39, 40],
      runs: ['runs/a1', 'runs/a2', 'runs/a3', 'runs/a4'],
      cpuMs: [24, 24, 25, 23],
      versions: record.versions,
    },
    b: {
      name: 'tuned',
      topology: topologySchema.parse({ tuning: 'throughput' }),
      values: [100, 104, 97, 99],
      runs: ['runs/b1', 'runs/b2', 'runs/b3', 'runs/b4'],
      cpuMs: [9.8, 9.6, 9.9, 9.8],
      versions: record.versions,
    },
    machine: record.machine,
    versions: record.versions,
    ratio: { value: 2.5, low: 2.4, high: 2.6 },
    equalPrice: { cpuMs: { a: 24, b: 9.8 }, ratio: { value: 1.02, low: 0.99, high: 1.05 } },
    answer: 'better',
    sentence:
      'Measured by expected responses per second with last-node, tuned is better than none by 2.5x (2.4 to 2.6).',
    totalSeconds: 240,
    maxPairs: 10,
    endedBy: 'answer',
    doubts: [],
  };
}

/** What its runs show: A has a long tail. */
export function sampleComparedRuns(): ComparedRuns {
  const { record } = sampleRun();
  const cost = costOfRun(record);
  const costs = cost === null ? [] : [cost, cost];
  const slower = (tail: number): number[] =>
    SLOWER_SHARES.map((share) => 50 + tail * -Math.log10(share));
  return {
    a: { costs, slower: [slower(300), slower(320), slower(310)] },
    b: { costs, slower: [slower(40), slower(42), slower(41)] },
  };
}
