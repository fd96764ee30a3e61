/** Lists of n8n's public API come in pages, each with the cursor of the next one. */
import { Failure } from '../../ui/errors';
import type { N8nRequests } from './api';

interface Pages {
  /** Size in rows. */
  size: number;
  /** Pages; left out: all there are. */
  max?: number;
  /** How long each page may take, asked anew for each. */
  withinMs?: () => number;
}

/** More would be no list but a server that never ends one. */
const MAX_PAGES = 10_000;

/** The rows of every page of a list. A cursor that is absent, null, empty or has been there ends it. */
export async function* rowsOf<Row>(
  api: N8nRequests,
  path: string,
  { size, max: maximum, withinMs }: Pages,
): AsyncGenerator<Row> {
  const seen = new Set<string>();
  let cursor = '';
  for (let page = 0; page < (maximum ?? MAX_PAGES); page += 1) {
    const query = `${path.includes('?') ? '&' : '?'}limit=${String(size)}${cursor}`;
    const reply = await api.ask<{ data?: unknown; nextCursor?: unknown } | null>(
      'GET',
      `${path}${query}`,
      withinMs === undefined ? {} : { withinMs: withinMs() },
    );
    if (!Array.isArray(reply?.data)) throw new Failure(`the n8n API returned no list at ${path}`);
    yield* reply.data as Row[];
    const next = reply.nextCursor;
    if (typeof next !== 'string' || next === '' || seen.has(next)) return;
    seen.add(next);
    cursor = `&cursor=${encodeURIComponent(next)}`;
  }
  if (maximum === undefined) {
    throw new Failure(`the n8n API returned more than ${String(MAX_PAGES)} pages at ${path}`);
  }
}
