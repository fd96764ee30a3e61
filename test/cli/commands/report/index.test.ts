import fc from 'fast-check';
import { renderIndexHtml, type IndexEntry } from '../../../../cli/src/commands/report/index/html';
import {
  rowOfComparison,
  rowOfDrill,
  rowOfRun,
  rowOfFind,
} from '../../../../cli/src/commands/report/index/row';
import { sparkline } from '../../../../cli/src/commands/report/index/html';
import { sampleComparison } from '../../../support/sample-compare';
import { sampleDrill } from '../../../support/sample-drill';
import { sampleSearch } from '../../../support/sample-find';
import { sampleRun } from '../../../support/sample-run';

const { record: drill, ...parts } = sampleDrill();
const entries: IndexEntry[] = [
  { ...rowOfRun(sampleRun()), href: 'a/report.html' },
  { ...rowOfFind(sampleSearch()), href: 'b/report.html' },
  { ...rowOfComparison(sampleComparison()), href: 'c/report.html' },
  { ...rowOfDrill(drill, parts), href: 'd/report.html' },
];

test('a row says of each kind what its own report says first', () => {
  expect(entries.map(({ kind, word, tone }) => [kind, word, tone])).toEqual([
    ['run', 'NOT SUSTAINED', 'bad'],
    ['search', 'FOUND', 'good'],
    ['comparison', 'BETTER', 'good'],
    ['drill', 'FAIL', 'bad'],
  ]);
  expect(entries.map(({ ratePerSecond }) => ratePerSecond)).toEqual([38.4, 40, null, null]);
  const [run, search, comparison, ofDrill] = entries;
  expect(run).toMatchObject({ p95Ms: 152, errorShare: 0.04, limitedBy: 'worker slots' });
  expect(search?.course.values).toEqual([null, 20, 60, 40]);
  expect(comparison?.course.values[0]).toBe(2.5);
  // Each request is counted in one window.
  const counted = ofDrill?.course.values.reduce<number>((sum, value) => sum + (value ?? 0), 0);
  expect(counted).toBe(drill.ledger.sent - drill.ledger.classes.once.requests);
});

test('the newest is first, each with a link to its report, and nothing is asked of the outside', () => {
  const html = renderIndexHtml('Results', entries);
  const links = [...html.matchAll(/<a href="([^"]+)">/g)].map(([, href]) => href);
  expect(links).toEqual(['d/report.html', 'b/report.html', 'c/report.html', 'a/report.html']);
  expect(html).not.toMatch(/(src|href)="https?:/);
  expect(html).toContain('4 results: 2 good, 2 bad, 0 undecided');
});

test('what records say is shown as text', () => {
  const [row] = entries;
  if (row === undefined) throw new Error('there is a row');
  const evil = '"><img src=x onerror=alert(1)>';
  const html = renderIndexHtml(evil, [
    { ...row, sentence: evil, workload: evil, limitedBy: evil, href: evil },
  ]);
  expect(html).not.toContain('<img');
});

test('a sparkline stays in its frame, whatever the values', () => {
  const value = fc.option(
    fc.oneof(fc.double({ min: -1e9, max: 1e9, noNaN: true }), fc.constant(Infinity)),
  );
  fc.assert(
    fc.property(fc.array(value, { maxLength: 400 }), (values) => {
      const svg = sparkline({ label: 'a & b', values });
      const known = values.filter((one) => one !== null && Number.isFinite(one));
      expect(svg === '').toBe(known.length < 2);
      const d = / d="([^"]*)"/.exec(svg)?.[1] ?? '';
      const places = d.split(/[ML]/).filter((point) => point !== '');
      for (const place of places) {
        const [x = -1, y = -1] = place.split(' ').map(Number);
        expect(x >= 0 && x <= 120 && y >= 0 && y <= 28).toBe(true);
      }
      expect(places.length).toBeLessThanOrEqual(120);
    }),
  );
});
