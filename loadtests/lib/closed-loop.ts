/** The closed loop: each virtual user is a client that waits for its response before it sends again. */
import { sleep } from 'k6';
import exec from 'k6/execution';
import { startClock, type Clock } from './clock.ts';
import { count } from './metrics.ts';
import { print } from './print.ts';
import { lengthSeconds } from './profile.ts';
import { ended, pick, send, type Prepared } from './request.ts';
import type { RunIdentity, Settings } from './settings.ts';

/** An outage must not become thousands of errors per second. */
const NO_REPLY_PAUSE_SECONDS = 1;

/** Per virtual user. */
let clock: Clock | null = null;

export function closedLoop(
  { plan, timeoutMs, drainMs, prints }: Settings,
  requests: readonly Prepared[],
  { runId }: RunIdentity,
): void {
  const request = pick(requests, Math.random);
  const lastDueMs = lengthSeconds(plan) * 1000;
  // A client sends as soon as it is there.
  clock ??= startClock(0);
  const { beganAtMs, now } = clock;
  const begunMs = now();
  const id = `${runId}-${String(exec.vu.idInTest)}-${String(exec.vu.iterationInInstance)}`;
  if (prints) print(['b', id, rounded(begunMs), 0, beganAtMs, request.workload]);
  const mayTakeMs = Math.max(1, Math.min(timeoutMs, lastDueMs + drainMs - begunMs));
  const response = send(request, id, mayTakeMs);
  const end = ended(request, response, id, now() - begunMs, mayTakeMs < timeoutMs);
  const { serviceMs, status, errorKind, ranBy, connected } = end;
  if (prints) print(['e', id, rounded(serviceMs), status, errorKind, ranBy, connected]);
  if (begunMs >= plan.warmupSeconds * 1000 && begunMs < lastDueMs) {
    const { workload } = request;
    count({ workload, durationMs: serviceMs, lateMs: null, errorKind, ranBy, connected });
  }
  const pauseSeconds = errorKind !== '' && status === 0 ? NO_REPLY_PAUSE_SECONDS : 0;
  sleep(Math.max(pauseSeconds, request.thinkTimeMs / 1000));
}

const rounded = (milliseconds: number): number => Math.round(milliseconds * 1000) / 1000;
