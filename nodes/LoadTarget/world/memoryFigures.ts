import { freemem } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import type { MemoryFigures } from '../pure/fits';

const MIB = 1024 * 1024;

export function memoryFigures(): MemoryFigures {
  const { rss, heapUsed } = process.memoryUsage();
  return {
    heapUsedMiB: heapUsed / MIB,
    heapLimitMiB: getHeapStatistics().heap_size_limit / MIB,
    rssMiB: rss / MIB,
    availableMiB: availableBytes(rss) / MIB,
  };
}

/** Node 22 and later know the container's use; before, its limit less this process is the best guess. */
function availableBytes(rss: number): number {
  if (typeof process.availableMemory === 'function') return process.availableMemory();
  const limit = typeof process.constrainedMemory === 'function' ? process.constrainedMemory() : 0;
  // No limit is told as 0, as undefined, or as a number near 2^63.
  return limit > 0 ? Math.min(freemem(), Math.max(0, limit - rss)) : freemem();
}
