import type { Estimate } from './analysis/estimate';
import { PLANNED_SHARE, plannedPerSecond } from './analysis/planned-share';
import { findDoubts, type FindHead, type SearchEnding } from './analysis/doubts';
import { viewsOf } from './analysis/carried';
import { heldBy, heldMs, type Held } from './analysis/held';
import type { CapacityInterval } from './analysis/types';
import { isClear, isRough, MIN_FULL_SECONDS } from './analysis/levels';
import { outcomeOf } from './analysis/outcome';
import type { Price } from './analysis/by-queue';
import { usedAt, type FindProbe, type FindRecord, type Speed } from './record';
import { roleName } from '../../analysis/limits/row';
import { limitName } from '../../analysis/limits/table';
import { workloadName } from '../../plan/chosen-workload';
import { duration, formatNumber, percent, perSecond } from '../../ui/numbers';

/** From the search's estimate and its probes to the answer. Pure. */
export function concludeFind(
  head: FindHead,
  estimate: Estimate,
  ending: SearchEnding,
  speed: Speed = 'slow',
): FindRecord {
  const { capacity, low, high, confirmedPerSecond, limit, price } = estimate;
  const verdict = verdictOf(head.probes, estimate, ending);
  const held = price === null ? heldBy(limit, head.probes, head) : null;
  const confirmedBy = confirmedPerSecond === null ? null : runAt(head, confirmedPerSecond);
  const run = confirmedBy ?? highestSustained(head.probes);
  const summary = run === null ? undefined : ending.summaries.get(run);
  return {
    ...head,
    capacity: {
      ratePerSecond: capacity,
      low,
      high: Number.isFinite(high) ? high : null,
      confirmed: confirmedPerSecond !== null,
      ...(price === null ? {} : priceOf(price, capacity)),
      ...(held === null ? {} : { held }),
      method: methodOf(estimate),
    },
    advised: {
      share: PLANNED_SHARE,
      ratePerSecond: plannedPerSecond(
        price !== null && speed === 'slow' ? atSlowest(low, price) : low,
      ),
      ...(price === null ? {} : { speed }),
    },
    limit,
    verdict,
    sentence: findSentence(head, verdict, estimate, held),
    confirmedBy,
    atCapacity: run === null || summary === undefined ? null : usedAt(run, summary),
    doubts: findDoubts(head, estimate, ending),
  };
}

const priceOf = (price: Price, capacity: number) => {
  const { cpuMs, slowestMs, takenShare, resource, cores, speeds } = price;
  const slowestPerSecond = atSlowest(capacity, price);
  return { at: { cpuMs, slowestMs, slowestPerSecond, takenShare, of: resource, cores }, speeds };
};

/** What is sustained for sure while a request costs as much as in the slowest minute. */
const atSlowest = (ratePerSecond: number, price: Price): number =>
  Math.min(...viewsOf(ratePerSecond, price, price.slowestMs / price.cpuMs));

const methodOf = ({
  price,
  whyNoPrice,
}: Estimate): NonNullable<FindRecord['capacity']['method']> =>
  price === null
    ? {
        name: 'pass and miss',
        text: `The capacity is estimated only from whether each probe met the SLO, because ${whyNoPrice ?? ''}.`,
      }
    : {
        name: 'virtual queue',
        text: `The capacity is estimated by a simulation of each probe with the CPU time of each second, ${whySimulated(price)} for ${duration(price.cpuMs)} of ${roleName(price.resource.role)} CPU per request.`,
      };

const whySimulated = ({ usedShare }: Price): string =>
  usedShare < 1
    ? `with the rest of the time counted like CPU: under full load, n8n used ${percent(usedShare)} of its CPU. The answer is valid`
    : 'because n8n used up its CPU; the answer is valid';

function verdictOf(
  probes: readonly FindProbe[],
  { capacity, level }: Estimate,
  { stoppedBy, failure }: SearchEnding,
): FindRecord['verdict'] {
  if (probes.every(({ result }) => result === 'invalid')) return 'invalid';
  // Only a search that went to its end has looked for a rate that is sustained.
  if (!(capacity > 0))
    return stoppedBy !== null || failure !== null ? 'invalid' : 'nothing sustained';
  return level;
}

/** The run that the estimate was confirmed by. */
function runAt({ probes, slo }: FindHead, ratePerSecond: number): string | null {
  const runs = probes.filter(
    (probe) => probe.ratePerSecond === ratePerSecond && isClear(outcomeOf(probe, slo)),
  );
  return runs.sort((a, b) => b.durationSeconds - a.durationSeconds)[0]?.run ?? null;
}

function highestSustained(probes: readonly FindProbe[]): string | null {
  const held = probes
    .filter(({ result, ratePerSecond }) => result === 'sustained' && ratePerSecond !== undefined)
    .sort((a, b) => (a.ratePerSecond ?? 0) - (b.ratePerSecond ?? 0));
  return held.at(-1)?.run ?? null;
}

