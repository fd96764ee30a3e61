import type { ChosenWorkload } from '../plan/chosen-workload';
import type { Target } from '../targets/target';
import { type Progress, startProgress, type ProgressLine } from '../ui/progress';
import { withTargets, type AllRunning } from '../targets/with-targets';
import { interruptible } from '../ui/interrupt';
import { warn } from '../ui/print';

export interface Scene<Targets extends readonly Target[]> {
  /** One for each target. */
  running: AllRunning<Targets>;
  tell: Progress;
  signal: AbortSignal;
  progress: ProgressLine;
}

/** Work on targets with a line of progress, and Ctrl-C reaching it as an aborted signal. */
export async function onTargets<const Targets extends readonly Target[], Result>(
  targets: Targets,
  workload: ChosenWorkload,
  work: (scene: Scene<Targets>) => Promise<Result>,
): Promise<Result> {
  workload.notes?.forEach(warn);
  const progress = startProgress();
  try {
    return await interruptible((signal) =>
      withTargets(targets, workload.workflows, { tell: progress.tell, signal }, (running) =>
        work({ running, tell: progress.tell, signal, progress }),
      ),
    );
  } finally {
    progress.end();
  }
}
