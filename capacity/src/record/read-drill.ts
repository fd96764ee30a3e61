import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf, Mistake } from '../ui/exit';
import { DRILL_FILE, LEDGER_FILE, type DrillRecord } from './drill-record';
import { readLedger, type LedgerRow } from './ledger-csv';

export interface DrillData {
  record: DrillRecord;
  entries: LedgerRow[];
}

export function readDrill(folder: string): DrillData {
  const file = join(folder, DRILL_FILE);
  try {
    const record = JSON.parse(readFileSync(file, 'utf8')) as DrillRecord;
    // What another version has written does not have this one's type.
    const { kind, schemaVersion } = record as { kind: string; schemaVersion: number };
    if (kind !== 'drill' || schemaVersion !== 1) {
      throw new Error(`it has schemaVersion ${String(schemaVersion)}`);
    }
    const ledger = join(folder, LEDGER_FILE);
    return {
      record,
      entries: existsSync(ledger) ? readLedger(readFileSync(ledger, 'utf8')) : [],
    };
  } catch (error) {
    throw new Mistake(`${file} cannot be read as a drill: ${messageOf(error)}.`);
  }
}
