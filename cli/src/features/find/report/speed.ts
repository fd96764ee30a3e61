/** How fast the machine was in a search: what a request cost n8n in CPU, and what that makes of the answer. */
import { roleName } from '../../../analysis/limits/row';
import { limitName } from '../../../analysis/limits/table';
import type { SampledRole } from '../../../plan/roles';
import type { LineChart } from '../../../report/plot/chart';
import type { Figure } from '../../../report/text/units';
import { duration, formatNumber, perSecond, percent } from '../../../ui/numbers';
import { heldMs, type Held } from '../analysis/held';
import { busiestRole, keptUp } from '../analysis/machine-speed';
import { priceOf, wholePriceOf, type KnownPrice } from '../analysis/price';
import type { FindProbe, FindRecord } from '../record';

type Price = NonNullable<FindRecord['capacity']['at']>;

/** The price of the answer, and what it sustains at other speeds of the machine. */
export const speedFigures = (record: FindRecord): Figure[] => [
  ...limitingFigures(record),
  ...wholeFigure(wholePriceOf(record)),
];

/** A run has the same figure: the price of one role is not what `predict --at-cpu` carries a capacity by. */
const wholeFigure = (cpuMs: number | null): Figure[] =>
  cpuMs === null
    ? []
    : [
        {
          name: 'CPU per request',
          value: `${duration(cpuMs)} for all roles together; predict --at-cpu compares it with another machine`,
        },
      ];

/** In terms of what limits n8n. */
function limitingFigures(record: FindRecord): Figure[] {
  const { ratePerSecond, at, held } = record.capacity;
  if (held !== undefined) return [heldFigure(held, ratePerSecond)];
  if (at === undefined) return unweighedSpeed(priceOf(record));
  const { cpuMs, slowestMs, takenShare } = at;
  const slowest = at.slowestPerSecond ?? (ratePerSecond * cpuMs) / slowestMs;
  return [
    {
      name: 'Speed',
      value: `${priceText(cpuMs, at.of.role)} (median of this search); ${duration(slowestMs)} in the slowest minute, which lowers the capacity to ${perSecond(slowest)}`,
    },
    {
      name: 'Alone',
      value: `about ${perSecond(ratePerSecond / (1 - takenShare))}: other programs took ${percent(takenShare)} of the time in which requests waited`,
    },
  ];
}

/** The answer in terms of what limits it: how long a request holds it, and how much of it is in use at the capacity. */
function heldFigure(held: Held, capacityPerSecond: number): Figure {
  const { of, count, ratePerSecond, slowestPerSecond } = held;
  const used = `${percent(Math.min(1, capacityPerSecond / ratePerSecond))} of the ${limitName(of)} at the capacity, and 100% at ${perSecond(ratePerSecond)} (at ${perSecond(slowestPerSecond)} in the slowest probe)`;
  const [common, slowest] = [ratePerSecond, slowestPerSecond].map((rate) => heldMs(held, rate));
  const time =
    count === null || common == null || slowest == null
      ? ''
      : `: a request holds one of ${formatNumber(count)} for ${duration(common)} (for ${duration(slowest)} in the slowest probe)`;
  return { name: 'In use', value: `${used}${time}` };
}

/** An answer by pass and miss does not follow the price. */
const unweighedSpeed = (price: KnownPrice | null): Figure[] =>
  price === null
    ? []
    : [
        {
          name: 'Speed',
          value: `${priceText(price.cpuMs, price.of)} (median of the probes near the answer, ${rangeText(price)})`,
        },
      ];

const rangeText = ({ fastestMs, slowestMs }: KnownPrice): string =>
  `${duration(fastestMs)} to ${duration(slowestMs)}`;

/** `12.8 ms of main CPU per request`. */
const priceText = (cpuMs: number, of: SampledRole): string =>
  `${duration(cpuMs)} of ${roleName(of)} CPU per request`;

/** The second row of ticks below rates: how busy they make what limits n8n, at the price of the answer. */
export function shareAxis({
  capacity: { at },
}: FindRecord): { factor: number; label: string } | null {
  if (at === undefined) return null;
  return {
    factor: at.cpuMs / 1_000 / at.cores,
    label: `% of ${limitName(at.of)}`,
  };
}

