import { findCharts } from '../../../../../cli/src/features/find/report/charts';
import { findFigures, probeTerms } from '../../../../../cli/src/features/find/report/figures';
import { renderFindHtml } from '../../../../../cli/src/features/find/report/html';
import { renderFindMarkdown } from '../../../../../cli/src/features/find/report/markdown';
import { sampleSearch } from '../../../../support/sample-find';

const search = sampleSearch();

const seriesOf = (id: string, record = search): Record<string, unknown> => {
  const chart = findCharts(record).find((one) => one.id === id);
  if (chart?.kind !== 'line') throw new Error(`there is no ${id}`);
  return Object.fromEntries(chart.series.map(({ label, points }) => [label, points]));
};

test('every probe has a dot where the search closes in, also those that have clients and no rate', () => {
  expect(seriesOf('search')).toEqual({
    sustained: [
      [2, 20],
      [4, 40],
    ],
    'not sustained': [[3, 60]],
    'ladder (achieved rate)': [[1, 45]],
  });
  const { probes } = search;
  const older = { ...search, probes: probes.filter(({ kind }) => kind !== 'ladder') };
  expect(Object.keys(seriesOf('search', older))).toEqual(['sustained', 'not sustained']);
});

test('an inconclusive probe is in all plots', () => {
  const probes = search.probes.map((probe) =>
    probe.kind === 'confirm' ? { ...probe, result: 'inconclusive' as const } : probe,
  );
  const record = { ...search, probes };
  expect(seriesOf('achieved', record)).toMatchObject({ inconclusive: [[40, 40]] });
  expect(seriesOf('latency', record)).toMatchObject({ inconclusive: [[40, 120]] });
  expect(seriesOf('search', record)).toMatchObject({ inconclusive: [[4, 40]] });
});

test('the words of the table of probes are explained, those that are in it', () => {
  expect(probeTerms(search).map(({ name }) => name)).toEqual([
    ...['ladder', 'growth', 'narrow', 'confirm', 'in flight, seen / expected'],
  ]);
  const [, growth] = search.probes;
  if (growth === undefined) throw new Error('there is no probe');
  const one = { ...search, probes: [{ ...growth, littlesLaw: null }] };
  expect(probeTerms(one).map(({ name }) => name)).toEqual(['growth']);
  expect(renderFindHtml(search)).toContain('<strong>ladder</strong>: clients instead of a rate');
  expect(renderFindMarkdown(search)).toContain('- ladder: clients instead of a rate');
});

test.each([
  ['found', 'of the capacity'],
  ['inconclusive', 'of the lower end of the interval'],
] as const)('what to plan with is a share, when it is %s, %s', (verdict, ofWhat) => {
  const figures = findFigures({ ...search, verdict });
  expect(figures.find(({ name }) => name === 'Plan with')?.value).toContain(ofWhat);
});
