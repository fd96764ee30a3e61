/** Asks whether a system sustains one rate: attempts until the answer is sure, or the budget is spent. */
import type { RunRecord } from '../../record/run-record';
import { basename, join } from 'node:path';
import { planOf, type Arrivals, type LoadPlan } from '../../../../loadtests/lib/profile';
import { RATE_FILE } from '../../record/find-records';
import { makeFolder, runId, writeWhole } from '../../record/folder';
import type { RunOrder } from '../../run/order';
import { measure } from '../../run/run';
import type { Running } from '../../targets/target';
import { messageOf } from '../../ui/exit';
import type { Progress } from '../../ui/progress';
import { perSecond, percent } from '../../ui/numbers';
import { RateAttempt } from './analysis/rate/attempt';
import { attemptOf, concludeRate } from './analysis/rate/conclude';
import { nextStep, type AttemptStep } from './analysis/rate/steps';
import type { BeforeSearch } from './record';
import type { Attempt, RateRecord } from './rate-record';
import { Resting } from './rest';
import { SEARCH_ARRIVALS } from './settings';
import { plannedDueMs } from './traces/requests';

export interface RateOrder extends Omit<RunOrder, 'plan'> {
  ratePerSecond: number;
  arrivals?: Arrivals;
  budgetSeconds: number;
  /** What was seen of this machine before; left out where nobody looked. */
  before?: BeforeSearch;
}

export interface AskedRate {
  folder: string;
  record: RateRecord;
  /** What could not be written, a sentence each. */
  problems: string[];
}

/** Connections, caches and V8's optimiser settle; what takes longer shows in the second attempt. */
const WARMUP_SECONDS = 5;

export const warmupSecondsOf = (latencyFloorMs: number): number =>
  Math.max(WARMUP_SECONDS, latencyFloorMs / 1000);

export async function askRate(
  running: Running,
  order: RateOrder,
  progress: Progress,
  signal: AbortSignal,
): Promise<AskedRate> {
  const { ratePerSecond, budgetSeconds, arrivals = SEARCH_ARRIVALS } = order;
  const started = new Date();
  const startedMs = performance.now();
  const id = runId(started, order.workload.recorded.name, 'rate');
  const folder = join(order.out, id);
  makeFolder(folder);
  const resting = new Resting(running, order.workload.requests);
  const attempts: Attempt[] = [];
  const problems: string[] = [];
  const restless: number[] = [];
  let told: Partial<Pick<RunRecord, 'versions' | 'patches'>> = {};
  const generators = running.generators?.length ?? 1;
  const warmupSeconds = warmupSecondsOf(order.workload.recorded.latencyFloorMs);

  const attempt = async ({ seconds, yesAfterSeconds }: AttemptStep): Promise<Attempt | null> => {
    const number = attempts.length + 1;
    let test: RateAttempt | null = null;
    const tell = (text: string): void => {
      progress(`${soFar(ratePerSecond, number, test)} · ${text}`);
    };
    const { rested } = await resting.before(tell, signal);
    if (signal.aborted) return null;
    if (!rested) restless.push(number);
    const durationSeconds = Math.max(1, seconds - warmupSeconds);
    const plan = planOf('load', { ratePerSecond, warmupSeconds, durationSeconds, arrivals });
    const endsOnce = (seeded: LoadPlan): RateAttempt =>
      (test = new RateAttempt({
        ...{ slos: order.slos, warmupSeconds, yesAfterSeconds },
        dueMs: plannedDueMs(seeded, generators) ?? [],
      }));
    const out = join(folder, 'attempts');
    const finished = await measure(running, { ...order, plan, endsOnce, out }, tell, signal);
    problems.push(...finished.problems);
    const { record } = finished.data;
    if (record.verdict.outcome === 'aborted') return null;
    told = record;
    const seen = test as RateAttempt | null;
    if (seen?.answer === null) seen.look(1000 * seconds);
    return attemptOf(record, seen?.made ?? [], join('attempts', basename(finished.folder)));
  };

  let failure: string | null = null;
  try {
    for (
      let next = nextStep(attempts, budgetSeconds);
      'step' in next && !signal.aborted;
      next = nextStep(attempts, budgetSeconds)
    ) {
      const made = await attempt(next.step);
      if (made === null) break;
      attempts.push(made);
    }
  } catch (error) {
    // What was seen before is concluded; without any of it, the error is all there is to say.
    if (attempts.length === 0 && !signal.aborted) throw error;
    if (!signal.aborted) failure = messageOf(error);
  }

  const record = concludeRate(
    {
      ...{ schemaVersion: 1, kind: 'rate', id },
      startedAt: started.toISOString(),
      endedAt: new Date().toISOString(),
      command: order.command,
      workload: order.workload.recorded,
      target: { kind: running.kind, url: running.baseUrl },
      topology: running.topology,
      versions: { ...running.versions, ...told.versions },
      ...(told.patches === undefined ? {} : { patches: told.patches }),
      machine: running.machine,
      slo: order.slos,
      ...(order.before === undefined ? {} : { before: order.before }),
      ...{ arrivals, ratePerSecond, budgetSeconds, attempts },
      totalSeconds: Math.round(performance.now() - startedMs) / 1000,
    },
    { stoppedBy: signal.aborted ? messageOf(signal.reason) : null, failure, restless },
  );
  writeWhole(join(folder, RATE_FILE), `${JSON.stringify(record, null, 2)}\n`);
  return { folder, record, problems };
}

/** For the line of progress. */
function soFar(ratePerSecond: number, number: number, test: RateAttempt | null): string {
  const seen = test?.made.at(-1)?.shares[0];
  const shown = seen === undefined ? '' : `, ${percent(seen.share)} broke ${seen.slo}`;
  return `${perSecond(ratePerSecond)}, attempt ${String(number)}${shown}`;
}
