import { join } from 'node:path';
import { readCatalogue } from '../../cli/src/catalogue/read';
import type { ExportedWorkflow } from '../../cli/src/catalogue/exported-workflow';
import { filesOf } from '../../cli/src/catalogue/workload';
import { valueAt } from '../../loadtests/lib/expect';
import { withHeaders } from '../../loadtests/lib/own-request';
import { floorOf, requestsOf, type LoadRequest } from '../../loadtests/lib/workload';
import { key, keyCredential, withKey } from './support/key';
import { exported, startN8n, workflowsFolder, type RunningN8n } from './support/n8n';
import { bodyOf, faultOf, registered, send } from './support/request';
import { startUpstream } from './support/upstream';
import { N8N_VERSION } from '../support/versions';
import { eventually } from '../support/wait';

/** Every workload on one real n8n 2.x, with SQLite. */
const catalogue = readCatalogue(join(workflowsFolder, 'catalogue.json'));

/** Small, so that the suite is quick; sizes are the business of load tests. */
const parameters: Record<string, Record<string, number>> = {
  memory: { mb: 20 },
  cpu: { n: 100_000 },
  json: { kib: 20 },
  'disk-read': { kib: 20 },
  'disk-write': { kib: 20 },
  'side-effect': { ms: 300 },
};

const modern = catalogue.workloads.flatMap((workload) =>
  (['native', 'load-target'] as const).flatMap((variant) => {
    const found = workload.variants[variant];
    return found === undefined ? [] : [{ workload, variant, files: filesOf(workload, found) }];
  }),
);
const cases = modern
  .filter(({ workload }) => workload.request !== undefined)
  .map(({ workload, variant }) => ({
    name: workload.name,
    variant,
    workload,
    requests: requestsOf(catalogue, workload.name, {
      variant,
      parameters: parameters[workload.name],
    }),
  }));
const bundled = (crashing: boolean): string[] =>
  modern.filter(({ workload }) => workload.mayCrashN8n === crashing).flatMap(({ files }) => files);

/** A workflow like that of the workload cpu, with a Code node in Python. */
function pythonWorkflow(): ExportedWorkflow {
  const [workflow] = exported('cpu.json');
  if (workflow === undefined) throw new Error('there is no workflow in cpu.json');
  const nodes = workflow.nodes.map((node) => {
    const parameters = node['parameters'] as object;
    if (node.type === 'n8n-nodes-base.code') {
      const pythonCode = 'return [{"json": {"sum": sum(range(10))}}]';
      return { ...node, parameters: { language: 'pythonNative', pythonCode } };
    }
    return node.type === 'n8n-nodes-base.webhook'
      ? { ...node, parameters: { ...parameters, path: 'load-python' }, webhookId: 'load-python' }
      : node;
  });
  return { ...workflow, id: 'load-python', name: 'Python', nodes };
}

let n8n: RunningN8n;
let upstream: Awaited<ReturnType<typeof startUpstream>>;
let lastId = 0;

beforeAll(async () => {
  upstream = await startUpstream();
  n8n = await startN8n({
    version: N8N_VERSION,
    files: bundled(false),
    inactive: bundled(true),
    made: [withKey('cpu.json', 'load-cpu-key', 'load-cpu-key'), pythonWorkflow()],
    credentials: [keyCredential],
    upstreamUrl: upstream.url,
    withLoadTarget: true,
  });
}, 400_000);

afterAll(async () => {
  await n8n.stop();
  await upstream.stop();
}, 60_000);

const ask = async (request: LoadRequest): Promise<Awaited<ReturnType<typeof send>>> => {
  lastId += 1;
  const id = `workloads-${String(lastId)}`;
  const answer = await send(n8n.baseUrl, request, id, bodyOf(request));
  expect(faultOf(request, answer, id)).toBeNull();
  return answer;
};

const executionsOf = (workflowId: string): unknown[] =>
  n8n
    .query(`SELECT status FROM execution_entity WHERE "workflowId" = '${workflowId}'`)
    .map(({ status }) => status);

const only = (name: string, variant: string): LoadRequest => {
  const [request] =
    cases.find((one) => one.name === name && one.variant === variant)?.requests ?? [];
  if (request === undefined) throw new Error(`no request for ${name}, ${variant}`);
  return request;
};

test.each(cases)(
  '$name ($variant) is answered as the catalogue says',
  async ({ workload, requests }) => {
    for (const request of requests) await registered(n8n.baseUrl, request);
    // Side by side: many-webhooks has ten.
    const answers = await Promise.all(requests.map(ask));
    if (workload.answers === 'when-done') {
      const floorMs = floorOf(requests);
      // Node.js may end a timer a millisecond early.
      for (const { durationMs } of answers) expect(durationMs).toBeGreaterThan(floorMs - 10);
    }
  },
  120_000,
);

test.each([
  ['immediate', 'load-immediate', 'native'],
  ['async', 'load-async', 'native'],
  ['async', 'load-target-async', 'load-target'],
  ['respond-to-webhook', 'load-respond-to-webhook', 'native'],
])(
  '%s (%s) answers before its execution ends, which then succeeds',
  async (name, workflowId, variant) => {
    await eventually(() => executionsOf(workflowId).every((status) => status === 'success'));
    const before = executionsOf(workflowId).length;
    await ask(only(name, variant));
    await eventually(() => {
      const statuses = executionsOf(workflowId);
      return statuses.length === before + 1 && statuses.every((status) => status === 'success');
    });
  },
  120_000,
);

