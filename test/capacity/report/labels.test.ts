import fc from 'fast-check';
import {
  apart,
  firstFree,
  MARK_FONT,
  textWidth,
  TICK_FONT,
} from '../../../capacity/src/report/plot/labels';
import { drawBar } from '../../../capacity/src/report/plot/bar';
import { drawLine } from '../../../capacity/src/report/plot/line';

interface Text {
  text: string;
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** Where the largest letters of a page put each text of a plot. */
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
        expect(texts.filter(({ left, right }) => left < 0 || right > 720)).toEqual([]);
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
  expect(firstFree([box(0), box(10)], [box(5)], frame)).toEqual(box(0));
  expect(firstFree([box(0), box(15)], [box(5)], frame)).toEqual(box(15));
  expect(firstFree([box(25), box(12)], [], frame)).toEqual(box(12));
});

test('no text of a bar chart leaves the frame, and none lies on another, whatever the names and the figures', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ label: fc.string({ maxLength: 60 }), value: size }), { minLength: 1 }),
      fc.constantFrom('', '/s', 'ms', 'MiB'),
      (bars, unit) => {
        const drawn = bars.map((bar) => ({ ...bar, label: bar.label.replace(/[<>&"']/g, '') }));
        const texts = textsIn(
          drawBar({ kind: 'bar', id: 'a', title: 'A plot', unit, bars: drawn }),
        );
        expect(touching(texts)).toEqual([]);
        expect(texts.filter(({ left, right }) => left < 0 || right > 720)).toEqual([]);
      },
    ),
  );
});