/** Seconds over which the price of a request is taken. */
const PIECE = 5;
/** A shorter rest of a probe says little. */
const MIN_PIECE = 3;

/** Null where no CPU was seen. */
export function speedChart(record: FindRecord): LineChart | null {
  const { probes, capacity } = record;
  const role =
    capacity.at?.of.role ?? busiestRole(probes.flatMap((one) => one.cpuPerRequest ?? []));
  if (role === null) return null;
  const points: [number, number][] = [];
  let before = 0;
  for (const probe of probes) {
    if (isTold(probe)) {
      points.push(...piecesOf(probe, role).map(([at, ms]): [number, number] => [before + at, ms]));
    }
    before += probe.endedAfterSeconds ?? probe.durationSeconds;
  }
  if (points.length < 2) return null;
  return {
    ...{ kind: 'line', id: 'speed', isLow: true },
    title: `Machine speed: CPU time per request (${role === 'host' ? 'n8n and its stores' : roleName(role)})`,
    x: { label: 'time under load, all probes in order', unit: 's', min: 0, max: before },
    y: { label: 'CPU per request', unit: 'ms', min: 0 },
    series: [{ label: `mean over ${String(PIECE)} s`, style: 'dots', points }],
    marks: marksOf(capacity.at),
  };
}

/** Those that fell behind spend CPU on requests to which no response came in their time. */
const isTold = ({ result, ratePerSecond, achievedPerSecond }: FindProbe): boolean =>
  result !== 'invalid' &&
  (ratePerSecond === undefined || keptUp({ ratePerSecond, achievedPerSecond }));

function marksOf(at: Price | undefined): NonNullable<LineChart['marks']> {
  if (at === undefined) return [];
  const { cpuMs, slowestMs } = at;
  const mark = (name: string, ms: number) => ({
    ...{ axis: 'y' as const, at: ms, label: `${name} ${duration(ms)}` },
  });
  return slowestMs > cpuMs
    ? [mark('slowest minute', slowestMs), mark('median', cpuMs)]
    : [mark('median', cpuMs)];
}

/** [second, CPU per request]: of each piece where seconds are recorded, else of the probe as a whole. */
function piecesOf(probe: FindProbe, role: SampledRole): [number, number][] {
  const { seconds, cpuPerRequest, durationSeconds, endedAfterSeconds = durationSeconds } = probe;
  const columns = seconds === undefined ? [] : columnsOf(seconds.cpuMs, role);
  if (seconds === undefined || columns.length === 0) {
    const ms = cpuPerRequest?.roles.find((one) => one.role === role)?.ms;
    return ms === undefined ? [] : [[endedAfterSeconds / 2, ms]];
  }
  const pieces: [number, number][] = [];
  for (let from = 0; from < seconds.done.length; from += PIECE) {
    const told = secondsFrom(from, probe).filter((at) => columns.every((one) => one[at] != null));
    const done = sum(told.map((at) => seconds.done[at] ?? 0));
    const cpuMs = sum(told.flatMap((at) => columns.map((one) => one[at] ?? 0)));
    if (told.length >= MIN_PIECE && done > 0) pieces.push([from + told.length / 2, cpuMs / done]);
  }
  return pieces;
}

/** Whole seconds of a piece in which nothing else took the machine. */
const secondsFrom = (first: number, { seconds, leftOut = [] }: FindProbe): number[] =>
  Array.from({ length: PIECE }, (_, index) => first + index)
    .filter((at) => at < (seconds?.done.length ?? 0))
    .filter((at) => !leftOut.some(({ from, to }) => at + 1 > from && at < to));

type Columns = NonNullable<FindProbe['seconds']>['cpuMs'];

/** What shares the cores of the machine with n8n belongs to its cost there, but for what sends the load. */
const columnsOf = (cpuMs: Columns, role: SampledRole): (number | null)[][] =>
  Object.entries(cpuMs)
    .filter(([name]) => (role === 'host' ? name !== 'generator' : name === role))
    .map(([, column]) => column);

const sum = (values: readonly number[]): number => values.reduce((total, one) => total + one, 0);
