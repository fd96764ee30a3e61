import { join } from 'node:path';
import { repositoryRoot } from '../../../capacity/src/lab/paths';
import { demandingKey } from '../../../capacity/src/catalogue/webhook-key';
import type { SeedWorkflow } from '../../../capacity/src/catalogue/seeding';
import type { ExportedWorkflow } from '../../../capacity/src/catalogue/exported-workflow';
import { ApiSeeds } from '../../../capacity/src/targets/url/seeds';
import type { N8nRequests } from '../../../capacity/src/targets/url/api';

const KEY = { header: 'x-load-key', value: 'of this call' };
const cpu: SeedWorkflow = {
  ...{ name: 'cpu', needs: [] },
  file: join(repositoryRoot(), 'workflows/cpu.json'),
};

/** What n8n is asked, in order; `there` are the names of workflows that it has. */
function n8n(there: string[] = []): { api: N8nRequests; asked: [string, unknown][] } {
  const asked: [string, unknown][] = [];
  const ask = (
    method: string,
    path: string,
    { body }: { body?: unknown } = {},
  ): Promise<unknown> => {
    asked.push([`${method} ${path.split('?')[0] ?? ''}`, body]);
    return Promise.resolve(
      method === 'GET'
        ? { data: there.map((name, index) => ({ id: `there-${String(index)}`, name })) }
        : { id: `id-${String(asked.length)}` },
    );
  };
  return { api: { ask } as N8nRequests, asked };
}

test('a workflow with a key: its credential first, its webhook demands it, both are taken out', async () => {
  const { api, asked } = n8n();
  const seeds = new ApiSeeds(api);
  await seeds.seed([{ ...cpu, key: KEY }], {}, () => undefined);
  const [[first, credential], , [third, put]] = asked as [
    [string, unknown],
    [string, unknown],
    [string, ExportedWorkflow],
  ];
  expect(first).toBe('POST /credentials');
  expect(credential).toEqual({
    ...{ name: 'Load test key x-load-key', type: 'httpHeaderAuth' },
    data: { name: KEY.header, value: KEY.value },
  });
  expect(third).toBe('POST /workflows');
  const webhooks = put.nodes.filter(({ type }) => type === 'n8n-nodes-base.webhook');
  expect(webhooks).toEqual([
    expect.objectContaining({
      parameters: expect.objectContaining({
        ...{ path: 'load-cpu', authentication: 'headerAuth' },
      }) as unknown,
      credentials: { httpHeaderAuth: { id: 'id-1', name: 'Load test key x-load-key' } },
    }),
  ]);
  // No other node has it.
  expect(JSON.stringify(put.nodes).match(/httpHeaderAuth/g)).toHaveLength(1);

  asked.length = 0;
  await seeds.takeOut();
  expect(asked.map(([what]) => what)).toEqual([
    ...['POST /workflows/id-3/deactivate', 'DELETE /workflows/id-3', 'DELETE /credentials/id-1'],
  ]);
});

test('without a key nothing is demanded, and a workflow that is there stays as it is', async () => {
  const { api, asked } = n8n();
  await new ApiSeeds(api).seed([cpu], {}, () => undefined);
  expect(JSON.stringify(asked)).not.toMatch(/credentials|headerAuth/);
  const has = n8n(['Load test: cpu']);
  await new ApiSeeds(has.api).seed([cpu], {}, () => undefined);
  expect(has.asked.map(([what]) => what)).toEqual(['GET /workflows']);
});

test('a workflow that is there already is not loaded as if it had the key', async () => {
  const { api } = n8n(['Load test: cpu']);
  const seeded = new ApiSeeds(api).seed([{ ...cpu, key: KEY }], {}, () => undefined);
  await expect(seeded).rejects.toThrow(
    /^the workflow Load test: cpu is active in this n8n already, .*: deactivate it there, or leave --webhook-key out\.$/,
  );
});

test('a webhook that has an authentication of its own keeps it', async () => {
  const { api, asked } = n8n();
  const seeds = new ApiSeeds(api);
  await seeds.seed([{ ...cpu, key: KEY }], {}, () => undefined);
  const put = asked[2]?.[1] as ExportedWorkflow;
  const own = { id: 'own', name: 'own' };
  const again = demandingKey(put, own);
  expect(again).toEqual(put);
});
