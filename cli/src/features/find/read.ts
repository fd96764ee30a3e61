import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Mistake } from '../../ui/exit';
import { FIND_FILE, RATE_FILE } from '../../record/find-records';
import { findRecordSchema, type FindRecord } from './record';
import { rateRecordSchema, type RateRecord } from './rate-record';
import { readRecordFile } from '../../record/parse';
import { isComplete, readRun } from '../../record/read-run';
import type { RunRecord } from '../../record/run-record';

/** The folders of searches at or beneath `path`, in the order of their names. */
export function foldersOfFinds(path: string): string[] {
  if (!existsSync(path)) {
    throw new Mistake(
      `there is no folder ${path}: specify a folder with records of n8n-tuned find.`,
    );
  }
  if (!statSync(path).isDirectory()) {
    throw new Mistake(`${path} is a file: specify its folder.`);
  }
  if (existsSync(join(path, FIND_FILE))) return [path];
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap((entry) => foldersOfFinds(join(path, entry.name)))
    .sort();
}

export const readFind = (folder: string): FindRecord =>
  plannedAsToday(
    readRecordFile(join(folder, FIND_FILE), {
      ...{ what: 'a search', kind: 'find', version: 2 },
      schema: findRecordSchema,
    }),
  );

/**
 * Searches recorded before they said how they estimate advise a share of the capacity itself, if they found it. To plan with
 * its lower end is safer, and the same for every record.
 */
function plannedAsToday(record: FindRecord): FindRecord {
  const { advised, capacity, verdict } = record;
  if (capacity.method !== undefined || verdict !== 'found') return record;
  return { ...record, advised: { ...advised, ratePerSecond: advised.share * capacity.low } };
}

export const readRate = (folder: string): RateRecord =>
  readRecordFile(join(folder, RATE_FILE), {
    ...{ what: 'a search with --rate', kind: 'rate', version: 1 },
    schema: rateRecordSchema,
  });

/** A run beneath a search; null where only the search was kept. */
export function runOfFind(folder: string, run: string): RunRecord | null {
  const path = join(folder, run);
  return isComplete(path) ? readRun(path) : null;
}
