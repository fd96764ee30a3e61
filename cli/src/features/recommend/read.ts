import { recordFolder } from '../../record/archive';
import type { FindRecord } from '../find/record';
import { findSearches, readSearch, runOfSearch } from '../find/read';
import { evidenceOf, type CapacityEvidence } from './analysis/evidence';

export interface KnownSearch {
  record: FindRecord;
  /** Null where the search says nothing that can be built on. */
  evidence: CapacityEvidence | null;
}

/** Every search at or beneath these folders, those of a sweep's cells too. */
export function readSearches(folders: readonly string[]): KnownSearch[] {
  return folders.map(recordFolder).flatMap(findSearches).map(knownSearch);
}

export function knownSearch(folder: string): KnownSearch {
  const record = readSearch(folder);
  return { record, evidence: evidenceOf(record, (run) => runOfSearch(folder, run)) };
}
