import { limitOfSearch, limitText } from '../../analysis/limit-seen';
import type { FindProbe, FindRecord } from '../../record/find-record';
import { ms, perSecond, range, share, type Figure } from '../text/units';
import { formatNumber } from '../plot/scale';

/** The figures of a search, in reading order; the same in HTML, Markdown and the terminal. */
export function findFigures(record: FindRecord): Figure[] {
  const { capacity, advised, probes } = record;
  const valid = probes.filter(({ result }) => result !== 'invalid').length;
  return [
    {
      name: 'Capacity',
      value: `${perSecond(capacity.ratePerSecond)} (${range(capacity)})${capacity.confirmed ? ', confirmed at full length' : ', not confirmed'}`,
    },
    { name: 'Plan with', value: `${perSecond(advised.ratePerSecond)} (${share(advised.share)})` },
    { name: 'Limited by', value: limitText(limitOfSearch(record)) },
    { name: 'Arrivals', value: record.arrivals ?? 'even' },
    { name: 'SLO', value: record.slo.map(({ text }) => text).join(', ') },
    {
      name: 'Probes',
      value: `${String(probes.length)} in ${formatNumber(record.totalSeconds)} s${valid < probes.length ? `, ${String(probes.length - valid)} not valid` : ''}`,
    },
  ];
}

export const PROBE_COLUMNS = [
  'probe',
  'load',
  'length',
  'result',
  'achieved',
  'p95',
  'errors',
  'in flight / Little',
  'limited by',
];

export function probeRow(probe: FindProbe): string[] {
  return [
    probe.kind,
    probe.clients === undefined
      ? perSecond(probe.ratePerSecond ?? 0)
      : `${String(probe.clients)} ${probe.clients === 1 ? 'client' : 'clients'}`,
    `${formatNumber(probe.durationSeconds)} s`,
    probe.result,
    perSecond(probe.achievedPerSecond),
    probe.p95Ms === null ? '-' : ms(probe.p95Ms),
    share(probe.errorShare),
    probe.littlesLaw === null ? '-' : formatNumber(probe.littlesLaw),
    probe.limitedBy,
  ];
}

export const findWord = ({ verdict }: FindRecord): string =>
  ({
    found: 'FOUND',
    'not confirmed': 'NOT CONFIRMED',
    inconclusive: 'INCONCLUSIVE',
    'nothing sustained': 'NOT SUSTAINED',
    invalid: 'INVALID',
  })[verdict];
