import type { LimitedBy, RankedLimit } from '../../record/run-record';
import { Sampled, type LimitFacts } from './facts';
import { limitName, LIMITS, rowOf } from './table';
import { percent } from '../../ui/numbers';
import type { Reading, LimitRow } from './row';

/**
 * Requests that come at random make each other wait long before a resource is used up: at 70% of one
 * server, the mean time in it is three times that of an idle one. So a run that broke its SLO with this
 * much in use is put down to the resource that came nearest, in these words.
 */
const NEAREST = 0.7;

/** What limited a run, the figures that say so, and what came next. */
export function bottleneck(facts: LimitFacts, healthy: boolean): LimitedBy {
  const seen = { ...facts, sampled: new Sampled(facts.samples, facts.limits.measured) };
  const readings = LIMITS.flatMap((row) => {
    const reading = row.read(seen);
    return reading === null ? [] : [{ row, reading }];
  });
  const ranked = rank(readings);
  const [first] = ranked;
  if (first?.isUsedUp === true) return limitOf(first, ranked);
  if (healthy) {
    return {
      limit: null,
      evidence: 'no resource was used up at this load',
      runnerUp: first ?? null,
      ranked,
    };
  }
  const nearest = ranked.find((one) => one.utilisation >= NEAREST && canSlow(one));
  if (nearest !== undefined) {
    const evidence = `${nearest.evidence}, closer to its limit than any other resource that slows requests`;
    return limitOf({ ...nearest, evidence }, ranked, nearest);
  }
  return {
    limit: null,
    evidence: unknown(facts.samples.length > 0, ranked),
    runnerUp: first ?? null,
    ranked,
  };
}

/** Memory and slots that are nearly used up slow nothing down. */
const canSlow = (limit: RankedLimit): boolean => {
  const kind = rowOf(limit)?.kind;
  return kind === 'work' || kind === 'shared';
};

function limitOf(
  { role, resource, evidence, utilisation }: RankedLimit,
  ranked: RankedLimit[],
  self: RankedLimit | undefined = ranked[0],
): LimitedBy {
  return {
    limit: { role, resource },
    evidence,
    utilisation,
    runnerUp: ranked.find((one) => one !== self) ?? null,
    ranked,
  };
}

function unknown(isSampled: boolean, ranked: readonly RankedLimit[]): string {
  if (!isSampled) return 'no samples were taken, so the limit is unknown';
  const [first] = ranked;
  const max =
    first === undefined
      ? ''
      : `; the highest utilization was ${percent(first.utilisation)} of ${limitName(first)}`;
  return `no sampled resource was used up, so the limit is outside the samples${max}`;
}

interface Read {
  row: LimitRow;
  reading: Reading;
}

/**
 * What is used up comes first, and of it the cause: a generator that could do no more says nothing about
 * the system; a process killed for memory explains its queue; a slot is held only as long as the work in
 * it takes, so that full slots over a busy CPU are no limit of their own; and the machine is the limit
 * only where no part of it, such as a thread, was at its own. Then, and among equals, by utilisation.
 */
export function rank(readings: readonly Read[]): RankedLimit[] {
  const usedUp = readings.filter(({ reading }) => reading.isUsedUp);
  const placeOf = ({ row, reading }: Read): number => {
    if (!reading.isUsedUp) return PLACES.length;
    const isExplained = usedUp.some(
      (other) => other.row !== row && row.explainedBy?.(other.row, other.reading) === true,
    );
    return PLACES.indexOf(isExplained ? 'explained' : row.kind);
  };
  return [...readings]
    .map((read) => ({ ...read, place: placeOf(read) }))
    .sort((a, b) => a.place - b.place || b.reading.utilisation - a.reading.utilisation)
    .map(({ row: { role, resource }, reading }) => ({ role, resource, ...reading }));
}

const PLACES: readonly (LimitRow['kind'] | 'explained')[] = [
  'generator',
  'space',
  'held',
  'work',
  'shared',
  'explained',
];
