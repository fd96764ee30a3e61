import { renderRows } from '../../../cli/src/report/text/terminal';
import { wrap, wrapCutting } from '../../../cli/src/ui/wrap';
import fc from 'fast-check';
import {
  apart,
  firstFree,
  MARK_FONT,
  textWidth,
  TICK_FONT,
} from '../../../cli/src/report/plot/labels';
import { drawBar } from '../../../cli/src/report/plot/bar';
import { drawHeat } from '../../../cli/src/report/plot/heat';
import { drawLine } from '../../../cli/src/report/plot/line';

interface Text {
  text: string;
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** The place at which the largest letters of a page put each text of a plot. */
function textsIn(svg: string): Text[] {
  return [...svg.matchAll(/<text([^>]*)>([^<]*)<\/text>/g)].map(
    ([, attributes = '', text = '']) => {
      const of = (name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(attributes)?.[1];
      const font = of('class') === 'mark-label' ? MARK_FONT : TICK_FONT;
      const width = textWidth(text, font);
      const [x, y] = [Number(of('x')), Number(of('y'))];
      const share = { middle: 0.5, end: 1, start: 0 }[of('text-anchor') ?? 'start'] ?? 0;
      return {
        ...{ text, left: x - share * width, right: x + (1 - share) * width },
        ...{ top: y - 0.9 * font, bottom: y + 0.2 * font },
      };
    },
  );
}

const touching = (texts: Text[]): string[] =>
  texts.flatMap((a, index) =>
    texts
      .slice(index + 1)
      .filter((b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom)
      .map((b) => `${a.text} / ${b.text}`),
  );

const size = fc
  .integer({ min: -1, max: 6 })
  .chain((power) =>
    fc.double({ min: 1, max: 10, noNaN: true }).map((value) => value * 10 ** power),
  );

test('a point of a curve without a neighbour is a dot, with its interval where it is the only one', () => {
  const drawn = (points: [number, number | null, number?, number?][]): string =>
    drawLine({
      ...{ kind: 'line', id: 'share', title: 'Share', series: [{ label: 'attempt 1', points }] },
      ...{ x: { label: 'measured', unit: 's', min: 0 }, y: { label: 'share', min: 0, max: 100 } },
    });
  const dots = (svg: string): number => svg.match(/class="dot s0"/g)?.length ?? 0;
  const one = drawn([[10, 62, 31, 87]]);
  expect(dots(one)).toBe(1);
  expect(one).toMatch(/class="curve s0" d="M[\d.]+ [\d.]+V[\d.]+"/);
  const both: [number, number | null][] = [
    [1, 1],
    [2, null],
    [3, 2],
    [4, 3],
  ];
  expect(dots(drawn(both))).toBe(1);
});

test('the names of rows of a heat map begin inside the frame, whatever their length', () => {
  const values = ['items', 'expressions', 'a workload with a name that is longer than half of it'];
  const texts = textsIn(
    drawHeat({
      ...{ kind: 'heat', id: 'capacity', title: 'Capacity', unit: 'per second' },
      ...{ x: { label: 'tuning', values: ['none'] }, y: { label: 'workload', values } },
      cells: values.map(() => [1]),
    }),
  );
  const names = texts.filter(({ text }) =>
    values.some((name) => name.slice(0, 5) === text.slice(0, 5)),
  );
  expect(names.map(({ text }) => text)).toEqual(['items', 'expressions', 'a workload with a n…']);
  for (const { left, top } of texts) {
    expect(left).toBeGreaterThanOrEqual(0);
    expect(top).toBeGreaterThanOrEqual(0);
  }
});

test('no text of a plot lies on another or leaves the frame, whatever the figures', () => {
  fc.assert(
    fc.property(
      ...[size, size, fc.constantFrom('linear' as const, 'log' as const)],
      fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 2 }),
      fc.double({ min: 0.05, max: 1, noNaN: true }),
      (width, height, scale, moments, bound) => {
        const texts = textsIn(
          drawLine({
            ...{ kind: 'line', id: 'a', title: 'A plot' },
            x: { label: 'time since the load began', unit: 's' },
            y: {
              label: 'latency',
              unit: 'ms',
              scale,
              ...(scale === 'log' && { min: height / 100 }),
            },
            series: [
              {
                label: 'p95',
                points: [
                  [0, height / 50],
                  [width, height],
                ],
              },
            ],
            marks: [
              ...moments.map((at) => ({ axis: 'x' as const, at: at * width, label: 'load ends' })),
              { axis: 'y', at: bound * height, label: 'p95<300ms' },
            ],
          }),
        );
        expect(touching(texts)).toEqual([]);
        expect(texts.filter(({ left, right }) => left < 0 || right > 580)).toEqual([]);
      },
    ),
  );
});

test('a label that would touch the one before is left out', () => {
  const at = (...places: number[]) => places.map((place) => ({ text: '1000', at: place }));
  const room = textWidth('1000', 10);
  expect(apart(at(0, room / 2, room, 3 * room), 10)).toEqual(at(0, room, 3 * room));
});

test('of several places the first free one is taken, and the first where none is free', () => {
  const box = (x: number) => ({ x, y: 0, width: 10, height: 10 });
  const frame = { x: 0, y: 0, width: 30, height: 10 };
  expect(firstFree([box(0), box(10)], frame, [box(5)])).toEqual(box(0));
  expect(firstFree([box(0), box(15)], frame, [box(5)])).toEqual(box(15));
  expect(firstFree([box(25), box(12)], frame, [])).toEqual(box(12));
});

test('what is better avoided is, but not at the price of lying on what is taken', () => {
  const box = (x: number) => ({ x, y: 0, width: 10, height: 10 });
  const frame = { x: 0, y: 0, width: 40, height: 10 };
  expect(firstFree([box(0), box(30)], frame, [], [box(5)])).toEqual(box(30));
  expect(firstFree([box(0), box(30)], frame, [box(30)], [box(5)])).toEqual(box(0));
});

describe('the label of a mark', () => {
  /** Dots where they are drawn, in the coordinates of the plot. */
  function dotsIn(svg: string): { x: number; y: number }[] {
    const [, left = '', top = ''] = /class="area" x="([\d.]+)" y="([\d.]+)"/.exec(svg) ?? [];
    return [...svg.matchAll(/class="dot [^"]*" d="M([\d.]+) ([\d.]+)h0"/g)].map(([, x, y]) => ({
      x: Number(left) + Number(x),
      y: Number(top) + Number(y),
    }));
  }
  const covered = (svg: string): string[] =>
    textsIn(svg).flatMap(({ text, left, right, top, bottom }) =>
      dotsIn(svg)
        .filter(({ x, y }) => x > left - 4 && x < right + 4 && y > top - 4 && y < bottom + 4)
        .map(({ x, y }) => `${text} lies on the dot at ${String(x)}, ${String(y)}`),
    );
  const chart = (
    points: [number, number][],
    marks: { axis: 'x' | 'y'; at: number; label: string }[],
  ): string =>
    drawLine({
      ...{ kind: 'line', id: 'a', title: 'A plot', marks },
      x: { label: 'offered', unit: 'requests per second', min: 0, max: 90 },
      y: { label: 'p95', unit: 'ms', min: 0, max: 1000 },
      series: [{ label: 'probes', style: 'dots', points }],
    });

