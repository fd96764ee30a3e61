import { type Figure, mib } from '../../report/text/units';
import type {
  GeneratorPart,
  RankedLimit,
  RunRecord,
  SoakTrend,
  Summary,
} from '../../record/run-record';
import { workloadName } from '../../plan/chosen-workload';
import { placeOf } from '../../plan/roles';
import { limitText } from '../../analysis/limits/limit-seen';
import { limitName } from '../../analysis/limits/table';
import { seenMeanwhile } from '../analysis/stall-causes';
import {
  counted,
  duration,
  formatNumber,
  perSecond,
  percent,
  signed,
  times,
} from '../../ui/numbers';

/** The figures of a run, in reading order; the same in HTML, Markdown and the terminal. */
export function runFigures(record: RunRecord): Figure[] {
  const { summary, profile } = record;
  const figures: Figure[] = [];
  const add = (name: string, value: string) => figures.push({ name, value });

  add(
    profile.loop === 'open' ? 'Offered' : 'Clients',
    profile.loop === 'open'
      ? `${perSecond(summary.offered.ratePerSecond)} (${counted(summary.offered.requests, 'request')}${profile.arrivals === undefined ? '' : `, ${profile.arrivals} arrivals`})`
      : `${profile.clients ?? '-'} (${counted(summary.offered.requests, 'request')})`,
  );
  add(
    'Achieved',
    `${perSecond(summary.achieved.ratePerSecond)} expected responses (${percent(summary.achieved.shareOfOffered)} of the offered requests)`,
  );
  if (summary.latencyMs) {
    const l = summary.latencyMs;
    add(
      'Latency',
      `p50 ${duration(l.p50)}, p90 ${duration(l.p90)}, p95 ${duration(l.p95)}, p99 ${duration(l.p99)}, p99.9 ${duration(l.p999)}, max ${duration(l.max)}`,
    );
  }
  add('Errors', errorText(record));
  if (summary.unanswered.requests > 0)
    add(
      'Unanswered',
      `${counted(summary.unanswered.requests, 'request')} ${summary.unanswered.requests === 1 ? 'was' : 'were'} unanswered when the run ended, the oldest for ${duration(summary.unanswered.oldestAgeMs)}`,
    );
  const stalls = stallsText(summary);
  if (stalls !== null) add('Stalls', stalls);
  if (summary.executions) {
    const e = summary.executions;
    add(
      'Executions',
      `${formatNumber(e.succeeded)} succeeded, ${formatNumber(e.failed)} failed, ${formatNumber(e.unfinished)} unfinished (from ${e.source})${e.requests === undefined ? '' : `, for ${counted(e.requests, 'request')} and ${formatNumber(e.expectedResponses ?? 0)} expected responses, warm-up included`}`,
    );
  }
  if (summary.backlog) {
    const b = summary.backlog;
    const drained =
      b.drainedAfterSeconds === null
        ? 'not drained in time'
        : `drained after ${formatNumber(b.drainedAfterSeconds)} s`;
    add(
      'Backlog',
      `${counted(b.atEnd, 'job')} at the end, ${signed(b.slopePerSecond)} jobs/s, ${drained}`,
    );
  }
  if (summary.completions) {
    const { requests, ratePerSecond, shareOfOffered, source } = summary.completions;
    add(
      'Completed',
      `${perSecond(ratePerSecond)} during the measured part, ${counted(requests, 'request')} (${percent(shareOfOffered)} of the offered requests, from ${source})`,
    );
  }
  for (const trend of summary.soak ?? []) {
    if (!isOfTable(trend)) add(`Trend: ${trend.name}`, trendText(trend));
  }
  const tables = (summary.soak ?? []).filter(isOfTable);
  if (tables.length > 0) {
    const texts = tables.map((trend) => `${trend.name.replace('table ', '')} ${trendText(trend)}`);
    add('Trend: tables', texts.join('; '));
  }
  if (summary.littlesLaw)
    add(
      'In flight',
      `${formatNumber(summary.littlesLaw.observed)} observed, ${formatNumber(summary.littlesLaw.predicted)} predicted by Little's law`,
    );
  if (summary.cpuMillisecondsPerRequest !== null)
    add('CPU per request', duration(summary.cpuMillisecondsPerRequest));
  add('Load generator', generatorText(summary));
  const { parts = [] } = summary.generator;
  if (parts.length > PARTS_SHOWN) add('Load generators', partsText(parts));
  else for (const part of parts) add(`Generator ${part.name}`, partText(part));
  return figures;
}

/** The longest first in the record; null where there were none. */
function stallsText({ stallsMs = [], stallCauses }: Summary): string | null {
  const [longestMs] = stallsMs;
  if (longestMs === undefined) return null;
  const seen = stallCauses === undefined ? null : seenMeanwhile(stallCauses);
  const meanwhile = seen === null ? '' : `; seen meanwhile: ${seen}`;
  return `no response for up to ${duration(longestMs)} although requests waited (${times(stallsMs.length)})${meanwhile}`;
}

const isOfTable = ({ name }: SoakTrend): boolean => name.startsWith('table ');

