/** From a recorded trace of a real n8n to what the simulation replays. */

/** As studies/search-traces/measure.ts writes it. */
export interface RecordedTrace {
  cold: { seconds: number; answeredAtMs: number[] };
  steps: { ratePerSecond: number; latencyMs: (number | null)[] }[];
  last: { seconds: number; answeredAtMs: number[] };
}

export interface Replay {
  /** Seconds of work of one request after the other, in the order in which they were seen. */
  serviceSeconds: Float64Array;
  /** How many times longer the first requests after a start take, and how many there are. */
  cold: { slower: number; requests: number };
}

/** Steps below this share of the highest have too little waiting to show how long the work takes. */
const BUSY_SHARE = 0.75;
/** The start of the cold loop that counts as cold. */
const COLD_SECONDS = 5;

/**
 * Of a single first-come-first-served server each service time is what lies between an answer and the later
 * of the answer before it and its own arrival. So a stall is one long service, and slow seconds are many.
 */
export function replayOf({ cold, steps }: RecordedTrace): Replay {
  const most = Math.max(...steps.map(({ ratePerSecond }) => ratePerSecond));
  const busy = steps.filter(({ ratePerSecond }) => ratePerSecond >= BUSY_SHARE * most);
  const early = cold.answeredAtMs.filter((at) => at < 1_000 * COLD_SECONDS).length / COLD_SECONDS;
  const warmFrom = (1_000 * cold.seconds) / 2;
  const warm = cold.answeredAtMs.filter((at) => at >= warmFrom).length / (cold.seconds / 2);
  return {
    serviceSeconds: Float64Array.from(busy.flatMap(servicesOf)),
    cold: { slower: warm / early, requests: 2 * early * COLD_SECONDS },
  };
}

function servicesOf({ ratePerSecond, latencyMs }: RecordedTrace['steps'][number]): number[] {
  const answered = latencyMs
    .flatMap((ms, i) => (ms === null ? [] : [i / ratePerSecond + ms / 1_000]))
    .sort((a, b) => a - b);
  // The i-th answer belongs to some request that was due no later than the i-th that was answered.
  const due = latencyMs.flatMap((ms, i) => (ms === null ? [] : [i / ratePerSecond]));
  return answered.map((at, i) => at - Math.max(answered[i - 1] ?? 0, due[i] ?? 0));
}
