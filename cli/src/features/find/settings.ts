import { planOf, type Arrivals, type LoadPlan } from '../../../../loadtests/lib/profile';
import { minRequests, PERCENTILES } from '../../analysis/slo/min-requests';
import { Mistake } from '../../ui/exit';
import { formatNumber } from '../../ui/numbers';
import type { Probe, SearchSettings } from './analysis/types';
import type { Slo } from '../../../../loadtests/lib/slo';

/** Share of each probe that is discarded: connections, caches and V8's optimiser settle. */
const WARMUP_SHARE = 0.2;

/**
 * Callers who do not know each other send at random. Even gaps show too low a p95 near saturation, which is
 * where a search looks: studies/arrivals says by how much.
 */
export const SEARCH_ARRIVALS: Arrivals = 'random';

export interface FindChoice {
  /** Null: as the budget allows. */
  probeSeconds: number | null;
  fullSeconds: number | null;
  budgetSeconds: number | null;
  latencyFloorMs: number;
  slos: readonly Slo[];
  arrivals?: Arrivals;
  /** How the search goes, where that is not as usual. */
  options?: Partial<Pick<SearchSettings, 'isGentle' | 'precision' | 'maxClients'>>;
}

/** What must hold where nobody says. */
export const DEFAULT_SLOS = ['p95<1s', 'errors<1%'];

/** A probe must see several whole responses one after the other: of a workload that takes 5 s, in 20 s. */
const FLOORS_A_PROBE = 4;
/** Without a budget: what a capacity is defined by, and what shows about where it lies. */
const FULL_SECONDS = 60;
const SHORT_SECONDS = 10;
/** Share of a budget that answered best in the benchmark of simulated systems. */
const FULL_SHARE = 1 / 6;
const MIN_FULL_SECONDS = 20;
const SHORT_SHARE = 1 / 37.5;
const MIN_SHORT_SECONDS = 6;

export function searchSettings(choice: FindChoice): Partial<SearchSettings> {
  const { budgetSeconds, latencyFloorMs } = choice;
  const fallback = defaultLengths(budgetSeconds);
  const minSeconds = (FLOORS_A_PROBE * latencyFloorMs) / 1000;
  const shortSeconds = Math.max(choice.probeSeconds ?? fallback.shortSeconds, minSeconds);
  return {
    ladderSeconds: shortSeconds / 2,
    shortSeconds,
    fullSeconds: Math.max(choice.fullSeconds ?? fallback.fullSeconds, shortSeconds),
    minRequests: requestsOfAProbe(choice.slos),
    budgetSeconds,
    percentile: percentileOf(choice.slos),
    arrivals: choice.arrivals ?? SEARCH_ARRIVALS,
    ...choice.options,
  };
}

/**
 * Refuses a budget without time for the first closed loop and a run of full length, before anything is started for it: such a
 * search would begin at one request a second, and end there. One that is gone on with needs the time of a probe.
 */
export function refuseTooShort(
  {
    budgetSeconds = null,
    shortSeconds = 0,
    ladderSeconds = 0,
    fullSeconds = 0,
  }: Partial<SearchSettings>,
  { option = '--budget', isGoneOnWith = false } = {},
): void {
  const min = Math.ceil(isGoneOnWith ? shortSeconds : ladderSeconds + fullSeconds);
  if (budgetSeconds === null || budgetSeconds >= min) return;
  throw new Mistake(
    `${option} is ${formatNumber(budgetSeconds)} s, but a search takes at least ${formatNumber(min)} s: use a longer budget, such as 5m.`,
  );
}

/** How long probes are where nobody says. */
export function defaultLengths(budgetSeconds: number | null): {
  shortSeconds: number;
  fullSeconds: number;
} {
  if (budgetSeconds === null) return { shortSeconds: SHORT_SECONDS, fullSeconds: FULL_SECONDS };
  return {
    shortSeconds: within(MIN_SHORT_SECONDS, SHORT_SHARE * budgetSeconds, SHORT_SECONDS),
    fullSeconds: within(MIN_FULL_SECONDS, FULL_SHARE * budgetSeconds, FULL_SECONDS),
  };
}

const within = (min: number, value: number, max: number): number =>
  Math.round(Math.min(Math.max(value, min), max));

/**
 * With fewer requests a percentile is not a figure; some are lost to the warm-up. A share of errors needs
 * more than a short probe has: what it leaves undecided, those of full length decide.
 */
function requestsOfAProbe(slos: readonly Slo[]): number {
  const needed = slos
    .filter(({ metric }) => metric !== 'errors')
    .map(({ metric, bound }) => minRequests(metric, bound));
  return Math.ceil(Math.max(30, ...needed) / (1 - WARMUP_SHARE));
}

/** The percentile that a search replays; null if no SLO limits one, or more than one does. */
function percentileOf(slos: readonly Slo[]): { p: number; boundSeconds: number } | null {
  const limited = slos.flatMap(({ metric, bound }) => {
    const p = PERCENTILES[metric];
    return p === undefined ? [] : [{ p, boundSeconds: bound / 1_000 }];
  });
  const [only, ...more] = limited;
  return more.length > 0 ? null : (only ?? null);
}

/** The load of one probe. */
export function planOfProbe(probe: Probe, latencyFloorMs: number, arrivals: Arrivals): LoadPlan {
  const warmupSeconds = Math.max(WARMUP_SHARE * probe.durationSeconds, latencyFloorMs / 1000);
  const durationSeconds = Math.max(1, probe.durationSeconds - warmupSeconds);
  return probe.kind === 'ladder'
    ? planOf('closed', { clients: probe.clients, warmupSeconds, durationSeconds })
    : planOf('load', {
        ratePerSecond: probe.ratePerSecond,
        warmupSeconds,
        durationSeconds,
        arrivals,
      });
}