const trendText = ({ perHour, unit, answer }: SoakTrend): string =>
  `${signed(perHour.value)} ${unit} per hour (${formatNumber(perHour.low)} to ${formatNumber(perHour.high)}): ${answer}`;

function generatorText({ generator, errors }: Summary): string {
  const { cpuCores, coresAvailable, notSent, latenessMs, newConnections } = generator;
  const resets = errors.byKind['reset on idle connection'] ?? 0;
  return [
    `${formatNumber(cpuCores)}${coresAvailable === null ? '' : ` of ${formatNumber(coresAvailable)}`} cores used`,
    notSent === 0 ? 'every request sent' : `${counted(notSent, 'request')} due but not sent`,
    ...(latenessMs === null
      ? []
      : [
          `requests started late by ${duration(latenessMs.p50)} (median) or ${duration(latenessMs.p99)} (p99)`,
        ]),
    ...(newConnections === null ? [] : [`${formatNumber(newConnections)} new connections`]),
    ...(resets === 0 ? [] : [`${counted(resets, 'request')} reset on an idle connection`]),
  ].join(', ');
}

/** Those of more are in run.json. */
const PARTS_SHOWN = 10;

function partsText(parts: readonly GeneratorPart[]): string {
  const latest = Math.max(...parts.map(({ latenessMs }) => latenessMs?.p99 ?? 0));
  const lost = parts.filter((part) => part.lost !== null).length;
  return [
    `${String(parts.length)} on ${String(new Set(parts.map(({ node }) => node)).size)} nodes`,
    `requests started late by up to ${duration(latest)} (highest p99)`,
    ...(lost === 0 ? [] : [`${String(lost)} lost`]),
  ].join(', ');
}

function partText(part: GeneratorPart): string {
  const { node, requests, latenessMs, cpuCores, coresAvailable, clock, lost } = part;
  return [
    `${counted(requests, 'request')} from ${node}`,
    `${formatNumber(cpuCores)} of ${formatNumber(coresAvailable)} cores used`,
    ...(latenessMs === null ? [] : [`requests started late by ${duration(latenessMs.p99)} (p99)`]),
    clock === null
      ? 'its clock could not be read'
      : `clock ahead by ${duration(clock.aheadMs)} (known to within ${duration(clock.uncertainMs)})`,
    ...(lost === null ? [] : [`lost ${duration(lost.tMs)} into the load: ${lost.why}`]),
  ].join(', ');
}

function errorText({ summary: { errors } }: RunRecord): string {
  if (errors.requests === 0) return 'none';
  const kinds = Object.entries(errors.byKind)
    .sort((a, b) => b[1] - a[1])
    .map(([kind, count]) => `${formatNumber(count)} ${kind}`);
  return `${percent(errors.share)}: ${kinds.join(', ')}`;
}

/** What limited it and what came next, as rows like those above. */
export function limitFigures({ verdict: { limitedBy } }: RunRecord): Figure[] {
  const { limit, evidence, runnerUp } = limitedBy;
  return [
    { name: 'Limited by', value: limitText({ limit, evidence, next: null }) },
    ...(runnerUp === undefined || runnerUp === null
      ? []
      : [
          {
            name: 'Next limit',
            value: `${limitName(runnerUp)}, ${inUse(runnerUp)}: ${runnerUp.evidence}`,
          },
        ]),
  ];
}

export const LIMIT_COLUMNS = ['resource', 'in use', 'figures'];
/** Those below say that there was room, which the roles' table says too. */
const LIMITS_SHOWN = 8;

/** Every resource that was seen, in the order of the verdict; none where nothing was measured. */
export const limitRows = ({ verdict: { limitedBy } }: RunRecord): string[][] =>
  (limitedBy.ranked ?? [])
    .slice(0, LIMITS_SHOWN)
    .map((limit) => [limitName(limit), inUse(limit), limit.evidence]);

const inUse = ({ utilisation, isUsedUp }: RankedLimit): string =>
  `${percent(utilisation)}${isUsedUp ? ', used up' : ''}`;

export interface RoleRow {
  role: string;
  cells: string[];
}

export const ROLE_COLUMNS = [
  'instances',
  'memory peak',
  'memory median',
  'CPU cores',
  'processes',
  'throttled',
  'restarts',
  'OOM kills',
];

export function roleRows(record: RunRecord): RoleRow[] {
  const optional = (value: number | null) => (value === null ? '-' : formatNumber(value));
  const roles = [...record.summary.roles].sort((a, b) => placeOf(a.role) - placeOf(b.role));
  return roles.map((role) => ({
    role: role.role,
    cells: [
      role.instances === 0 ? '-' : String(role.instances),
      mib(role.rssPeakMiB),
      mib(role.rssMedianMiB),
      optional(role.cpuCoresMean),
      optional(role.processesPeak),
      role.throttledShare === null ? '-' : percent(role.throttledShare),
      String(role.restarts),
      String(role.oomKills),
    ],
  }));
}

/** The headline: what was loaded, and what came of it. */
export const runTitle = ({ workload, verdict }: RunRecord): string =>
  `Run of ${workloadName(workload)}: ${verdict.outcome}`;
