/** A probe second by second, in columns: the first value of each is that of the first second of the load. */
import { z } from 'zod';
import { percentile } from '../../../analysis/statistics/statistics';
import type { Metric } from '../../../record/metrics';
import type { MetricSample } from '../../../record/run-record';
import { sampledRoleSchema } from '../../../plan/recorded';
import { SAMPLED_ROLES, type SampledRole } from '../../../plan/roles';
import type { EndedRequest } from './requests';

const columnSchema = z.array(z.number().nullable());
const byRoleSchema = z.partialRecord(sampledRoleSchema, columnSchema);

export const probeSecondsSchema = z.object({
  /** Requests that were due, and expected responses that came. */
  due: z.array(z.number()),
  done: z.array(z.number()),
  /** The latency of the requests that were due in this second. */
  p95Ms: columnSchema,
  /** CPU time of all processes of a role; null where it was not seen. */
  cpuMs: byRoleSchema,
  /** CPU time of the threads that run JavaScript, of all processes of a role. */
  threadMs: byRoleSchema,
  /** The CPU time of the whole machine; left out if it was not seen, like the columns below. */
  hostCpuMs: z.exactOptional(columnSchema),
  /** Time of each core that the hypervisor gave to other machines. */
  stealMs: z.exactOptional(columnSchema),
  /** CPU time of processes that are no part of the measurement. */
  othersMs: z.exactOptional(columnSchema),
});
export type ProbeSeconds = z.infer<typeof probeSecondsSchema>;
type Column = (number | null)[];

/** What somebody else used in some time of the load. */
export interface OthersUsed {
  fromMs: number;
  toMs: number;
  cpuMs: number;
}

export interface ProbeSeen {
  requests: readonly EndedRequest[];
  samples: readonly MetricSample[];
  others: readonly OthersUsed[];
  /** How long the load lasted. */
  seconds: number;
}

export function secondsSeen({ requests, samples, others, seconds }: ProbeSeen): ProbeSeconds {
  const length = Math.ceil(seconds - 1e-9);
  const due = new Array<number>(length).fill(0);
  const done = new Array<number>(length).fill(0);
  const latencies = Array.from({ length }, (): number[] => []);
  for (const { dueMs, endMs, latencyMs, isExpected } of requests) {
    const at = Math.floor(dueMs / 1000);
    const end = Math.floor(endMs / 1000);
    if (at < length) due[at] = (due[at] ?? 0) + 1;
    if (isExpected && end < length) done[end] = (done[end] ?? 0) + 1;
    if (!Number.isNaN(latencyMs)) latencies[at]?.push(latencyMs);
  }
  const times = new BySecond(length);
  const host = times.of(samples, 'host', 'cpuCores');
  const steal = times.of(samples, 'host', 'stealShare');
  const used = times.spread(others.map((one) => ({ ...one, ms: one.cpuMs })));
  return {
    due,
    done,
    p95Ms: latencies.map((some) =>
      some.length === 0
        ? null
        : Math.round(
            percentile(
              some.sort((a, b) => a - b),
              0.95,
            ),
          ),
    ),
    cpuMs: times.ofRoles(samples, 'cpuCores'),
    threadMs: times.ofRoles(samples, 'loopCores'),
    ...(host === null ? {} : { hostCpuMs: host }),
    ...(steal === null ? {} : { stealMs: steal }),
    ...(used === null ? {} : { othersMs: used }),
  };
}

interface Part {
  fromMs: number;
  toMs: number;
  /** In all of it. */
  ms: number;
}

/** Cuts what was seen between two looks at the seconds of the load. */
class BySecond {
  constructor(private readonly length: number) {}

  /** Gives the columns of all roles that have the metric, but not the host's. */
  ofRoles(samples: readonly MetricSample[], metric: Metric): Partial<Record<SampledRole, Column>> {
    const columns: Partial<Record<SampledRole, Column>> = {};
    for (const role of SAMPLED_ROLES) {
      const column = role === 'host' ? null : this.of(samples, role, metric);
      if (column !== null) columns[role] = column;
    }
    return columns;
  }

  /** A figure that is a rate since the sample before; of all instances together. */
  of(samples: readonly MetricSample[], role: SampledRole, metric: Metric): Column | null {
    const before = new Map<string, number>();
    const parts: Part[] = [];
    for (const sample of samples) {
      if (sample.role !== role || sample.metric !== metric) continue;
      const { instance, tMs: toMs, value } = sample;
      const fromMs = before.get(instance) ?? toMs - 1000;
      before.set(instance, toMs);
      parts.push({ fromMs, toMs, ms: value * (toMs - fromMs) });
    }
    return this.spread(parts);
  }

  /** Null where nothing was seen in any second. */
  spread(parts: readonly Part[]): Column | null {
    const column: Column = new Array<number | null>(this.length).fill(null);
    for (const { fromMs, toMs, ms } of parts) {
      if (!(toMs > fromMs)) continue;
      const first = Math.max(0, Math.floor(fromMs / 1000));
      for (let at = first; at < this.length && at * 1000 < toMs; at += 1) {
        const within = Math.min(toMs, (at + 1) * 1000) - Math.max(fromMs, at * 1000);
        if (within > 0) column[at] = (column[at] ?? 0) + (ms * within) / (toMs - fromMs);
      }
    }
    if (column.every((value) => value === null)) return null;
    return column.map((value) => (value === null ? null : Math.round(value)));
  }
}
