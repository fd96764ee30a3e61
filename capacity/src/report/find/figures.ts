import { adviceFor } from '../../analysis/advice';
import { costOf } from '../../analysis/cost';
import { busiestRole } from '../../analysis/machine-speed';
import { limitOfSearch, limitText } from '../../analysis/limit-seen';
import type { FindProbe, FindRecord } from '../../record/find-record';
import { costFigures } from '../text/cost';
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
    ...costFigures(costOf(record), record.prices),
    { name: 'Limited by', value: limitText(limitOfSearch(record)) },
    ...adviceFigures(record),
    { name: 'Arrivals', value: record.arrivals ?? 'even' },
    { name: 'SLO', value: record.slo.map(({ text }) => text).join(', ') },
    {
      name: 'Probes',
      value: `${String(probes.length)} in ${formatNumber(record.totalSeconds)} s${valid < probes.length ? `, ${String(probes.length - valid)} not valid` : ''}`,
    },
  ];
}

export function adviceFigures({ limit, topology }: FindRecord): Figure[] {
  const advice = adviceFor(limit, topology?.mode ?? null);
  return advice === null ? [] : [{ name: 'For more', value: advice }];
}

export const PROBE_COLUMNS = [
  'probe',
  'load',
  'length',
  'result',
  'achieved',
  'p95',
  'errors',
  'CPU per request',
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
    cpuText(probe),
    probe.littlesLaw === null ? '-' : formatNumber(probe.littlesLaw),
    probe.limitedBy,
  ];
}

/** Of all roles, and of the busiest: `17.9 ms, worker 9.2 ms`. */
function cpuText({ cpuPerRequest: cpu }: FindProbe): string {
  if (!cpu) return '-';
  const all = ms(cpu.allMs);
  const role = busiestRole([cpu]);
  const own = cpu.roles.find((one) => one.role === role);
  return own === undefined || cpu.roles.length === 1 ? all : `${all}, ${own.role} ${ms(own.ms)}`;
}

export const findWord = ({ verdict }: FindRecord): string =>
  ({
    found: 'FOUND',
    'not confirmed': 'NOT CONFIRMED',
    inconclusive: 'INCONCLUSIVE',
    'nothing sustained': 'NOT SUSTAINED',
    invalid: 'INVALID',
  })[verdict];
