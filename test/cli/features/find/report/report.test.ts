import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readFind } from '../../../../../cli/src/features/find/read';
import { FIND_FILE } from '../../../../../cli/src/record/find-records';
import { carriedTo } from '../../../../../cli/src/features/find/analysis/carried';
import { findCharts } from '../../../../../cli/src/features/find/report/charts';
import {
  findFigures,
  howSure,
  probeTerms,
} from '../../../../../cli/src/features/find/report/figures';
import { renderFinds } from '../../../../../cli/src/features/find/report/list-terminal';
import { TONES } from '../../../../../cli/src/report/document';
import { sampleSearch } from '../../../../support/sample-find';
import { findDocument } from '../../../../../cli/src/features/find/report/document';
import { renderHtml } from '../../../../../cli/src/report/page/html';
import { renderMarkdown } from '../../../../../cli/src/report/text/markdown';

const search = sampleSearch();
const { ratePerSecond, low, high, confirmed } = search.capacity;
/** The capacity of a search that knows no price. */
const passAndMiss = { ratePerSecond, low, high, confirmed };

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

test('a full-length run confirms nothing where the interval is too wide for an answer', () => {
  const open = { ...search, verdict: 'inconclusive' as const };
  const capacityOf = (record: typeof search): string =>
    findFigures(record).find(({ name }) => name === 'Capacity')?.value ?? '';
  expect(capacityOf(search)).toContain('confirmed at full length');
  expect(howSure(search)).toContain('confirmed by a full-length run');
  expect(capacityOf(open) + howSure(open)).not.toContain('confirmed');
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
  const above = { ...growth, littlesLaw: null, ratePerSecond: 5, achievedPerSecond: 5.5 };
  expect(
    probeTerms({ ...one, arrivals: 'random', probes: [above] }).map(({ name }) => name),
  ).toEqual(['growth', 'achieved']);
  expect(renderHtml(findDocument(search))).toContain(
    '<strong>ladder</strong>: clients instead of a rate',
  );
  expect(renderMarkdown(findDocument(search))).toContain('- ladder: clients instead of a rate');
});

test('the first picture has the SLO, the interval, the capacity and the rate to plan with, and how busy each rate makes n8n', () => {
  const [picture] = findCharts(search);
  if (picture?.kind !== 'line') throw new Error('it is no line');
  expect(picture.id).toBe('latency');
  expect(picture.span).toEqual({ from: 38, to: 44 });
  expect(picture.marks?.map(({ at, label }) => [at, label])).toEqual([
    [40, 'capacity 40/s (38 to 44)'],
    [24.3, 'plan with 24.3/s'],
    [300, 'p95<300ms'],
  ]);
  // 16 ms of one thread at each request.
  expect(picture.x.share).toEqual({ factor: 0.016, label: '% of main event loop' });
  const drawn = renderHtml(findDocument(search));
  expect(drawn).toContain('(requests per second; % of main event loop)');
  expect(drawn).toMatch(/class="x-share axis-title"[^>]*>64%</);
});

test('the run of full length that confirms the answer stands out in the first picture', () => {
  const [picture] = findCharts(search);
  if (picture?.kind !== 'line') throw new Error('it is no line');
  const large = picture.series.filter(({ isLarge }) => isLarge === true);
  expect(large.map(({ label, points }) => [label, points])).toEqual([
    ['sustained at full length', [[40, 120]]],
  ]);
  const drawn = renderHtml(findDocument(search));
  expect(drawn).toMatch(/<path class="dot s\d" style="stroke-width:12"/);
  expect(drawn).toMatch(/<i class="s\d dots large"><\/i>sustained at full length/);
  const unconfirmed = findCharts({ ...search, confirmedBy: null })[0];
  expect(JSON.stringify(unconfirmed)).not.toContain('isLarge');
});

test('without an answer the first picture marks no rate, and with no upper end it has no interval', () => {
  const marks = (record: typeof search): unknown[] => {
    const [picture] = findCharts(record);
    if (picture?.kind !== 'line') throw new Error('it is no line');
    return [picture.span, ...(picture.marks ?? []).map(({ label }) => label)];
  };
  expect(marks({ ...search, verdict: 'nothing sustained' })).toEqual([undefined, 'p95<300ms']);
  const open = { ...search.capacity, high: null };
  expect(marks({ ...search, capacity: open })).toEqual([
    ...[undefined, 'sustained 38/s', 'p95<300ms'],
  ]);
});

