import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { faultsOf } from '../../cli/src/catalogue/faults';
import { readCatalogue, readWorkload } from '../../cli/src/catalogue/read';
import {
  filesOf,
  type Catalogue,
  type VariantName,
  type Workload,
} from '../../cli/src/catalogue/workload';
import { requestsOf, type CatalogueShape } from '../../loadtests/lib/workload';
import { workflowsFolder } from './support/n8n';

const file = join(workflowsFolder, 'catalogue.json');
const catalogue = readCatalogue(file);

test('the catalogue has every workload that is promised', () => {
  expect(catalogue.workloads.map(({ name }) => name)).toEqual([
    'immediate',
    'last-node',
    'wait-5s',
    'memory-hog',
    'memory',
    'cpu',
    'json',
    'hash',
    'disk-read',
    'disk-write',
    'expressions',
    'items',
    'http-calls',
    'binary',
    'many-webhooks',
    'ten-workflows',
    'respond-to-webhook',
    'data-table',
    'async',
    'chain',
    'sub-workflow',
    'side-effect',
    'mixed',
  ]);
});

test('the catalogue names every workflow of the folder', () => {
  const named = catalogue.workloads.flatMap((workload) =>
    Object.values(workload.variants).flatMap((variant) =>
      variant === undefined ? [] : filesOf(workload, variant),
    ),
  );
  const there = readdirSync(workflowsFolder, { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('.json') && path !== 'catalogue.json',
  );
  expect([...named].sort()).toEqual(there.sort());
});

test('the catalogue asks the same of n8n through plain k6, which reads it raw, as through the command', () => {
  const raw = JSON.parse(readFileSync(file, 'utf8')) as CatalogueShape;
  const requests = (source: CatalogueShape): unknown[] =>
    catalogue.workloads
      .filter(({ request, blend }) => request ?? blend)
      .flatMap(({ name, variants }) =>
        [undefined, ...Object.keys(variants)].map((variant) =>
          requestsOf(source, name, { variant }),
        ),
      );
  expect(requests(raw)).toEqual(requests(catalogue));
});

test('the catalogue keeps a parameter where only the path of a variant differs', () => {
  const [request] = requestsOf(catalogue, 'cpu', { variant: 'load-target', parameters: { n: 50 } });
  expect(request).toMatchObject({
    path: '/webhook/load-target-cpu?n=50',
    expect: ['status==200', 'json.achieved.iterations==50'],
  });
});

test.each(['many-webhooks', 'ten-workflows'])(
  'the catalogue sends the copies of %s to ten webhooks',
  (name) => {
    const requests = requestsOf(catalogue, name);
    expect(requests.map(({ path }) => path)).toEqual(
      Array.from({ length: 10 }, (_, index) => `/webhook/load-${name}-${String(index + 1)}`),
    );
    expect(requests[9]?.expect).toContain(`json.webhookUrl~/webhook/load-${name}-10`);
  },
);

test('the catalogue marks what loads n8n by itself, and nothing else', () => {
  const marked = catalogue.workloads.filter(({ mayCrashN8n }) => mayCrashN8n);
  expect(marked.map(({ name }) => name)).toEqual(['memory-hog']);
});

test('the catalogue warns of what makes n8n do as much as the request asks for', () => {
  const warned = catalogue.workloads.filter(({ warning }) => warning !== undefined);
  expect(warned.map(({ name }) => name)).toEqual([
    'memory',
    'cpu',
    'json',
    'disk-read',
    'disk-write',
    'binary',
    'side-effect',
  ]);
});

describe('a fault in it is told in one sentence', () => {
  const withWorkload = (change: (workload: Workload) => Partial<Workload>): Catalogue => ({
    ...catalogue,
    workloads: catalogue.workloads.map((workload) =>
      workload.name === 'cpu' ? { ...workload, ...change(workload) } : workload,
    ),
  });
  const here = (path: string): boolean => path !== 'load-target/cpu.json';

  it.each<[string, (workload: Workload) => Partial<Workload>]>([
    ['there are two workloads with the name last-node', () => ({ name: 'last-node' })],
    [
      'the workload cpu has no request',
      () => ({ request: undefined, response: undefined, parameters: {} }),
    ],
    [
      'the workload cpu has a request without a response, or a response without a request',
      () => ({ response: undefined }),
    ],
    [
      'the workload cpu uses the parameter {n}, which it does not define',
      () => ({ parameters: {} }),
    ],
    [
      'the workload cpu never uses {rounds}',
      ({ parameters }) => ({
        parameters: { ...parameters, rounds: { title: 'Rounds', type: 'integer', default: 1 } },
      }),
    ],
    [
      'the workload cpu has an invalid default for n: check its type and bounds',
      () => ({ parameters: { n: { title: 'n', type: 'integer', default: 1, min: 2 } } }),
    ],
    ['the workload cpu has no workflow', () => ({ variants: {} })],
    [
      "the workload cpu has an invalid request or response: the expectation 'state==200 {n}' is not understood",
      () => ({ response: { expect: ['state==200 {n}'] } }),
    ],
    [
      'the workload cpu is a blend, so it cannot have its own request, response or variants',
      () => ({ blend: [{ workload: 'last-node', weight: 1 }] }),
    ],
    [
      'the workload cpu blends nothing-such, which is not a workload',
      () => ({ blend: [{ workload: 'nothing-such', weight: 1 }] }),
    ],
    [
      'the workload cpu blends memory-hog, which has no request',
      () => ({ blend: [{ workload: 'memory-hog', weight: 1 }] }),
    ],
    [
      'the workload cpu has a latency floor that refers to a parameter that it does not define',
      () => ({ latencyFloorMs: { parameter: 'ms', times: 1 } }),
    ],
  ])('%s', (sentence, change) => {
    const faults = faultsOf(withWorkload(change), () => true).map((fault) =>
      fault.replace(/ 'state==200 \d+' is not understood.*/, " 'state==200 {n}' is not understood"),
    );
    expect(faults).toContain(sentence);
  });

  it('the workload cpu names the workflow load-target/cpu.json, which does not exist', () => {
    expect(faultsOf(catalogue, here)).toEqual([
      'the workload cpu names the workflow load-target/cpu.json, which does not exist',
    ]);
  });
});

describe('reading a file of the user', () => {
  const folder = mkdtempSync(join(tmpdir(), 'workload-file-'));
  const own = join(folder, 'order.yaml');
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  it('takes a workload in YAML', () => {
    writeFileSync(
      own,
      [
        'name: order',
        'title: An order',
        'stresses: Ours.',
        'answers: when-done',
        'request: { method: POST, path: /webhook/order, body: { json: { id: 1 } } }',
        "response: { expect: ['status==200', 'json.ok==true'] }",
      ].join('\n'),
    );
    expect(readWorkload(own)).toMatchObject({ name: 'order', latencyFloorMs: 0, variants: {} });
  });

  it.each([
    ['names: order', `${own}:1: 'names' (did you mean name?) is not known in a workload`],
    ['reply: {}', `${own}:1: 'reply' (now called response) is not known in a workload`],
    [
      "variants: { native: { file: a.json, n8n: '>=1.0.0', reply: {} } }",
      `${own}:1: 'reply' (now called response) is not known under variants.native`,
    ],
    ['{', `${own}:1: `],
  ])('refuses %s and says where', (text, sentence) => {
    writeFileSync(own, text);
    expect(() => readWorkload(own)).toThrow(sentence);
  });

  it('says which file is missing', () => {
    expect(() => readCatalogue(join(folder, 'none.json'))).toThrow(
      `${join(folder, 'none.json')} cannot be read: `,
    );
  });
});

test('the catalogue has a variant for n8n below 1.0 of what the own/main experiment needs', () => {
  const name: VariantName = 'legacy';
  const legacy = catalogue.workloads.filter(({ variants }) => variants[name] !== undefined);
  expect(legacy.map((workload) => workload.name)).toEqual([
    'immediate',
    'last-node',
    'wait-5s',
    'memory-hog',
    'cpu',
    'async',
  ]);
});