  test('beside a vertical line lies on no dot, as on that of a search just above its capacity', () => {
    const capacity = { axis: 'x' as const, at: 63.5, label: 'capacity' };
    expect(dotsIn(chart([[66.6, 960]], [capacity]))).toHaveLength(1);
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: 0, max: 90 }), fc.integer({ min: 0, max: 1000 })), {
          maxLength: 4,
        }),
        (points) => {
          expect(covered(chart([[66.6, 960], ...points], [capacity]))).toEqual([]);
        },
      ),
    );
  });

  test('along a horizontal line lies on no dot, as on that of the last probe', () => {
    const capacity = { axis: 'y' as const, at: 500, label: 'capacity' };
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 90 }), { maxLength: 3 }), (places) => {
        const points = [88, ...places].map((x): [number, number] => [x, 500]);
        expect(covered(chart(points, [capacity]))).toEqual([]);
      }),
    );
  });

  test('crosses no other line where there is room beside it', () => {
    const svg = chart(
      [],
      [
        { axis: 'x', at: 63.5, label: 'capacity' },
        { axis: 'y', at: 960, label: 'p95<960ms' },
      ],
    );
    const capacity = textsIn(svg).find(({ text }) => text === 'capacity');
    const line = 26 + 0.04 * (304 - 26 - 54);
    expect((capacity?.top ?? 0) > line || (capacity?.bottom ?? 0) < line).toBe(true);
  });
});

