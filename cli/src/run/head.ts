/** What is known of a run before its load begins. */
import { randomInt } from 'node:crypto';
import { highestRate } from '../../../loadtests/lib/due';
import type { LoadPlan } from '../../../loadtests/lib/profile';
import { runId, type RunHead } from '../record/folder';
import type { RecordedProfile } from '../record/run-record';
import type { Running } from '../targets/target';
import type { RunOrder } from './order';

export function headOf(running: Running, order: RunOrder, startedAt: Date): RunHead {
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
export function withSeed(plan: LoadPlan): LoadPlan {
  return plan.arrivals === 'random' && plan.seed === undefined
    ? { ...plan, seed: randomInt(2 ** 31) }
    : plan;
}
