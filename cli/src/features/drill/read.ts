import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readPlainFile } from '../../linux/plain-file';
import { messageOf } from '../../ui/exit';
import { DRILL_FILE } from '../../record/find-records';
import { drillRecordSchema, LEDGER_FILE, type DrillRecord } from './record';
import { readLedger, type LedgerRow } from './report/ledger-csv';
import { readRecordFile, unreadable } from '../../record/parse';

export interface DrillData {
  record: DrillRecord;
  entries: LedgerRow[];
}

export function readDrill(folder: string): DrillData {
  const record = readRecordFile(join(folder, DRILL_FILE), {
    ...{ what: 'a drill', kind: 'drill', version: 1 },
    schema: drillRecordSchema,
  });
  return { record, entries: ledgerIn(join(folder, LEDGER_FILE)) };
}

function ledgerIn(file: string): LedgerRow[] {
  if (!existsSync(file)) return [];
  try {
    return readLedger(readPlainFile(file));
  } catch (error) {
    throw unreadable(file, 'the requests of a drill', messageOf(error));
  }
}
