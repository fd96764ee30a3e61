import { LEDGER_CLASSES, type LedgerClass } from '../../plan/ledger-class';
import type { DrillLedger } from '../../record/drill-record';
import type { NamedRequests } from '../../record/record';
import { countsOf, lossesIn, type Ledger } from './ledger';
import { lossBound } from './loss-bound';

/** As many are named in a record; all of them are in ledger.csv. */
const NAMED = 20;

export interface LedgerContext {
  /** Ids of requests that were open when the fault came, or due later. */
  exposed: ReadonlySet<string>;
  /** Where they were read; null where they are no source. */
  sources: DrillLedger['sources'];
}

/** A ledger as it is recorded. */
export function ledgerSummary(ledger: Ledger, { exposed, sources }: LedgerContext): DrillLedger {
  const entries = ledger.entries.filter(({ id }) => exposed.has(id));
  const lost = lossesIn(countsOf(entries));
  return {
    sent: ledger.entries.length,
    classes: namedClasses(ledger),
    exposed: entries.length,
    lost,
    lossBound: lossBound(lost, entries.length),
    sources,
    withoutExecutions: ledger.withoutExecutions,
    nameless: ledger.nameless,
  };
}

export function namedClasses({ entries }: Ledger): Record<LedgerClass, NamedRequests> {
  return Object.fromEntries(
    LEDGER_CLASSES.map((name) => {
      const ids = entries.filter((entry) => entry.class === name).map(({ id }) => id);
      return [name, { requests: ids.length, ids: name === 'once' ? [] : ids.slice(0, NAMED) }];
    }),
  ) as Record<LedgerClass, NamedRequests>;
}