test('no text of a bar chart leaves the frame, and none lies on another, whatever the names and the figures', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ label: fc.string({ maxLength: 80 }), value: size }), { minLength: 1 }),
      fc.constantFrom('', '/s', 'ms', 'MiB'),
      (bars, unit) => {
        const drawn = bars.map((bar) => ({ ...bar, label: bar.label.replace(/[<>&"']/g, '') }));
        const texts = textsIn(
          drawBar({ kind: 'bar', id: 'a', title: 'A plot', unit, bars: drawn }),
        );
        expect(touching(texts)).toEqual([]);
        expect(texts.filter(({ left, right }) => left < 0 || right > 580)).toEqual([]);
      },
    ),
  );
});

test('names that do not fit beside the bars stand above them, whole', () => {
  const pod = 'worker n8n-worker-6d5f7c9b8-abcde 17';
  const bars = [pod, 'main'].map((label) => ({ label, value: 1 }));
  const texts = textsIn(drawBar({ kind: 'bar', id: 'a', title: 'A plot', unit: '', bars }));
  expect(texts.filter(({ left }) => left === 0).map(({ text }) => text)).toEqual([pod, 'main']);
});

test('what is counted has no ticks between whole numbers', () => {
  const ticksOf = (last: number): string[] => {
    const chart = drawLine({
      ...{ kind: 'line', id: 'a', title: 'A plot', x: { label: 'workers' }, y: { label: 'p99' } },
      series: [{ label: 'one', points: [1, 2, last].map((x) => [x, 100.5]) }],
    });
    const axis = /<g class="x-ticks">.*?<\/g>/s.exec(chart)?.[0] ?? '';
    return textsIn(axis).map(({ text }) => text);
  };
  expect(ticksOf(4)).toEqual(['1', '2', '3', '4']);
  expect(ticksOf(2.5)).toContain('1.6');
});

const rows = (name: string, value: string) =>
  renderRows([{ name, value }], { width: 40, colour: false });

test('figures stand in one column, and wrap within it', () => {
  expect(rows('SLO', 'p95<300ms')).toEqual(['SLO                 p95<300ms']);
  expect(rows('SLO', 'one two three four five')).toEqual([
    'SLO                 one two three four',
    '                    five',
  ]);
});

test('a longer name stays apart from its value', () => {
  expect(rows('Executed more than once', '10:00:03 (UTC)')).toEqual([
    'Executed more than once  10:00:03 (UTC)',
  ]);
});

test('lines break between words, and a word is cut only where nothing may stick out', () => {
  expect(wrap('one two three', 7)).toEqual(['one two', 'three']);
  expect(wrap('abcdefghij k', 4)).toEqual(['abcdefghij', 'k']);
  expect(wrapCutting('one two three', 7)).toEqual(['one two', 'three']);
  expect(wrapCutting('abcdefghij k', 4)).toEqual(['abcd', 'efgh', 'ij k']);
});

test('a logarithmic axis has at least two labels, however close its values are', () => {
  fc.assert(
    fc.property(size, fc.double({ min: 1.3, max: 100, noNaN: true }), (low, factor) => {
      const texts = textsIn(
        drawLine({
          ...{ kind: 'line', id: 'a', title: 'A plot' },
          x: { label: 'offered', unit: '/s' },
          y: { label: 'latency', unit: 'ms', scale: 'log' },
          series: [
            {
              label: 'p95',
              points: [
                [1, low],
                [2, low * factor],
              ],
            },
          ],
        }),
      );
      const right = Math.min(...texts.map((text) => text.right));
      expect(texts.filter((text) => text.right < right + 1).length).toBeGreaterThanOrEqual(2);
      expect(touching(texts)).toEqual([]);
    }),
  );
});
