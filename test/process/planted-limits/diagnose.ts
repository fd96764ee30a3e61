import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isSameLimit } from '../../../cli/src/analysis/limits/table';
import { findBundled } from '../../../cli/src/lab/kit';
import { repositoryRoot } from '../../../cli/src/lab/paths';
import { findK6 } from '../../../cli/src/load/k6';
import { chooseWorkload, type ChosenWorkload } from '../../../cli/src/plan/chosen-workload';
import { planOf } from '../../../loadtests/lib/profile';
import { parseSlos } from '../../../loadtests/lib/slo';
import type { LimitedBy } from '../../../cli/src/record/run-record';
import { measure } from '../../../cli/src/run/run';
import type { Running } from '../../../cli/src/targets/target';
import { bringUp, never, quiet } from '../stage';
import type { Planted, Stage } from './planted';

/** So short that none of the planted systems meets it: what limited a run is asked of a run that failed. */
const SLO = 'p95<1ms';
const WARMUP_SECONDS = 4;
const MEASURED_SECONDS = 12;

export interface Diagnosis extends Pick<Planted, 'what' | 'limit'> {
  stage: string;
  limitedBy: LimitedBy;
  achievedPerSecond: number;
  isRight: boolean;
}

/** Brings the stage up, plants one limit after the other, and says what each run was put down to. */
export async function diagnose(
  stage: Stage,
  found: (diagnosis: Diagnosis) => void,
  chosen: readonly Planted[] = stage.cases,
): Promise<void> {
  const workloads = chosen.map(workloadOf);
  const running = await bringUp(stage.topology, {
    workflows: workloads.flatMap(({ workflows }) => workflows),
  } as ChosenWorkload);
  try {
    for (const [index, planted] of chosen.entries()) {
      const workload = workloads[index];
      if (workload === undefined) continue;
      found({ stage: stage.name, ...(await diagnoseOne(running, planted, workload)) });
    }
  } finally {
    await running.down(quiet);
  }
}

async function diagnoseOne(
  running: Running,
  planted: Planted,
  workload: ChosenWorkload,
): Promise<Omit<Diagnosis, 'stage'>> {
  await running.ready(workload.requests, quiet, never());
  const out = mkdtempSync(join(tmpdir(), 'n8n-tuned-planted-'));
  const undo = (await planted.plant?.(running)) ?? (() => undefined);
  try {
    const { data } = await measure(
      running,
      {
        workload,
        plan: planOf('closed', {
          clients: planted.clients,
          warmupSeconds: WARMUP_SECONDS,
          durationSeconds: Math.max(
            MEASURED_SECONDS,
            (2.5 * workload.recorded.latencyFloorMs) / 1000,
          ),
        }),
        slos: parseSlos(SLO),
        out,
        k6: findK6(),
        scripts: findBundled('loadtests', 'load.ts'),
        timeoutMs: 30_000,
        drainMs: 20_000,
        ...(planted.generatorCores === undefined
          ? {}
          : { generator: { cores: planted.generatorCores } }),
        command: ['run', '--workload', planted.workload],
      },
      quiet,
      never(),
    );
    const { verdict, summary } = data.record;
    return {
      what: planted.what,
      limit: planted.limit,
      limitedBy: verdict.limitedBy,
      achievedPerSecond: summary.achieved.ratePerSecond,
      isRight: isSameLimit(verdict.limitedBy.limit, planted.limit),
    };
  } finally {
    await undo();
    rmSync(out, { recursive: true, force: true });
  }
}

function workloadOf({ workload, variant, parameters = {} }: Planted): ChosenWorkload {
  return chooseWorkload(
    { workload, ...(variant === undefined ? {} : { variant }), parameters },
    join(repositoryRoot(), 'workflows'),
    null,
  );
}
