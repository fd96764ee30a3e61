// How good the search for a capacity is: on systems that are computed, on servers of known capacity, and beside a staircase of
// runs by a generator that is not ours; and what even arrivals and several generators do to a percentile.
import type { FindRecord } from '../../../cli/src/features/find/record';
import type { Quality } from '../../../test/cli/features/find/analysis/simulated/quality';
import { qualityText } from '../../../test/cli/features/find/analysis/simulated/table';
import { PARTS } from '../../../studies/find-against-staircase/parts';
import {
  pairsOf,
  type Search as FindPart,
  type Staircase as StaircasePart,
} from '../../../studies/find-against-staircase/staircase';
import {
  atPrice,
  has,
  link,
  mib,
  ms,
  number,
  outOf,
  perSecond,
  range,
  rangeOf,
  readJson,
  recordsNamed,
  seconds,
  share,
  tableOf,
  times,
  unsure,
} from '../records';
import type { StudyPage } from '../study-page';
import { distinct } from '../sweeps';
import { kubernetesSearches } from './kubernetes';

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

const FOLDER = 'studies/find-against-staircase';
/** The share within which `find` is meant to come. */
const GOAL = 0.1;
const goal = share(GOAL);
const isWithin = (error: number | null): boolean => error !== null && Math.abs(error) <= GOAL;

interface Search extends FindPart {
  name: string;
  path: string;
  startedAt: string;
  budget: string;
  slo: string;
  arrivals: string;
  cores: { n8n: string; generator: string };
  totalSeconds: number;
  capacity: FindRecord['capacity'];
  probes: FindRecord['probes'];
  verdict: FindRecord['verdict'];
  command: string[];
}
interface Staircase extends StaircasePart {
  name: string;
  path: string;
  startedAt: string;
  generator: string;
  stepSeconds: number;
}
type Recorded = Search | Staircase;
type Pair = ReturnType<typeof pairsOf<Search, Staircase>>[number];

/** Those that there are, in the order of the plan. */
const recorded = (): Recorded[] =>
  PARTS.flatMap(({ name }) => {
    const path = `${FOLDER}/results/${name}.json`;
    return has(path) ? [{ ...readJson<Recorded>(path), path }] : [];
  });

const hasAnswer = ({ capacity }: Search): boolean => capacity.ratePerSecond > 0;
/** A search without an answer, and a staircase that has no boundary around one, are comparisons too: of those that failed. */
const isMade = ({ find, staircase }: Pair): boolean => staircase !== null || !hasAnswer(find);

/** How many of all comparisons came within the goal, as they were measured and at equal speed. */
function withinGoal(records: readonly Recorded[]) {
  const all = pairsOf<Search, Staircase>(records).filter(isMade);
  const within = (name: 'error' | 'errorAtEqualSpeed'): number =>
    all.filter(({ compared }) => isWithin(compared?.[name] ?? null)).length;
  return {
    measured: `${outOf(within('error'), all.length)} comparisons`,
    atEqualSpeed: number(within('errorAtEqualSpeed')),
  };
}

function staircaseAnswer(records = recorded()): string {
  const { measured, atEqualSpeed } = withinGoal(records);
  return `On a real n8n, we compared the result with a stepwise load test that used another load generator. The difference was at most ${goal} in ${measured}, or in ${atEqualSpeed} if we corrected for the speed of the machine.`;
}

type KeptSearch = Pick<FindRecord, 'verdict' | 'totalSeconds'> & { command: readonly string[] };

/** Every search of a real n8n that a study keeps. */
const searchesOfN8n = (): KeptSearch[] => [
  ...recordsNamed('find.json', 'studies/capacity/').map((path) => readJson<FindRecord>(path)),
  ...pairsOf<Search, Staircase>(recorded()).map(({ find }) => find),
  ...kubernetesSearches(),
];

