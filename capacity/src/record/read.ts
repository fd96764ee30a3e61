import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { constants, gunzipSync } from 'node:zlib';
import { messageOf, Mistake } from '../ui/exit';
import { readRequests, readSamples } from './csv';
import { HEAD_FILE, RECORD_FILE, REQUESTS_FILE, SAMPLES_FILE, type RunningHead } from './folder';
import type { RunRecord, RunTables } from './record';
import { runOfVersion1 } from './version1';
import { runOfVersion2 } from './version2';

/** A run as report and analysis take it. */
export interface RunData extends RunTables {
  record: RunRecord;
}

/** One step per schema version: from each to the next. Version 1 is the first. */
const UPGRADES: Record<number, (older: Record<string, unknown>) => Record<string, unknown>> = {
  1: runOfVersion1,
  2: runOfVersion2,
};
const CURRENT = 3;

export function isComplete(folder: string): boolean {
  return existsSync(join(folder, RECORD_FILE));
}

export function readRun(folder: string): RunData {
  return { record: readRecord(join(folder, RECORD_FILE)), ...readTables(folder) };
}

/** Of a run that never came to its end. */
export function readHead(folder: string): RunningHead {
  return readJson(join(folder, HEAD_FILE)) as unknown as RunningHead;
}

export function readTables(folder: string): RunTables {
  return {
    requests: readRequests(readCompressed(join(folder, REQUESTS_FILE))),
    samples: readSamples(readIfThere(join(folder, SAMPLES_FILE))),
  };
}

function readRecord(file: string): RunRecord {
  let record = readJson(file);
  for (let version = Number(record.schemaVersion); version !== CURRENT; version += 1) {
    const upgrade = UPGRADES[version];
    if (upgrade === undefined) {
      throw new Mistake(
        `${file} has schemaVersion ${String(record.schemaVersion)}, which this version of n8n-tuned does not know: take the version that wrote it, or a newer one.`,
      );
    }
    record = upgrade(record);
  }
  return record as unknown as RunRecord;
}

function readJson(file: string): Record<string, unknown> {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
  } catch (error) {
    throw new Mistake(`${file} cannot be read as a record: ${messageOf(error)}`);
  }
}

function readIfThere(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

/** Also without its end, as a killed run leaves it. */
function readCompressed(file: string): string {
  const content = existsSync(file) ? readFileSync(file) : Buffer.alloc(0);
  if (content.length === 0) return '';
  return gunzipSync(content, { finishFlush: constants.Z_SYNC_FLUSH }).toString('utf8');
}
