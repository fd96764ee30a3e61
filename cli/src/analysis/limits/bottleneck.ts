import type { RankedLimit, Verdict } from '../../record/record';
import { figures } from '../figures';
import { Sampled, type LimitFacts } from './facts';
import { rank } from './rank';
import type { LimitRow } from './row';
import { LIMITS } from './table';

/** What limited a run, the figures that say so, and what came next. */
export type Limit = Verdict['limitedBy'];

/**
 * Requests that come at random make each other wait long before a resource is used up: at 70 % of one
 * server, the mean time in it is three times that of an idle one. So a run that broke its SLO with this
 * much in use is put down to the resource that came nearest, in these words.
 */
const NEAREST = 0.7;

export function bottleneck(facts: LimitFacts, healthy: boolean): Limit {
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
      name: 'nothing',
      evidence: 'no resource was used up at this load',
      runnerUp: first ?? null,
      ranked,
    };
  }
  const nearest = ranked.find((one) => one.utilisation >= NEAREST && canSlow(one));
  if (nearest !== undefined) {
    const evidence = `${nearest.evidence}, nearer to its limit than anything else that slows requests`;
    return limitOf({ ...nearest, evidence }, ranked, nearest);
  }
  return {
    name: 'unknown',
    evidence: unknown(facts.samples.length > 0, ranked),
    runnerUp: first ?? null,
    ranked,
  };
}

/** Memory and slots that are nearly used up slow nothing down. */
const canSlow = ({ name }: RankedLimit): boolean => {
  const kind: LimitRow['kind'] | undefined = LIMITS.find((row) => row.name === name)?.kind;
  return kind === 'work' || kind === 'shared';
};

function limitOf(
  { name, evidence, utilisation }: RankedLimit,
  ranked: RankedLimit[],
  self: RankedLimit | undefined = ranked[0],
): Limit {
  return {
    name,
    evidence,
    utilisation,
    runnerUp: ranked.find((one) => one !== self) ?? null,
    ranked,
  };
}

function unknown(isSampled: boolean, ranked: readonly RankedLimit[]): string {
  if (!isSampled) return 'no samples were taken, so what limited it was not seen';
  const [first] = ranked;
  const most =
    first === undefined
      ? ''
      : `; the most was ${figures(100 * first.utilisation)} % of ${first.name}`;
  return `no sampled resource was used up, so what limited it lies outside what was seen${most}`;
}