/** What servers of known capacity do not show: how near a search comes on n8n, and how often it has an answer. */
export function onRealN8n(all: readonly KeptSearch[] = searchesOfN8n()): string {
  const found = all.filter(({ verdict }) => verdict === 'found').length;
  return `On a real n8n, the difference from a stepwise load test was at most ${goal} in ${withinGoal(recorded()).measured}, and ${number(found)} of our ${number(all.length)} searches were FOUND.`;
}

/** A budget is what a search measures for: n8n comes to rest between probes. */
export function wholeTime(all: readonly KeptSearch[] = searchesOfN8n()): string {
  const common = all.filter(({ command }) => command[command.indexOf('--budget') + 1] === '5m');
  const took = common.map(({ totalSeconds }) => totalSeconds / 60);
  return `Our ${number(common.length)} recorded searches of n8n with the default budget of five minutes took ${rangeOf(took)} minutes in all.`;
}

/** The largest difference; one without a bound where a search or a staircase gave no answer. */
export function worstAgainstStaircase(records = recorded()): number {
  const all = pairsOf<Search, Staircase>(records).filter(isMade);
  return Math.max(0, ...all.map(({ compared }) => Math.abs(compared?.error ?? Infinity)));
}

export function staircaseText(records = recorded()): string {
  const pairs = pairsOf<Search, Staircase>(records);
  const stairs = pairs.flatMap(({ staircase }) => staircase ?? []);
  const find = pairs[0]?.find;
  const left = PARTS.filter(({ name }) => !records.some((record) => record.name === name));
  return `## \`find\` against another generator

\`find --budget ${find?.budget ?? ''}\` searched a real n8n with ${find?.slo ?? ''}. After it, another generator made a staircase around the answer
(${distinct(stairs.map(({ generator }) => generator)).join(', ')}), corrected for coordinated omission, ${distinct(stairs.map(({ stepSeconds }) => seconds(stepSeconds))).join(', ')} per step; steps are a tenth of the answer apart. Both send at ${find?.arrivals ?? ''} distances, as oha knows no other; n8n with its stores runs on core ${find?.cores.n8n ?? ''},
the generator on core ${find?.cores.generator ?? ''}. At equal speed, each of the two rates counts times the CPU that n8n took for a request near it.

${tableOf(pairs, {
  workload: (pair) => pair.find.workload,
  mode: (pair) => pair.find.mode,
  '`find`': ({ find: { capacity, verdict, ...one } }) =>
    hasAnswer({ ...one, capacity, verdict })
      ? `${perSecond(capacity.ratePerSecond)} (${range(capacity)})${atPrice({ capacity, probes: one.probes })}${unsure({ ...capacity, verdict })}`
      : verdict,
  staircase: (pair) => staircaseCell(pair),
  'off by': ({ compared }) => (compared === null ? '-' : errorText(compared.error)),
  'at equal speed': ({ compared }) =>
    compared === null ? '-' : errorText(compared.errorAtEqualSpeed),
  '': (pair) => link(pair.find.path),
})}

${staircaseAnswer(records)}${left.length === 0 ? '' : ` ${outOf(left.length, PARTS.length)} parts have no record yet.`}`;
}

const errorText = (error: number | null): string => (error === null ? 'not known' : share(error));

function staircaseCell({ find: { capacity }, staircase }: Pair): string {
  if (staircase === null) return 'not measured yet';
  const { answer, steps } = staircase;
  if (answer !== null) {
    const isInside = capacity.low <= answer && answer <= (capacity.high ?? Infinity);
    return `${perSecond(answer)}${isInside ? '' : ', not in that interval'}`;
  }
  const rates = steps.map(({ ratePerSecond }) => ratePerSecond);
  if (steps.every(({ sustained }) => sustained))
    return `more than ${perSecond(Math.max(...rates))}`;
  return steps.some(({ sustained }) => sustained)
    ? 'no boundary'
    : `less than ${perSecond(Math.min(...rates))}`;
}

export const findAgainstStaircase: StudyPage = {
  study: 'find-against-staircase',
  answer: () => ({ sentence: staircaseAnswer() }),
  parts: [staircaseText],
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
