import {
  isAboutLatency,
  DEFAULT_THROUGHPUT,
  withErrorBound,
  type Slo,
} from '../../../../loadtests/lib/slo';
import type {
  AssessedSlo,
  Doubt,
  LimitedBy,
  RunEvent,
  Summary,
  Verdict,
  VerdictOutcome,
} from '../../record/run-record';
import { limitName } from '../../analysis/limits/table';
import { executionFindings, type Promised } from './executions';
import { lostGenerators } from '../../analysis/generator';
import { soakSentence } from './soak-sentence';
import { assess, breachOf, type Breach } from '../../analysis/slo/slo';
import { counted, duration, formatNumber, percent, times } from '../../ui/numbers';

export interface VerdictFacts extends Promised {
  workload: string;
  /** What was loaded, as a sentence begins with it: `n8n` where it is left out. */
  loaded?: string;
  /** Profile of the load; smoke only asks for expected responses. */
  profile: string;
  /** Length of the load, warm-up included. */
  lengthMs: number;
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

/** Judged by the requests that it made, which are too few to stand for more. */
const SMOKE = 'smoke';
/** Below this many responses a p99 rests on single requests. */
const ENOUGH_REQUESTS = 100;
/** Events that no run may have, as targets name them. */
export const BREAKING_EVENTS = new Set(['restart', 'oom-kill', 'exit']);
/** The system and the samplers themselves were seen to use less. */
const OTHERS_CORES = 0.25;
const LITTLES_LAW_TOLERANCE = 0.2;
/** A queue that keeps more than this share of what comes in will overflow, only later. */
const GROWING_SHARE = 0.01;

/** The event with which a load that grows ends. */
export const BREACH = 'breach';

/** Judges each SLO once; `limitWhere` is told whether all of them seem met. */
export function verdict(
  slos: readonly Slo[],
  summary: Summary,
  limitWhere: (isHealthy: boolean) => LimitedBy,
  facts: VerdictFacts,
): Verdict {
  const matched = executionFindings(summary, facts);
  const assessed = assessAll(slos, summary, facts);
  const limitedBy = limitWhere(assessed.every(({ seemsMet }) => seemsMet));
  const ended = endedProcesses(facts.events, facts.lengthMs);
  const broken = [
    ...ended,
    ...breachesOfGrowth(facts.events),
    ...assessed.filter(({ state }) => state === 'missed').map(breachOf),
    ...builtInBreaches(slos, summary, facts),
    ...matched.breaches,
  ];
  const undecided = assessed.filter(({ state }) => state === 'undecided');
  const outcome = decide(summary, broken, undecided, facts);
  return {
    outcome,
    sentence: [
      sentence(outcome, summary, { broken, undecided, ended, limitedBy, facts }),
      soakSentence(summary.soak ?? []),
    ]
      .filter((text) => text !== null)
      .join(' '),
    breaches: broken,
    slos: assessed,
    limitedBy,
    doubts: [...doubts(summary, facts), ...matched.doubts],
  };
}

const assessAll = (
  slos: readonly Slo[],
  summary: Summary,
  facts: Pick<VerdictFacts, 'profile' | 'loop'>,
): AssessedSlo[] =>
  [...slos, ...impliedSlos(slos, facts)].map((slo) =>
    assess(slo, summary, { asSeen: facts.profile === SMOKE }),
  );

/**
 * What no run may do, whether or not the user asked: fall behind what is offered, which bounds errors too. A closed loop
 * falls behind nothing, so there a bound of errors comes with each latency, which is that of expected responses.
 */
function impliedSlos(slos: readonly Slo[], { loop }: Pick<VerdictFacts, 'loop'>): Slo[] {
  if (loop === 'closed')
    return slos.some(isAboutLatency) ? withErrorBound(slos).slice(slos.length) : [];
  return slos.some(({ metric }) => metric === 'throughput') ? [] : [DEFAULT_THROUGHPUT];
}

/** Breaches at the rate at which a growing load became too much; the run as a whole need not show them. */
function breachesOfGrowth(events: readonly RunEvent[]): Breach[] {
  return events
    .filter(({ kind }) => kind === BREACH)
    .map(({ text }) => ({ slo: 'no breach', measured: 1, text }));
}

/** Before all else: whatever a run then shows, it shows of an n8n that had lost a process. */
function endedProcesses(events: readonly RunEvent[], lengthMs: number): Breach[] {
  return events
    .filter(({ kind }) => BREAKING_EVENTS.has(kind))
    .sort((one, other) => one.tMs - other.tMs)
    .map((event) => ({ slo: 'no restart', measured: 1, text: eventText(event, lengthMs) }));
}

function eventText({ text, tMs, inFlight }: RunEvent, lengthMs: number): string {
  const seconds = formatNumber(Math.abs(tMs > lengthMs ? tMs - lengthMs : tMs) / 1_000);
  const when =
    tMs < 0
      ? `${seconds} s before the load began`
      : tMs > lengthMs
        ? `${seconds} s after the load had ended`
        : `${seconds} s into the load`;
  const open = inFlight === undefined ? '' : ` with ${counted(inFlight, 'request')} in flight`;
  return `${text}, ${when}${open}`;
}

/** Nor answer nothing at all, let a queue grow, or keep work that does not end. */
function builtInBreaches(
  slos: readonly Slo[],
  summary: Summary,
  { loop, events }: VerdictFacts,
): Breach[] {
  const found: Breach[] = [];
  const { achieved, offered, backlog } = summary;
  const asked = new Set(slos.map(({ metric }) => metric));
  if (loop === 'closed' && offered.requests > 0 && achieved.requests === 0) {
    found.push({
      slo: 'expected responses',
      measured: 0,
      text: `none of ${counted(offered.requests, 'request')} got the expected response`,
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
      text: `the backlog grew by ${counted(backlog.slopePerSecond, 'execution')} per second`,
    });
  }
  if (backlog !== null && backlog.drainedAfterSeconds === null && !asked.has('backlog')) {
    found.push({
      slo: 'backlog drains',
      measured: backlog.atEnd,
      text: 'the backlog did not drain in time after the load',
    });
  }
  const leak = summary.soak?.find(({ name, answer }) => name === 'memory' && answer === 'grows');
  if (leak !== undefined) {
    found.push({
      slo: 'no leak',
      measured: leak.perHour.value,
      text: `memory grew by ${formatNumber(leak.perHour.value)} MiB per hour after it had settled`,
    });
  }
  const namedEvents = new Set(events.map(({ kind }) => kind));
  for (const { role, restarts, oomKills } of summary.roles) {
    const unnamed = [
      ...(restarts > 0 && !namedEvents.has('restart') ? [`restarted ${times(restarts)}`] : []),
      ...(oomKills > 0 && !namedEvents.has('oom-kill')
        ? [`lost ${counted(oomKills, 'process', 'processes')}, because memory ran out`]
        : []),
    ];
    if (unnamed.length === 0) continue;
    found.unshift({
      slo: 'no restart',
      measured: Math.max(restarts, oomKills),
      text: `${role} ${unnamed.join(' and ')}`,
    });
  }
  return found;
}

function decide(
  summary: Summary,
  broken: readonly Breach[],
  undecided: readonly AssessedSlo[],
  facts: VerdictFacts,
): VerdictOutcome {
  if (facts.aborted !== null) return 'aborted';
  if (summary.generator.saturated || summary.offered.requests === 0) return 'invalid';
  if (broken.length > 0) return 'not sustained';
  return undecided.length > 0 ? 'inconclusive' : 'sustained';
}

interface Found {
  broken: readonly Breach[];
  undecided: readonly AssessedSlo[];
  ended: readonly Breach[];
  limitedBy: LimitedBy;
  facts: VerdictFacts;
}

/** The run as a whole, for a reader of nothing else. */
function sentence(outcome: VerdictOutcome, summary: Summary, found: Found): string {
  const { ended, broken, undecided, limitedBy, facts } = found;
  // Also a run that is invalid or was aborted names first what ended.
  const [lost] = ended;
  const first = lost === undefined ? '' : `${capital(lost.text)}. `;
  const run = `${first}The run of ${facts.workload}`;
  if (outcome === 'aborted') return `${run} was aborted: ${facts.aborted ?? ''}.`;
  if (outcome === 'invalid') {
    const [fault] = summary.generator.faults;
    const why =
      fault === undefined
        ? 'no request was sent during its measured part'
        : `the load generator was the limit, so the run says nothing about ${within(facts.loaded)}: ${fault.text}`;
    return `${run} is invalid: ${why}.`;
  }
  const load = loadText(summary, facts);
  const { loaded = 'n8n' } = facts;
  if (outcome === 'not sustained') {
    const failed = lost !== undefined && summary.errors.requests > 0;
    const also = failed ? `; ${counted(summary.errors.requests, 'request')} failed` : '';
    const known = lost === undefined && limitedBy.limit !== null;
    const limited = known ? `; limited by ${limitName(limitedBy.limit)}` : '';
    return `${loaded} did not sustain ${load}: ${broken[0]?.text ?? ''}${also}${limited}.`;
  }
  if (outcome === 'inconclusive') {
    return `It is not known whether ${within(loaded)} sustains ${load}: ${undecided[0]?.text ?? ''}; ${advice(undecided, summary)}.`;
  }
  const p95 = summary.latencyMs ? `p95 ${duration(summary.latencyMs.p95)}, ` : '';
  const figuresSeen = `${p95}${errorText(summary)}`;
  return facts.profile === SMOKE
    ? `${loaded} gave the expected response to ${String(summary.achieved.requests)} of ${counted(summary.offered.requests, 'request')} of ${facts.workload}: ${figuresSeen}; a smoke run says nothing about capacity.`
    : `${loaded} sustained ${load}: ${figuresSeen}.`;
}

/** How long a run has to be to decide it. */
function advice(undecided: readonly AssessedSlo[], { offered, achieved }: Summary): string {
  const needed = Math.max(0, ...undecided.map(({ requestsNeeded }) => requestsNeeded ?? 0));
  const rate = offered.ratePerSecond || achieved.ratePerSecond;
  if (needed === 0 || rate === 0)
    return 'set N8N_API_KEY so that the command can count the executions of n8n, or measure on another target';
  const seconds = needed / rate;
  const rounded = seconds < 120 ? Math.ceil(seconds / 10) * 10 : Math.ceil(seconds / 60) * 60;
  const text = rounded < 120 ? `${String(rounded)} s` : `${String(rounded / 60)} min`;
  return `measure for at least ${text} (--duration), to get about ${counted(needed, 'request')}`;
}

function loadText({ offered, achieved }: Summary, facts: VerdictFacts): string {
  const { workload, loop, clients = 0 } = facts;
  return loop === 'open'
    ? `${formatNumber(offered.ratePerSecond)} req/s of ${workload}`
    : `${counted(clients, 'client')} of ${workload} (${formatNumber(achieved.ratePerSecond)} req/s)`;
}

/** In the middle of a sentence. */
const within = (loaded = 'n8n'): string => loaded.slice(0, 1).toLowerCase() + loaded.slice(1);

/** At the beginning of a sentence; the name of a pod or a process stays as it is. */
const capital = (text: string): string =>
  /^[a-z]+\b(?!-)/.test(text) ? text.slice(0, 1).toUpperCase() + text.slice(1) : text;

function errorText({ errors }: Summary): string {
  return errors.requests === 0 ? 'no errors' : `${percent(errors.share)} errors`;
}

function doubts(summary: Summary, facts: VerdictFacts): Doubt[] {
  const doubts: Doubt[] = [];
  const found = (kind: string, text: string): void => void doubts.push({ kind, text });
  const { generator, latencyMs, littlesLaw, backlog, executions } = summary;
  for (const { kind, text } of generator.faults) {
    found(`load generator: ${kind}`, `the load generator: ${text}`);
  }
  for (const text of lostGenerators(generator)) found('lost generator', text);
  if (latencyMs !== null && latencyMs.count < ENOUGH_REQUESTS) {
    found(
      'few responses',
      `only ${String(latencyMs.count)} responses were measured, so high percentiles depend on single requests; use a longer run`,
    );
  }
  if (littlesLaw !== null && Math.abs(littlesLaw.ratio - 1) > LITTLES_LAW_TOLERANCE) {
    found(
      'no steady state',
      `rate times latency predicts ${counted(littlesLaw.predicted, 'request')} in flight, but ${formatNumber(littlesLaw.observed)} were observed: the system was not in a steady state`,
    );
  }
  if ((facts.stealShare ?? 0) > 0.02) {
    found(
      'stolen CPU',
      `the hypervisor gave ${percent(facts.stealShare ?? 0)} of the machine's CPU time to other machines`,
    );
  }
  if ((facts.otherCores ?? 0) > OTHERS_CORES) {
    found(
      'other programs',
      `other programs on this machine used ${formatNumber(facts.otherCores ?? 0)} cores during the run`,
    );
  }
  const isN8n = facts.loaded === undefined;
  if (isN8n && executions === null && backlog !== null && backlog.source === undefined) {
    found('only responses', 'only responses could be counted, not the executions of n8n');
  }
  for (const sampler of facts.failedSamplers) {
    found(`sampler ${sampler}`, `the sampler ${sampler} failed`);
  }
  return doubts;
}