/** The answer in one sentence that a manager can read. */
function findSentence(
  { workload, slo, probes, target }: FindHead,
  verdict: FindRecord['verdict'],
  estimate: Estimate,
  held: Held | null,
): string {
  const { capacity, low, high, confirmedPerSecond, limit } = estimate;
  const what = workloadName(workload);
  const loaded = target.kind === 'server' ? 'The server' : 'n8n';
  const wanted = slo.map(({ text }) => text).join(', ');
  if (verdict === 'invalid') {
    const isEarly = probes.some(({ result }) => result !== 'invalid');
    return `Nothing can be said about ${what}: ${isEarly ? 'the search ended too early' : 'no probe was valid'}.`;
  }
  if (verdict === 'nothing sustained') {
    return `${loaded} did not sustain ${what} with ${wanted} at any tested rate.`;
  }
  const load = `req/s of ${what} with ${wanted}`;
  const answer = `${formatNumber(capacity)} ${load}`;
  const limited =
    limit === null
      ? ''
      : `, limited by the ${limitName(limit)}${held === null ? '' : heldClause(held)}`;
  if (!Number.isFinite(high) && estimate.disagreeing === null) {
    const more = estimate.narrowing === null ? '' : ` ${estimate.narrowing}.`;
    return `${loaded} sustains at least ${formatNumber(low)} ${load}${limited}; the upper limit was not reached.${more}`;
  }
  const range = `between ${formatNumber(low)} and ${formatNumber(high)}`;
  if (verdict === 'inconclusive') {
    const breaks = Number.isFinite(high) ? ` and breaks at ${perSecond(high)} at the latest` : '';
    const alone = estimate.price === null ? '' : aloneClause(capacity, estimate.price);
    const known =
      low > 0
        ? `${loaded} is safe up to ${formatNumber(low)} ${load}${breaks}${alone}${limited}`
        : `${loaded} breaks at ${formatNumber(high)} ${load} at the latest${alone}${limited}`;
    return `${known}: ${whyNoAnswer(estimate)}.`;
  }
  const speeds = estimate.price === null ? '' : speedClause(capacity, estimate.price);
  const confirmed =
    confirmedPerSecond === null ? '' : `; confirmed at ${perSecond(confirmedPerSecond)}`;
  if (verdict === 'rough') {
    return `${loaded} sustains ${range} ${load}, probably ${formatNumber(capacity)}${speeds}${limited}${confirmed}.`;
  }
  return verdict === 'not confirmed'
    ? `${loaded} seems to sustain ${answer} (${range})${speeds}${limited}; ${unconfirmed(probes, capacity)}.`
    : `${loaded} sustains ${answer} (${range})${speeds}${limited}${confirmed}.`;
}

/** ` (20, each held for 512 ms by a request: 39.1/s use them up)`. */
function heldClause(held: Held): string {
  const { count, ratePerSecond } = held;
  const ms = heldMs(held, ratePerSecond);
  return count === null || ms === null
    ? ` (used up at ${perSecond(ratePerSecond)})`
    : ` (${formatNumber(count)}, each held for ${duration(ms)} by a request: ${perSecond(ratePerSecond)} use them up)`;
}

/** Less is not worth a word: an answer has an interval. */
const TAKEN_SHARE = 0.03;
const SLOWER = 1.05;

const aloneClause = (capacity: number, { takenShare }: Price): string =>
  takenShare > TAKEN_SHARE
    ? `; without other programs about ${perSecond(capacity / (1 - takenShare))}`
    : '';

function speedClause(capacity: number, price: Price): string {
  const { cpuMs, slowestMs } = price;
  const slowest =
    slowestMs > SLOWER * cpuMs
      ? `; in the slowest minute ${perSecond(atSlowest(capacity, price))}`
      : '';
  return ` at ${duration(cpuMs)} of CPU per request${slowest}${aloneClause(capacity, price)}`;
}

const whyNoAnswer = (estimate: Estimate): string =>
  [whyOpen(estimate), estimate.narrowing].filter((part) => part !== null).join('. ');

function whyOpen(estimate: Estimate): string {
  const { capacity, low, high, disagreeing } = estimate;
  if (disagreeing !== null) {
    const [replayed, believed] = [disagreeing.replayed, disagreeing.believed].map(estimateText);
    return `two estimates do not overlap, ${String(replayed)} from the CPU of each second and ${String(believed)} from passes and misses alone`;
  }
  const width = `an interval of ±${percent((high - low) / 2 / capacity)}`;
  return isRough(estimate)
    ? `no full-length run sustained the low end, which ${width} needs`
    : `${width} is too wide for an answer`;
}

const estimateText = ({ capacity, low, high }: CapacityInterval): string =>
  `${perSecond(capacity)} (${Number.isFinite(high) ? `${formatNumber(low)} to ${formatNumber(high)}` : `at least ${formatNumber(low)}`})`;

/** What the run of full length nearest to the answer has shown instead. */
function unconfirmed(probes: readonly FindProbe[], capacity: number): string {
  const away = ({ ratePerSecond = 0 }: FindProbe): number => Math.abs(ratePerSecond - capacity);
  const [nearest] = probes
    .filter(
      ({ kind, ratePerSecond, durationSeconds }) =>
        kind === 'confirm' || (ratePerSecond !== undefined && durationSeconds >= MIN_FULL_SECONDS),
    )
    .filter(({ result }) => result !== 'invalid')
    .sort((a, b) => away(a) - away(b));
  if (nearest === undefined) return 'no full-length run was made to confirm it';
  const { ratePerSecond = 0, result, missed = null } = nearest;
  const seen = missed === null ? '' : ` (${missed})`;
  return `no full-length run confirmed it: the run at ${formatNumber(ratePerSecond)}/s was ${result}${seen}`;
}
