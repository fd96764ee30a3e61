/** Which webhooks an n8n has, for somebody who has asked for another. */
import type { ExportedWorkflow } from '../../catalogue/exported-workflow';
import { distance } from '../../../../loadtests/lib/nearest';
import { shortly } from '../../ui/said';
import type { N8nRequests } from './api';
import { rowsOf } from './pages';

const PAGE = 100;
/** More workflows than these are not read for a hint. */
const MAX_PAGES = 5;
const MAX_SHOWN = 5;
const WEBHOOK = 'n8n-nodes-base.webhook';

interface Asked {
  method: string;
  path: string;
}

/** A sentence; empty where none is active, or the key may not list them. */
export async function knownWebhooks(api: N8nRequests, asked: Asked): Promise<string> {
  const wanted = `${asked.method} ${asked.path.replace(/[?#].*$/, '')}`;
  try {
    const found: string[] = [];
    const path = '/workflows?active=true&excludePinnedData=true';
    for await (const workflow of rowsOf<ExportedWorkflow>(api, path, {
      size: PAGE,
      most: MAX_PAGES,
    })) {
      found.push(...webhooksIn(workflow));
    }
    if (found.length === 0) return 'No workflow with a webhook is active there.';
    const near = [...new Set(found)].sort((a, b) => distance(wanted, a) - distance(wanted, b));
    const more = near.length > MAX_SHOWN ? ` and ${String(near.length - MAX_SHOWN)} more` : '';
    return `Active there: ${near.slice(0, MAX_SHOWN).join(', ')}${more}.`;
  } catch {
    return '';
  }
}

/** Method and path of each, as they are requested. */
export function webhooksIn({ nodes = [] }: ExportedWorkflow): string[] {
  return nodes.flatMap((node) => {
    const { type, disabled, parameters, webhookId } = node as unknown as Node;
    if (type !== WEBHOOK || disabled === true) return [];
    const { path: given, httpMethod = 'GET' } = parameters ?? {};
    const path = typeof given === 'string' && given !== '' ? given : webhookId;
    if (typeof path !== 'string') return [];
    // n8n puts the id before a path with parts that vary.
    const whole = path.includes(':') && webhookId !== undefined ? `${webhookId}/${path}` : path;
    return [httpMethod]
      .flat()
      .map((method) => shortly(`${String(method)} /webhook/${whole.replace(/^\/+/, '')}`, 100));
  });
}

interface Node {
  type?: string;
  disabled?: boolean;
  webhookId?: string;
  parameters?: { path?: unknown; httpMethod?: unknown };
}
