/** The report of one proof: whether the values do, by what margin, and what they cost. */
import { costAt } from '../../../analysis/cost';
import { workloadName } from '../../../plan/chosen-workload';
import { conditionsOf, ranOn, subtitle } from '../../../report/conditions';
import {
  list,
  paragraph,
  section,
  table,
  type ReportDocument,
  type ShownVerdict,
} from '../../../report/document';
import type { BarChart } from '../../../report/plot/chart';
import { mib, repeatCommand, type Figure, costFigures } from '../../../report/text/units';
import { counted, formatNumber, percent, perSecond } from '../../../ui/numbers';
import type { ProofRecord, RecordedAttempt, Taken } from '../record';

const TONE_OF = { PROVEN: 'good', REFUTED: 'bad', INVALID: 'unsure' } as const;

export const proofVerdict = ({ verdict, sentence }: ProofRecord): ShownVerdict => ({
  ...{ tone: TONE_OF[verdict], word: verdict, sentence },
});

export function proofDocument(record: ProofRecord): ReportDocument {
  const { attempts } = record;
  const [last] = attempts.slice(-1);
  const shown =
    last === undefined ? [] : [...minMargin(last), ...costOf(record, last), ...marginFigures(last)];
  return {
    title: `Proof of ${record.values} for ${perSecond(record.ratePerSecond)} of ${workloadName(record.workload)}`,
    subtitle: subtitle(record),
    ranOn: ranOn(record),
    verdict: proofVerdict(record),
    summary: shown,
    pictures: last === undefined ? [] : [marginChart(last)],
    howSure: `${counted(attempts.length, 'run')} of the values exactly as they are deployed; the last run decides.`,
    doubts: record.disturbances ?? [],
    figures: [...shown, { name: 'Values', value: record.values }],
    sections: [
      {
        ...section('Refuted before', list(attempts.slice(0, -1).map((one) => one.sentence))),
        isInTerminal: true,
      },
      section(
        'Every attempt',
        table(
          ['attempt', 'proven', 'rate', 'asks for', 'run'],
          attempts.map((one, index) => [
            String(index + 1),
            one.isProven ? 'yes' : 'no',
            perSecond(one.achievedPerSecond),
            asksFor(one.taken),
            one.run,
          ]),
        ),
        paragraph(
          'Each attempt is a separate run, with its own report, in the folder runs/ next to this file.',
        ),
      ),
      section('Not covered', list(NOT_COVERED)),
    ],
    howToRepeat: [repeatCommand(record.command)],
    conditions: conditionsOf(record),
  };
}

/** A load of minutes on a healthy n8n says nothing of these. */
const NOT_COVERED = [
  'Faults: n8n-tuned drill shows what is lost if a worker, a store or the network fails.',
  'Data growth: months of executions in the database, and how n8n prunes them.',
  'Other workflows: everything else that runs on the same n8n, for example at night or at the end of the month.',
  'External services: their speed, their limits and their errors, if the workload calls a stand-in.',
  'Peaks above the proven rate, and machines or n8n versions other than those named here.',
];

/** What is nearest to its bound, which is how much worse it may get. */
function minMargin(attempt: RecordedAttempt): Figure[] {
  const [nearest] = usedOf(attempt).sort((one, other) => other.share - one.share);
  if (nearest === undefined) return [];
  return [{ name: 'Least margin', value: `${marginText(1 - nearest.share)}: ${nearest.label}` }];
}

/** How far each bound and each request of the cluster is from being used up. */
function marginFigures({ slos, taken }: RecordedAttempt): Figure[] {
  return [
    ...slos.map(({ slo, text, pressure }) => ({
      name: slo,
      value: pressure === null ? text : `${text}: ${marginText(1 - pressure)}`,
    })),
    ...taken.flatMap(({ role, askedCores, usedCores, limitMiB, peakMiB }) => [
      ...(usedCores === null
        ? []
        : [
            {
              name: `CPU of ${role}`,
              value: usedText(
                `${formatNumber(usedCores)} cores`,
                usedCores,
                askedCores,
                (asked) => `${formatNumber(asked)} requested`,
              ),
            },
          ]),
      ...(peakMiB === null
        ? []
        : [
            {
              name: `Memory of ${role}`,
              value: usedText(
                mib(Math.round(peakMiB)),
                peakMiB,
                limitMiB,
                (limit) => `its limit of ${mib(limit)}`,
              ),
            },
          ]),
    ]),
  ];
}

const marginText = (left: number): string =>
  left >= 0 ? `margin ${percent(left)}` : `missed by ${percent(-left)}`;

const usedText = (
  used: string,
  value: number,
  bound: number | null,
  what: (bound: number) => string,
): string => (bound === null ? used : `${used}, ${percent(value / bound)} of ${what(bound)}`);

function costOf(
  { ratePerSecond, prices }: ProofRecord,
  { taken, roles, achievedPerSecond }: RecordedAttempt,
): Figure[] {
  const cores = total(taken.map(({ askedCores }) => askedCores));
  const memoryMiB = total(taken.map(({ limitMiB }) => limitMiB));
  if (cores === null || memoryMiB === null)
    return costFigures(costAt({ roles, ratePerSecond: achievedPerSecond }, ratePerSecond), prices);
  const price = cores * prices.cpu + (memoryMiB / 1024) * prices.memory;
  return [
    {
      name: 'Costs',
      value: `${formatNumber(price)} an hour for ${asksFor(taken)}, at ${formatNumber(prices.cpu)} for a core and ${formatNumber(prices.memory)} for a GiB`,
    },
  ];
}

function asksFor(taken: readonly Taken[]): string {
  const cores = total(taken.map(({ askedCores }) => askedCores));
  const memoryMiB = total(taken.map(({ limitMiB }) => limitMiB));
  const parts = [
    ...(cores === null ? [] : [`${formatNumber(cores)} cores`]),
    ...(memoryMiB === null ? [] : [`${formatNumber(memoryMiB / 1024)} GiB`]),
  ];
  return parts.join(' and ') || '-';
}

/** Null where one of them is not known. */
const total = (values: readonly (number | null)[]): number | null =>
  values.reduce(
    (sum, value) => (sum === null || value === null ? null : sum + value),
    0 as number | null,
  );

/** Everything that could run out, as a share of its bound. */
function marginChart(attempt: RecordedAttempt): BarChart {
  return {
    ...{ kind: 'bar', id: 'margin', title: 'Share of each bound that is used', unit: '%' },
    bars: usedOf(attempt).map(({ label, share }) => ({
      ...{ label, value: Math.round(1000 * share) / 10 },
    })),
  };
}

function usedOf({ slos, taken }: RecordedAttempt): { label: string; share: number }[] {
  const all = [
    ...slos.map(({ slo, pressure }) => ({ label: slo, share: pressure })),
    ...taken.flatMap(({ role, askedCores, usedCores, limitMiB, peakMiB }) => [
      { label: `CPU of ${role}`, share: ratio(usedCores, askedCores) },
      { label: `memory of ${role}`, share: ratio(peakMiB, limitMiB) },
    ]),
  ];
  return all.flatMap(({ label, share }) => (share === null ? [] : [{ label, share }]));
}

const ratio = (used: number | null, bound: number | null): number | null =>
  used === null || bound === null || bound === 0 ? null : used / bound;
