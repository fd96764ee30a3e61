import { completed, countedOnce, type CountedWithin } from './analysis/completions';
import { bottleneck } from '../analysis/limits/bottleneck';
import { atHighestLoad, limitsOfRun } from '../analysis/limits/of-run';
import { matchExecutions } from './analysis/match-executions';
import type { TracedExecutions } from '../analysis/traced-execution';
import { values } from '../analysis/metrics';
import { measuredPart, type RequestsSeen } from '../analysis/requests/seen';
import { soakTrends } from '../analysis/soak';
import { mean } from '../analysis/statistics/statistics';
import { serviceCalls, type ServicesSeen } from './analysis/services';
import { summarize, type RunFacts } from './analysis/summarize';
import { verdict } from './analysis/verdict';
import type { RunHead } from '../record/folder';
import type {
  ExecutionCounts,
  LimitedBy,
  MetricSample,
  RequestSample,
  RunEvent,
  RunRecord,
  Summary,
} from '../record/run-record';

/** What only the run itself knew. */
export interface RunEnding {
  endedAt: string;
  /** Null where it is not known. */
  loadBeganAt: string | null;
  /** Null when all load was made; else why it was not. */
  aborted: string | null;
  generator: RunFacts['generator'];
  executions: ExecutionCounts | null;
  traced: TracedExecutions;
  /** The load was ended early, and the requests without a response were cut off. */
  areCutOff?: boolean;
  /** Executions of a workload that answers at once; null if they were not counted. */
  countedWithin: CountedWithin | null;
  queueDrained: { seconds: number | null; open?: number; source?: string } | null;
  failedSamplers: string[];
  /** Null or left out: no stand-in was called. */
  services?: ServicesSeen | null;
  /** With the requests in flight where a process ended. */
  events: RunEvent[];
  files: RunRecord['files'];
}

/** The host's CPU that none of the roles accounts for. */
function otherCores({ roles, generator }: Summary): number | null {
  const host = roles.find(({ role }) => role === 'host')?.cpuCoresMean;
  if (host === undefined || host === null) return null;
  const known = roles
    .filter(({ role }) => role !== 'host' && role !== 'generator')
    .reduce((sum, { cpuCoresMean }) => sum + (cpuCoresMean ?? 0), generator.cpuCores);
  return Math.max(0, host - known);
}

/** Whether all that is loaded runs on the machine of the record: several nodes have no common CPU that could run out. */
function sharesMachine({ target: { kind, deployed }, machine }: RunHead): boolean {
  if (kind !== 'kubernetes') return kind !== 'url';
  return machine.cores > 0 && new Set(Object.values(deployed?.nodes ?? {})).size === 1;
}

/** What was seen of the run. */
export interface RunEvidence {
  requests: RequestsSeen;
  /** Each request, to be matched with its execution; empty where they were too many, and nothing was traced. */
  kept: readonly RequestSample[];
  samples: readonly MetricSample[];
}

/** From what was seen to the record. Pure: a run broken off is concluded from what is left of it. */
export function conclude(
  head: RunHead,
  { requests, kept, samples }: RunEvidence,
  ending: RunEnding,
): RunRecord {
  const { profile } = head;
  const measured = measuredPart(profile);
  const executionsPerRequest = head.workload.executionsPerRequest ?? null;
  const summary: Summary = summarize(requests.figures, samples, {
    measured,
    loop: profile.loop,
    ...(profile.clients === undefined ? {} : { clients: profile.clients }),
    slos: head.slo,
    generator: ending.generator,
    executions: countedOnce(ending.executions, ending.traced),
    ...(head.workload.answers === 'at-once'
      ? {
          completed: completed(kept, ending.traced, ending.countedWithin, {
            measured,
            offered: requests.figures.due,
            executionsPerRequest,
          }),
        }
      : {}),
    queueDrained: ending.queueDrained,
  });
  const { areCutOff = false } = ending;
  summary.matched = matchExecutions(kept, ending.traced, { areCutOff });
  if (ending.services !== undefined && ending.services !== null) {
    const { ratePerSecond } = summary.offered;
    const calls = serviceCalls(ending.services, {
      ...{ requests: requests.figures.requests, ratePerSecond },
    });
    if (calls.length > 0) summary.services = calls;
  }
  if (profile.name === 'soak') {
    summary.soak = soakTrends(requests.latencyOverTime, samples, measured);
  }
  const limits = limitsOfRun({
    measured: atHighestLoad(measured, profile),
    topology: head.topology,
    machine: head.machine,
    sameMachine: sharesMachine(head),
    latencyFloorMs: head.workload.latencyFloorMs,
    usesRunner: head.workload.variant !== 'load-target',
  });
  const { events } = ending;
  const limitWhere = (isHealthy: boolean): LimitedBy =>
    bottleneck({ samples, summary, limits, events }, isHealthy);
  const steal = values(samples, { metric: 'stealShare' }, measured);
  const judged = verdict(head.slo, summary, limitWhere, {
    workload: head.workload.variant === null ? head.workload.title : head.workload.name,
    ...(head.target.kind === 'server' ? { loaded: 'The server' } : {}),
    answers: head.workload.answers,
    ...{ executionsPerRequest, areCutOff },
    profile: profile.name,
    lengthMs: measured.toMs,
    aborted: ending.aborted,
    failedSamplers: ending.failedSamplers,
    loop: profile.loop,
    ...(profile.clients === undefined ? {} : { clients: profile.clients }),
    events,
    stealShare: steal.length > 0 ? mean(steal) : null,
    otherCores: otherCores(summary),
  });
  return {
    ...head,
    schemaVersion: 3,
    endedAt: ending.endedAt,
    ...(ending.loadBeganAt === null ? {} : { loadBeganAt: ending.loadBeganAt }),
    summary,
    verdict: judged,
    events,
    files: ending.files,
  };
}
