import type { Role, Topology } from './topology';
import { heapsFor } from './tuning';

export const isLegacy = (version: string): boolean => version.startsWith('0.');

export function limitsOf(topology: Topology, role: Role): Topology['main'] {
  return { main: topology.main, worker: topology.workers, webhook: topology.webhooks }[role];
}

/** `auto` without a memory limit, or untuned, leaves V8's own choice. */
export function heapMiBOf(topology: Topology, role: Role): number | null {
  const { heapMiB, memoryMiB } = limitsOf(topology, role);
  if (typeof heapMiB === 'number') return heapMiB;
  if (heapMiB === 'none' || memoryMiB === undefined || topology.tuning === 'none') return null;
  return heapsFor(memoryMiB).heapMiB;
}
