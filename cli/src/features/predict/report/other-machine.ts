/** The report of a capacity that is carried to a machine of another speed. */
import { limitName } from '../../../analysis/limits/table';
import { workloadName } from '../../../plan/chosen-workload';
import { conditionsOf, ranOn, subtitle } from '../../../report/conditions';
import type { ReportDocument } from '../../../report/document';
import type { LineChart } from '../../../report/plot/chart';
import { range, repeatCommand, type Figure } from '../../../report/text/units';
import { duration, formatNumber, perSecond } from '../../../ui/numbers';
import { carriedTo, type CarriedCapacity } from '../../find/analysis/carried';
import type { FindRecord } from '../../find/record';
import { findVerdict } from '../../find/report/document';

export function otherMachineSentence(carried: CarriedCapacity, record: FindRecord): string {
  const { ratePerSecond, cpuMs, fromMs } = carried;
  const wanted = record.slo.map(({ text }) => text).join(', ');
  const load = `req/s of ${workloadName(record.workload)} with ${wanted}`;
  const there = `on a machine where a request takes ${duration(cpuMs)} of n8n's CPU instead of ${duration(fromMs)}`;
  return ratePerSecond === null
    ? `n8n should sustain ${range(carried)} ${load} ${there}. The search did not reach the upper limit.`
    : `n8n should sustain about ${formatNumber(ratePerSecond)} ${load} (${range(carried)}) ${there}.`;
}

/** `40/s (between 38 and 44)`, or `at least 38/s`. */
const rateText = (
  ratePerSecond: number | null,
  { low, high }: Pick<CarriedCapacity, 'low' | 'high'>,
): string =>
  ratePerSecond === null || high === null
    ? `at least ${perSecond(low)}`
    : `${perSecond(ratePerSecond)} (${range({ low, high })})`;

export function otherMachineDocument(
  carried: CarriedCapacity,
  record: FindRecord,
  command: readonly string[],
): ReportDocument {
  const { cpuMs } = carried;
  const figures = otherMachineFigures(carried, record);
  return {
    title: `Capacity of ${workloadName(record.workload)} at ${duration(cpuMs)} of CPU per request`,
    subtitle: subtitle(record),
    ranOn: ranOn(record),
    verdict: {
      // The answer is only as sure as the search was.
      ...{ tone: findVerdict(record).tone, word: 'EXPECTED' },
      sentence: otherMachineSentence(carried, record),
    },
    summary: figures,
    pictures: [priceChart(carried, record)],
    howSure: `This capacity was calculated from one search, not measured. The ${carried.high === null ? 'lower end' : 'range'} covers the uncertainty of the search, and two cases: requests wait mainly for CPU, or mainly for something else.`,
    doubts: record.doubts,
    figures,
    sections: [],
    howToRepeat: [repeatCommand(command)],
    conditions: conditionsOf(record),
  };
}

export function otherMachineFigures(
  carried: CarriedCapacity,
  { capacity, limit, verdict }: FindRecord,
): Figure[] {
  return [
    { name: 'Expected', value: rateText(carried.ratePerSecond, carried) },
    {
      name: 'Measured',
      value: `${rateText(capacity.ratePerSecond, capacity)} at ${duration(carried.fromMs)} of CPU per request, in a search with the verdict ${verdict.toUpperCase()}`,
    },
    { name: 'Breaks first', value: limit === null ? 'not seen' : limitName(limit) },
  ];
}

const STEPS = 40;

/** The capacity over the price, from half of the cheaper to twice the dearer one; its lower end where there is no other. */
function priceChart({ cpuMs, fromMs, ...carried }: CarriedCapacity, record: FindRecord): LineChart {
  const min = Math.min(cpuMs, fromMs) / 1.5;
  const max = Math.max(cpuMs, fromMs) * 1.5;
  const { capacity } = record;
  const { ratePerSecond: expected } = carried;
  const isOpen = expected === null;
  const asked = isOpen ? rateText(null, carried) : perSecond(expected);
  const curve = Array.from({ length: STEPS }, (_, step): LineChart['series'][number]['points'] => {
    const price = min * (max / min) ** (step / (STEPS - 1));
    const there = carriedTo(price, record);
    if (there === null) return [];
    const { ratePerSecond, low, high } = there;
    return ratePerSecond === null || high === null
      ? [[price, low]]
      : [[price, ratePerSecond, low, high]];
  });
  return {
    ...{ kind: 'line', id: 'price', title: 'Capacity by CPU time per request' },
    x: { label: 'CPU of n8n per request', unit: 'ms', min, max },
    y: { label: 'capacity', unit: 'requests per second', min: 0 },
    series: [
      { label: isOpen ? 'expected at least' : 'expected, with its range', points: curve.flat() },
      {
        ...{ label: isOpen ? 'measured at least' : 'measured', style: 'dots' },
        points: [[fromMs, isOpen ? capacity.low : capacity.ratePerSecond]],
      },
    ],
    marks: [{ axis: 'x', at: cpuMs, label: `asked for: ${asked}` }],
  };
}
