/** Lists of n8n's API end, whatever the server says of the next page. */
import { apiBacklog } from '../../../cli/src/targets/url/backlog';
import { rowsOf } from '../../../cli/src/targets/url/pages';
import { traceFromNow } from '../../../cli/src/targets/url/trace';
import { RecoveryApi } from '../../../cli/src/features/recover/n8n';
import type { N8nApi } from '../../../cli/src/targets/url/api';

/** Each list has one page, whose cursor is this one. */
function serverWith(cursor: { nextCursor?: unknown }): { api: N8nApi; asked: string[] } {
  const asked: string[] = [];
  const ask = (_: string, path: string): Promise<unknown> => {
    asked.push(path);
    if (asked.length > 50) throw new Error('asked again and again');
    return Promise.resolve({ data: [], ...cursor });
  };
  return { api: { newestExecution: () => Promise.resolve(0), ask } as unknown as N8nApi, asked };
}

const readers: [string, (api: N8nApi) => Promise<unknown>][] = [
  ['the trace of a run', async (api) => (await traceFromNow(api)).read('run', 1000)],
  ['the backlog', async (api) => (await apiBacklog(api)).open()],
  ['the workflows of recovery', (api) => new RecoveryApi(api).workflowsTagged('recover')],
  ['the executions of recovery', (api) => new RecoveryApi(api).executionsOf('w', { sinceMs: 0 })],
];
const cursors = [
  {},
  { nextCursor: null },
  { nextCursor: undefined },
  { nextCursor: '' },
  { nextCursor: 7 },
];

describe.each(readers)('%s', (_, read) => {
  test.each(cursors)('ends with %j', async (cursor) => {
    const { api, asked } = serverWith(cursor);
    await read(api);
    expect(asked.filter((path) => path.includes('cursor='))).toEqual([]);
  });

  test('ends where the server repeats a cursor', async () => {
    const { api, asked } = serverWith({ nextCursor: 'again' });
    await read(api);
    expect(asked.length).toBeLessThan(20);
  });
});

test('a list without rows is told, and so is one without an end', async () => {
  const all = async (reply: (page: number) => unknown): Promise<number> => {
    let page = 0;
    const ask = (): Promise<unknown> => Promise.resolve(reply((page += 1)));
    for await (const row of rowsOf({ ask } as unknown as N8nApi, '/x?a=1', { size: 2 })) void row;
    return page;
  };
  expect(await all((page) => ({ data: [], nextCursor: page < 3 ? String(page) : null }))).toBe(3);
  await expect(all(() => 'a page')).rejects.toThrow('the API of n8n has no list at /x?a=1');
  await expect(all(() => null)).rejects.toThrow('has no list');
  await expect(all((page) => ({ data: [], nextCursor: String(page) }))).rejects.toThrow(
    'more than 10000 pages at /x?a=1',
  );
});
