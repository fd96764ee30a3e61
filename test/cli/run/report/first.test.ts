// What a manager reads first: verdict, what it takes, what to change and one picture; then the engineer's part.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { costOfRun } from '../../../../cli/src/analysis/cost';
import { comparedRuns } from '../../../../cli/src/features/compare/seen';
import { RunFolder } from '../../../../cli/src/record/folder';
import { compareCharts } from '../../../../cli/src/features/compare/report/charts';
import { NOTHING_SEEN, SLOWER_SHARES } from '../../../../cli/src/features/compare/report/seen';
import { sampleComparedRuns, sampleComparison } from '../../../support/sample-compare';
import { sampleDrill } from '../../../support/sample-drill';
import { sampleSearch } from '../../../support/sample-find';
import { samplePrediction } from '../../../support/sample-predict';
import { sampleRequests, sampleRun } from '../../../support/sample-run';
import { sampleCells, sampleSweep } from '../../../support/sample-sweep';
import { compareDocument } from '../../../../cli/src/features/compare/report/document';
import { drillDocument } from '../../../../cli/src/features/drill/report/document';
import { findDocument } from '../../../../cli/src/features/find/report/document';
import { renderHtml } from '../../../../cli/src/report/page/html';
import { predictDocument } from '../../../../cli/src/features/predict/report/document';
import { runDocument, firstFigures } from '../../../../cli/src/run/report/document';
import { sweepDocument } from '../../../../cli/src/features/sweep/report/document';
import { renderMarkdown } from '../../../../cli/src/report/text/markdown';
import { renderTerminal } from '../../../../cli/src/report/text/terminal';

const comparison = sampleComparison();
const { record: drill, ...drillParts } = sampleDrill();
const run = sampleRun();
const sweep = sampleSweep('workers: [1, 2, 4]');
const matrix = sampleSweep('tuning: [none, default], workers: [1, 2, 4]');

