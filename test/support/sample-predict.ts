import {
  answer,
  groupsOf,
  type SizePrediction,
} from '../../cli/src/features/predict/analysis/answer';
import { seededRandom } from '../../cli/src/analysis/statistics/random';
import { uslRate } from '../../cli/src/features/predict/analysis/usl';
import { topologySchema } from '../../cli/src/plan/topology';
import { sampleRun } from './sample-run';

/** What is predicted for six workers from made-up searches with one to four of them. */
export function samplePrediction(size = 6): SizePrediction {
  const { record } = sampleRun();
  const measurements = [1, 2, 3, 4].map((count, index) => ({
    source: `20261120T12000${String(count)}Z-last-node-find-abcd`,
    startedAt: `2026-11-20T12:0${String(count)}:00.000Z`,
    workload: record.workload,
    slo: record.slo.map(({ text }) => text),
    topology: topologySchema.parse({ mode: 'queue', workers: { count } }),
    machine: record.machine,
    ratePerSecond: uslRate({ g: 30, a: 0.08, b: 0.004 }, count) * (1 + 0.02 * (-1) ** index),
    lightLatencySeconds: 0.05,
    cpuMillisecondsPerRequest: 12,
    roleCpu: {},
  }));
  const [group] = groupsOf(measurements, 'workers');
  if (group === undefined) throw new Error('there is no group');
  return answer(group, size, seededRandom(1));
}
