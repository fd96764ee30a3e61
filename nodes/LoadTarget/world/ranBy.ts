import { hostname } from 'node:os';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import { version as packageVersion } from '../package.json';
import { n8nRole, n8nVersion, type Role } from '../../shared/n8nProcess';

/** The process that ran an operation, as it is when the operation ends. */
export interface RanBy {
  host: string;
  pid: number;
  role: Role;
  n8nVersion: string | null;
  nodeVersion: string;
  packageVersion: string;
  rssMiB: number;
  heapUsedMiB: number;
  heapLimitMiB: number;
  /** How late the event loop was over the last seconds; null before the first sample. */
  eventLoopDelayMs: { mean: number; p99: number; max: number } | null;
}

export function ranBy(): RanBy {
  const { rss, heapUsed } = process.memoryUsage();
  return {
    host: hostname(),
    pid: process.pid,
    role: n8nRole(process.argv),
    n8nVersion: n8nVersion() ?? null,
    nodeVersion: process.versions.node,
    packageVersion,
    rssMiB: rounded(rss / MIB),
    heapUsedMiB: rounded(heapUsed / MIB),
    heapLimitMiB: rounded(getHeapStatistics().heap_size_limit / MIB),
    eventLoopDelayMs: eventLoopDelay(),
  };
}

const MIB = 1024 * 1024;
const NS_PER_MS = 1e6;
const RESOLUTION_MS = 20;
/** After this the histogram begins anew, so that it tells of now and not of the start. */
const WINDOW_MS = 10_000;

let histogram: ReturnType<typeof monitorEventLoopDelay> | undefined;
let windowBeganMs = 0;

function eventLoopDelay(): RanBy['eventLoopDelayMs'] {
  const now = performance.now();
  if (histogram === undefined) {
    histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
    histogram.enable();
    windowBeganMs = now;
    return null;
  }
  if (!Number.isFinite(histogram.mean)) return null;
  // The histogram holds whole intervals, its own resolution included.
  const late = (ns: number): number => rounded(Math.max(0, ns / NS_PER_MS - RESOLUTION_MS));
  const delay = {
    mean: late(histogram.mean),
    p99: late(histogram.percentile(99)),
    max: late(histogram.max),
  };
  if (now - windowBeganMs > WINDOW_MS) {
    histogram.reset();
    windowBeganMs = now;
  }
  return delay;
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
