import { InFlight } from './analysis/requests-in-flight';
import { BREAKING_EVENTS } from './analysis/verdict';
import type { RunFolder } from '../record/folder';
import type { RunEvent } from '../record/run-record';

/** How many callers waited when a process ended, where the requests can be looked at once more. */
export async function withInFlight(
  events: readonly RunEvent[],
  folder: Pick<RunFolder, 'requestsAgain'>,
): Promise<RunEvent[]> {
  const ended = events.filter(({ kind }) => BREAKING_EVENTS.has(kind));
  const requests = ended.length === 0 ? null : folder.requestsAgain();
  if (requests === null) return [...events];
  const open = new InFlight(ended.map(({ tMs }) => tMs));
  for await (const request of requests) open.add(request);
  const counts = open.counts();
  const known = new Map(ended.map((event, index) => [event, counts[index] ?? 0]));
  return events.map((event) => {
    const inFlight = known.get(event);
    return inFlight === undefined ? event : { ...event, inFlight };
  });
}
