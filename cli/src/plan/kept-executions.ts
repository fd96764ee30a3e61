/** For how long n8n keeps what it has executed, as far as its settings say it. */
import { deployedRoles, variablesOf } from './chart-values';
import { isLegacy, type Topology } from './topology';
import type { Role } from './roles';

const HOUR_MS = 3_600_000;

/**
 * The milliseconds for which no execution is deleted; 0 where those of one outcome are not saved. What is pruned, by its
 * age or by the number of all, is marked first, and deleted so long after (EXECUTIONS_DATA_HARD_DELETE_BUFFER).
 * Workflows may have settings of their own.
 */
export const keptForMs = (topology: Topology): number =>
  Math.min(...deployedRoles(topology).map((role) => keptByMs(topology, role)));

function keptByMs(topology: Topology, role: Role): number {
  const env = variablesOf(topology, role);
  const isDropped = (outcome: string): boolean =>
    env[`EXECUTIONS_DATA_SAVE_ON_${outcome}`] === 'none';
  if (isDropped('SUCCESS') || isDropped('ERROR')) return 0;
  if (/^(false|0)$/i.test(env['EXECUTIONS_DATA_PRUNE'] ?? '')) return Infinity;
  // n8n below 1.0 deletes at once.
  const hours = Number(
    env['EXECUTIONS_DATA_HARD_DELETE_BUFFER'] ?? (isLegacy(topology.n8n) ? 0 : 1),
  );
  return Number.isFinite(hours) ? hours * HOUR_MS : 0;
}
