import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf, Mistake } from '../ui/exit';
import { parseSamples } from './csv';
import { HEAD_FILE, RECORD_FILE, REQUESTS_FILE, SAMPLES_FILE, type RunningHead } from './folder';
import type { MetricSample, RequestSample, RunRecord } from './record';
import { requestsIn } from './request-file';
import { runOfVersion1 } from './version1';
import { runOfVersion2 } from './version2';

/** One step per schema version: from each to the next. Version 1 is the first. */
const UPGRADES: Record<number, (older: Record<string, unknown>) => Record<string, unknown>> = {
  1: runOfVersion1,
  2: runOfVersion2,
};
const CURRENT = 3;

export function isComplete(folder: string): boolean {
  return existsSync(join(folder, RECORD_FILE));
}

export const readRun = (folder: string): RunRecord => readRecord(join(folder, RECORD_FILE));

/** Of a run that never came to its end. */
export function readHead(folder: string): RunningHead {
  return readJson(join(folder, HEAD_FILE)) as unknown as RunningHead;
}

export const readSamples = (folder: string): MetricSample[] =>
  parseSamples(readIfThere(join(folder, SAMPLES_FILE)));

/** One after the other, in the order of their ends: there may be more than memory holds. */
export const readRequests = (folder: string): AsyncGenerator<RequestSample> =>
  requestsIn(join(folder, REQUESTS_FILE));

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
