/** The closed loop: each virtual user is a client that waits for its response before it sends again. */
import { sleep } from 'k6';
import exec from 'k6/execution';
import { startClock, type Clock } from './clock.ts';
import { count } from './metrics.ts';
import { print } from './print.ts';
import { lengthSeconds } from './profile.ts';
import { asSent, ended, pick, send, type Prepared } from './request.ts';
import type { RunIdentity, Settings } from './settings.ts';
import { laneOf } from './share.ts';

/** An outage must not become thousands of errors per second. */
const NO_RESPONSE_PAUSE_SECONDS = 1;

const TOO_LATE_PAUSE_SECONDS = 0.25;

/** Per virtual user. */
let clock: Clock | null = null;

export function closedLoop(
  { plan, share, beginsAtMs, timeoutMs, drainMs, prints }: Settings,
  requests: readonly Prepared[],
  { runId }: RunIdentity,
): void {
  const lastDueMs = lengthSeconds(plan) * 1000;
  // A client sends as soon as it is there.
  clock ??= startClock({ leadMs: 0, beginsAtMs });
  const { beganAtMs, now } = clock;
  // If there are several generators, the first one waits for the others.
  if (now() < 0) sleep(-now() / 1000);
  const begunMs = now();
  if (begunMs >= lastDueMs) {
    // The scenario ends a little after the plan where it had to be waited for.
    sleep(TOO_LATE_PAUSE_SECONDS);
    return;
  }
  const chosen = pick(requests, Math.random);
  const client = laneOf(exec.vu.idInTest - 1, share) + 1;
  const turn = exec.vu.iterationInInstance;
  const id = `${runId}-${String(client)}-${String(turn)}`;
  const request = asSent(chosen, { n: turn * plan.clients + client, id, random: Math.random });
  if (prints) print(['b', id, rounded(begunMs), 0, beganAtMs, request.workload]);
  const mayTakeMs = Math.max(1, Math.min(timeoutMs, lastDueMs + drainMs - begunMs));
  const response = send(request, id, mayTakeMs);
  const end = ended(request, response, id, now() - begunMs, mayTakeMs < timeoutMs);
  const { serviceMs, status, errorKind, protocol, ranBy, connected } = end;
  if (prints) print(['e', id, rounded(serviceMs), status, errorKind, ranBy, connected]);
  if (begunMs >= plan.warmupSeconds * 1000 && begunMs < lastDueMs) {
    const { workload } = request;
    count({ workload, durationMs: serviceMs, late: null, errorKind, protocol, ranBy, connected });
  }
  const pauseSeconds = errorKind !== '' && status === 0 ? NO_RESPONSE_PAUSE_SECONDS : 0;
  sleep(Math.max(pauseSeconds, request.thinkTimeMs / 1000));
}

const rounded = (milliseconds: number): number => Math.round(milliseconds * 1000) / 1000;
