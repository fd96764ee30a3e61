import {
  idsOf,
  shortError,
  type ExecutionsSeen,
  type TracedExecution,
} from '../../analysis/traced-execution';
import { hasFailedNode, isRead, STALLED, storedIn } from '../../analysis/n8n-execution';
import type { ExecutionTrace } from '../target';
import type { N8nApi } from './api';
import { rowsOf } from './pages';

/** Every execution comes with all of its data, which n8n reads and unpacks for it. */
const PAGE = 50;
/** Number of requests to afford; each costs n8n some milliseconds. */
const AFFORDABLE = 2000;

interface Shown {
  id: number | string;
  status?: string;
  finished?: boolean;
  stoppedAt?: string | null;
  mode: string;
  data?: unknown;
}

/**
 * The executions that a key may see, newest first. Those whose results are not saved are not shown, nor
 * how many there were.
 */
export async function traceFromNow(api: N8nApi): Promise<ExecutionTrace> {
  const newest = await api.newestExecution();
  return {
    source: 'API',
    affordable: AFFORDABLE,
    read: async (runId, withinMs) => {
      const giveUpMs = performance.now() + withinMs;
      const found = new Map<number, TracedExecution>();
      // Those that run now are told only when asked for, and may meanwhile have ended.
      for (const query of ['&status=running', '']) {
        for await (const shown of newer(api, newest, query, giveUpMs)) {
          found.set(Number(shown.id), tracedIn(shown, runId));
        }
      }
      return { executions: [...found.values()], made: null } satisfies ExecutionsSeen;
    },
  };
}

async function* newer(
  api: N8nApi,
  than: number,
  query: string,
  giveUpMs: number,
): AsyncGenerator<Shown> {
  const rows = rowsOf<Shown>(api, `/executions?includeData=true${query}`, {
    size: PAGE,
    withinMs: () => Math.max(1, giveUpMs - performance.now()),
  });
  for await (const shown of rows) {
    if (Number(shown.id) <= than) return;
    yield shown;
  }
}

function tracedIn(shown: Shown, runId: string): TracedExecution {
  // The run's id is made of letters, digits and dashes.
  const text = JSON.stringify(shown);
  const [, carried = null] = new RegExp(`"(${runId}-[^"\\\\]*)`).exec(text) ?? [];
  const hasStalled = shown.status === 'error' && text.includes(JSON.stringify(STALLED));
  const stored = storedIn(shown.data);
  const ofNode = shown.status === 'error' && hasFailedNode(stored);
  const endedAtMs = Date.parse(shown.stoppedAt ?? '');
  return {
    ...idsOf(shown.mode, carried),
    outcome: outcomeOf(shown),
    ...(shown.status === 'crashed' || hasStalled ? { hasCrashed: true } : {}),
    ...(ofNode ? { hasFailedNode: true } : {}),
    ...(isRead(stored) ? shortError(stored.error) : {}),
    ...(Number.isFinite(endedAtMs) ? { endedAtMs } : {}),
  };
}

/** Older versions of n8n do not say the status. */
function outcomeOf({ status, finished, stoppedAt }: Shown): TracedExecution['outcome'] {
  if (status === undefined) {
    if (finished === true) return 'succeeded';
    return typeof stoppedAt === 'string' ? 'failed' : 'unfinished';
  }
  if (status === 'success') return 'succeeded';
  return ['new', 'running', 'waiting'].includes(status) ? 'unfinished' : 'failed';
}
