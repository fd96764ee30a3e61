import { costOfRun } from '../../analysis/cost';
import type { RunRecord, ServiceCalls } from '../../record/run-record';
import { textOf } from '../../record/summary';
import { counted, duration, perSecond, percent, formatNumber } from '../../ui/numbers';
import { conditionsOf, ranOn, subtitle } from '../../report/conditions';
import {
  firstOf,
  list,
  plots,
  section,
  table,
  type ReportDocument,
  type ShownVerdict,
  type Tone,
} from '../../report/document';
import { repeatCommand, type Figure, costFigures } from '../../report/text/units';
import { prometheusCharts, runCharts } from './charts';
import type { RunData } from './data';
import {
  LIMIT_COLUMNS,
  limitFigures,
  limitRows,
  ROLE_COLUMNS,
  roleRows,
  runFigures,
  runTitle,
} from './figures';
import { askedSlos } from '../../analysis/slo/slo';
import { adviceFor, limitName } from '../../analysis/limits/table';

/** Calls of services outside n8n, for reports. Pure. */

const SERVICE_COLUMNS = ['host', 'calls', 'failed', 'per request', 'per second', 'it allows'];

export const serviceRows = ({ summary: { services = [] } }: RunRecord): string[][] =>
  services.map((service) => [
    service.host,
    formatNumber(service.calls),
    formatNumber(service.failed),
    formatNumber(service.perRequest),
    perSecond(service.perSecond),
    allowedText(service),
  ]);

const allowedText = ({ published }: ServiceCalls): string =>
  published === undefined
    ? ''
    : `${perSecond(published.perSecond)} (${published.of}, ${published.source})`;

/** How many the terminal names; the page has all of them. */
const NAMED_SERVICES = 6;

export function callsPerRequest({ summary: { services = [] } }: RunRecord): Figure[] {
  if (services.length === 0) return [];
  const named = services
    .slice(0, NAMED_SERVICES)
    .map(({ host, perRequest }) => `${host} ${formatNumber(perRequest)}`);
  const more = services.length - named.length;
  return [
    {
      name: 'Calls per request',
      value: `${named.join(', ')}${more > 0 ? ` and ${String(more)} more` : ''}`,
    },
  ];
}

/** Services that would refuse the rate which was offered. */
export const tooManyCalls = ({ summary }: RunRecord): Figure[] =>
  (summary.services ?? [])
    .filter(({ perSecond: sent, published }) => sent > (published?.perSecond ?? Infinity))
    .map((service) => ({
      name: `Calls of ${service.host}`,
      value: `${perSecond(service.perSecond)} at a load of ${perSecond(summary.offered.ratePerSecond)}; the service allows ${allowedText(service)}`,
    }));

const OUTCOMES: Record<RunRecord['verdict']['outcome'], Tone> = {
  sustained: 'good',
  'not sustained': 'bad',
  inconclusive: 'unsure',
  invalid: 'unsure',
  aborted: 'unsure',
};

export const runVerdict = ({ verdict: { outcome, sentence } }: RunRecord): ShownVerdict => ({
  ...{ tone: OUTCOMES[outcome], word: outcome.toUpperCase(), sentence },
});

/** The report of one run; without its samples and requests it has no plots. */
export function runDocument(data: RunData | Pick<RunData, 'record'>): ReportDocument {
  const { record } = data;
  const { verdict, profile, summary, events, prices } = record;
  const shape = profile.loop === 'open' ? 'open loop' : counted(profile.clients ?? NaN, 'client');
  const length = `${String(profile.durationSeconds)} s after ${String(profile.warmupSeconds)} s of warm-up`;
  const { pictures, rest } = firstOf('requests' in data ? runCharts(data) : [], 'latency');
  const limits = limitFigures(record);
  return {
    title: runTitle(record),
    subtitle: subtitle(record, `profile ${profile.name} (${shape})`, length),
    ranOn: ranOn(record),
    verdict: {
      ...runVerdict(record),
      notes: limits.map(({ name, value }) => `${name} ${value}`),
    },
    summary: firstFigures(record),
    urgent: [section('What was missed', list(verdict.breaches.map(({ text }) => text)))],
    pictures,
    howSure: `One run of ${duration(1_000 * profile.durationSeconds)} with ${counted(summary.offered.requests, 'request')}.`,
    doubts: verdict.doubts.map(textOf),
    figures: [
      ...runFigures(record),
      ...limits,
      // The terminal has what it takes if its price was asked for.
      ...costFigures(costOfRun(record), prices).map((figure) => ({
        ...{ ...figure, isDetail: prices === undefined },
      })),
      ...callsPerRequest(record),
      ...tooManyCalls(record),
      ...adviceFigures(record),
    ],
    sections: [
      section('Over time', plots(rest)),
      ...[...('requests' in data ? prometheusCharts(data) : [])].map(([board, charts]) =>
        section(`From Prometheus: ${board}`, plots(charts)),
      ),
      section(
        'Roles',
        table(
          ['role', ...ROLE_COLUMNS],
          summary.roles.length === 0
            ? []
            : roleRows(record).map(({ role, cells }) => [role, ...cells]),
        ),
      ),
      section('Limits', table(LIMIT_COLUMNS, limitRows(record))),
      section('Calls of services outside n8n', table(SERVICE_COLUMNS, serviceRows(record))),
      section(
        'What happened during the run',
        list(events.map(({ tMs, kind, text }) => `${duration(tMs)}, ${kind}: ${text}`)),
      ),
    ],
    howToRepeat: [repeatCommand(record.command)],
    conditions: conditionsOf(record),
  };
}

/** What a manager reads of a run: each SLO, what is left of the nearest limit, what it takes, what to change. */
export function firstFigures(record: RunRecord): Figure[] {
  const { summary, profile } = record;
  const offered =
    profile.loop === 'open'
      ? perSecond(summary.offered.ratePerSecond)
      : `what ${counted(profile.clients ?? NaN, 'client')} asked for`;
  return [
    {
      name: 'Expected responses',
      value: `${perSecond(summary.achieved.ratePerSecond)} of ${offered} (${percent(summary.achieved.shareOfOffered)})`,
    },
    ...sloFigures(record),
    ...roomFigures(record),
    ...tooManyCalls(record),
    ...costFigures(costOfRun(record), record.prices),
    ...adviceFigures(record),
  ];
}

/** The SLOs of an invalid run say nothing. */
function sloFigures(record: RunRecord): Figure[] {
  const { outcome } = record.verdict;
  if (outcome === 'invalid' || outcome === 'aborted') return [];
  return askedSlos(record).map(({ slo, state, text }) => ({
    name: slo,
    value: `${STATES[state]}: ${text}`,
  }));
}

const STATES = { met: 'met', missed: 'missed', undecided: 'not decided' } as const;

/** A run at one rate has no headroom; how full the fullest resource was, it has. */
function roomFigures({ verdict: { limitedBy } }: RunRecord): Figure[] {
  const [fullest] = limitedBy.ranked ?? [];
  if (fullest === undefined) return [];
  const { utilisation, isUsedUp } = fullest;
  const left = isUsedUp ? 'used up' : `${percent(1 - utilisation)} left`;
  return [
    {
      name: 'Nearest limit',
      value: `${limitName(fullest)}: ${percent(utilisation)} in use, ${left}`,
    },
  ];
}

function adviceFigures({ verdict, topology }: RunRecord): Figure[] {
  const advice = adviceFor(verdict.limitedBy.limit, topology?.mode ?? null);
  return advice === null ? [] : [{ name: 'For more', value: advice }];
}
