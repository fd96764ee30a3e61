/**
 * Twins of workflows that a real n8n has and has run: three templates, a workflow that calls another one and has an error
 * workflow, and six small ones. All ten are then loaded as one blend in a network namespace without a route out.
 */
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repositoryRoot } from '../../cli/src/lab/paths';
import { chooseWorkload, type ChosenWorkload } from '../../cli/src/plan/chosen-workload';
import type { RunRecord } from '../../cli/src/record/run-record';
import type { Running } from '../../cli/src/targets/target';
import { N8nApi } from '../../cli/src/targets/url/api';
import { buildCli, endStartedClis, runCli, startCli } from '../support/cli';
import { newApiKey } from '../support/n8n-owner';
import { eventually } from '../support/wait';
import { bringUp, quiet } from '../process/stage';

jest.setTimeout(1_200_000);

const folder = mkdtempSync(join(tmpdir(), 'twins-of-n8n-'));
let n8n: Running;
let api: N8nApi;
let env: Record<string, string>;
/** By name, of what n8n has. */
let ids: Map<string, string>;

const to = (node: string): object => ({ main: [[{ node, type: 'main', index: 0 }]] });
const webhook = (path: string): object => ({
  ...{
    id: 'begin',
    name: 'Begin',
    type: 'n8n-nodes-base.webhook',
    typeVersion: 2,
    position: [0, 0],
  },
  ...{ webhookId: path, parameters: { httpMethod: 'POST', path, responseMode: 'lastNode' } },
});
const set = (name: string, json: string): object => ({
  ...{ id: name, name, type: 'n8n-nodes-base.set', typeVersion: 3.4, position: [200, 0] },
  parameters: { mode: 'raw', jsonOutput: json, options: {} },
});
const OWN: Record<string, object> = {
  ...Object.fromEntries(
    Array.from({ length: 6 }, (_, index) => [
      `small-${String(index)}`,
      {
        nodes: [webhook(`small-${String(index)}`), set('Answer', '{"small":true}')],
        connections: { Begin: to('Answer') },
      },
    ]),
  ),
  'sub-0000': {
    nodes: [
      {
        ...{ id: 's', name: 'Begin', type: 'n8n-nodes-base.executeWorkflowTrigger' },
        ...{ typeVersion: 1.1, position: [0, 0], parameters: { inputSource: 'passthrough' } },
      },
      set('Work', '{"worked":"for Ada Example"}'),
    ],
    connections: { Begin: to('Work') },
  },
  'errors-00': {
    nodes: [
      {
        ...{ id: 'e', name: 'Failed', type: 'n8n-nodes-base.errorTrigger' },
        ...{ typeVersion: 1, position: [0, 0], parameters: {} },
      },
      set('Note', '{"noted":true}'),
    ],
    connections: { Failed: to('Note') },
  },
  'caller-00': {
    nodes: [
      webhook('caller'),
      {
        ...{ id: 'c', name: 'Call', type: 'n8n-nodes-base.executeWorkflow', typeVersion: 1.2 },
        ...{ position: [200, 0] },
        parameters: {
          workflowId: { __rl: true, mode: 'list', value: 'sub-0000' },
          ...{ workflowInputs: {}, options: {} },
        },
      },
    ],
    connections: { Begin: to('Call') },
    settings: { executionOrder: 'v1', errorWorkflow: 'errors-00' },
  },
};

function seeded(): ChosenWorkload {
  const files = Object.entries(OWN).map(([id, workflow]) => {
    const file = join(folder, `${id}.json`);
    const base = { id, name: id, active: false, settings: { executionOrder: 'v1' } };
    writeFileSync(file, JSON.stringify({ ...base, ...workflow }));
    return { name: id, file };
  });
  const twins = ['order', 'agent', 'loop'].map((name) =>
    chooseWorkload(
      { workload: join(folder, `${name}.twin.json`) },
      join(repositoryRoot(), 'workflows'),
      null,
    ),
  );
  const [first] = twins;
  if (first === undefined) throw new Error('there is no twin');
  return {
    ...first,
    requests: twins.flatMap(({ requests }) => requests),
    workflows: [...twins.flatMap(({ workflows }) => workflows), ...files],
  };
}

async function call(path: string, body = '{}'): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  await eventually(async () => {
    const reply = await fetch(`${n8n.baseUrl}${path}`, { method: 'POST', headers, body });
    await reply.text();
    return reply.status === 200;
  }, 300_000);
}

