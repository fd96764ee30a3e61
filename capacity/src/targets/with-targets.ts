import type { Running, Target } from './target';
import type { SeedWorkflow } from '../catalogue/seeding';
import type { Progress } from '../ui/progress';

export type AllRunning<Targets extends readonly Target[]> = {
  [Each in keyof Targets]: Running;
};

/**
 * Brings targets up with the workflows in them, does the work, and takes all of them down again, whatever
 * happens in between.
 */
export async function withTargets<const Targets extends readonly Target[], Result>(
  targets: Targets,
  workflows: SeedWorkflow[],
  { tell, signal }: { tell: Progress; signal: AbortSignal },
  work: (running: AllRunning<Targets>) => Promise<Result>,
): Promise<Result> {
  const up: Running[] = [];
  try {
    for (const target of targets) up.push(await target.up(tell, signal));
    for (const each of up) await each.seed(workflows, tell);
    return await work(up as AllRunning<Targets>);
  } finally {
    for (const each of up) await each.down(tell);
  }
}
