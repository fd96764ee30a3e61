import { LEDGER_CLASSES, NOT_DONE, type LedgerClass } from './ledger-class';
import type { DrillLedger, Victim } from '../record';
import type { NamedRequests } from '../../../record/run-record';
import {
  countsOf,
  lossesIn,
  workByResponse,
  type Ledger,
  type LedgerEntry,
  type Sources,
} from './ledger';

/** Number of ids in a record; ledger.csv has all of them. */
const NAMED = 20;

export interface LedgerContext {
  /** Ids of requests that were open when the fault came, or due later. */
  exposed: ReadonlySet<string>;
  answers: Sources['answers'];
  /** Sources of the ledger; null if unavailable. */
  sources: DrillLedger['sources'];
  /** Times of the fault, and what of the requests is put down to them; left out: it was never made. */
  told?: Pick<DrillLedger, 'moments' | 'cases'>;
  /** What the faults have hit; left out: they tell nothing of that. */
  victims?: readonly Victim[];
}

/** A ledger as it is recorded. */
export function ledgerSummary(
  ledger: Ledger,
  { exposed, answers, sources, victims = [], told = {} }: LedgerContext,
): DrillLedger {
  // A response that comes at once ends the request before its work: what was not done was still open.
  const isExposed = (entry: LedgerEntry): boolean =>
    exposed.has(entry.id) || (answers === 'at-once' && NOT_DONE.includes(entry.class));
  const entries = ledger.entries.filter(isExposed);
  const lost = lossesIn(countsOf(entries));
  const byResponse = workByResponse(ledger.entries);
  const twins = ledger.entries.filter(hasUnfinishedTwin).length;
  return {
    sent: ledger.entries.length,
    classes: namedClasses(ledger),
    ...(byResponse === null ? {} : { workByResponse: byResponse }),
    exposed: entries.length,
    lost,
    lostWithError: ledger.entries.filter(
      (entry) => entry.class === 'lost' && (entry.heard === 'error' || entry.heard === 'refused'),
    ).length,
    ...inFlightOn(victims),
    sources,
    withoutExecutions: ledger.withoutExecutions,
    nameless: ledger.nameless,
    ...told,
    ...(twins === 0 ? {} : { unfinishedTwins: twins }),
    ...(ledger.entries.some((entry) => entry.ranAtOnce !== undefined)
      ? { atOnce: atOnceIn(ledger.entries) }
      : {}),
  };
}

/** Its work was done, and may be done again. */
const hasUnfinishedTwin = ({ executions, effects }: LedgerEntry): boolean =>
  effects?.done === 1 && executions?.includes('unfinished') === true && executions.length > 1;

const atOnceIn = (entries: readonly LedgerEntry[]): NonNullable<DrillLedger['atOnce']> => ({
  requests: entries.filter(({ ranAtOnce }) => ranAtOnce === true).length,
  unknown: entries.filter(({ ranAtOnce }) => ranAtOnce === null).length,
});

/** Only these were at risk on the victims. One victim that does not tell leaves the sum unknown. */
function inFlightOn(victims: readonly Victim[]): Pick<DrillLedger, 'inFlight'> {
  const counts = victims.flatMap(({ executions }) =>
    executions === undefined ? [] : [executions],
  );
  if (counts.length === 0 || counts.includes(null)) return {};
  const known = counts.filter((count) => count !== null);
  const executions = known.reduce((sum, count) => sum + count, 0);
  const faults = known.filter((count) => count > 0).length;
  return { inFlight: { executions, faults } };
}

export function namedClasses({ entries }: Ledger): Record<LedgerClass, NamedRequests> {
  return Object.fromEntries(
    LEDGER_CLASSES.map((name) => {
      const ids = entries.filter((entry) => entry.class === name).map(({ id }) => id);
      return [name, { requests: ids.length, ids: name === 'once' ? [] : ids.slice(0, NAMED) }];
    }),
  ) as Record<LedgerClass, NamedRequests>;
}
