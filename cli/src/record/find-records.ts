/** Which records lie in a folder: runs, and what is made of several of them. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { Mistake } from '../ui/exit';
import { HEAD_FILE, RECORD_FILE } from './folder';

export const FIND_FILE = 'find.json';
export const RATE_FILE = 'rate.json';
export const COMPARE_FILE = 'compare.json';
export const SWEEP_FILE = 'sweep.json';
export const DRILL_FILE = 'drill.json';
export const PROOF_FILE = 'proof.json';
export const MIGRATE_FILE = 'migrate.json';

export type RecordKind =
  'run' | 'find' | 'rate' | 'compare' | 'sweep' | 'drill' | 'proof' | 'migrate';

export interface FoundRecord {
  kind: RecordKind;
  folder: string;
  /** Not part of another record, such as a search's probes are. */
  isTop: boolean;
}

const FILES: [string, RecordKind][] = [
  [RECORD_FILE, 'run'],
  [HEAD_FILE, 'run'],
  [FIND_FILE, 'find'],
  [RATE_FILE, 'rate'],
  [COMPARE_FILE, 'compare'],
  [SWEEP_FILE, 'sweep'],
  [DRILL_FILE, 'drill'],
  [PROOF_FILE, 'proof'],
  [MIGRATE_FILE, 'migrate'],
];

/**
 * The record that a part of a study holds under the name of its kind, and the file that makes a folder of it; null: none.
 * A sweep is nothing without its cells, which are records of their own.
 */
export function heldRecord(part: unknown): { file: string; record: object } | null {
  const held = FILES.filter(([, kind]) => kind !== 'sweep').flatMap(([file, kind]) => {
    const { data } = z.looseObject({ [kind]: wholeSchema }).safeParse(part);
    return data === undefined ? [] : [{ file, record: data[kind] as object }];
  });
  return held[0] ?? null;
}

/** What a study says of a record is shorter, and has no version. */
const wholeSchema = z.looseObject({ schemaVersion: z.number() });

/** Whether a file of that name makes its folder a record. */
export const isRecordFile = (name: string): boolean => FILES.some(([file]) => file === name);

/** All at or beneath `path`, each before its parts, in the order of their names. */
export function findRecords(path: string): FoundRecord[] {
  if (!existsSync(path)) {
    throw new Mistake(`there is no folder ${path}: specify a folder with records of n8n-tuned.`);
  }
  if (!statSync(path).isDirectory()) {
    throw new Mistake(`${path} is a file: specify its folder.`);
  }
  return beneath(path, true);
}

/** The kind of record in the folder; null if it only contains others. */
export const kindOf = (folder: string): RecordKind | null =>
  FILES.find(([file]) => existsSync(join(folder, file)))?.[1] ?? null;

function beneath(folder: string, isTop: boolean): FoundRecord[] {
  const kind = kindOf(folder);
  const own = kind === null ? [] : [{ kind, folder, isTop }];
  // In a run there are only its own files.
  if (kind === 'run') return own;
  const parts = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(folder, name))
    .sort();
  return [...own, ...parts.flatMap((part) => beneath(part, isTop && kind === null))];
}
