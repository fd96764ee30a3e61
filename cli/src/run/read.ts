import { RequestsSeen } from '../analysis/requests/seen';
import { readPanels } from '../record/panels';
import { readRequests, readRun, readSamples } from '../record/read-run';
import type { RunRecord } from '../record/run-record';
import type { RunData } from './report/data';

/** A recorded run, for its report. */
export async function readRunData(folder: string): Promise<RunData> {
  const record = readRun(folder);
  const { timeline } = await seenAgain(folder, record);
  const panels = readPanels(folder);
  return {
    ...{ record, requests: timeline, samples: readSamples(folder) },
    ...(panels === null ? {} : { panels }),
  };
}

/** The requests of a recorded run, each looked at once more. */
export async function seenAgain(
  folder: string,
  { profile }: Pick<RunRecord, 'profile'>,
): Promise<RequestsSeen> {
  // How long clients paused is not recorded.
  const seen = new RequestsSeen(profile, 0);
  for await (const request of readRequests(folder)) seen.add(request);
  return seen;
}
