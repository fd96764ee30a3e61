/**
 * The open loop: a few virtual users, one each lane, send every request at the time when it is due, whether or
 * not earlier ones have had their response. A request costs a socket, not a virtual user, and knows when it was
 * due, so that waiting for the generator is never missing from its latency.
 */
import exec from 'k6/execution';
import { setTimeout } from 'k6/timers';
import { dueTimes } from './arrivals.ts';
import { startClock } from './clock.ts';
import { allowedLatenessMs } from './lateness.ts';
import { count, countNotSent } from './metrics.ts';
import { tooManyLanes } from './planned.ts';
import { print } from './print.ts';
import { lengthSeconds } from './profile.ts';
import { seededRandom, seedOf } from './random.ts';
import { asSent, begin, ended, pick, type Ended, type Prepared } from './request.ts';
import type { RunIdentity, Settings } from './settings.ts';
import { allLanes, laneOf } from './share.ts';

const RETRY_AFTER_MS = 1_000;

/** The stream that draws the weights of a blend: no lane uses it. */
const PICKING = 1_000_000;
/** The stream that draws what is random in a request, so that it moves no weight. */
const FILLING = 2_000_000;

export async function openLoop(
  settings: Settings,
  requests: readonly Prepared[],
  { runId, seed }: RunIdentity,
): Promise<void> {
  const { plan, share, segments, timeoutMs, drainMs, prints } = settings;
  const warmupMs = plan.warmupSeconds * 1000;
  const allowedLateMs = allowedLatenessMs(settings.slos);
  const lastDueMs = lengthSeconds(plan) * 1000;
  const lane = laneOf(exec.scenario.iterationInTest, share);
  const lanes = allLanes(plan, share.of * segments);
  if (lane >= lanes) exec.test.abort(tooManyLanes(settings));
  const mayBeOpen = Math.ceil(settings.maxOpen / (lanes / share.of));
  const { beganAtMs, now } = startClock({ beginsAtMs: settings.beginsAtMs });
  const nextDue = dueTimes(plan, seed, lane, lanes);
  const random = seededRandom(seedOf(seed, PICKING + lane));
  const fillRandom = seededRandom(seedOf(seed, FILLING + lane));
  let open = 0;
  let sent = 0;

  async function send(dueMs: number): Promise<void> {
    const chosen = pick(requests, random);
    const measured = dueMs >= warmupMs;
    if (open >= mayBeOpen) {
      if (prints) print(['n', rounded(dueMs), beganAtMs, chosen.workload]);
      if (measured) countNotSent(chosen.workload);
      return;
    }
    open += 1;
    const id = `${runId}-${String(lane)}-${String(sent)}`;
    const request = asSent(chosen, { n: sent * lanes + lane + 1, id, random: fillRandom });
    sent += 1;
    const begunMs = now();
    const lateMs = begunMs - dueMs;
    if (prints) print(['b', id, rounded(dueMs), rounded(lateMs), beganAtMs, request.workload]);
    const end = await heard(request, id, begunMs);
    open -= 1;
    const { serviceMs, status, errorKind, protocol, ranBy, connected } = end;
    if (prints) print(['e', id, rounded(serviceMs), status, errorKind, ranBy, connected]);
    if (measured) {
      const { workload } = request;
      const durationMs = lateMs + serviceMs;
      const late = { ms: lateMs, isTooLate: lateMs > allowedLateMs };
      count({ workload, durationMs, late, errorKind, protocol, ranBy, connected });
    }
  }

  /** What the caller has in the end, and how long that took: a caller that retries waits a little before. */
  async function heard(request: Prepared, id: string, begunMs: number): Promise<Ended> {
    const giveUpMs = lastDueMs + drainMs;
    for (let left = plan.retries ?? 0, atMs = begunMs; ; left -= 1, atMs = now()) {
      const mayTakeMs = Math.max(1, Math.min(timeoutMs, giveUpMs - atMs));
      const response = await begin(request, id, mayTakeMs);
      const end = ended(request, response, id, now() - atMs, mayTakeMs < timeoutMs);
      const isLast = end.errorKind === '' || left === 0 || now() + RETRY_AFTER_MS >= giveUpMs;
      if (isLast) return atMs === begunMs ? end : { ...end, serviceMs: now() - begunMs };
      await new Promise<void>((next) => void setTimeout(next, RETRY_AFTER_MS));
    }
  }

  await new Promise<void>((allSent) => {
    let due = nextDue();
    const step = (): void => {
      for (; due !== null && due <= now(); due = nextDue()) void send(due);
      if (due === null) allSent();
      else setTimeout(step, Math.max(0, due - now()));
    };
    step();
  });
}

/** To a microsecond. */
const rounded = (milliseconds: number): number => Math.round(milliseconds * 1000) / 1000;
