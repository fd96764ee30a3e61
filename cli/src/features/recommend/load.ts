/** Brings exactly what values.yaml says up, and loads it at the wanted rate. */
import type { Deployed } from '../../plan/values-topology';
import type { ChosenWorkload } from '../../plan/chosen-workload';
import { planOf } from '../../../../loadtests/lib/profile';
import type { Slo } from '../../../../loadtests/lib/slo';
import { findBundled } from '../../lab/kit';
import { measure } from '../../run/run';
import type { Deployer } from '../../targets/deploy';
import type { Progress } from '../../ui/progress';
import { withTargets } from '../../targets/with-targets';
import type { RunRecordAt } from './prove';

export interface LoadOrder {
  workload: ChosenWorkload;
  slos: Slo[];
  ratePerSecond: number;
  durationSeconds: number;
  out: string;
  k6: string;
  timeoutMs: number;
  drainMs: number;
  readyTimeoutMs: number;
  command: string[];
  /** The target that deploys it. */
  deployer: Deployer;
}

/** Share of the load before the measured part. */
const WARMUP_SHARE = 0.2;

export async function loadValues(
  { topology, values }: { topology: Deployed['topology']; values: string },
  order: LoadOrder,
  progress: Progress,
  signal: AbortSignal,
): Promise<RunRecordAt> {
  const { workload, durationSeconds, ratePerSecond } = order;
  const target = order.deployer.deploy({
    topology,
    values,
    workflows: workload.workflows,
    readyTimeoutMs: order.readyTimeoutMs,
  });
  return withTargets(
    [target],
    workload.workflows,
    { tell: progress, signal },
    async ([running]) => {
      const plan = planOf('load', {
        ratePerSecond,
        durationSeconds,
        warmupSeconds: WARMUP_SHARE * durationSeconds,
      });
      const scripts = findBundled('loadtests', 'load.ts');
      const { folder, data } = await measure(
        running,
        { ...order, plan, scripts },
        progress,
        signal,
      );
      return { record: data.record, run: folder };
    },
  );
}
