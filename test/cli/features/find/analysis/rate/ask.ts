import { seededRandom } from '../../../../../../cli/src/analysis/statistics/random';
import { RateAttempt } from '../../../../../../cli/src/features/find/analysis/rate/attempt';
import {
  nextStep,
  type SeenAttempt,
} from '../../../../../../cli/src/features/find/analysis/rate/steps';
import type { RateRecord } from '../../../../../../cli/src/features/find/rate-record';
import type { RequestSample } from '../../../../../../cli/src/record/run-record';
import { Simulation, type Trace } from '../simulated/simulate';
import type { System } from '../simulated/systems';

/** The same as in find/rate.ts, which this file must not import: it starts processes. */
const WARMUP_SECONDS = 5;
const BUDGET_SECONDS = 300;
/** A request is given up after so long where the system has no timeout of its own. */
const TIMEOUT_SECONDS = 60;
/** Between two attempts the system comes to rest. */
const REST_SECONDS = 3;

export interface Asked {
  answer: RateRecord['answer'];
  /** All of it, with the rests between the attempts. */
  seconds: number;
  attempts: readonly SeenAttempt[];
}

/** Asks whether a simulated system sustains a rate, as the command asks a real one. */
export function ask({ model, p95Seconds }: System, ratePerSecond: number, seed: number): Asked {
  const bound = 1_000 * p95Seconds;
  const slos = [{ text: `p95<${String(bound)}ms`, metric: 'p95', operator: '<', bound }] as const;
  const attempts: SeenAttempt[] = [];
  let seconds = 0;
  let served = 0;
  for (;;) {
    const next = nextStep(attempts, BUDGET_SECONDS);
    if ('answer' in next) return { answer: next.answer, seconds, attempts };
    const random = seededRandom(1_000 * seed + attempts.length);
    const trace = new Simulation(model, random, served).run({ ratePerSecond }, next.step.seconds);
    const dueMs = trace.due.subarray(0, trace.count).map((due) => 1_000 * due);
    const attempt = new RateAttempt({
      ...{ slos, warmupSeconds: WARMUP_SECONDS, dueMs },
      yesAfterSeconds: next.step.yesAfterSeconds,
    });
    const samples = samplesOf(trace, model.timeoutSeconds);
    const { seconds: lasted, done } = watch(attempt, samples, next.step.seconds);
    const dueBy = (atSeconds: number) => dueMs.filter((due) => due <= 1_000 * atSeconds).length;
    // The system works on what it was sent, also after the load has ended.
    served += dueBy(lasted);
    seconds += lasted + REST_SECONDS;
    const achievedShare = Math.min(1, done / (dueBy(lasted) - dueBy(WARMUP_SECONDS)));
    attempts.push({ answer: attempt.answer, seconds: lasted, achievedShare });
  }
}

function watch(
  attempt: RateAttempt,
  samples: Iterable<RequestSample>,
  maxSeconds: number,
): { seconds: number; done: number } {
  let seconds = maxSeconds;
  let done = 0;
  for (const sample of samples) {
    const endedSeconds = (sample.tMs + sample.durationMs) / 1_000;
    if (endedSeconds > maxSeconds) break;
    attempt.see(sample);
    if (sample.ok && endedSeconds >= WARMUP_SECONDS) done += 1;
    if (attempt.answer === null) continue;
    seconds = endedSeconds;
    break;
  }
  if (attempt.answer === null) attempt.look(1_000 * maxSeconds);
  return { seconds, done };
}

/** In the order of their ends, as k6 tells of them. */
function* samplesOf(
  { due, latency, count }: Trace,
  timeoutSeconds = TIMEOUT_SECONDS,
): Generator<RequestSample> {
  const ends = due
    .subarray(0, count)
    .map((at, i) => at + Math.min(timeoutSeconds, latency[i] ?? 0));
  const order = Uint32Array.from(ends.keys()).sort((a, b) => (ends[a] ?? 0) - (ends[b] ?? 0));
  for (const i of order) {
    const took = latency[i] ?? 0;
    const ok = took <= timeoutSeconds;
    yield {
      ...{ tMs: 1_000 * (due[i] ?? 0), durationMs: 1_000 * Math.min(took, timeoutSeconds), ok },
      ...{ status: ok ? 200 : 0, errorKind: ok ? '' : 'timeout', id: '', workload: '', ranBy: '' },
    };
  }
}
