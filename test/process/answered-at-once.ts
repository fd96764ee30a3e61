import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findK6 } from '../../cli/src/load/k6';
import { repositoryRoot } from '../../cli/src/lab/paths';
import type { ChosenWorkload } from '../../cli/src/plan/chosen-workload';
import { planOf } from '../../loadtests/lib/profile';
import { parseSlos } from '../../loadtests/lib/slo';
import type { RunRecord } from '../../cli/src/record/run-record';
import { measure } from '../../cli/src/run/run';
import type { Running } from '../../cli/src/targets/target';
import { never, quiet } from './stage';
import { unlessInvalid } from '../support/wait';

/**
 * A workload that is answered at once and then works for 5 s, at a rate at which n8n answers every request
 * and can complete a tenth: it is judged by what was completed, wherever executions run.
 */

const RATE = 4;
export const SLOTS = 2;
const SECONDS = 8;
/** Each takes 5 s. */
const COMPLETABLE = SLOTS / 5;

const out = mkdtempSync(join(tmpdir(), 'at-once-'));

async function loaded(
  running: Running,
  chosen: ChosenWorkload,
  slo: string,
  drainMs = 500,
): Promise<RunRecord> {
  const plan = planOf('load', { ratePerSecond: RATE, durationSeconds: SECONDS, warmupSeconds: 0 });
  const { data } = await measure(
    running,
    {
      ...{ workload: chosen, plan, slos: parseSlos(slo), out, k6: findK6(), command: [] },
      ...{ scripts: join(repositoryRoot(), 'loadtests'), timeoutMs: 20_000, drainMs },
    },
    quiet,
    never(),
  );
  return data.record;
}

export const loadedWell = (...args: Parameters<typeof loaded>): Promise<RunRecord> =>
  unlessInvalid(
    () => loaded(...args),
    ({ verdict }) => verdict.outcome === 'invalid',
  );

export function expectNotCompleted({ summary, verdict }: RunRecord): void {
  expect(summary.achieved.shareOfOffered).toBeGreaterThan(0.95);
  expect(summary.errors.requests).toBe(0);
  expect(summary.completions?.ratePerSecond).toBeLessThan(COMPLETABLE + SLOTS / SECONDS);
  expect(verdict.outcome).toBe('not sustained');
  expect(verdict.sentence).toMatch(/of 4 req\/s were completed/);
}

afterAll(() => {
  rmSync(out, { recursive: true, force: true });
});
