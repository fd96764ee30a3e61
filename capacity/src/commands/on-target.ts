import type { ChosenWorkload } from '../plan/chosen-workload';
import type { Progress, Running, Target } from '../target/target';
import { onInterrupt } from '../ui/interrupt';
import { startProgress, type ProgressLine } from '../ui/progress';

export interface Scene<Targets extends readonly Target[]> {
  /** One for each target. */
  running: { [Each in keyof Targets]: Running };
  tell: Progress;
  signal: AbortSignal;
  progress: ProgressLine;
}

/**
 * Brings targets up with the workload in them, does the work, and takes all of them down again, whatever
 * happens in between. Ctrl-C reaches the work as an aborted signal.
 */
export async function onTargets<const Targets extends readonly Target[], Result>(
  targets: Targets,
  workload: ChosenWorkload,
  work: (scene: Scene<Targets>) => Promise<Result>,
): Promise<Result> {
  const interrupt = onInterrupt();
  const progress = startProgress();
  const { signal } = interrupt;
  const { tell } = progress;
  const up: Running[] = [];
  try {
    for (const target of targets) up.push(await target.up(tell, signal));
    for (const each of up) await each.seed(workload.workflows, tell);
    const running = up as Scene<Targets>['running'];
    return await work({ running, tell, signal, progress });
  } finally {
    for (const each of up) await each.down(tell);
    progress.end();
    interrupt.end();
  }
}
