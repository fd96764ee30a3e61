import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf, UserError } from '../ui/exit';
import type { FindRecord } from './find-record';

export const FIND_FILE = 'find.json';

/** The folders of searches at or beneath `path`, in the order of their names. */
export function findSearches(path: string): string[] {
  if (!existsSync(path)) {
    throw new UserError(
      `there is no folder ${path}: give one that holds what n8n-tuned find recorded.`,
    );
  }
  if (existsSync(join(path, FIND_FILE))) return [path];
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap((entry) => findSearches(join(path, entry.name)))
    .sort();
}

export function readSearch(folder: string): FindRecord {
  const file = join(folder, FIND_FILE);
  try {
    const record = JSON.parse(readFileSync(file, 'utf8')) as FindRecord;
    if (record.kind !== 'find' || record.schemaVersion !== 1) {
      throw new Error(`it has schemaVersion ${String(record.schemaVersion)}`);
    }
    return record;
  } catch (error) {
    throw new UserError(`${file} cannot be read as a search: ${messageOf(error)}.`);
  }
}

/** Folder of the run that a search's answer rests on: the confirming one, or else the highest that held. */
export function runAtCapacity({ confirmedBy, probes }: FindRecord): string | null {
  if (confirmedBy !== null) return confirmedBy;
  const held = probes
    .filter(({ result, ratePerSecond }) => result === 'held' && ratePerSecond !== undefined)
    .sort((a, b) => (a.ratePerSecond ?? 0) - (b.ratePerSecond ?? 0));
  return held.at(-1)?.run ?? null;
}
