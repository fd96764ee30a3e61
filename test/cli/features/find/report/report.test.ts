import { findCharts } from '../../../../../cli/src/features/find/report/charts';
import { findFigures, probeTerms } from '../../../../../cli/src/features/find/report/figures';
import { TONES } from '../../../../../cli/src/report/tone';
import { sampleSearch } from '../../../../support/sample-find';
import { findDocument } from '../../../../../cli/src/features/find/report/document';
import { renderHtml } from '../../../../../cli/src/report/page/html';
import { renderMarkdown } from '../../../../../cli/src/report/text/markdown';

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

test('a probe that decides nothing never has the colour of one that was sustained', () => {
  const probes = search.probes.map((probe) =>
    probe.kind === 'confirm' ? { ...probe, result: 'inconclusive' as const } : probe,
  );
  for (const chart of findCharts({ ...search, probes })) {
    if (chart.kind !== 'line') throw new Error('it is no line');
    const colours = chart.series.map(({ colour }) => colour);
    expect(new Set(colours).size).toBe(colours.length);
  }
  const tones = Object.values(TONES);
  expect(new Set(tones.map(({ series }) => series)).size).toBe(tones.length);
});

test('the words of the table of probes are explained, those that are in it', () => {
  expect(probeTerms(search).map(({ name }) => name)).toEqual([
    ...['ladder', 'growth', 'narrow', 'confirm', 'in flight, seen / expected'],
  ]);
  const [, growth] = search.probes;
  if (growth === undefined) throw new Error('there is no probe');
  const one = { ...search, probes: [{ ...growth, littlesLaw: null }] };
  expect(probeTerms(one).map(({ name }) => name)).toEqual(['growth']);
  expect(renderHtml(findDocument(search))).toContain(
    '<strong>ladder</strong>: clients instead of a rate',
  );
  expect(renderMarkdown(findDocument(search))).toContain('- ladder: clients instead of a rate');
});

test.each([
  ['found', 'of the capacity'],
  ['inconclusive', 'of the lower end of the interval'],
] as const)('what to plan with is a share, when it is %s, %s', (verdict, ofWhat) => {
  const figures = findFigures({ ...search, verdict });
  expect(figures.find(({ name }) => name === 'Plan with')?.value).toContain(ofWhat);
});
