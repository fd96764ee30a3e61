import type { ChosenWorkload } from '../plan/chosen-workload';
import type { Target } from '../targets/target';
import { type Progress, startProgress, type ProgressLine } from '../ui/progress';
import { withTargets, type AllRunning } from '../targets/with-targets';
import { Interrupted, messageOf } from '../ui/exit';
import { onInterrupt } from '../ui/interrupt';

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
  const interrupt = onInterrupt();
  const progress = startProgress();
  const hands = { tell: progress.tell, signal: interrupt.signal };
  try {
    return await withTargets(targets, workload.workflows, hands, (running) =>
      work({ running, ...hands, progress }),
    );
  } catch (error) {
    // Whatever then failed, it failed because it was ended.
    if (!interrupt.signal.aborted) throw error;
    throw new Interrupted(`${messageOf(interrupt.signal.reason)}, before anything was recorded.`);
  } finally {
    progress.end();
    interrupt.end();
  }
}
