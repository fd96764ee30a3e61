import {
  isOf,
  latencyText,
  recordingOf,
  type Execution,
} from '../../../../../cli/src/features/twin/analysis/recorded';
import { shapeOf } from '../../../../../cli/src/features/twin/analysis/recorded';
import type { ExportedWorkflow } from '../../../../../cli/src/catalogue/exported-workflow';

const items = (...json: unknown[]) => ({ main: [json.map((each) => ({ json: each }))] });
const EXECUTION: Execution = {
  data: {
    resultData: {
      runData: {
        Rows: [{ executionTime: 2, data: items({ id: 1 }, { id: 2 }) }],
        Call: [{ executionTime: 300, data: items({ name: 'Ada' }, { name: 'Bob' }) }],
        Search: [{ executionTime: 90, data: items({ a: 1 }, { a: 2 }, { a: 3 }) }],
        Loop: [10, 20, 30, 40, 50].map((executionTime) => ({
          executionTime,
          data: items({ ok: true }),
        })),
      },
    },
  },
};
const to = (...nodes: string[]) => ({
  main: [nodes.map((node) => ({ node, type: 'main', index: 0 }))],
});
const WORKFLOW: ExportedWorkflow = {
  ...{ id: 'w', nodes: ['Rows', 'Call', 'Search', 'Loop'].map((name) => ({ name, type: 'a.b' })) },
  connections: { Rows: to('Call', 'Loop') },
};
const { nodes: recorded } = recordingOf(WORKFLOW, [EXECUTION], true);

test('a node that was given two items made two calls at the same time, each with half of the items', () => {
  expect(recorded.get('Call')).toEqual({ callsMs: [300], items: [{ name: 'Ada' }], perRun: 2 });
});

test('a node that no other leads to made one call, which returned all', () => {
  expect(recorded.get('Search')).toEqual({
    ...{ callsMs: [90], items: [{ a: 1 }, { a: 2 }, { a: 3 }], perRun: 1 },
  });
});

test('each run of a loop is a call with its own time', () => {
  expect(recorded.get('Loop')?.callsMs).toEqual([10, 20, 30, 40, 50]);
  expect(latencyText([10, 20, 30, 40, 50])).toEqual({
    quantiles: { p50: '30ms', p90: '50ms', p95: '50ms', p99: '50ms' },
  });
  expect(latencyText([150])).toBe('150ms');
});

test('of several executions the times are those of all, and the items those of the newest', () => {
  const older: Execution = {
    data: {
      resultData: {
        runData: { Search: [{ executionTime: 70, data: items({ a: 9 }) }] },
        lastNodeExecuted: 'Search',
      },
    },
  };
  const newest = {
    ...EXECUTION,
    data: { resultData: { ...EXECUTION.data.resultData, lastNodeExecuted: 'Call' } },
  };
  const { nodes, last } = recordingOf(WORKFLOW, [newest, older], true);
  expect(nodes.get('Search')).toEqual({
    ...{ callsMs: [90, 70], items: [{ a: 1 }, { a: 2 }, { a: 3 }], perRun: 1 },
  });
  expect(last).toBe('Call');
});

test('a language model was as long as the answers that it gave, in the median', () => {
  const model = (completionTokens: number) => ({
    executionTime: 900,
    data: { ai_languageModel: [[{ json: { tokenUsage: { completionTokens } } }]] },
  });
  const execution = { data: { resultData: { runData: { Model: [40, 60, 500].map(model) } } } };
  expect(recordingOf(WORKFLOW, [execution], false).nodes.get('Model')).toMatchObject({
    ...{ tokens: 60, callsMs: [900, 900, 900] },
  });
});

test('an execution belongs to the workflow whose id it has, or one of whose nodes ran in it', () => {
  const ofAnother = { ...EXECUTION, workflowId: 'other', data: { resultData: { runData: {} } } };
  expect(
    [EXECUTION, { ...ofAnother, workflowId: 'w' }, ofAnother].map((each) => isOf(each, WORKFLOW)),
  ).toEqual([...[true, true, false]]);
});

test('of recorded values only the shapes and sizes stay', () => {
  const value = { name: 'Ada Example', age: 36, at: [1.25, true, null], of: { mail: 'ada@b.c' } };
  expect(shapeOf(value)).toEqual({
    ...{ name: 'xxxxxxxxxxx', age: 10, at: [1.5, true, null], of: { mail: 'xxx@x.x' } },
  });
  const { nodes } = recordingOf(WORKFLOW, [EXECUTION], false);
  expect(JSON.stringify([...nodes])).not.toContain('Ada');
});

test.each([
  ['1985-12-10', '2026-01-01'],
  ['1985-12-10T08:15:30.123Z', '2026-01-01T00:00:00.000Z'],
  ['1985-12-10T08:15:30+02:00', '2026-01-01T00:00:00+02:00'],
  ['-4711.50', '-1111.11'],
  ['https://shop.example/a/7?of=Ada', 'https://xxxx.xxxxxxx/x/1?xx=xxx'],
  ['{"name": "Ada", "lines": [1985]}', '{"name":"xxx","lines":[1000]}'],
  ['["Ada"]', '["xxx"]'],
  ['{Ada}', 'xxxxx'],
])('%s keeps its form as %s, which a workflow can take apart', (text, form) => {
  expect(shapeOf(text)).toBe(form);
});

test('a key that is a value is masked too', () => {
  expect(shapeOf({ 'ada@example.com': 1, '4711000': 2, name: 'a' })).toEqual({
    key1: 1,
    key2: 1,
    name: 'x',
  });
});

test.each([
  ['12 kB', 12_000],
  ['1.5 MB', 1_500_000],
  ['', 0],
])(
  'a file of %s is known by its kind and its size, and not by its name or content',
  (fileSize, bytes) => {
    const binary = { data: { mimeType: 'text/csv', fileName: 'Ada.csv', fileSize, data: 'YWRh' } };
    const data = { main: [[{ json: {}, binary }]] };
    const execution = {
      data: { resultData: { runData: { Search: [{ executionTime: 1, data }] } } },
    };
    expect(recordingOf(WORKFLOW, [execution], false).nodes.get('Search')?.files).toEqual([
      { key: 'data', type: 'text/csv', name: 'xxx.csv', bytes: bytes === 0 ? 3 : bytes },
    ]);
  },
);
