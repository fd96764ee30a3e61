import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  chooseServer,
  isServerFile,
  serverLoad,
  type ServerChoice,
  type ServerLoad,
} from '../../../cli/src/plan/chosen-server';
import { cellsOf, serverOf } from '../../../cli/src/features/sweep/plan/plan-cells';
import { parseSweepPlan } from '../../../cli/src/features/sweep/plan/plan';
import { workloadOf } from '../../../cli/src/features/sweep/measure-cell';

const cellsIn = (text: string) => cellsOf(parseSweepPlan(text, 'plan.yaml'));

const given = { command: 'node server.js', url: 'http://127.0.0.1:3000' };
let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'server-'));
  file = join(folder, 'bare.yaml');
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

test('a file says what the server is, and options override it', () => {
  writeFileSync(file, 'command: node a.js\nurl: http://127.0.0.1:1\nenv: { A: "1", B: "2" }\n');
  expect(isServerFile(file)).toBe(true);
  expect(
    chooseServer({ topology: file, url: given.url, cpu: 500, memory: 256, env: { B: '3' } }),
  ).toEqual({
    ...{ command: 'node a.js', url: given.url, cpuMillicores: 500, memoryMiB: 256 },
    env: { A: '1', B: '3' },
  });
  writeFileSync(file, 'mode: queue\n');
  expect(isServerFile(file)).toBe(false);
});

test.each<[ServerChoice, string]>([
  [{ url: given.url }, "--target server requires --command, such as --command 'node server.js'."],
  [{ command: 'x' }, '--target server requires --url, such as --url http://127.0.0.1:3000.'],
  [{ ...given, url: '127.0.0.1:3000' }, "the server's url is '127.0.0.1:3000'"],
  [
    { ...given, workers: 2 },
    '--workers is an option for n8n, which --target server does not start',
  ],
  [{ ...given, heap: 'auto' }, '--heap is an option for n8n, which --target server does not start'],
  [{ ...given, env: { A_TOKEN: '***' } }, 'a placeholder that records use for secrets'],
])('%j is refused', (choice, sentence) => {
  expect(() => chooseServer(choice)).toThrow(sentence);
});

test('the URL is what is loaded, unless a request or a workload file is given', () => {
  expect(serverLoad(given.url, {})).toEqual({ request: 'GET /' });
  expect(serverLoad(`${given.url}/loop?n=5`, {})).toEqual({ request: 'GET /loop?n=5' });
  expect(serverLoad(given.url, { request: 'POST /x' })).toEqual({ request: 'POST /x' });
  expect(serverLoad(given.url, { workload: 'order.yaml', param: ['a=b'] })).toEqual({
    workload: 'order.yaml',
  });
});

test.each<[string, ServerLoad, string]>([
  [`${given.url}/y`, { request: 'POST /x' }, '--url and --request both contain a path'],
  [`${given.url}/y`, { workload: 'order.yaml' }, '--url and --workload both contain a path'],
  [given.url, { workload: 'cpu' }, '--workload works only with n8n'],
  [given.url, { param: ['n=5'] }, '--param works only with n8n'],
  [given.url, { workload: 'order.yaml', variant: 'native' }, '--variant works only with n8n'],
  [given.url, { workload: 'order.yaml', request: 'GET /' }, 'both select what to load'],
])('%s loaded with %j is refused', (url, load, sentence) => {
  expect(() => serverLoad(url, load)).toThrow(sentence);
});

describe('a cell with a workload file', () => {
  const workflows = join(__dirname, '../../../workflows');
  const order = {
    ...{ name: 'order', title: 'An order', stresses: 'The desk.', answers: 'when-done' },
    request: { method: 'GET', path: '/order', headers: { connection: '{connection}' } },
    parameters: { connection: { title: 'Connection', type: 'string', default: 'close' } },
    response: { expect: ['status==200'], ranAt: 'header.x-ran-by' },
  };
  const cell = { command: 'x', url: given.url, workload: 'order.json', 'param.connection': 'a' };
  const chosen = (workload: object) => {
    writeFileSync(join(folder, 'order.json'), JSON.stringify(workload));
    return workloadOf(cell, { workflows, planFolder: folder });
  };

  test('is loaded with what the file says, found beside the plan', () => {
    expect(
      cellsIn(`measure: { profile: closed, clients: 2 }\ncells: [${JSON.stringify(cell)}]\n`),
    ).toEqual({
      possible: [cell],
      skipped: [],
    });
    expect(chosen(order).requests).toMatchObject([
      { path: '/order', headers: { connection: 'a' }, ranAt: 'header.x-ran-by' },
    ]);
  });

  test('is refused where the file brings a workflow for n8n', () => {
    const variants = { native: { file: 'order-flow.json', n8n: '>=1.0.0' } };
    expect(() => chosen({ ...order, variants })).toThrow('has workflows for n8n');
  });
});

test('a plan has servers as cells', () => {
  const { possible, skipped } = cellsIn(`
measure: { profile: closed, clients: 2 }
fixed: { url: 'http://127.0.0.1:3000', env.PORT: 3000, memoryMiB: 256 }
dimensions:
  command: [node a.js, node b.js]
  request: ['GET /?n=50', 'GET /?n=500']
`);
  expect(skipped).toEqual([]);
  expect(possible).toHaveLength(4);
  expect(serverOf(possible[0] ?? {})).toEqual({
    ...{ command: 'node a.js', url: given.url, memoryMiB: 256, env: { PORT: '3000' } },
  });
});

test.each([
  ['{ command: x }', 'the plan does not set the url of the server: add url: http://127.0.0.1:3000'],
  ['{ command: x, url: "http://h", mode: queue }', 'mode works only with n8n'],
  ['{ command: x, url: "http://h", param.n: 5 }', 'param.n works only with n8n'],
  ['{ command: x, url: "http://h/a", request: GET /b }', '--url and --request both contain a path'],
  ['{ command: x, url: "http://h", workload: cpu }', 'workload works only with n8n'],
  [
    '{ request: GET /b }',
    'request works only with a server, but the cell has no command that starts one',
  ],
])('the cell %s is left out, with the reason', (cell, reason) => {
  const { skipped } = cellsIn(`measure: { profile: closed, clients: 2 }\ncells: [${cell}]\n`);
  expect(skipped.map((one) => one.reason).join()).toContain(reason);
});
