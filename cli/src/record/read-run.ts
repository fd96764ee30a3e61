import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readPlainFile } from '../linux/plain-file';
import { messageOf } from '../ui/exit';
import { parseSamples } from './csv';
import {
  HEAD_FILE,
  RECORD_FILE,
  REQUESTS_FILE,
  runningHeadSchema,
  SAMPLES_FILE,
  type RunningHead,
} from './folder';
import { readObjectFile, readRecordFile, unreadable } from './parse';
import {
  runRecordSchema,
  type MetricSample,
  type RequestSample,
  type RunRecord,
} from './run-record';
import { requestsIn } from './request-file';

export function isComplete(folder: string): boolean {
  return existsSync(join(folder, RECORD_FILE));
}

export const readRun = (folder: string): RunRecord =>
  readRecordFile(join(folder, RECORD_FILE), {
    ...{ what: 'a run', version: 3 },
    schema: runRecordSchema,
  });

/** Reads the head of a run that was interrupted. */
export const readHead = (folder: string): RunningHead =>
  readObjectFile(join(folder, HEAD_FILE), 'an interrupted run', runningHeadSchema);

export function readSamples(folder: string): MetricSample[] {
  const file = join(folder, SAMPLES_FILE);
  if (!existsSync(file)) return [];
  try {
    return parseSamples(readPlainFile(file));
  } catch (error) {
    throw unreadable(file, 'the samples of a run', messageOf(error));
  }
}

/** One after the other, in the order of their ends: there may be more than memory holds. */
export const readRequests = (folder: string): AsyncGenerator<RequestSample> =>
  requestsIn(join(folder, REQUESTS_FILE));
