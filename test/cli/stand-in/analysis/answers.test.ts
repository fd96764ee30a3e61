import {
  compiled,
  faultOf,
  type TemplateInput,
} from '../../../../cli/src/stand-in/analysis/template';
import { seededRandom } from '../../../../loadtests/lib/random';
import { latencies } from '../../../../cli/src/stand-in/analysis/latency';
import type { Latency } from '../../../../cli/src/stand-in/plan';

const asked: TemplateInput = {
  ...{ path: { id: '42' }, query: { page: '3' }, header: { 'x-load-id': 'run-1' }, n: 7 },
  body: () => ({ order: { id: 'A-1', lines: [1, 2] } }),
  random: seededRandom(1),
};
const filled = (template: unknown): unknown => compiled(template)(asked);

test('parts of the request stand in texts', () => {
  expect(filled('{{path.id}}/{{query.page}}/{{header.X-Load-Id}}/{{body.order.id}}/{{n}}')).toBe(
    '42/3/run-1/A-1/7',
  );
  expect(filled('{{ query.nothing }}!')).toBe('!');
});

test('a placeholder alone keeps the type of what stands there', () => {
  expect(filled({ lines: '{{body.order.lines}}', n: '{{n}}', none: '{{body.x.y}}' })).toEqual({
    ...{ lines: [1, 2], n: 7, none: null },
  });
});

test('lists and texts have the size that was asked for', () => {
  expect(filled({ $repeat: 3, $of: { id: '{{i}}', of: '{{path.id}}' } })).toEqual([
    { id: 1, of: '42' },
    { id: 2, of: '42' },
    { id: 3, of: '42' },
  ]);
  expect(filled({ $text: 1000 })).toHaveLength(1000);
});

test('ids are random, and repeat with the seed', () => {
  const ids = (): unknown =>
    compiled(['{{uuid}}', '{{uuid}}'])({ ...asked, random: seededRandom(9) });
  const [one, other] = ids() as string[];
  expect(one).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(other).not.toBe(one);
  expect(ids()).toEqual([one, other]);
});

test.each([
  [{ a: '{{order.id}}' }, '{{order.id}} is not a placeholder'],
  [{ $repeat: 3 }, '$of'],
  [[{ $repeat: -1, $of: 1 }], '$repeat is a whole number'],
  [{ $text: '2Ki' }, '$text is a whole number of bytes'],
])('what is wrong with %j is said', (template, words) => {
  expect(faultOf(template)).toContain(words);
});

test('a template without a fault has none', () => {
  expect(faultOf({ a: ['{{body.a.b}}', null, 1, { $repeat: 2, $of: '{{i}}' }] })).toBeNull();
});

const drawn = (latency: Latency, count = 20_000, seed = 1): number[] => {
  const draw = latencies(latency, seededRandom(seed));
  return Array.from({ length: count }, draw).sort((one, other) => one - other);
};
const at = (values: readonly number[], share: number): number =>
  values[Math.floor(share * values.length)] ?? NaN;

test('a lognormal latency has the percentiles that were asked for', () => {
  const values = drawn({ kind: 'lognormal', p50Ms: 120, p95Ms: 900 });
  expect(at(values, 0.5) / 120).toBeCloseTo(1, 1);
  expect(at(values, 0.95) / 900).toBeCloseTo(1, 1);
});

test('quantiles are met, and nothing lies beyond the last', () => {
  const points = [
    { share: 0.5, ms: 100 },
    { share: 0.95, ms: 400 },
    { share: 0.99, ms: 2000 },
  ];
  const values = drawn({ kind: 'quantiles', points });
  for (const { share, ms } of points) expect(at(values, share - 0.005) / ms).toBeCloseTo(1, 0);
  expect([values[0], values.at(-1)]).toEqual([100, 2000]);
});

test('the same seed gives the same latencies, and another one others', () => {
  const latency: Latency = { kind: 'lognormal', p50Ms: 10, p95Ms: 20 };
  expect(drawn(latency, 50, 3)).toEqual(drawn(latency, 50, 3));
  expect(drawn(latency, 50, 4)).not.toEqual(drawn(latency, 50, 3));
});
