import { adviceFor } from '../../../analysis/limits/table';
import { limitText } from '../../../analysis/limits/limit-seen';
import { workloadName } from '../../../plan/chosen-workload';
import { conditionsOf, ranOn, subtitle } from '../../../report/conditions';
import {
  paragraph,
  plots,
  section,
  table,
  type ReportDocument,
  type ShownVerdict,
} from '../../../report/document';
import type { Chart } from '../../../report/plot/chart';
import { roundTop } from '../../../report/plot/scale';
import { repeatCommand, type Figure } from '../../../report/text/units';
import { counted, duration, formatNumber, percent, perSecond } from '../../../ui/numbers';
import { shareText } from '../analysis/rate/conclude';
import type { RateLook, RateRecord, SeenShare } from '../rate-record';
import { cpuText } from './figures';

const VERDICTS: Record<RateRecord['answer'], Pick<ShownVerdict, 'tone' | 'word'>> = {
  yes: { tone: 'good', word: 'YES' },
  no: { tone: 'bad', word: 'NO' },
  'not yet': { tone: 'unsure', word: 'NOT YET' },
  invalid: { tone: 'unsure', word: 'INVALID' },
};

export const rateVerdict = ({ answer, sentence }: RateRecord): ShownVerdict => ({
  ...VERDICTS[answer],
  sentence,
});

/** The report of the question whether one rate is sustained. */
export function rateDocument(record: RateRecord): ReportDocument {
  const [first, ...rest] = rateCharts(record);
  return {
    title: `${perSecond(record.ratePerSecond)} of ${workloadName(record.workload)}`,
    subtitle: subtitle(record),
    ranOn: ranOn(record),
    verdict: rateVerdict(record),
    summary: [...seenFigures(record), ...limitFigures(record)],
    pictures: first === undefined ? [] : [first],
    howSure: howSure(record),
    doubts: record.doubts,
    figures: rateFigures(record),
    sections: [
      section('The other SLOs', plots(rest)),
      section(
        'Every attempt',
        table(COLUMNS, rows(record)),
        paragraph(
          'Each attempt is a separate run, with its own report, in the folder attempts/ next to this file. An attempt ends as soon as the answer is certain. The answer NO requires two attempts with a pause in between, because a cold start or a disturbed machine can make one attempt miss.',
        ),
      ),
    ],
    howToRepeat: [repeatCommand(record.command)],
    conditions: conditionsOf(record),
  };
}

/** The interval of each share holds after all looks together, so a look more never makes it less sure. */
function howSure({ attempts }: RateRecord): string {
  const looks = attempts.reduce((sum, one) => sum + one.looks.length, 0);
  const seconds = attempts.reduce((sum, one) => sum + one.seconds, 0);
  const requests = attempts.reduce((sum, { looks: all }) => sum + requestsOf(all.at(-1)), 0);
  return `${counted(attempts.length, 'attempt')} with ${counted(looks, 'interim check')} of ${counted(requests, 'request')} in ${formatNumber(seconds)} s of load.`;
}

const requestsOf = (look: RateLook | undefined): number =>
  Math.max(0, ...(look?.shares ?? []).map(({ requests }) => requests));

function rateFigures(record: RateRecord): Figure[] {
  const { ratePerSecond, slo, attempts, budgetSeconds, totalSeconds } = record;
  const loaded = attempts.reduce((sum, { seconds }) => sum + seconds, 0);
  return [
    { name: 'Rate', value: perSecond(ratePerSecond) },
    { name: 'SLO', value: slo.map(({ text }) => text).join(', ') },
    ...seenFigures(record),
    ...limitFigures(record),
    { name: 'Arrivals', value: record.arrivals ?? 'even' },
    {
      name: 'Time',
      value: `${formatNumber(totalSeconds)} s in total, ${formatNumber(loaded)} s of which were under load (budget: ${formatNumber(budgetSeconds)} s)`,
    },
    {
      name: 'Attempts',
      value: `${String(attempts.length)} with ${String(attempts.reduce((sum, { looks }) => sum + looks.length, 0))} interim checks`,
    },
  ];
}

function seenFigures({ attempts }: RateRecord): Figure[] {
  const last = attempts.at(-1);
  if (last === undefined) return [];
  const shares = last.looks.at(-1)?.shares ?? [];
  return [
    ...(last.p95Ms === null ? [] : [{ name: 'p95', value: duration(last.p95Ms) }]),
    ...shares
      .filter(({ requests }) => requests > 0)
      .map((seen) => ({ name: seen.slo, value: shareText(seen) })),
    ...(last.cpuPerRequest === null ? [] : [{ name: 'CPU per request', value: cpuText(last) }]),
  ];
}

function limitFigures({ answer, limit, attempts, topology }: RateRecord): Figure[] {
  const missed = attempts.findLast((attempt) => attempt.answer === 'no');
  if (answer === 'yes' || limit === null || missed === undefined) return [];
  const advice = adviceFor(limit, topology?.mode ?? null);
  return [
    { name: 'Limited by', value: limitText(missed.limitedBy) },
    ...(advice === null ? [] : [{ name: 'For more', value: advice }]),
  ];
}

const COLUMNS = [
  'attempt',
  'says',
  'load',
  'interim checks',
  'achieved',
  'p95',
  'errors',
  'CPU per request',
];

const rows = ({ attempts }: RateRecord): string[][] =>
  attempts.map((attempt, index) => [
    String(index + 1),
    attempt.answer === null ? 'open' : attempt.answer.toUpperCase(),
    `${formatNumber(attempt.seconds)} s`,
    String(attempt.looks.length),
    perSecond(attempt.achievedPerSecond),
    attempt.p95Ms === null ? '-' : duration(attempt.p95Ms),
    percent(attempt.errorShare),
    cpuText(attempt),
  ]);

/** Draws, for each SLO, the share of requests that broke it, as each look saw it. */
function rateCharts({ attempts }: RateRecord): Chart[] {
  const [first] = attempts.flatMap(({ looks }) => looks);
  return (first?.shares ?? []).map(({ slo, allowed }): Chart => ({
    kind: 'line',
    id: slo.replace(/[^a-z0-9]+/gi, '-'),
    title: `Share of requests that missed ${slo}`,
    x: { label: 'measured', unit: 's', min: 0 },
    y: { label: 'share', unit: '%', min: 0, max: topOf(slo, attempts) },
    series: attempts.map(({ looks }, index) => ({
      label: `attempt ${String(index + 1)}`,
      points: looks.map(({ seconds, shares }): [number, number | null, number?, number?] => {
        const seen = shares.find((one) => one.slo === slo);
        return seen === undefined ? [seconds, null] : [seconds, ...inPercent(seen)];
      }),
    })),
    marks: [{ axis: 'y', at: round(100 * allowed), label: 'allowed' }],
  }));
}

/** So much above what is allowed is shown as that it is above; the first looks leave nearly all open. */
const ABOVE = 4;

function topOf(slo: string, attempts: RateRecord['attempts']): number {
  const seen = attempts
    .flatMap(({ looks }) => looks)
    .flatMap(({ shares }) => shares.filter((one) => one.slo === slo));
  const max = Math.max(...seen.map(({ share, allowed }) => Math.max(share, ABOVE * allowed)));
  return Math.min(100, roundTop(100 * max));
}

const inPercent = ({ share, low, high }: SeenShare): [number, number, number] => [
  100 * share,
  100 * low,
  100 * high,
];

/** 1 - 0.95 is not quite 0.05. */
const round = (value: number): number => Number(value.toPrecision(6));
