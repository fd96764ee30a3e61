/** The files of a twin replace those of an earlier one, and none of the user's, however n8n has begun it. */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Command } from 'commander';
import { readWorkload } from '../../../../cli/src/catalogue/read';
import { register } from '../../../../cli/src/features/twin/command';
import { writeBlend, writeTwin } from '../../../../cli/src/features/twin/write';
import type { Twin } from '../../../../cli/src/features/twin/analysis/twin';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'twin-write-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const workflow = (id: string) => ({ id, name: 'Order', active: false, nodes: [], connections: {} });
const twin = {
  ...{ name: 'order', workflows: [workflow('a'), workflow('b')], onError: [], rules: [] },
  ...{ model: null, credentials: [], rows: [], notes: [] },
  request: { method: 'POST', path: '/webhook/order', answers: 'when-done', expect: {} },
} as unknown as Twin;
const withErrors = { ...twin, onError: [workflow('c')] } as unknown as Twin;

const write = (made: Twin, force = false, isPrivate = false): string[] =>
  writeTwin({ folder, stem: 'order', force, isPrivate }, made);

test.each([
  ['one workflow', twin],
  ['an error workflow beside it', withErrors],
])('a twin with %s is written again over itself', (_, made) => {
  const names = write(made);
  expect(write(made)).toEqual(names);
});

test('a twin with the values of executions is for nobody else to read', () => {
  const modes = (names: readonly string[]) => names.map((name) => statSync(name).mode & 0o777);
  const names = write(twin);
  expect(new Set(modes(names))).toEqual(new Set([0o666 & ~process.umask()]));
  write(twin, false, true);
  expect(new Set(modes(names))).toEqual(new Set([0o600]));
});

test.each(['json', 'workflow.json', 'called-1.json', 'rules.yaml'])(
  'what the user changed in order.twin.%s stays, and no file of the twin is replaced, but with --force',
  (edited) => {
    const [workload = ''] = write(twin);
    const file = join(folder, `order.twin.${edited}`);
    const written = readFileSync(file, 'utf8');
    const text = written.replace(/\n([^\n]*)\n$/, '\n\n$1\n');
    writeFileSync(file, text);
    const other = { ...twin, name: 'other' };
    expect(() => write(other)).toThrow(
      `${file} already exists, and was edited after n8n-tuned wrote it: move it away, or replace this file with --force.`,
    );
    expect(readFileSync(file, 'utf8')).toBe(text);
    expect(readFileSync(workload, 'utf8')).toContain('twin-order');
    write(twin, true);
    expect(readFileSync(file, 'utf8')).toBe(written);
    expect(write(other)[0]).toBe(workload);
  },
);

test('a blend whose weights the user changed stays, but with --force', () => {
  const blend = (force = false) =>
    writeBlend({ folder, stem: 'all', force }, [{ file: 'order.twin.json', weight: 3 }]);
  const file = blend();
  expect(blend()).toBe(file);
  expect(readWorkload(file).blend).toEqual([{ workload: 'order.twin.json', weight: 3 }]);
  const text = readFileSync(file, 'utf8').replace('"weight": 3', '"weight": 4');
  writeFileSync(file, text);
  expect(() => blend()).toThrow('and was edited after n8n-tuned wrote it');
  expect(readFileSync(file, 'utf8')).toBe(text);
  blend(true);
  expect(readWorkload(file).blend).toEqual([{ workload: 'order.twin.json', weight: 3 }]);
});

const FOREIGN = {
  'a workflow as the editor saves it': '{\n  "name": "My own order",\n  "nodes": []\n}\n',
  'a workflow as the API gives it': '{\n  "id": "mine",\n  "name": "My own order"\n}\n',
  'workflows as n8n exports them': '[\n  {\n    "id": "mine"\n  }\n]\n',
  'rules of my own': 'seed: 7\nrules: []\n',
};
const NAMES = ['workflow.json', 'called-1.json', 'rules.yaml', 'json'];

describe.each(Object.entries(FOREIGN))('%s', (_, text) => {
  test.each(NAMES)('is not replaced by order.twin.%s, but with --force', (name) => {
    const file = join(folder, `order.twin.${name}`);
    writeFileSync(file, text);
    for (const made of [twin, withErrors]) expect(() => write(made)).toThrow('--force');
    expect(readFileSync(file, 'utf8')).toBe(text);
    write(twin, true);
    expect(readFileSync(file, 'utf8')).not.toBe(text);
  });

  test('is not replaced by a blend of twins', () => {
    const file = join(folder, 'all.twin.json');
    writeFileSync(file, text);
    const parts = [{ file: 'order.twin.json', weight: 1 }];
    expect(() => writeBlend({ folder, stem: 'all', force: false }, parts)).toThrow('--force');
    expect(readFileSync(file, 'utf8')).toBe(text);
  });
});

test('a workflow that the key may not read is left out of a blend, with the reason', async () => {
  const nodes = [
    {
      ...{ name: 'Webhook', type: 'n8n-nodes-base.webhook', typeVersion: 2, position: [0, 0] },
      parameters: { httpMethod: 'POST', path: 'order', responseMode: 'lastNode' },
    },
  ];
  const server = createServer(({ url = '' }, reply) => {
    const executions = ['1', '1', '2'].map((workflowId, id) => ({
      id,
      workflowId,
      mode: 'webhook',
    }));
    const answers: [string, number, object][] = [
      ['/api/v1/executions?workflowId', 200, { data: [], nextCursor: null }],
      ['/api/v1/executions', 200, { data: executions, nextCursor: null }],
      ['/api/v1/workflows/1', 403, { message: 'Forbidden' }],
      ['/api/v1/workflows/2', 200, { ...workflow('2'), nodes }],
    ];
    const [, status = 404, body = {}] = answers.find(([path]) => url.startsWith(path)) ?? [];
    reply.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const printed: string[] = [];
  jest.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed.push(String(text));
    return true;
  });
  const before = process.env['N8N_API_KEY'];
  process.env['N8N_API_KEY'] = 'a key';
  try {
    const program = new Command();
    register(program);
    const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
    await program.parseAsync([
      ...['node', 'n8n-tuned', 'twin', '--url', url, '--all', '--into', folder, '--json'],
    ]);
  } finally {
    jest.restoreAllMocks();
    if (before === undefined) delete process.env['N8N_API_KEY'];
    else process.env['N8N_API_KEY'] = before;
    server.closeAllConnections();
    server.close();
  }
  expect(JSON.parse(printed.join(''))).toMatchObject({
    parts: [{ name: 'Order', weight: 1 }],
    left: [{ name: '1', why: expect.stringContaining('with status 403') as string }],
  });
});
