import { topologySchema } from '../../cli/src/plan/topology';
import { costOfRun } from '../../cli/src/analysis/cost';
import type { CompareRecord } from '../../cli/src/features/compare/record';
import { verdictOf } from '../../cli/src/features/migrate/analysis/migrations';
import { migrateRecordSchema, type MigrateRecord } from '../../cli/src/features/migrate/record';
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

/** An upgrade that was rehearsed on two sizes of a database. */
export function sampleMigration(): MigrateRecord {
  const rehearsed = {
    ...{ schemaVersion: 1, kind: 'migrate', id: 'a-rehearsal', executionKiB: 3.5 },
    ...{ command: ['migrate', '--from', '2.30.8'], from: '2.30.8', to: '2.41.1', executions: 1000 },
    ...{ startedAt: '2026-11-28T10:00:00.000Z', endedAt: '2026-11-28T10:05:00.000Z' },
    ...{
      versions: { postgresql: '17.10' },
      machine: sampleRun().record.machine,
      plainStartMs: 4_000,
    },
    rounds: [100, 1000, 1000].map((executions, index) => ({
      ...{ executions, migrationMs: 1_000 + 1_250 * index, blockedMs: 5_000 + 1_250 * index },
      ...{ walMiB: 20, beforeMiB: 50, peakMiB: 80, afterMiB: 60, backupMs: 300, restoreMs: 200 },
      migrations: [
        { name: 'AddOne1', ms: 250, walMiB: 1, locks: [] },
        { name: 'AddTwo2', ms: 2750, walMiB: 19, locks: ['execution_entity', 'user'] },
      ],
      locks: [{ table: 'execution_entity', ms: 2000 }],
    })),
    revert: {
      ...{ reverted: [{ name: 'AddTwo2', ms: 5_000 }], irreversible: ['AddOne1'], failure: null },
    },
    restored: { answers: true, executions: 1000 },
    extrapolated: {
      executions: 10_000,
      migrationMs: { value: 30_000, low: 20_000, high: 40_000 },
      walMiB: { value: 200, low: 100, high: 300 },
      peakMiB: null,
    },
  } as const;
  return migrateRecordSchema.parse({ ...rehearsed, ...verdictOf(rehearsed as never) });
}
