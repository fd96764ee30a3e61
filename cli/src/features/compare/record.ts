import { join } from 'node:path';
import { z } from 'zod';
import { patchStatesSchema } from '../../record/patches';
import { pricesSchema, recordedWorkloadSchema, sloSchema } from '../../plan/recorded';
import { topologySchema } from '../../plan/topology';
import { COMPARE_FILE } from '../../record/find-records';
import { readRecordFile } from '../../record/parse';
import { machineSchema } from '../../record/run-record';
import { limitSeenSchema } from '../../record/verdict';

export const compareMetricSchema = z.enum([
  'capacity',
  'throughput',
  'p95',
  'memory',
  'cpu-per-request',
]);
export type CompareMetric = z.infer<typeof compareMetricSchema>;

export const sideSchema = z.object({
  /** The topology's file, the URL, or the folder of the record. */
  name: z.string(),
  /** Null where it was not ours to lay out. */
  topology: topologySchema.nullable(),
  /** By round: the i-th of A and of B are a pair. Null where the run was not valid. */
  values: z.array(z.number().nullable()),
  /** Folders of the runs beneath the comparison's own, by round. */
  runs: z.array(z.string()),
  /** What became of each run, or of each search, by round; left out where it is not known. */
  outcomes: z.exactOptional(z.array(z.string())),
  /** Share of requests that got the expected response, by round; null of a search. */
  goodShares: z.exactOptional(z.array(z.number().nullable())),
  /** What limited each run or search, by round; null where it failed; left out where it is not known. */
  limits: z.exactOptional(z.array(limitSeenSchema.nullable())),
  /** CPU of n8n per request in milliseconds, all roles together, by round; null where it was not seen. */
  cpuMs: z.exactOptional(z.array(z.number().nullable())),
  versions: z.exactOptional(z.record(z.string(), z.string())),
  /** What n8n showed after its last run or search; left out if it shows nothing of them. */
  patches: z.exactOptional(patchStatesSchema),
});
export type Side = z.infer<typeof sideSchema>;

const ratioSchema = z.object({
  // JSON has no infinity: what is not yet known is null.
  value: z
    .number()
    .nullable()
    .transform((value) => value ?? NaN),
  low: z
    .number()
    .nullable()
    .transform((low) => low ?? 0),
  high: z
    .number()
    .nullable()
    .transform((high) => high ?? Infinity),
});

/** The shape of compare.json: two sides, measured in turns. */
export const compareRecordSchema = z.object({
  schemaVersion: z.literal(2),
  kind: z.literal('compare'),
  id: z.string(),
  startedAt: z.string(),
  endedAt: z.string(),
  command: z.array(z.string()),
  workload: recordedWorkloadSchema,
  metric: compareMetricSchema,
  slo: z.array(sloSchema),
  /** Prices of a core and of a GiB for an hour, if given (--cpu-price, --memory-price). */
  prices: z.exactOptional(pricesSchema),
  a: sideSchema,
  b: sideSchema,
  machine: machineSchema,
  versions: z.record(z.string(), z.string()),
  /** B relative to A; below 1 it is worse. */
  ratio: ratioSchema,
  /** The same as if a request cost both sides as much CPU; left out where that says nothing of the rate. */
  equalPrice: z.exactOptional(
    z.object({
      /** Medians, in milliseconds. */
      cpuMs: z.object({ a: z.number(), b: z.number() }),
      ratio: ratioSchema,
    }),
  ),
  /** Both sides were loaded at once, not in turns (--duet). */
  isDuet: z.exactOptional(z.literal(true)),
  answer: z.enum(['better', 'worse', 'no difference', 'unknown']),
  /** One sentence a manager can read. */
  sentence: z.string(),
  totalSeconds: z.number(),
  /** How many pairs it would have measured at most; left out where nothing was measured. */
  maxPairs: z.exactOptional(z.number()),
  /** Why it measured no more: it was decided, had all pairs, ran out of time, had too many failed runs, or was stopped. */
  endedBy: z.exactOptional(z.enum(['answer', 'pairs', 'time', 'failed runs', 'interruption'])),
  doubts: z.array(z.string()),
});
export type CompareRecord = z.infer<typeof compareRecordSchema>;

export function readComparison(folder: string): CompareRecord {
  return readRecordFile(join(folder, COMPARE_FILE), {
    ...{ what: 'a comparison', kind: 'compare', version: 2 },
    schema: compareRecordSchema,
  });
}
