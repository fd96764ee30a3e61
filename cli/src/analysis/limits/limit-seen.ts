/** What limited a run or a search, in one sentence: the same in every report. */
import type { Limit, LimitSeen, RankedLimit, Verdict } from '../../record/run-record';
import { isSameLimit, limitName } from './table';

export const limitOfRun = ({ limitedBy }: Pick<Verdict, 'limitedBy'>): LimitSeen => ({
  limit: limitedBy.limit,
  evidence: limitedBy.evidence === '' ? null : limitedBy.evidence,
  next: limitOf(limitedBy.runnerUp ?? null),
});

const limitOf = (ranked: RankedLimit | null): Limit | null =>
  ranked === null ? null : { role: ranked.role, resource: ranked.resource };

/** With the figures of the lowest rate that was limited by it: nearest to the capacity. */
export function limitOfFind({
  limit,
  probes,
}: {
  limit: LimitSeen['limit'];
  probes: readonly { limitedBy: LimitSeen; ratePerSecond?: number | undefined }[];
}): LimitSeen {
  const [nearest] = probes
    .filter(({ limitedBy }) => isSameLimit(limitedBy.limit, limit) && limitedBy.evidence !== null)
    .sort((a, b) => (a.ratePerSecond ?? Infinity) - (b.ratePerSecond ?? Infinity));
  return nearest?.limitedBy ?? { limit, evidence: null, next: null };
}

/** `main event loop: main used 0.97 of its one thread; next host CPU`. */
export function limitText({ limit, evidence, next }: LimitSeen): string {
  const figures = evidence === null ? '' : `: ${evidence}`;
  return `${limitName(limit)}${figures}${next === null ? '' : `; next ${limitName(next)}`}`;
}

/** The limit of most runs that repeat each other, and those of the others; null without runs. */
export function commonLimit(
  all: readonly LimitSeen[],
): { common: LimitSeen; times: number; others: LimitSeen[][] } | null {
  const named = new Map<string, LimitSeen[]>();
  for (const one of all) {
    const name = limitName(one.limit);
    named.set(name, [...(named.get(name) ?? []), one]);
  }
  const [largest, ...others] = [...named.values()].sort((a, b) => b.length - a.length);
  // The middle one of those that agree, as the first is the coldest.
  const common = largest?.[Math.floor((largest.length - 1) / 2)];
  return largest === undefined || common === undefined
    ? null
    : { common, times: largest.length, others };
}

/** The same in words, with how many runs that were. */
export function commonLimitText(all: readonly LimitSeen[]): string | null {
  const seen = commonLimit(all);
  if (seen === null) return null;
  const { common, times, others } = seen;
  if (others.length === 0) return limitText(common);
  const rest = others.map(
    (some) => `${limitName(some[0]?.limit ?? null)} in ${String(some.length)}`,
  );
  return `${limitText(common)} (in ${String(times)} of ${String(all.length)} runs; ${rest.join(', ')})`;
}
