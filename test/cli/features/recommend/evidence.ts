import { topologySchema } from '../../../../cli/src/plan/topology';
import type { CapacityEvidence } from '../../../../cli/src/features/recommend/analysis/evidence';
import type { RoleSummary, RunRecord } from '../../../../cli/src/record/run-record';
import { sampleRun } from '../../../support/sample-run';

export const role = (
  name: RoleSummary['role'],
  instances: number,
  cpuCoresMean: number,
  rssPeakMiB: number,
): RoleSummary => ({
  role: name,
  instances,
  rssPeakMiB,
  rssMedianMiB: rssPeakMiB,
  cpuCoresMean,
  processesPeak: instances,
  restarts: 0,
  oomKills: 0,
  throttledShare: null,
});

export function regular(
  capacityPerSecond: number,
  more: Partial<CapacityEvidence> = {},
): CapacityEvidence {
  return {
    source: 'search-regular',
    workload: 'last-node',
    slo: ['p95<1s', 'errors<1%'],
    topology: topologySchema.parse({ tuning: 'throughput', main: { memoryMiB: 1536 } }),
    machine: { cpu: 'Test CPU', cores: 8, memoryMiB: 16_000, os: 'Linux', node: 'v24' },
    capacityPerSecond,
    confirmed: true,
    at: {
      ratePerSecond: capacityPerSecond,
      meanLatencyMs: 50,
      roles: [role('main', 1, 1, 500), role('runner', 1, 0.1, 140)],
      run: 'probes/regular',
    },
    ...more,
  };
}

export function queue(workers: number, capacityPerSecond: number): CapacityEvidence {
  return {
    ...regular(capacityPerSecond),
    source: `search-queue-${String(workers)}`,
    topology: topologySchema.parse({
      mode: 'queue',
      tuning: 'throughput',
      main: { memoryMiB: 1536 },
      workers: { count: workers, concurrency: 10 },
    }),
    at: {
      ratePerSecond: capacityPerSecond,
      meanLatencyMs: 50,
      roles: [
        role('main', 1, 0.5, 700),
        role('worker', workers, 0.8 * workers, 500 * workers),
        role('runner', workers, 0.1 * workers, 140 * workers),
      ],
      run: `probes/queue-${String(workers)}`,
    },
  };
}

/** A run at `ratePerSecond` in which main used so many cores. */
export function loaded(
  outcome: RunRecord['verdict']['outcome'],
  ratePerSecond: number,
  mainCores: number,
): RunRecord {
  const { record } = sampleRun();
  return {
    ...record,
    summary: {
      ...record.summary,
      achieved: { ...record.summary.achieved, ratePerSecond },
      roles: [role('main', 1, mainCores, 600)],
    },
    verdict: { ...record.verdict, outcome, sentence: `it ${outcome}` },
  };
}
