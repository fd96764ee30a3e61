import {
  latencyText,
  recordedNodes,
  shapeOf,
  type Execution,
} from '../../../../../cli/src/features/twin/analysis/recorded';

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
const sources: Record<string, string[]> = { Call: ['Rows'], Loop: ['Rows'] };
const recorded = recordedNodes(EXECUTION, (node) => sources[node] ?? [], true);

test('a node that was given two items made two calls, each with half of the time and of the items', () => {
  expect(recorded.get('Call')).toEqual({ callsMs: [150], items: [{ name: 'Ada' }] });
});

test('a node that no other leads to made one call, which returned all', () => {
  expect(recorded.get('Search')).toEqual({ callsMs: [90], items: [{ a: 1 }, { a: 2 }, { a: 3 }] });
});

test('each run of a loop is a call with its own time', () => {
  expect(recorded.get('Loop')?.callsMs).toEqual([10, 20, 30, 40, 50]);
  expect(latencyText([10, 20, 30, 40, 50])).toEqual({
    quantiles: { p50: '30ms', p90: '50ms', p95: '50ms', p99: '50ms' },
  });
  expect(latencyText([150])).toBe('150ms');
});

test('of recorded values only the shapes and sizes stay', () => {
  const value = { name: 'Ada Example', age: 36, at: [1.25, true, null], of: { mail: 'a@b.c' } };
  expect(shapeOf(value)).toEqual({
    ...{ name: 'xxxxxxxxxxx', age: 10, at: [1.5, true, null], of: { mail: 'xxxxx' } },
  });
  const masked = recordedNodes(EXECUTION, (node) => sources[node] ?? [], false);
  expect(JSON.stringify([...masked])).not.toContain('Ada');
});
