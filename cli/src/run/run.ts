/** One run: a workload under a plan on a target that is up, recorded and judged. */
import { measuredPart, RequestsSeen } from '../analysis/requests/seen';
import type { LoadResult } from '../load/load';
import { lengthSeconds } from '../../../loadtests/lib/profile';
import { RunFolder } from '../record/folder';
import { samplersFor } from '../samplers';
import type { Running } from '../targets/target';
import type { Progress } from '../ui/progress';
import { scoped, type Scope } from '../ui/scope';
import { CountWithin } from './count-within';
import { refuseWithoutEvidence } from './evidence';
import { counter, settledExecutions } from './executions';
import { finish, type FinishedRun, type StartedRun } from './finish';
import { headOf, withSeed } from './head';
import { makeLoad, untilBreach } from './make-load';
import type { RunOrder } from './order';
import { Observations, sampleEveryMs } from './samples';

export type { FinishedRun };

export function measure(
  running: Running,
  order: RunOrder,
  progress: Progress,
  signal: AbortSignal,
): Promise<FinishedRun> {
  return scoped(async (scope) => {
    const plan = withSeed(order.plan);
    const started = await start(scope, running, { ...order, plan }, progress, signal);
    let load: LoadResult;
    try {
      load = await makeLoad(started);
    } finally {
      started.seen.begin(Date.now());
    }
    return finish(started, load);
  });
}

/** Whatever looks on is there before the load; what is taken is given back when the scope closes. */
async function start(
  scope: Scope,
  running: Running,
  order: RunOrder,
  progress: Progress,
  signal: AbortSignal,
): Promise<StartedRun> {
  const { workload, plan, drainMs } = order;
  const backlog = await refuseWithoutEvidence(running, order.slos);
  await running.ready(workload.requests, progress, signal);
  const head = headOf(running, order, new Date());
  const folder = new RunFolder(order.out, head);
  const seen = new Observations(folder);
  scope.defer(
    running.onEvent((event) => {
      seen.event(event);
    }),
  );
  const count = counter(running, seen);
  const before = await settledExecutions(count, drainMs, signal);
  // A run is measured without it too.
  const trace = await running.traceExecutions().catch(() => null);
  const soakSeconds = plan.profile === 'soak' ? lengthSeconds(plan) : null;
  const sampled = samplersFor(running, soakSeconds);
  const samplers = await seen.start(sampled, running, sampleEveryMs(plan));
  const isAtOnce = workload.recorded.answers === 'at-once';
  const within = isAtOnce ? new CountWithin(running, measuredPart(plan)) : null;
  scope.defer(() => seen.stop(samplers));
  scope.defer(() => void within?.end());
  const observer = order.observe?.(head, plan) ?? null;
  scope.defer(() => observer?.end().then(() => undefined));
  const thinkTimeMs = Math.max(...workload.requests.map((request) => request.thinkTimeMs));
  return {
    ...{ running, order, progress, signal, head, folder, seen, samplers, thinkTimeMs, observer },
    ...{ count, before, trace, backlog, within },
    requests: new RequestsSeen(plan, thinkTimeMs),
    breach: untilBreach(order),
  };
}
