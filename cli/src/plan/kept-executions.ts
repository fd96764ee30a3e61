/** For how long n8n keeps what it has executed, as far as its settings say it. */
import { isLegacy, limitsOf } from './limits';
import { ROLES, type Role } from './roles';
import type { Topology } from './topology';
import { tuningEnv } from './tuning-env';

const HOUR_MS = 3_600_000;

/**
 * For so many milliseconds no execution is deleted; 0 where those of one outcome are not saved. What is pruned, by its
 * age or by the number of all, is marked first, and deleted so long after (EXECUTIONS_DATA_HARD_DELETE_BUFFER).
 * Workflows may have settings of their own.
 */
export const keptForMs = (topology: Topology): number =>
  Math.min(...rolesIn(topology).map((role) => keptByMs(topology, role)));

/** Those that it deploys. */
function rolesIn({ mode, workers, webhooks }: Topology): Role[] {
  const counts = { main: 1, worker: workers.count, webhook: webhooks.count };
  return ROLES.filter((role) => role === 'main' || (mode === 'queue' && counts[role] > 0));
}

/** As n8n prunes by itself: below 1.0 not at all. */
export const ownPruning = (n8n: string): Record<string, string> => ({
  EXECUTIONS_DATA_PRUNE: String(!isLegacy(n8n)),
});

function keptByMs(topology: Topology, role: Role): number {
  const legacy = isLegacy(topology.n8n);
  const env: Record<string, string> = {
    ...ownPruning(topology.n8n),
    ...tuningEnv(topology, role, legacy),
    ...topology.env,
    ...limitsOf(topology, role).env,
  };
  const isDropped = (outcome: string): boolean =>
    env[`EXECUTIONS_DATA_SAVE_ON_${outcome}`] === 'none';
  if (isDropped('SUCCESS') || isDropped('ERROR')) return 0;
  if (/^(false|0)$/i.test(env['EXECUTIONS_DATA_PRUNE'] ?? '')) return Infinity;
  // n8n below 1.0 deletes at once.
  const hours = Number(env['EXECUTIONS_DATA_HARD_DELETE_BUFFER'] ?? (legacy ? 0 : 1));
  return Number.isFinite(hours) ? hours * HOUR_MS : 0;
}
