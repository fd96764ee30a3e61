/** What an n8n that is seen from outside has been given and not done: by its queue, or by its API. */
import { queueJobs } from '../../analysis/queue-jobs';
import type { BacklogWatch } from '../target';
import { within } from '../../ui/within';
import type { N8nApi } from './api';
import { rowsOf } from './pages';

/** n8n renews these figures every 20 s (N8N_METRICS_QUEUE_METRICS_INTERVAL), and a scrape takes its time. */
const RENEWED_WITHIN_MS = 21_000;
const ANSWER_WITHIN_MS = 3_000;

/** Jobs in the queue, from the metrics of the mains; null where they show none. */
export async function queueBacklog(
  urls: readonly string[],
  nowMs: () => number = () => performance.now(),
): Promise<BacklogWatch | null> {
  if (queueJobs(await read(urls)) === null) return null;
  let atFirst: { text: string; atMs: number } | null = null;
  return {
    source: 'queue metrics',
    lateMs: RENEWED_WITHIN_MS,
    open: async () => {
      const texts = await read(urls);
      const jobs = queueJobs(texts);
      if (jobs === null) return null;
      const text = texts.map(queueLines).join('\n');
      atFirst ??= { text, atMs: nowMs() };
      // Until they have changed, or must have been renewed, they may tell of a time before the first look.
      const isRenewed = text !== atFirst.text || nowMs() - atFirst.atMs >= RENEWED_WITHIN_MS;
      return isRenewed ? jobs.waiting + jobs.active : null;
    },
  };
}

/** The counters of jobs done change with every renewal under load. */
const queueLines = (text: string): string =>
  text
    .split('\n')
    .filter((line) => /^\w*scaling_mode_queue_jobs_/.test(line))
    .join('\n');

async function read(urls: readonly string[]): Promise<string[]> {
  return Promise.all(
    urls.map(async (url) => {
      try {
        const never = new AbortController().signal;
        return await within(ANSWER_WITHIN_MS, never, async (signal) =>
          (await fetch(url, { signal })).text(),
        );
      } catch {
        return '';
      }
    }),
  );
}

/** States of an execution that has not ended: not started, started, or waiting until a given time. */
const OPEN = ['new', 'running', 'waiting'];
const PAGE = 250;
/** More are not counted: there is a backlog. */
const MAX_PAGES = 4;

/** Executions that the key may see and that have not ended; rejects where it may not list them. */
export async function apiBacklog(api: N8nApi): Promise<BacklogWatch> {
  const newest = await api.newestExecution();
  await openExecutions(api);
  let isSeen = false;
  return {
    source: 'API',
    lateMs: 0,
    open: async () => {
      const open = await openExecutions(api);
      // None open proves nothing of a workflow that this key may not see.
      isSeen ||= open > 0 || (await api.newestExecution()) > newest;
      return isSeen ? open : null;
    },
  };
}

async function openExecutions(api: N8nApi): Promise<number> {
  const counts = await Promise.all(OPEN.map((status) => countOf(api, status)));
  return counts.reduce((sum, count) => sum + count, 0);
}

async function countOf(api: N8nApi, status: string): Promise<number> {
  let count = 0;
  const rows = rowsOf(api, `/executions?status=${status}`, { size: PAGE, max: MAX_PAGES });
  while ((await rows.next()).done !== true) count += 1;
  return count;
}
