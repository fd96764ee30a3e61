import { windowSeconds } from '../../../analysis/requests/timeline';
import { LEDGER_CLASSES, type LedgerClass } from './ledger-class';

/** When requests were due that were not answered and executed once. */
export interface LedgerTimeline {
  windowSeconds: number;
  /** How many in each window since the load began; a class that no request ended in is left out. */
  classes: Partial<Record<LedgerClass, number[]>>;
}

export function ledgerTimeline(
  entries: readonly { tMs: number; class: LedgerClass }[],
  endMs: number,
): LedgerTimeline {
  const width = windowSeconds(endMs / 1000);
  const countsOf = (name: LedgerClass): number[] => {
    const counts = Array.from({ length: Math.ceil(endMs / 1000 / width) }, () => 0);
    for (const { tMs } of entries.filter((entry) => entry.class === name)) {
      const at = Math.floor(tMs / 1000 / width);
      if (at < counts.length) counts[at] = (counts[at] ?? 0) + 1;
    }
    return counts;
  };
  const seen = LEDGER_CLASSES.filter(
    (name) => name !== 'once' && entries.some((entry) => entry.class === name),
  );
  return {
    windowSeconds: width,
    classes: Object.fromEntries(seen.map((name) => [name, countsOf(name)])),
  };
}
