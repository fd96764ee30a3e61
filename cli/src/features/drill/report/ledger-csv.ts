/** ledger.csv: a line for each request of a drill, with what each source says of it. */
import { LEDGER_CLASSES, type LedgerClass } from '../analysis/ledger-class';
import { numberAt, row, tableOf } from '../../../record/csv';

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

export const readLedger = (text: string): LedgerRow[] =>
  tableOf(text, COLUMNS).map(({ tMs, id, class: name, heard, executions, begun, done }) => ({
    ...{ tMs: numberAt('tMs', tMs), id, class: classOf(name), heard },
    executions: executions === NOT_KNOWN ? null : executions === '' ? [] : executions.split(' + '),
    effects:
      begun === NOT_KNOWN
        ? null
        : { begun: numberAt('begun', begun), done: numberAt('done', done) },
  }));

function classOf(name: string): LedgerClass {
  const known = LEDGER_CLASSES.find((one) => one === name);
  if (known === undefined) throw new Error(`class is '${name.slice(0, 40)}', which is none`);
  return known;
}
