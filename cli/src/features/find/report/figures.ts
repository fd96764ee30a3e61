import { adviceFor, limitName } from '../../../analysis/limits/table';
import { costOf } from '../../../analysis/cost';
import { isTooWide } from '../analysis/planned-share';
import { busiestRole } from '../analysis/machine-speed';
import { limitOfFind, limitText } from '../../../analysis/limits/limit-seen';
import { hasEstimate, type FindProbe, type FindRecord } from '../record';
import { range, type Figure, costFigures } from '../../../report/text/units';
import { LADDER_SERIES } from './charts';
import { speedFigures } from './speed';
import { counted, duration, formatNumber, perSecond, percent } from '../../../ui/numbers';

/** The figures of a search, in reading order; the same in HTML, Markdown and the terminal. */
export function findFigures(record: FindRecord): Figure[] {
  const { probes } = record;
  const valid = probes.filter(({ result }) => result !== 'invalid').length;
  return [
    ...capacityFigures(record),
    ...speedFigures(record),
    ...costFigures(costOf(record), record.prices),
    { name: 'Limited by', value: limitText(limitOfFind(record)) },
    ...adviceFigures(record),
    { name: 'Arrivals', value: record.arrivals ?? 'even' },
    { name: 'SLO', value: record.slo.map(({ text }) => text).join(', ') },
    {
      name: 'Probes',
      value: `${String(probes.length)} in ${formatNumber(record.totalSeconds)} s${valid < probes.length ? `, ${String(probes.length - valid)} not valid` : ''}`,
    },
  ];
}

export function capacityFigures(record: FindRecord): Figure[] {
  const { capacity, advised } = record;
  return [
    {
      name: 'Capacity',
      value: [`${perSecond(capacity.ratePerSecond)} (${range(capacity)})`, confirmationText(record)]
        .filter(Boolean)
        .join(', '),
    },
    {
      name: 'Plan with',
      value: isTooWide(capacity)
        ? `no rate, because the interval ${capacity.high === null ? 'has no upper end' : 'is wider than a factor of two'}`
        : `${perSecond(advised.ratePerSecond)} (${percent(advised.share)} of ${plannedOf(advised)})`,
    },
  ];
}

/** A run of full length may have sustained a rate that is close to the interval and below it. */
type Confirmation = 'within' | 'below' | 'none';

function confirmationOf({ capacity, confirmedBy, probes }: FindRecord): Confirmation {
  if (!capacity.confirmed) return 'none';
  const ratePerSecond = probes.find(({ run }) => run === confirmedBy)?.ratePerSecond;
  return ratePerSecond === undefined || ratePerSecond >= capacity.low ? 'within' : 'below';
}

const CONFIRMED: Record<Confirmation, { brief: string; full: string }> = {
  within: { brief: 'confirmed at full length', full: 'confirmed by a full-length run' },
  below: {
    brief: 'confirmed at full length just below this interval',
    full: 'confirmed by a full-length run just below the interval',
  },
  none: { brief: 'not confirmed', full: 'not confirmed by a full-length run' },
};

/** A full-length run at one rate of an interval that is too wide for an answer confirms no answer. */
const confirmationText = (record: FindRecord): string =>
  record.verdict === 'inconclusive' ? '' : CONFIRMED[confirmationOf(record)].brief;

const plannedOf = ({ speed }: FindRecord['advised']): string =>
  `the lower end of the interval${speed === 'slow' ? ', at the slowest observed speed of the machine' : ''}`;

/** What a rate above the capacity meets first. */
export const breaksFirst = (record: FindRecord): Figure => ({
  ...{ name: 'Breaks first', value: record.limit === null ? 'not seen' : limitName(record.limit) },
});

/** Width, amount and method in one line. */
export function howSure(record: FindRecord): string {
  const { capacity, probes, totalSeconds, verdict } = record;
  const { ratePerSecond, low, high, method } = capacity;
  const seen = `${counted(probes.length, 'probe')} in ${minutes(totalSeconds)}`;
  if (!hasEstimate(verdict)) return `${seen}.`;
  const width = high === null ? 'no upper bound' : `±${percent((high - low) / 2 / ratePerSecond)}`;
  const run = verdict === 'inconclusive' ? '' : `, ${CONFIRMED[confirmationOf(record)].full}`;
  return [`${width} from ${seen}${run}.`, method?.text].filter(Boolean).join(' ');
}

const minutes = (seconds: number): string =>
  seconds < 60 ? `${formatNumber(seconds)} s` : `${formatNumber(seconds / 60)} min`;

export function adviceFigures({ limit, topology }: FindRecord): Figure[] {
  const advice = adviceFor(limit, topology?.mode ?? null);
  return advice === null ? [] : [{ name: 'For more', value: advice }];
}

const ACHIEVED = 'achieved';
const IN_FLIGHT = 'in flight, seen / expected';

export const PROBE_COLUMNS = [
  'probe',
  'load',
  'length',
  'result',
  ACHIEVED,
  'p95',
  'errors',
  'CPU per request',
  IN_FLIGHT,
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
    probe.p95Ms === null ? '-' : duration(probe.p95Ms),
    percent(probe.errorShare),
    cpuText(probe),
    probe.littlesLaw === null ? '-' : formatNumber(probe.littlesLaw),
    limitName(probe.limitedBy.limit),
  ];
}

/** In the order of a search. */
const KINDS: Record<FindProbe['kind'], string> = {
  ladder: `clients instead of a rate, each sending its next request as soon as it has a response, to find where the throughput stops growing; plotted as "${LADDER_SERIES}"`,
  growth:
    'a short probe at a fixed rate, which rises from probe to probe until a rate is not sustained',
  narrow: 'a short probe near the estimate',
  confirm: 'a full-length probe near the estimate',
};

/** What the words in the table of probes mean, of those that are in it. */
export function probeTerms({ probes, arrivals }: FindRecord): Figure[] {
  const kinds = Object.entries(KINDS)
    .filter(([name]) => probes.some(({ kind }) => kind === name))
    .map(([name, value]) => ({ name, value }));
  const isAbove = probes.some(
    ({ ratePerSecond, achievedPerSecond }) => achievedPerSecond > (ratePerSecond ?? Infinity),
  );
  const achieved =
    arrivals === 'random' && isAbove
      ? [
          {
            name: ACHIEVED,
            value:
              'expected responses per second; requests arrive at random, so it can be higher than the rate of the load',
          },
        ]
      : [];
  const inFlight = probes.some(({ littlesLaw }) => littlesLaw !== null)
    ? [
        {
          name: IN_FLIGHT,
          value:
            "the counted number of requests waiting for a response, divided by rate times latency (Little's law); close to 1 under steady load",
        },
      ]
    : [];
  return [...kinds, ...achieved, ...inFlight];
}

/** CPU per request of all roles and of the busiest: `17.9 ms, worker 9.2 ms`. */
export function cpuText({ cpuPerRequest: cpu }: Pick<FindProbe, 'cpuPerRequest'>): string {
  if (cpu === null) return '-';
  const all = duration(cpu.allMs);
  const role = busiestRole([cpu]);
  const own = cpu.roles.find((one) => one.role === role);
  return own === undefined || cpu.roles.length === 1
    ? all
    : `${all}, ${own.role} ${duration(own.ms)}`;
}
