import { recordFolder } from '../../record/archive';
import type { FindRecord } from '../find/record';
import { foldersOfFinds, readFind } from '../find/read';
import { evidenceOf, type CapacityEvidence } from './analysis/evidence';

export interface KnownFind {
  record: FindRecord;
  /** Null where the search says nothing that can be built on. */
  evidence: CapacityEvidence | null;
}

/** Every search at or beneath these folders, those of a sweep's cells too. */
export function readFinds(folders: readonly string[]): KnownFind[] {
  return folders.map(recordFolder).flatMap(foldersOfFinds).map(knownFind);
}

export function knownFind(folder: string): KnownFind {
  const record = readFind(folder);
  return { record, evidence: evidenceOf(record) };
}
