// How good the search for a capacity is: on systems that are computed, and on servers of known capacity; and what even
// arrivals and several generators do to a percentile.
import type { Quality } from '../../../test/cli/features/find/analysis/simulated/quality';
import { qualityText } from '../../../test/cli/features/find/analysis/simulated/table';
import {
  link,
  mib,
  ms,
  number,
  perSecond,
  range,
  readJson,
  seconds,
  share,
  tableOf,
  times,
  unsure,
} from '../records';
import type { StudyPage } from '../study-page';
import { distinct } from '../sweeps';

const QUALITY = 'studies/search-quality/results/record.json';
export const searchQuality: StudyPage = {
  study: 'search-quality',
  question: 'How far off is `find` on systems of known capacity?',
  parts: [() => `${qualityText(readJson<Quality>(QUALITY))}\n\n${link(QUALITY)}`],
};

const KNOWN = ['waiting', 'computing'].map((part) => `studies/known-capacity/results/${part}.json`);
interface Known {
  name: string;
  slo: string;
  truth: number;
  found: number;
  error: number;
  low: number;
  high: number | null;
  holdsTruth: boolean;
  confirmed: boolean;
  verdict: string;
}
const known = (): Known[] => KNOWN.flatMap((path) => readJson<{ rows: Known[] }>(path).rows);

export const largest = (): number => Math.max(...known().map(({ error }) => Math.abs(error)));

export const largestError = (): string =>
  `The error was at most ${share(largest())} on ${number(known().length)} real servers with known capacity, with one search per server.`;

const servers = (): string => `## On real servers

The servers' capacity follows from their own figures. For slots it follows from their service time (even arrivals: D/D/c and D/M/1 in closed form). For a limiter it is its rate, and
for the server that computes, its responses when saturated, before and after.

${tableOf(known(), {
  server: ({ name }) => name,
  SLO: ({ slo }) => slo,
  'true capacity': ({ truth }) => perSecond(truth),
  found: (row) => `${perSecond(row.found)}${unsure(row)}`,
  'off by': ({ error }) => share(error),
  interval: (row) => `${range(row)}${row.holdsTruth ? '' : ', misses it'}`,
})}

${KNOWN.map(link).join(' ')}`;

export const knownCapacity: StudyPage = {
  study: 'known-capacity',
  answer: () => ({ sentence: largestError() }),
  parts: [servers],
};

const ARRIVALS = 'studies/arrivals/results/record.json';
interface Arrivals {
  slots: number;
  serviceMs: number;
  seconds: number;
  rows: {
    arrivals: 'even' | 'random';
    ratePerSecond: number;
    p95Ms: number;
    computedP95Ms: number;
  }[];
}
function arrivalsPart(): string {
  const { slots, serviceMs, seconds: took, rows } = readJson<Arrivals>(ARRIVALS);
  const max = (1000 * slots) / serviceMs;
  const rates = distinct(rows.map(({ ratePerSecond }) => ratePerSecond)).map((rate) => {
    const of = (kind: string, figure: 'p95Ms' | 'computedP95Ms'): number =>
      rows.find((row) => row.ratePerSecond === rate && row.arrivals === kind)?.[figure] ?? NaN;
    return { rate, of };
  });
  return `## Even and random arrivals

Even arrivals make a shorter queue than random ones, as callers send who do not know each other. The generator k6 sent both kinds for ${seconds(took)} each to a server with ${number(slots)} slots and exponential service times of ${ms(serviceMs)} (M/M/${number(slots)};
at most ${perSecond(max)}). The same queue was computed over 2,000,000 requests with the service time that was measured.

${tableOf(rates, {
  'req/s': ({ rate }) => number(rate),
  'of the most': ({ rate }) => share(rate / max),
  'p95 even': ({ of }) => ms(of('even', 'p95Ms')),
  'p95 random': ({ of }) => ms(of('random', 'p95Ms')),
  ratio: ({ of }) => times(of('random', 'p95Ms') / of('even', 'p95Ms')),
  'computed ratio': ({ of }) => times(of('random', 'computedP95Ms') / of('even', 'computedP95Ms')),
})}

Each is one run. ${link(ARRIVALS)}`;
}
export const arrivals: StudyPage = {
  study: 'arrivals',
  parts: [arrivalsPart],
};

const GENERATORS = 'studies/generators/results/record.json';
interface Merged {
  generators: number;
  ratePerSecond: number;
  requests: number;
  cpuUsPerRequest: number;
  rssPeakMiB: number;
  percentiles: { share: number; mergedMs: number; averageMs: number; exactMs: number }[];
}
function generatorsPart(): string {
  const offBy = (
    { percentiles }: Merged,
    percentile: number,
    figure: 'mergedMs' | 'averageMs',
  ): string => {
    const one = percentiles.find((each) => each.share === percentile);
    return share((one?.[figure] ?? NaN) / (one?.exactMs ?? NaN) - 1);
  };
  return `## Many load generators as one run

Lines as k6 prints them, of generators of which one in ten is 80 ms farther away, through the command's own code: a simulation without network and disk. Up to a million requests
percentiles are exact, beyond they are off by 0.1% at the most. The last columns show what the mean of the generators' own percentiles would have said.

${tableOf(readJson<{ rows: Merged[] }>(GENERATORS).rows, {
  generators: ({ generators }) => number(generators),
  rate: ({ ratePerSecond }) => perSecond(ratePerSecond),
  requests: ({ requests }) => number(requests),
  'CPU per request': ({ cpuUsPerRequest }) => `${number(cpuUsPerRequest)} us`,
  'highest memory': ({ rssPeakMiB }) => mib(rssPeakMiB),
  'p95 merged, off by': (row) => offBy(row, 0.95, 'mergedMs'),
  'p95 averaged, off by': (row) => offBy(row, 0.95, 'averageMs'),
})}

${link(GENERATORS)}`;
}
export const generators: StudyPage = {
  study: 'generators',
  parts: [generatorsPart],
};
