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
