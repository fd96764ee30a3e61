import { findBundled } from '../lab/kit';
import { k6For } from '../load/k6';
import type { ChosenWorkload } from '../plan/chosen-workload';
import { withoutSecrets } from '../plan/secrets/command';
import { NEVER, parseStopIf, type StopCondition } from '../plan/stop-if';
import { healthCondition, refuseAlreadyTrue, watchFor, type Watched } from '../run/stop-watch';
import type { Running, Target } from '../targets/target';
import { type Progress, startProgress, type ProgressLine } from '../ui/progress';
import { withTargets, type AllRunning } from '../targets/with-targets';
import { interruptible } from '../ui/interrupt';
import { warn } from '../ui/print';

export interface OnTargets<Targets extends readonly Target[]> {
  /** One for each target. */
  running: AllRunning<Targets>;
  tell: Progress;
  signal: AbortSignal;
  progress: ProgressLine;
  /** What every measurement is told besides its options. */
  means: Means;
}

interface Means {
  /** Empty where all load is made elsewhere. */
  k6: string;
  /** A folder. */
  scripts: string;
  /** The words as they were typed, without secrets. */
  command: string[];
}

/** Work on targets with a line of progress, and Ctrl-C reaching it as an aborted signal. */
export async function onTargets<const Targets extends readonly Target[], Result>(
  targets: Targets,
  workload: ChosenWorkload,
  work: (at: OnTargets<Targets>) => Promise<Result>,
  /** Conditions as the user wrote them; by default those of the targets. */
  stopIf: readonly string[] = [],
  /** How long the health check of an n8n that somebody else runs may fail: longer where the work itself breaks it. */
  unhealthySeconds = UNHEALTHY_SECONDS,
): Promise<Result> {
  const conditions = stopIf.filter((text) => text !== NEVER).map(parseStopIf);
  const means: Means = {
    k6: k6For(targets.some(({ kind }) => kind !== 'kubernetes')),
    scripts: findBundled('loadtests', 'load.ts'),
    command: withoutSecrets(process.argv.slice(2)),
  };
  workload.notes?.forEach(warn);
  const progress = startProgress();
  try {
    return await interruptible((signal, stop) =>
      withTargets(targets, workload.workflows, { tell: progress.tell, signal }, async (running) => {
        const health = stopIf.includes(NEVER) ? null : unhealthySeconds;
        const watched = await whatStops(running, conditions, health, signal);
        const end = watchFor(watched, stop);
        try {
          return await work({ running, tell: progress.tell, signal, progress, means });
        } finally {
          end();
        }
      }),
    );
  } finally {
    progress.end();
  }
}

const UNHEALTHY_SECONDS = 10;

/** What the user names, and the health of each n8n that somebody else runs. */
async function whatStops(
  running: readonly Running[],
  conditions: readonly StopCondition[],
  unhealthySeconds: number | null,
  signal: AbortSignal,
): Promise<Watched> {
  const metrics = running.flatMap((each) => each.metrics);
  await refuseAlreadyTrue({ conditions, metrics }, signal);
  const urls = running.filter(({ kind }) => kind === 'url').map(({ baseUrl }) => baseUrl);
  const health = await Promise.all(
    unhealthySeconds === null
      ? []
      : urls.map((url) => healthCondition(url, unhealthySeconds, warn, signal)),
  );
  return { conditions: [...conditions, ...health.filter((each) => each !== null)], metrics };
}
