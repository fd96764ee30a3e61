import fc from 'fast-check';
import {
  exactly,
  filled,
  recordedPanel,
  scrapeSecondsOf,
  stepSecondsOf,
} from '../../../cli/src/analysis/panels';
import type { PanelSpec } from '../../../monitoring/dashboards/spec';
import {
  drillAnnotations,
  findAnnotations,
  runAnnotations,
} from '../../../cli/src/analysis/annotations';
import { sampleDrill } from '../../support/sample-drill';
import { sampleSearch } from '../../support/sample-find';
import { sampleRun } from '../../support/sample-run';

const variables = {
  ...{ namespace: '.*', release: 'prod', scrapeSeconds: 15, stepSeconds: 1, rangeSeconds: 70.2 },
};

test('a panel fills the variables of a dashboard as Grafana does', () => {
  const expr =
    'rate(a{namespace=~"$namespace",release=~"$release"}[$__rate_interval]) + b[$__range]';
  expect(filled(expr, variables)).toBe('rate(a{namespace=~".*",release=~"prod"}[60s]) + b[71s]');
  expect(filled('a[$__rate_interval]', { ...variables, stepSeconds: 100 })).toBe('a[115s]');
});

test('a panel takes a name for itself, whatever stands in it', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme-ascii' }), fc.string(), (name, other) => {
      // A string of PromQL has the escapes of JSON here, and =~ is anchored.
      const pattern = new RegExp(`^(?:${JSON.parse(`"${exactly(name)}"`) as string})$`, 's');
      expect(pattern.test(name)).toBe(true);
      expect(pattern.test(other)).toBe(other === name);
    }),
  );
});

test('a panel sees how often a target is scraped, also when a scrape was missed', () => {
  const at = (...seconds: number[]) => ({
    labels: {},
    values: seconds.map((second) => ({ atMs: 1000 * second + 3, value: 1 })),
  });
  expect(scrapeSecondsOf([at(0, 15, 30, 60, 75), at(4, 19)])).toBe(15);
  expect(scrapeSecondsOf([at(0)])).toBeNull();
  expect(scrapeSecondsOf([])).toBeNull();
});

test('a panel has no more points than a plot can show', () => {
  fc.assert(
    fc.property(fc.nat({ max: 1_000_000 }), (range) => {
      expect(range / stepSecondsOf(range)).toBeLessThanOrEqual(240);
    }),
  );
});

const spec: PanelSpec = {
  ...{ title: 'Memory', kind: 'lines', unit: 'bytes', meaning: 'm', whenBad: 'w' },
  queries: [
    { expr: 'a', legend: '{{role}} {{ pod }}' },
    { expr: 'b', legend: '' },
  ],
};
const axis = { zeroMs: 10_000, toMs: 14_900, stepSeconds: 1 };

test('a panel counts time from the zero of the load, names lines as Grafana does, and leaves gaps', () => {
  const panel = recordedPanel(
    spec,
    'Board',
    [
      [
        {
          labels: { role: 'worker' },
          values: [
            { atMs: 10_000, value: 5 },
            { atMs: 12_000, value: NaN },
            { atMs: 13_000, value: 7 },
          ],
        },
      ],
      [{ labels: { __name__: 'b', pod: 'x' }, values: [{ atMs: 11_000, value: 1 }] }],
    ],
    axis,
  );
  expect(panel).toMatchObject({ board: 'Board', title: 'Memory', unit: 'bytes' });
  expect(panel?.series).toEqual([
    {
      label: 'worker',
      points: [
        [0, 5],
        [1, null],
        [2, null],
        [3, 7],
        [4, null],
      ],
    },
    {
      label: 'pod=x',
      points: [
        [0, null],
        [1, 1],
        [2, null],
        [3, null],
        [4, null],
      ],
    },
  ]);
});

test('a panel is nothing where no value is', () => {
  expect(recordedPanel(spec, 'Board', [[], []], axis)).toBeNull();
  const empty = { labels: {}, values: [{ atMs: 10_000, value: NaN }] };
  expect(recordedPanel(spec, 'Board', [[empty], []], axis)).toBeNull();
});

test('a panel keeps the eight highest of many lines, in their order', () => {
  const matrices = Array.from({ length: 12 }, (_, at) => ({
    labels: { role: `r${String(at)}` },
    values: [{ atMs: 10_000, value: at === 0 ? 100 : at }],
  }));
  const labels = recordedPanel(spec, 'Board', [matrices, []], axis)?.series.map(
    ({ label }) => label,
  );
  expect(labels).toEqual(['r0', 'r5', 'r6', 'r7', 'r8', 'r9', 'r10', 'r11']);
});

test('an annotation marks a run from when its load began, with its verdict', () => {
  const { record } = sampleRun();
  const [mark, ...others] = runAnnotations({ ...record, loadBeganAt: '2026-01-01T00:00:10Z' });
  expect(others).toEqual([]);
  expect(mark).toMatchObject({
    fromMs: Date.parse('2026-01-01T00:00:10Z'),
    toMs: Date.parse(record.endedAt),
    text: record.verdict.sentence,
  });
});

test('an annotation marks a search as a whole', () => {
  const record = sampleSearch();
  expect(findAnnotations(record)).toMatchObject([
    { fromMs: Date.parse(record.startedAt), toMs: Date.parse(record.endedAt) },
  ]);
});

test('an annotation marks a drill, and the moment of its fault', () => {
  const { record } = sampleDrill();
  const [whole, ...faults] = drillAnnotations(record, { loadBeganAt: '2026-01-01T00:00:10Z' });
  expect(whole?.toMs).toBe(Date.parse(record.endedAt));
  expect(faults).toMatchObject(
    record.fault.done.map(({ tMs, text }) => ({
      fromMs: Date.parse('2026-01-01T00:00:10Z') + tMs,
      text,
    })),
  );
  expect(faults.length).toBeGreaterThan(0);
});

test('an annotation marks no fault of which nobody knows when it was', () => {
  expect(drillAnnotations(sampleDrill().record, {})).toHaveLength(1);
});
