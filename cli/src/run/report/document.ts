import { costOfRun } from '../../analysis/cost';
import type { RunRecord } from '../../record/run-record';
import { duration } from '../../ui/numbers';
import { conditionsOf, subtitle } from '../../report/conditions';
import {
  firstOf,
  list,
  plots,
  section,
  table,
  type ReportDocument,
  type ShownVerdict,
} from '../../report/document';
import { costFigures } from '../../report/text/cost';
import { repeatCommand } from '../../report/text/units';
import type { Tone } from '../../report/tone';
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
import { adviceFigures, firstFigures } from './first';

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
  const shape = profile.loop === 'open' ? 'open loop' : `${String(profile.clients ?? '?')} clients`;
  const length = `${String(profile.durationSeconds)} s after ${String(profile.warmupSeconds)} s of warm-up`;
  const { picture, rest } = firstOf('requests' in data ? runCharts(data) : [], 'latency');
  const limits = limitFigures(record);
  return {
    title: runTitle(record),
    subtitle: subtitle(record, `profile ${profile.name} (${shape})`, length),
    verdict: {
      ...runVerdict(record),
      notes: limits.map(({ name, value }) => `${name} ${value}`),
    },
    summary: firstFigures(record),
    urgent: [section('What was missed', list(verdict.breaches.map(({ text }) => text)))],
    doubts: verdict.doubts,
    picture,
    figures: [
      ...runFigures(record),
      ...limits,
      // The terminal has what it takes if its price was asked for.
      ...costFigures(costOfRun(record), prices).map((figure) => ({
        ...{ ...figure, isDetail: prices === undefined },
      })),
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
      section(
        'What happened during the run',
        list(events.map(({ tMs, kind, text }) => `${duration(tMs)}, ${kind}: ${text}`)),
      ),
    ],
    howToRepeat: [repeatCommand(record.command)],
    conditions: conditionsOf(record),
  };
}
