import type { RequestSample } from '../record/record';

/** Requests that had been sent and had no response yet, at each of these times; one pass over them. */
export function inFlightAt(
  requests: Iterable<Pick<RequestSample, 'tMs' | 'durationMs'>>,
  timesMs: readonly number[],
): number[] {
  const open = timesMs.map(() => 0);
  for (const { tMs, durationMs } of requests) {
    timesMs.forEach((atMs, index) => {
      if (tMs <= atMs && atMs < tMs + durationMs) open[index] = (open[index] ?? 0) + 1;
    });
  }
  return open;
}
