/** ledger.csv: a line for each request of a drill, with what each source says of it. */
import type { LedgerClass } from '../analysis/ledger-class';
import { row } from '../../../record/csv';

export interface LedgerRow {
  /** When it was due, since the load began. */
  tMs: number;
  id: string;
  class: LedgerClass;
  /** What its caller saw. */
  heard: string;
  /** How its executions ended in n8n; null where n8n is no source. */
  executions: readonly string[] | null;
  /** Calls of the service outside n8n; null where it is no source. */
  effects: { begun: number; done: number } | null;
}

const COLUMNS = ['tMs', 'id', 'class', 'heard', 'executions', 'begun', 'done'] as const;
const NOT_KNOWN = '?';

export const ledgerCsv = (rows: readonly LedgerRow[]): string =>
  row(COLUMNS) +
  rows
    .map(({ tMs, id, class: name, heard, executions, effects }) =>
      row([
        ...[tMs, id, name, heard, executions?.join(' + ') ?? NOT_KNOWN],
        ...[effects?.begun ?? NOT_KNOWN, effects?.done ?? NOT_KNOWN],
      ]),
    )
    .join('');