test('n8n gives the file of binary back byte by byte', async () => {
  const request = only('binary', 'native');
  const { bytes } = await ask(request);
  expect(bytes.length).toBe(2 * 1024 * 1024);
  expect(Buffer.compare(bytes, bodyOf(request) as Uint8Array)).toBe(0);
}, 60_000);

test('n8n takes a file for binary that is larger than n8n lets other bodies be, as its warning says', async () => {
  const request = only('binary', 'native');
  const payloadSizeMaxMiB = 16;
  const bytes = Uint8Array.from({ length: (payloadSizeMaxMiB + 4) * 1024 * 1024 }, (_, i) => i);
  const answer = await send(n8n.baseUrl, request, 'large', bytes);
  expect([answer.status, answer.bytes.length]).toEqual([200, bytes.length]);
}, 60_000);

test('n8n makes two executions of one call of sub-workflow', async () => {
  const before = executionsOf('load-sub-workflow-called').length;
  await ask(only('sub-workflow', 'native'));
  await eventually(() => executionsOf('load-sub-workflow-called').length >= before + 1);
}, 60_000);

test('n8n counts each call of side-effect outside n8n, before its work and after it', async () => {
  await ask(only('side-effect', 'native'));
  const id = `workloads-${String(lastId)}`;
  const lines = (await (await fetch(`${upstream.url}/effects`)).text()).split('\n');
  const ofThis = lines.filter((line) => line.includes(` ${id} `));
  expect(ofThis.map((line) => line.replace(/ \d{13}$/, ''))).toEqual([`begun ${id}`, `done ${id}`]);
}, 60_000);

test('n8n leaves no row of data-table behind', async () => {
  await ask(only('data-table', 'native'));
  const [table] = n8n.query(`SELECT id FROM data_table WHERE name = 'load_test_rows'`);
  const [rows] = n8n.query(
    `SELECT count(*) AS rows FROM "data_table_user_${String(table?.['id'])}"`,
  );
  expect(rows).toEqual({ rows: 0 });
}, 60_000);

test('n8n says which process ran it, where Load Target is in it', async () => {
  const request = only('cpu', 'load-target');
  const ranBy = valueAt(request.ranAt ?? '', await ask(request));
  expect(ranBy).toMatchObject({ role: 'main', pid: n8n.pid, n8nVersion: N8N_VERSION });
}, 60_000);

test.each([
  ['/webhook/load-cpu?n=-1', 'an n below its bound'],
  ['/webhook/load-memory?mb=lots', 'an mb that is no number'],
  ['/webhook/load-target-cpu?n=-1', 'an n below its bound, with Load Target'],
])(
  'n8n does not answer right to %s: %s',
  async (path) => {
    const { status } = await send(n8n.baseUrl, { ...only('cpu', 'native'), path }, 'wrong');
    expect(status).toBe(500);
  },
  60_000,
);

test('n8n demands a key where Header Auth is set in the Webhook node, as the notes advise', async () => {
  const open = { ...only('cpu', 'native'), path: '/webhook/load-cpu-key?n=100000' };
  await registered(n8n.baseUrl, open);
  const wrong = await send(
    n8n.baseUrl,
    withHeaders([open], [`${key.name}: wrong`])[0] ?? open,
    'a',
  );
  expect([(await send(n8n.baseUrl, open, 'b')).status, wrong.status]).toEqual([403, 403]);
  expect(executionsOf('load-cpu-key')).toEqual([]);
  const [keyed = open] = withHeaders([open], [`${key.name}: ${key.value}`]);
  await ask(keyed);
}, 60_000);

test('n8n has no runner for Python: the day it has one, the workload python-code can be added', async () => {
  const request = { ...only('cpu', 'native'), path: '/webhook/load-python' };
  await registered(n8n.baseUrl, request);
  expect((await send(n8n.baseUrl, request, 'python')).status).toBe(500);
  expect(n8n.log()).toMatch(/(Python 3|Virtual environment) is missing from this system/);
}, 60_000);

test('n8n has the tags of its files, so that all of them are found together', () => {
  const tagged = (tag: string): unknown[] =>
    n8n
      .query(
        `SELECT "workflowId" AS id FROM workflows_tags JOIN tag_entity ON "tagId" = tag_entity.id WHERE name = '${tag}'`,
      )
      .map(({ id }) => id);
  const all = n8n.query('SELECT id FROM workflow_entity').map(({ id }) => id);
  expect(tagged('load test').sort()).toEqual(all.sort());
  expect(tagged('can hurt n8n')).toEqual(
    expect.arrayContaining(['load-binary', 'load-cpu', 'load-memory-hog', 'load-target-disk-read']),
  );
  expect(tagged('can hurt n8n')).not.toContain('load-last-node');
});

test('n8n has memory-hog in it, asleep', () => {
  const hogs = n8n.query(
    `SELECT id, active FROM workflow_entity WHERE id LIKE '%memory-hog' ORDER BY id`,
  );
  expect(hogs).toEqual([
    { id: 'load-memory-hog', active: 0 },
    { id: 'load-target-memory-hog', active: 0 },
  ]);
  expect(executionsOf('load-memory-hog')).toEqual([]);
});