describe('the speed of the machine', () => {
  const speedOf = (record: typeof search): [number, number | null][] => {
    const chart = findCharts(record).find(({ id }) => id === 'speed');
    return chart?.kind === 'line'
      ? (chart.series[0]?.points ?? []).map(([at, ms]) => [at, ms])
      : [];
  };
  const constant = (value: number): number[] => new Array<number>(20).fill(value);
  const withSeconds = (more: Partial<(typeof search.probes)[number]> = {}): typeof search => ({
    ...search,
    probes: search.probes.map((probe) =>
      probe.kind !== 'confirm'
        ? probe
        : {
            ...{ ...probe, endedAfterSeconds: 20 },
            seconds: {
              ...{ due: constant(40), done: constant(40), p95Ms: constant(100) },
              // 16 ms of main a request, and in the second half 20.
              cpuMs: { main: constant(640).fill(800, 10), worker: constant(400) },
              threadMs: {},
            },
            ...more,
          },
    ),
  });

  test('is the price of a request of what limits n8n, every five seconds where seconds are recorded', () => {
    // A probe for each of 10 s: the middle of the first two, none for the one that fell behind.
    expect(speedOf(search)).toEqual([
      ...[
        [5, 16],
        [15, 16],
        [60, 16],
      ],
    ]);
    expect(speedOf(withSeconds()).slice(2)).toEqual([
      ...[
        [32.5, 16],
        [37.5, 16],
        [42.5, 20],
        [47.5, 20],
      ],
    ]);
  });

  test('is not told for times in which something else took the machine', () => {
    const disturbed = withSeconds({ leftOut: [{ from: 4.5, to: 10.2 }] });
    expect(
      speedOf(disturbed)
        .slice(2)
        .map(([at]) => at),
    ).toEqual([32, 42, 47.5]);
  });

  test('is in figures what the answer is worth at each speed', () => {
    const value = (name: string): string | undefined =>
      findFigures(search).find((figure) => figure.name === name)?.value;
    expect(value('Speed')).toBe(
      '16 ms of main CPU per request (median of this search); 20 ms in the slowest minute, which lowers the capacity to 32/s',
    );
    const { capacity } = search;
    const at = capacity.at && { ...capacity.at, slowestPerSecond: 27.5 };
    const told = findFigures({ ...search, capacity: { ...capacity, ...(at && { at }) } });
    expect(told.find(({ name }) => name === 'Speed')?.value).toContain('the capacity to 27.5/s');
    expect(value('Alone')).toMatch(/^about 42\.1\/s: other programs took 5% of the time/);
    // By pass and miss alone it is that of probes near the answer: the one at 60/s is too far away.
    const unweighed = findFigures({ ...search, capacity: passAndMiss });
    expect(unweighed.find(({ name }) => name === 'Speed')?.value).toBe(
      '16 ms of main CPU per request (median of the probes near the answer, 16 ms to 16 ms)',
    );
    const unseen = search.probes.map((probe) => ({ ...probe, cpuPerRequest: null }));
    const names = findFigures({ ...search, capacity: passAndMiss, probes: unseen });
    expect(names.map(({ name }) => name)).not.toContain('Speed');
    expect(names.map(({ name }) => name)).not.toContain('CPU per request');
  });

  test('has beside the price of the role that limits n8n that of all roles, by which predict --at-cpu carries it', () => {
    const fromMs = carriedTo(24.5, search)?.fromMs;
    expect(fromMs).toBe(24.5);
    for (const capacity of [search.capacity, passAndMiss]) {
      const { summary } = findDocument({ ...search, capacity });
      expect(summary).toContainEqual({
        name: 'CPU per request',
        value: '24.5 ms for all roles together; predict --at-cpu compares it with another machine',
      });
    }
    expect(renderFinds([search])).toContain(' 24.5 ms ');
  });
});

test.each([
  [
    {},
    /^±7\.5% from 4 probes in 2 min, confirmed by a full-length run\. The capacity is estimated by a simulation/,
  ],
  [{ high: null, confirmed: false }, /^no upper bound from 4 probes in 2 min, not confirmed/],
  [{ low: 40.5 }, /, confirmed by a full-length run just below the interval\./],
])('how sure it is is said in one line: %j', (capacity, expected) => {
  const record = { ...search, capacity: { ...search.capacity, ...capacity } };
  expect(howSure(record)).toMatch(expected);
  expect(renderHtml(findDocument(record))).toContain(`<p class="faint">${howSure(record)}</p>`);
});

const plan = (record: typeof search): string | undefined =>
  findFigures(record).find(({ name }) => name === 'Plan with')?.value;

test('what to plan with is a share of the lower end of the interval, and says at which speed', () => {
  expect(plan(search)).toBe(
    '24.3/s (80% of the lower end of the interval, at the slowest observed speed of the machine)',
  );
  expect(plan({ ...search, verdict: 'inconclusive' })).toContain('of the lower end');
});

test('of an older record, which advised a share of the capacity itself, it is a share of the lower end too', () => {
  const folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-older-'));
  try {
    const older = { capacity: passAndMiss, advised: { share: 0.8, ratePerSecond: 32 } };
    const read = (verdict: typeof search.verdict): string | undefined => {
      writeFileSync(join(folder, FIND_FILE), JSON.stringify({ ...search, ...older, verdict }));
      return plan(readFind(folder));
    };
    expect(read('found')).toBe('30.4/s (80% of the lower end of the interval)');
    // These advised it already.
    expect(read('inconclusive')).toMatch(/^32\/s /);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('no rate to plan with is shown where the interval is wider than a factor of two', () => {
  const wide = { ...search, capacity: { ...search.capacity, low: 21, high: 43 } };
  expect(findFigures(wide).find(({ name }) => name === 'Plan with')?.value).toBe(
    'no rate, because the interval is wider than a factor of two',
  );
  expect(renderFinds([wide])).not.toContain('24.3/s');
  const shown = renderHtml(findDocument(wide));
  expect(shown).not.toContain('24.3/s');
  expect(shown).not.toContain('plan with');
});
