import type { Topology } from './topology';
import { isLegacy } from './limits';

/** Why this topology cannot be laid out, in a sentence; null when it can. */
export function contradiction(topology: Topology): string | null {
  const { mode, database, process, n8n, webhooks, tuning, settings } = topology;
  if (tuning === 'none' && settings !== undefined) {
    return 'settings change a tuning profile, and tuning none has no settings; use tuning default, or remove settings';
  }
  if (process === 'own' && !isLegacy(n8n)) {
    return `process own does not exist in n8n ${n8n}; use n8n 0.221.2, or remove process`;
  }
  if (process === 'own' && mode === 'queue') {
    return 'process own does not apply in queue mode; use regular mode, or remove process';
  }
  if (mode === 'queue' && database === 'sqlite') {
    return 'in queue mode, processes share a database, which SQLite does not support; use database postgresql (database.type, --database)';
  }
  if (mode === 'regular' && webhooks.count > 0) {
    return 'only queue mode has webhook processors; use queue mode, or no webhook processors (webhook.enabled, --webhooks)';
  }
  return null;
}
