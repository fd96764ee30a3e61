/** What a probe's record keeps of each of its requests: when it was due, and how long it took. */
import { z } from 'zod';
import { dueTimes } from '../../../../../loadtests/lib/arrivals';
import { allLanes } from '../../../../../loadtests/lib/share';
import { hasLatency } from '../../../analysis/requests/latency';
import {
  recordedProfileSchema,
  type RecordedProfile,
  type RequestSample,
} from '../../../record/run-record';
import { packLatencies, packTimes, unpackLatencies, unpackTimes } from './codec';

export const keptRequestsSchema = z.object({
  /** The same as in the record of its run: with the seed of random arrivals, from which all due times follow. */
  profile: recordedProfileSchema,
  /** Load generators that made it together. */
  generators: z.number(),
  /** Times in the load at which requests were due, packed; left out where they follow from the profile. */
  dueMs: z.exactOptional(z.string()),
  /** The latency of each request in the order of their due times, packed; none where it got no expected response. */
  latencyMs: z.string(),
  /** If there were more requests than are kept, only the latency of each n-th is there. */
  every: z.exactOptional(z.number()),
});
export type KeptRequests = z.infer<typeof keptRequestsSchema>;

/** A request that has ended. */
export interface EndedRequest {
  dueMs: number;
  endMs: number;
  /** NaN for one that was refused or answered wrongly. */
  latencyMs: number;
  isExpected: boolean;
}

export const endedRequest = (sample: RequestSample): EndedRequest => ({
  dueMs: sample.tMs,
  endMs: sample.tMs + sample.durationMs,
  latencyMs: hasLatency(sample) ? sample.durationMs : NaN,
  isExpected: sample.ok,
});

/** About a byte and a half each in a record. */
const MAX_LATENCIES = 20_000;
/** The JavaScript of k6 may round the last digit of a time otherwise. */
const SAME_MS = 0.002;

/** All times at which requests of the load are due, in order; null of a closed loop, and where the seed is not known. */
export function plannedDueMs(
  { stages, arrivals, seed }: Pick<RecordedProfile, 'stages' | 'arrivals' | 'seed'>,
  generators: number,
): Float64Array | null {
  if (stages === undefined || arrivals === undefined) return null;
  if (arrivals === 'random' && seed === undefined) return null;
  const lanes = allLanes({ stages }, generators);
  const all: number[] = [];
  for (let lane = 0; lane < lanes; lane += 1) {
    const next = dueTimes({ stages, arrivals }, seed ?? 0, lane, lanes);
    for (let due = next(); due !== null; due = next()) all.push(due);
  }
  return Float64Array.from(all).sort();
}

export function keepRequests(
  requests: readonly EndedRequest[],
  profile: RecordedProfile,
  generators: number,
): KeptRequests {
  const ended = [...requests].sort((a, b) => a.dueMs - b.dueMs);
  const planned = alongPlan(ended, plannedDueMs(profile, generators));
  const latencies = planned ?? ended.map(({ latencyMs }) => latencyMs);
  const every = Math.ceil(latencies.length / MAX_LATENCIES);
  return {
    ...{ profile, generators },
    ...(planned === null ? { dueMs: packTimes(ended.map(({ dueMs }) => dueMs)) } : {}),
    latencyMs: packLatencies(latencies.filter((_, index) => index % every === 0)),
    ...(every > 1 ? { every } : {}),
  };
}

/**
 * The latency of each request that was planned, up to the last that ended: NaN for one that was not sent. Null where a
 * request ended that was never planned, as in a closed loop.
 */
function alongPlan(ended: readonly EndedRequest[], planned: Float64Array | null): number[] | null {
  if (planned === null) return null;
  const latencies: number[] = [];
  let next = 0;
  for (const dueMs of planned) {
    const request = ended[next];
    if (request === undefined) break;
    const isIt = Math.abs(request.dueMs - dueMs) <= SAME_MS;
    latencies.push(isIt ? request.latencyMs : NaN);
    if (isIt) next += 1;
  }
  return next < ended.length ? null : latencies;
}

export interface RequestTimes {
  dueMs: Float64Array;
  /** One latency for each due time. */
  latencyMs: Float64Array;
}

/** The requests whose latency is known, in the order of their due times; null where only some were kept. */
export function requestTimes(kept: KeptRequests): RequestTimes | null {
  if (kept.every !== undefined) return null;
  const due =
    kept.dueMs === undefined
      ? plannedDueMs(kept.profile, kept.generators)
      : unpackTimes(kept.dueMs);
  if (due === null) return null;
  const latencies = unpackLatencies(kept.latencyMs);
  const known = [...latencies.keys()].filter((index) => !Number.isNaN(latencies[index]));
  return {
    dueMs: Float64Array.from(known, (index) => due[index] ?? 0),
    latencyMs: Float64Array.from(known, (index) => latencies[index] ?? 0),
  };
}
