import type { Running, Target } from './target';
import type { SeedWorkflow } from '../catalogue/seeding';
import { messageOf } from '../ui/exit';
import { warn } from '../ui/print';
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
  const failures: unknown[] = [];
  let result: { of: Result } | null = null;
  try {
    for (const target of targets) up.push(await target.up(tell, signal));
    for (const each of up) await each.seed(workflows, tell);
    result = { of: await work(up as AllRunning<Targets>) };
  } catch (error) {
    failures.push(error);
  }
  // One that cannot be taken down keeps no other up.
  for (const each of up) await each.down(tell).catch((error: unknown) => failures.push(error));
  // The first is why it ended; what came of it is told besides.
  const [first, ...others] = failures;
  for (const error of others) warn(messageOf(error));
  if (result === null || failures.length > 0) throw first as Error;
  return result.of;
}
