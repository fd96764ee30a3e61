import { completed, countedOnce, type CountedWithin } from '../analysis/completions';
import { inFlightAt } from '../analysis/in-flight';
import { bottleneck } from '../analysis/limits/bottleneck';
import { atHighestLoad, limitsOfRun } from '../analysis/limits/of-run';
import { matchExecutions, type TracedExecutions } from '../analysis/match-executions';
import { values } from '../analysis/metrics';
import { assess } from '../analysis/slo';
import { soakTrends } from '../analysis/soak';
import { mean } from '../analysis/statistics';
import { summarize } from '../analysis/summarize';
import { BREAKING_EVENTS, verdict } from '../analysis/verdict';
import type { RunHead } from '../record/folder';
import type { ExecutionCounts, RunEvent, RunRecord, RunTables, Summary } from '../record/record';

/** What only the run itself knew. */
export interface RunEnding {
  endedAt: string;
  /** Null when all load was made; else why it was not. */
  aborted: string | null;
  generator: { cpuCoresMean: number; coresAvailable: number | null; notSent: number };
  executions: ExecutionCounts | null;
  traced: TracedExecutions;
  /** Of workloads that answer at once; null where it was not counted. */
  countedWithin: CountedWithin | null;
  queueDrained: { seconds: number | null } | null;
  failedSamplers: string[];
  events: RunEvent[];
  files: RunRecord['files'];
  thinkTimeMs: number;
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

/** How many callers waited when a process ended. */
function withInFlight(events: readonly RunEvent[], requests: RunTables['requests']): RunEvent[] {
  const ended = events.filter(({ kind }) => BREAKING_EVENTS.has(kind));
  const open = inFlightAt(
    requests,
    ended.map(({ tMs }) => tMs),
  );
  const known = new Map(ended.map((event, index) => [event, open[index] ?? 0]));
  return events.map((event) => {
    const inFlight = known.get(event);
    return inFlight === undefined ? event : { ...event, inFlight };
  });
}

/** From the raw tables to the record. Pure: a run broken off is concluded from what is left of it. */
export function conclude(
  head: RunHead,
  { requests, samples }: RunTables,
  ending: RunEnding,
): RunRecord {
  const { profile } = head;
  const measured = {
    fromMs: profile.warmupSeconds * 1000,
    toMs: (profile.warmupSeconds + profile.durationSeconds) * 1000,
  };
  const executionsPerRequest = head.workload.executionsPerRequest ?? null;
  const due = requests.filter(({ tMs }) => tMs >= measured.fromMs && tMs < measured.toMs).length;
  const summary: Summary = summarize(requests, samples, {
    measured,
    loop: profile.loop,
    ...(profile.clients === undefined ? {} : { clients: profile.clients }),
    thinkTimeMs: ending.thinkTimeMs,
    slos: head.slo,
    generator: ending.generator,
    executions: countedOnce(ending.executions, ending.traced),
    ...(head.workload.answers === 'at-once'
      ? {
          completed: completed(requests, ending.traced, ending.countedWithin, {
            measured,
            offered: due,
            executionsPerRequest,
          }),
        }
      : {}),
    queueDrained: ending.queueDrained,
  });
  summary.matched = matchExecutions(requests, ending.traced);
  if (profile.name === 'soak') summary.soak = soakTrends(requests, samples, measured);
  const limits = limitsOfRun({
    measured: atHighestLoad(measured, profile),
    topology: head.topology,
    machine: head.machine,
    sameMachine: head.target.kind === 'process',
    latencyFloorMs: head.workload.latencyFloorMs,
    usesRunner: head.workload.variant !== 'load-target',
  });
  const healthy =
    head.slo.every((slo) => assess(slo, summary).seemsMet) &&
    summary.achieved.shareOfOffered >= 0.95 &&
    (summary.completions?.shareOfOffered ?? 1) >= 0.95;
  const limitedBy = bottleneck({ samples, summary, limits, events: ending.events }, healthy);
  const events = withInFlight(ending.events, requests);
  const steal = values(samples, { metric: 'stealShare' }, measured);
  const judged = verdict(head.slo, summary, limitedBy, {
    workload: head.workload.variant === null ? head.workload.title : head.workload.name,
    answers: head.workload.answers,
    executionsPerRequest,
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
    summary,
    verdict: judged,
    events,
    files: ending.files,
  };
}
