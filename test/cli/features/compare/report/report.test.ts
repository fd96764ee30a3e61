import { compareDocument } from '../../../../../cli/src/features/compare/report/document';
import {
  compareFigures,
  firstFigures,
  howSure,
  sidesRanOn,
} from '../../../../../cli/src/features/compare/report/figures';
import { NOTHING_SEEN } from '../../../../../cli/src/features/compare/report/seen';
import { topologySchema } from '../../../../../cli/src/plan/topology';
import { sampleComparison } from '../../../../support/sample-compare';

const comparison = sampleComparison();
type Comparison = typeof comparison;

const valueOf = (name: string, record: Comparison = comparison): string | undefined =>
  compareFigures(record).find((figure) => figure.name === name)?.value;

const withSide = (record: Comparison, letter: 'a' | 'b', more: Partial<Comparison['a']>) => ({
  ...record,
  [letter]: { ...record[letter], ...more },
});

test('the first picture of a comparison is the ratio, or both sides where nothing says how much it varies', () => {
  const idsOf = (record: Comparison): string[] =>
    compareDocument(record).pictures.map(({ id }) => id);
  expect(idsOf(comparison)).toEqual(['ratios', 'sides']);
  const one = withSide(withSide(comparison, 'a', { values: [40] }), 'b', { values: [80] });
  expect(idsOf({ ...one, command: [] })).toEqual(['sides']);
});

test('a comparison gives its ratio at equal price too, with what a request costs each side', () => {
  const text =
    '1.02 times as good (0.99 to 1.05), if requests took the same CPU time on both sides; a request took 24 ms in A and 9.8 ms in B';
  expect(valueOf('At equal price')).toBe(text);
  expect(firstFigures(comparison, NOTHING_SEEN)).toContainEqual({
    ...{ name: 'At equal price', value: text },
  });
  const { equalPrice: seen, ...unseen } = comparison;
  expect(seen).toBeDefined();
  expect(valueOf('At equal price', unseen)).toBeUndefined();
});

test('a comparison says in which versions and patches its sides differ, and nothing where they do not', () => {
  expect(valueOf('The sides differ')).toMatch(/^only B loads \S.*warm-expressions/);
  const older = withSide(comparison, 'a', { versions: { n8n: '2.40.0' } });
  expect(valueOf('The sides differ', older)).toMatch(
    /^n8n 2\.40\.0 in A and 2\.41\.1 in B; only B/,
  );
  const alike = withSide(comparison, 'b', { topology: comparison.a.topology });
  expect(valueOf('The sides differ', alike)).toBeUndefined();
  const url = { topology: null, versions: { n8n: '2.41.1' } };
  expect(valueOf('The sides differ', withSide(withSide(comparison, 'a', url), 'b', url))).toBe(
    undefined,
  );
});

test('a side whose n8n is unknown is not taken for the n8n of the other side', () => {
  const unknown = withSide(comparison, 'a', { topology: null, versions: { kubernetes: '1.34.0' } });
  expect(valueOf('The sides differ', unknown)).toMatch(
    /^n8n of an unknown version in A and 2\.41\.1 in B/,
  );
  expect(sidesRanOn(unknown)).toMatch(/^A: n8n of an unknown version; B: n8n 2\.41\.1, regular/);
});

test('where n8n showed its patches on both sides, a comparison goes by what is in force and not by what is loaded', () => {
  const known = { main: { 'read-once': 'known' as const, 'zone-once': 'known' as const } };
  const unknown = { main: { 'read-once': 'unknown' as const, 'zone-once': 'waiting' as const } };
  const both = withSide(withSide(comparison, 'a', { patches: known }), 'b', { patches: unknown });
  expect(valueOf('The sides differ', both)).toBe('active only in A: read-once, zone-once');
});

test('a comparison says at its top what each side ran on, once where both ran on the same', () => {
  expect(sidesRanOn(comparison)).toBe(
    "A: n8n 2.41.1, regular mode, n8n's default settings; B: n8n 2.41.1, regular mode, tuning throughput, 5 patches loaded; 2 cores of Test CPU with 23.4 GiB",
  );
  const patches = { main: { 'read-once': 'known' as const, 'zone-once': 'off' as const } };
  expect(sidesRanOn(withSide(comparison, 'b', { patches }))).toContain(
    'B: n8n 2.41.1, regular mode, tuning throughput, 1 of 2 patches in force;',
  );
  const url = { topology: null, versions: { n8n: '2.41.1' }, patches };
  expect(sidesRanOn(withSide(withSide(comparison, 'a', url), 'b', url))).toBe(
    'n8n 2.41.1, 1 of 2 patches in force; 2 cores of Test CPU with 23.4 GiB',
  );
  const topology = topologySchema.parse({ tuning: 'none' });
  expect(sidesRanOn(withSide(comparison, 'b', { topology }))).toBe(
    "n8n 2.41.1, regular mode, n8n's default settings; 2 cores of Test CPU with 23.4 GiB",
  );
});

test('a side with variables of its own is not shown as n8n with its default settings', () => {
  const topology = topologySchema.parse({
    ...{ tuning: 'none', mode: 'queue', env: { N8N_EXPRESSION_ENGINE_POOL_SIZE: '5' } },
    ...{ main: { env: { A: '1' } }, workers: { env: { A: '2', B: '1' } } },
  });
  expect(sidesRanOn(withSide(comparison, 'b', { topology }))).toContain(
    "B: n8n 2.41.1, queue mode, 1 worker, n8n's default settings plus 3 variables;",
  );
});

const early = (pairs: number): string =>
  `4 of at most ${String(pairs)} pairs in 240 s, measured alternately (ABBA)`;
test.each([
  [{}, `${early(10)}: stopped early, because the interval of the ratio excludes 1.`],
  [
    { maxPairs: 4 },
    '4 pairs in 240 s, measured alternately (ABBA): decided, because the interval of the ratio excludes 1.',
  ],
  [
    { maxPairs: 4, isDuet: true as const, answer: 'unknown' as const },
    '4 pairs in 240 s, both sides loaded at the same time: not decided.',
  ],
  [
    { answer: 'unknown' as const, endedBy: 'time' as const },
    `${early(10)}: not decided, and stopped early, because the time was used up.`,
  ],
  [{ answer: 'unknown' as const, endedBy: 'interruption' as const }, `${early(10)}: not decided.`],
  [{ command: [] }, 'There is one record per side, which does not show how much results vary.'],
])('a comparison says how it was measured, and whether that decides it: %j', (more, text) => {
  expect(howSure({ ...comparison, ...more })).toBe(text);
});
