import type { Topology } from './topology';
import { isLegacy } from './limits';

/** Why this topology cannot be laid out, in a sentence; null when it can. */
export function contradiction(topology: Topology): string | null {
  const { mode, database, process, n8n, webhooks, tuning, settings } = topology;
  if (tuning === 'none' && settings !== undefined) {
    return 'settings are those of a tuning, and tuning none has none; take tuning default, or leave them out';
  }
  if (process === 'own' && !isLegacy(n8n)) {
    return `process own does not exist in n8n ${n8n}; take n8n 0.221.2, or leave process out`;
  }
  if (process === 'own' && mode === 'queue') {
    return 'process own has no meaning in queue mode; take regular mode, or leave process out';
  }
  if (mode === 'queue' && database === 'sqlite') {
    return 'queue mode shares its database between processes, which SQLite cannot; take database postgresql (database.type, --database)';
  }
  if (mode === 'regular' && webhooks.count > 0) {
    return 'webhook processors exist in queue mode only; take queue mode, or no webhook processors (webhook.enabled, --webhooks)';
  }
  return null;
}