test.each([
  ['run', renderHtml(runDocument(run)), 'latency'],
  [
    'comparison',
    renderHtml(compareDocument(comparison, sampleComparedRuns())),
    ...['ratios', 'sides'],
  ],
  ['drill', renderHtml(drillDocument(drill, drillParts)), 'ledger'],
  ['search', renderHtml(findDocument(sampleSearch())), 'latency', 'speed'],
  [
    'sweep over one dimension',
    renderHtml(sweepDocument(sweep, sampleCells(sweep))),
    'capacityPerSecond',
  ],
  ['sweep over several', renderHtml(sweepDocument(matrix, sampleCells(matrix))), 'cells'],
  ['prediction', renderHtml(predictDocument(samplePrediction())), 'prediction'],
])(
  'a report of a %s shows what it ran on, verdict, picture, figures, then all the rest',
  (_kind, html, ...pictures) => {
    const places = [
      'Test CPU',
      'class="verdict',
      ...pictures.map((picture) => `<figure id="${picture}"`),
      'class="summary"',
      '<h2>How sure is this?</h2>',
      '<h2>Every figure</h2>',
      'Exactly what was ',
    ].map((text) => html.indexOf(text));
    expect(places.every((place) => place > 0)).toBe(true);
    expect([...places].sort((a, b) => a - b)).toEqual(places);
    // No picture is shown again, and no other stands before the rest.
    const figures = [...html.matchAll(/<figure id="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(figures).size).toBe(figures.length);
    expect(html.slice(0, html.indexOf('Every figure')).match(/<figure/g)).toHaveLength(
      pictures.length,
    );
  },
);

describe('a run', () => {
  const valueOf = (name: string, record = run.record): string | undefined =>
    firstFigures(record).find((figure) => figure.name === name)?.value;

  test('says of each SLO whether it is met, what is left, what it takes and what to change', () => {
    expect(valueOf('p95<300ms')).toBe('met: p95 152 ms, limit 300 ms');
    expect(valueOf('errors<1%')).toBe('missed: errors 4%, limit 1%');
    expect(valueOf('Nearest limit')).toBe('worker slots: 100% in use, used up');
    expect(valueOf('Uses')).toBe('1.4 cores and 1.24 GiB at 38.4/s');
    expect(valueOf('For more')).toBe('raise the concurrency of the workers, or add a worker');
  });

  test('has a price only where prices were given', () => {
    expect(valueOf('A million requests')).toMatch(/^[\d.]+ core-hours, [\d.]+ GiB-hours$/);
    const priced = { ...run.record, prices: { cpu: 1, memory: 0 } };
    // 1.4 cores for as long as a million requests take at 38.4 per second.
    const coreHours = (1.4 * 1e6) / 38.4 / 3600;
    const price = Number(/; cost ([\d.]+)$/.exec(valueOf('A million requests', priced) ?? '')?.[1]);
    expect(price).toBeCloseTo(coreHours, 0);
  });

  test.each(['invalid', 'aborted'] as const)('that is %s says nothing of its SLOs', (outcome) => {
    const record = { ...run.record, verdict: { ...run.record.verdict, outcome } };
    expect(valueOf('p95<300ms', record)).toBeUndefined();
    expect(valueOf('Expected responses', record)).toContain('38.4/s of 40/s');
  });

  test('of an n8n that nobody could look into shows what callers saw', () => {
    const { verdict, summary } = run.record;
    const record = {
      ...run.record,
      topology: null,
      summary: { ...summary, roles: [] },
      verdict: { ...verdict, limitedBy: { limit: null, evidence: '' } },
    };
    expect(firstFigures(record).map(({ name }) => name)).toEqual([
      ...['Expected responses', 'p95<300ms', 'errors<1%'],
    ]);
  });
});

describe('a comparison', () => {
  test('draws both distributions: of its values, and of the requests of its runs', () => {
    const charts = compareCharts(comparison, sampleComparedRuns());
    expect(charts.map(({ id }) => id)).toEqual(['sides', 'spread', 'slower', 'pairs', 'ratios']);
    const [sides, spread, slower] = charts;
    if (sides?.kind !== 'bar' || spread?.kind !== 'line' || slower?.kind !== 'line') {
      throw new Error('the kinds of charts differ');
    }
    expect(sides.bars).toEqual([
      { label: 'A, none', value: 40, low: 39, high: 41 },
      { label: 'B, tuned', value: 99.5, low: 97, high: 104 },
    ]);
    // 39 in one of four runs, at most 40 in three.
    expect(spread.series[0]?.points.slice(1, -1)).toEqual([
      ...[
        [39, 25],
        [40, 50],
        [40, 75],
        [41, 100],
      ],
    ]);
    expect(slower.series.map(({ label }) => label)).toEqual(['A, none', 'B, tuned']);
    // The middle of its three runs.
    expect(slower.series[0]?.points.at(-1)?.[0]).toBeCloseTo(50 + 3 * 310, 6);
  });

  test('without its runs shows what it has', () => {
    const charts = compareCharts(comparison, NOTHING_SEEN).map(({ id }) => id);
    expect(charts).toEqual(['sides', 'spread', 'pairs', 'ratios']);
  });

  describe('whose runs are there', () => {
    const root = mkdtempSync(join(tmpdir(), 'compared-'));
    afterAll(() => {
      rmSync(root, { recursive: true, force: true });
    });

    test('reads them again, but for those that do not count', async () => {
      const folder = new RunFolder(join(root, 'runs'), run.record);
      for (const request of sampleRequests()) folder.request(request);
      await folder.closeTables([]);
      folder.complete(run.record);
      const inside = join('runs', run.record.id);
      const { a, b } = comparison;
      const seen = await comparedRuns(root, {
        a: { ...a, values: [40, null], runs: [inside, inside] },
        b: { ...b, values: [40], runs: ['runs/gone'] },
      });
      expect(seen.a.costs).toHaveLength(1);
      expect(seen.a.slower).toHaveLength(1);
      expect(seen.b).toEqual({ costs: [], slower: [] });
      const [slower = []] = seen.a.slower;
      const median = slower[SLOWER_SHARES.findIndex((share) => share < 0.502)];
      // The samples of sampleRequests() have it.
      expect(median).toBeGreaterThan(100);
      expect(median).toBeLessThan(120);
    });
  });
});

test('a comparison and a drill have a price only where prices were given', () => {
  const seen = sampleComparedRuns();
  const priced = { ...comparison, prices: { cpu: 1, memory: 0 } };
  const prices = (html: string): number[] =>
    [...html.matchAll(/; cost ([\d.]+)/g)].map(([, price]) => Number(price));
  expect(prices(renderHtml(compareDocument(comparison, seen)))).toEqual([]);
  const [a, b, ...again] = prices(renderHtml(compareDocument(priced, seen)));
  // Memory is free: the price is the core-hours of the run in the middle, for each side.
  const middle = ({ costs }: typeof seen.a): number =>
    costs.map(({ perMillion }) => perMillion.coreHours).sort((x, y) => x - y)[
      Math.floor((costs.length - 1) / 2)
    ] ?? 0;
  expect(a).toBeCloseTo(middle(seen.a), 0);
  expect(b).toBeCloseTo(middle(seen.b), 0);
  // First and in the table of all figures, on the page and in Markdown; once in the terminal.
  expect(again).toEqual([a, b]);
  expect(prices(renderMarkdown(compareDocument(priced, seen)))).toEqual([a, b, a, b]);
  const style = { colour: false, width: 100 };
  expect(prices(renderTerminal(compareDocument(priced, seen), style).replace(/\s+/g, ' '))).toEqual(
    [a, b],
  );
  expect(renderTerminal(compareDocument(comparison, seen), style)).not.toContain(
    'A million requests',
  );

  expect(prices(renderHtml(drillDocument(drill, drillParts)))).toEqual([]);
  const { run: under } = drillParts;
  const paid = {
    ...drillParts,
    run: { ...under, record: { ...under.record, prices: { cpu: 1, memory: 0 } } },
  };
  const coreHours = costOfRun(under.record)?.perMillion.coreHours ?? 0;
  const [first, second] = prices(renderHtml(drillDocument(drill, paid)));
  expect(first).toBeCloseTo(coreHours, 0);
  expect(second).toBe(first);
});

test('a drill says what to change about what was lost, and nothing where nothing was', () => {
  const html = renderHtml(drillDocument(drill, drillParts));
  expect(html).toContain('<h2>What to change</h2><ul><li>Rerun lost executions');
  const { classes } = drill.ledger;
  const none = { requests: 0, ids: [] };
  const fine = { ...drill, ledger: { ...drill.ledger, classes: { ...classes, lost: none } } };
  expect(renderHtml(drillDocument(fine, drillParts))).not.toContain('What to change');
});
