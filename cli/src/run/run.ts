/** One run: a workload under a plan on a target that is up, recorded and judged. */
import { measuredPart, RequestsSeen } from '../analysis/requests/seen';
import type { LoadResult } from '../load/load';
import { lengthSeconds, type LoadPlan } from '../../../loadtests/lib/profile';
import { RunFolder, runId, type RunHead } from '../record/folder';
import { samplersFor } from '../samplers';
import type { Running } from '../targets/target';
import type { Progress } from '../ui/progress';
import { scoped, type Scope } from '../ui/scope';
import { CountWithin } from './count-within';
import { refuseWithoutEvidence } from './evidence';
import { counter, settledExecutions } from './executions';
import { finish, servicesOf, type FinishedRun, type StartedRun } from './finish';
import { makeLoad, untilBreach } from './make-load';
import type { RunOrder } from './order';
import { Observations, sampleEveryMs } from './samples';
import { randomInt } from 'node:crypto';
import { highestRate } from '../../../loadtests/lib/due';
import type { RecordedProfile } from '../record/run-record';

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
  await order.beforeLoad?.();
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
  const servicesBefore = await servicesOf(running);
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
    ...{ count, before, trace, backlog, within, servicesBefore },
    requests: new RequestsSeen(plan, thinkTimeMs),
    breach: untilBreach(order),
    watch: order.endsOnce?.(plan) ?? null,
  };
}

/** What is known of a run before its load begins. */
function headOf(running: Running, order: RunOrder, startedAt: Date): RunHead {
  const { workload, plan } = order;
  return {
    schemaVersion: 3,
    id: runId(startedAt, workload.recorded.name, plan.profile),
    startedAt: startedAt.toISOString(),
    command: order.command,
    workload: workload.recorded,
    profile: recordedProfile(plan),
    target: {
      kind: running.kind,
      url: running.baseUrl,
      ...(running.deployed === undefined ? {} : { deployed: running.deployed }),
      ...(running.server === undefined ? {} : { server: running.server }),
    },
    topology: running.topology,
    versions: running.versions,
    machine: running.machine,
    slo: order.slos,
    ...(order.prices === undefined ? {} : { prices: order.prices }),
  };
}

function recordedProfile(plan: LoadPlan): RecordedProfile {
  const common = {
    name: plan.profile,
    loop: plan.loop,
    durationSeconds: plan.durationSeconds,
    warmupSeconds: plan.warmupSeconds,
  };
  return plan.loop === 'closed'
    ? { ...common, clients: plan.clients }
    : {
        ...common,
        ratePerSecond: highestRate(plan),
        stages: plan.stages,
        arrivals: plan.arrivals,
        ...(plan.seed === undefined ? {} : { seed: plan.seed }),
      };
}

/** Each run draws random arrivals of its own, and records from what. */
function withSeed(plan: LoadPlan): LoadPlan {
  return plan.arrivals === 'random' && plan.seed === undefined
    ? { ...plan, seed: randomInt(2 ** 31) }
    : plan;
}
