import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LEDGER_FILE } from '../../cli/src/features/drill/record';
import { numberAt, tableOf } from '../../cli/src/record/csv';
import { readRequests, readRun, readSamples } from '../../cli/src/record/read-run';
import type { MetricSample, RequestSample, RunRecord } from '../../cli/src/record/run-record';

export interface WholeRun {
  record: RunRecord;
  requests: RequestSample[];
  samples: MetricSample[];
}

/** All of a run at once: tests make short ones. */
export const readWholeRun = async (folder: string): Promise<WholeRun> => ({
  record: readRun(folder),
  requests: await allRequests(folder),
  samples: readSamples(folder),
});

export async function allRequests(folder: string): Promise<RequestSample[]> {
  const requests: RequestSample[] = [];
  for await (const request of readRequests(folder)) requests.push(request);
  return requests;
}

const COLUMNS = ['tMs', 'id', 'class', 'heard', 'executions', 'begun', 'done'] as const;

/** The requests in ledger.csv of a drill; where the service outside n8n is no source, its calls are NaN. */
export const readLedger = (folder: string) =>
  tableOf(readFileSync(join(folder, LEDGER_FILE), 'utf8'), COLUMNS).map(
    ({ tMs, begun, done, ...texts }) => ({
      ...texts,
      tMs: numberAt('tMs', tMs),
      effects: { begun: Number(begun), done: Number(done) },
    }),
  );