beforeAll(async () => {
  buildCli();
  for (const name of ['order', 'agent', 'loop']) {
    copyFileSync(join(__dirname, `../process/twins/${name}.json`), join(folder, `${name}.json`));
    expect(await runCli(['twin', `${name}.json`], {}, folder)).toMatchObject({ code: 0 });
    // The loop makes 200 calls.
    const rules = join(folder, `${name}.twin.rules.yaml`);
    const fast = readFileSync(rules, 'utf8').replaceAll('120ms', '5ms').replaceAll('600ms', '9ms');
    writeFileSync(rules, fast);
  }
  const workload = seeded();
  n8n = await bringUp({}, workload);
  const scopes = ['workflow:read', 'workflow:list', 'execution:list', 'execution:read'];
  const apiKey = await newApiKey(n8n, scopes);
  api = new N8nApi(n8n.baseUrl, apiKey);
  env = { N8N_API_KEY: apiKey };
  for (const { path, body } of workload.requests) {
    const text = body !== null && 'text' in body ? body.text : '{}';
    for (let times = 0; times < 3; times += 1) await call(path, text);
  }
  for (const path of ['caller', ...Array.from({ length: 6 }, (_, at) => `small-${String(at)}`)]) {
    await call(`/webhook/${path}`);
  }
  const { data } = await api.ask<{ data: { id: string; name: string }[] }>('GET', '/workflows');
  ids = new Map(data.map(({ id, name }) => [name, id]));
});

afterAll(async () => {
  endStartedClis();
  await n8n.down(quiet);
  rmSync(folder, { recursive: true, force: true });
});

interface Made {
  files: string[];
  rows: { node: string; inTest: string; recordedFrom: string }[];
  request: { expect: string[] };
}

async function twinOf(name: string): Promise<Made & { read: (end: string) => string }> {
  const out = join(folder, `of-${String(ids.get(name))}`);
  mkdirSync(out);
  const words = ['twin', '--url', n8n.baseUrl, '--workflow', ids.get(name) ?? '', '--into', out];
  const { code, stdout, stderr } = await runCli([...words, '--json'], env, folder);
  expect([code, stderr]).toEqual([0, expect.anything()]);
  const made = JSON.parse(stdout) as Made;
  return {
    ...made,
    read: (end) => readFileSync(made.files.find((file) => file.endsWith(end)) ?? '', 'utf8'),
  };
}

const TOOLS = ['Stock of an article', 'Encyclopedia'];

test.each(['Order (twin)', 'Shop assistant (twin)', 'Sync contacts (twin)'])(
  'of %s every node that leaves n8n has what its last executions recorded',
  async (name) => {
    expect([...ids.keys()]).toContain(name);
    const { rows, request } = await twinOf(name);
    // The model chose one of its two tools, whichever n8n named first: the other one has not run.
    const notChosen = rows.find(
      ({ node, recordedFrom }) => TOOLS.includes(node) && recordedFrom === 'nothing',
    );
    const replaced = rows.filter((row) => row.inTest === 'stand-in' && row !== notChosen);
    expect(replaced.length).toBeGreaterThan(0);
    expect(new Set(replaced.map(({ recordedFrom }) => recordedFrom))).toEqual(
      new Set(['executions']),
    );
    expect(request.expect[0]).toBe('status==200');
  },
);

test('what a workflow calls and its error workflow come along, without a recorded value', async () => {
  const { files, read, request } = await twinOf('caller-00');
  expect(files.map((file) => file.replace(/^.*\/caller-00\.twin\.?/, ''))).toEqual([
    ...['json', 'workflow.json', 'called-1.json', 'rules.yaml'],
  ]);
  const [loaded, onError] = JSON.parse(read('workflow.json')) as {
    id: string;
    name: string;
    settings: object;
  }[];
  expect(onError?.name).toBe('errors-00 (twin)');
  expect(loaded?.settings).toMatchObject({ errorWorkflow: onError?.id });
  expect(request.expect).toEqual(['status==200', 'json.worked']);
  expect(read('rules.yaml')).not.toContain('Ada');
});

test('all ten workflows as one blend are loaded where nothing outside is reached', async () => {
  const out = join(folder, 'all');
  mkdirSync(out);
  const made = await runCli(
    ['twin', '--url', n8n.baseUrl, '--all', '--into', out, '--json'],
    env,
    folder,
  );
  expect(made.code).toBe(0);
  const { parts, left } = JSON.parse(made.stdout) as {
    parts: { name: string; weight: number }[];
    left: unknown[];
  };
  expect(left).toEqual([]);
  expect(parts).toHaveLength(10);
  expect(parts[0]?.weight).toBeGreaterThan(parts[9]?.weight ?? 0);
  const offline = ['unshare', '--net', 'sh', '-c', 'ip link set lo up && exec "$0" "$@"'];
  const flags = ['--rate', '1', '--duration', '20s', '--warmup', '0s', '--json'];
  const patience = ['--timeout', '5m', '--drain', '5m', '--ready', '10m'];
  const run = startCli(
    ['run', '--workload', join(out, 'all.twin.json'), ...flags, ...patience],
    {},
    folder,
    offline,
  );
  await run.ended;
  if (run.stdout() === '') throw new Error(`no record: ${run.stderr()}`);
  const { summary } = JSON.parse(run.stdout()) as RunRecord;
  expect(summary?.offered.requests).toBe(20);
  expect(summary?.errors.requests).toBe(0);
  expect(summary?.executions).toMatchObject({ failed: 0, unfinished: 0 });
});
