import type { Role, Topology } from './topology';

export const isLegacy = (version: string): boolean => version.startsWith('0.');

export function limitsOf(topology: Topology, role: Role): Topology['main'] {
  return { main: topology.main, worker: topology.workers, webhook: topology.webhooks }[role];
}
