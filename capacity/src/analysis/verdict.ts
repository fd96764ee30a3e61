import type { Slo } from '../plan/slo';
import type { Outcome, RunEvent, Summary, Verdict } from '../record/record';
import type { Limit } from './bottleneck';
import { executionFindings, type Promised } from './executions';
import { figures } from './figures';
import { breaches, duration, type Breach } from './slo';

export interface VerdictFacts extends Promised {
  workload: string;
  /** Null when the run came to its end; else why it did not. */
  aborted: string | null;
  /** Samplers that failed, by name. */
  failedSamplers: string[];
  loop: 'open' | 'closed';
  clients?: number;
  events: readonly RunEvent[];
  /** Mean share of the host's time that its hypervisor gave to others; null where not seen. */
  stealShare: number | null;
  /** Mean cores that something else on n8n's machine used; null where not seen. */
  otherCores: number | null;
}

/** Below this many answers a p99 rests on single requests. */
const ENOUGH_REQUESTS = 100;
/** Events that no run may have, as targets name them. */
const BREAKING_EVENTS = new Set(['restart', 'oom-kill', 'exit']);
/** The system and the samplers themselves were seen to use less. */
const OTHERS_CORES = 0.25;
const LITTLES_LAW_TOLERANCE = 0.2;
/** A queue that keeps more than this share of what comes in will overflow, only later. */
const GROWING_SHARE = 0.01;

export function verdict(
  slos: readonly Slo[],
  summary: Summary,
  limitedBy: Limit,
  facts: VerdictFacts,
): Verdict {
  const matched = executionFindings(summary, facts);
  const broken = [
    ...breaches(slos, summary),
    ...builtInBreaches(slos, summary, facts),
    ...matched.breaches,
  ];
  const outcome = decide(summary, broken, facts);
  return {
    outcome,
    sentence: sentence(outcome, summary, broken, limitedBy, facts),
    breaches: broken,
    undecided: [],
    limitedBy,
    doubts: [...doubts(summary, facts), ...matched.doubts],
  };
}

/** What no run may do, whether or not the user asked: fall behind, or lose a process. */
function builtInBreaches(
  slos: readonly Slo[],
  summary: Summary,
  { loop, events }: VerdictFacts,
): Breach[] {
  const found: Breach[] = [];
  const { achieved, offered, backlog } = summary;
  const asked = new Set(slos.map(({ metric }) => metric));
  if (loop === 'open' && !asked.has('throughput') && achieved.shareOfOffered < 0.95) {
    found.push({
      slo: 'throughput>=95%',
      measured: achieved.shareOfOffered,
      text: `${figures(achieved.ratePerSecond)} of ${figures(offered.ratePerSecond)} req/s got the expected response`,
    });
  }
  if (
    loop === 'open' &&
    backlog !== null &&
    backlog.slopePerSecond > GROWING_SHARE * offered.ratePerSecond
  ) {
    found.push({
      slo: 'backlog does not grow',
      measured: backlog.slopePerSecond,
      text: `the queue grew by ${figures(backlog.slopePerSecond)} jobs a second`,
    });
  }
  if (backlog !== null && backlog.drainedAfterSeconds === null && !asked.has('backlog')) {
    found.push({
      slo: 'queue drains',
      measured: backlog.atEnd,
      text: 'the queue was not empty in time after the load had ended',
    });
  }
  for (const { role, restarts, oomKills } of summary.roles) {
    if (restarts + oomKills === 0) continue;
    found.push({
      slo: 'no restart',
      measured: Math.max(restarts, oomKills),
      text: `${role} restarted ${String(restarts)} times, ${String(oomKills)} processes were killed for memory`,
    });
  }
  for (const { kind, text } of events) {
    if (BREAKING_EVENTS.has(kind)) found.push({ slo: 'no restart', measured: 1, text });
  }
  return found;
}

function decide(summary: Summary, broken: Breach[], facts: VerdictFacts): Outcome {
  if (facts.aborted !== null) return 'aborted';
  if (summary.generator.saturated || summary.offered.requests === 0) return 'invalid';
  return broken.length > 0 ? 'not sustained' : 'sustained';
}

/** Of the run as a whole, for whoever reads nothing else. */
function sentence(
  outcome: Outcome,
  summary: Summary,
  broken: Breach[],
  limitedBy: Limit,
  facts: VerdictFacts,
): string {
  const run = `the run of ${facts.workload}`;
  if (outcome === 'aborted') return `${capital(run)} was aborted: ${facts.aborted ?? ''}.`;
  if (outcome === 'invalid') {
    const why = summary.generator.saturated
      ? 'the load generator was the limit, so it says nothing about n8n'
      : 'no request was sent in the measured time';
    return `${capital(run)} is invalid: ${why}.`;
  }
  const load = loadText(summary, facts);
  if (outcome === 'sustained') {
    const p95 = summary.latencyMs ? `p95 ${duration(summary.latencyMs.p95)}, ` : '';
    return `n8n sustained ${load}: ${p95}${errorText(summary)}.`;
  }
  const first = broken[0]?.text ?? '';
  const limited = ['nothing', 'unknown'].includes(limitedBy.name)
    ? ''
    : `; limited by ${limitedBy.name}`;
  return `n8n did not sustain ${load}: ${first}${limited}.`;
}

function loadText({ offered, achieved }: Summary, facts: VerdictFacts): string {
  const { workload, loop, clients = 0 } = facts;
  return loop === 'open'
    ? `${figures(offered.ratePerSecond)} req/s of ${workload}`
    : `${String(clients)} clients of ${workload} (${figures(achieved.ratePerSecond)} req/s)`;
}

const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

function errorText({ errors }: Summary): string {
  return errors.requests === 0 ? 'no errors' : `${figures(errors.share * 100)} % errors`;
}

function doubts(summary: Summary, facts: VerdictFacts): string[] {
  const found: string[] = [];
  const { generator, latencyMs, littlesLaw, backlog, executions } = summary;
  if (generator.saturated) found.push('the load generator used all the CPU that it may');
  if (generator.droppedIterations > 0) {
    found.push(`${String(generator.droppedIterations)} requests were due but could not be sent`);
  }
  if (latencyMs !== null && latencyMs.count < ENOUGH_REQUESTS) {
    found.push(
      `only ${String(latencyMs.count)} answers were measured: high percentiles rest on single requests, run longer`,
    );
  }
  if (littlesLaw !== null && Math.abs(littlesLaw.ratio - 1) > LITTLES_LAW_TOLERANCE) {
    found.push(
      `rate times latency explains ${figures(littlesLaw.predicted)} requests in flight, ${figures(littlesLaw.observed)} were seen: the system was not in a steady state`,
    );
  }
  if ((facts.stealShare ?? 0) > 0.02) {
    found.push(
      `the machine's hypervisor took ${figures((facts.stealShare ?? 0) * 100)} % of its time`,
    );
  }
  if ((facts.otherCores ?? 0) > OTHERS_CORES) {
    found.push(
      `something else on this machine used ${figures(facts.otherCores ?? 0)} cores during the run`,
    );
  }
  if (executions === null && backlog !== null) {
    found.push('executions could not be counted in n8n, only replies');
  }
  for (const sampler of facts.failedSamplers) found.push(`the sampler ${sampler} failed`);
  return found;
}
