// Lines with a name across a plot, such as the bound of an SLO or the end of the warm-up.
import type { LineChart } from './chart';
import { firstFree, MARK_FONT, textWidth, type Box } from './labels';
import { element, escapeXml, round } from './svg';

type Mark = NonNullable<LineChart['marks']>[number];
type Place = (mark: Mark) => number;

export interface Area {
  left: number;
  top: number;
  width: number;
  height: number;
}

export function drawMark(mark: Mark, place: Place, { width, height }: Area): string {
  const at = round(place(mark));
  const d = mark.axis === 'y' ? `M0 ${at}H${String(width)}` : `M${at} 0V${String(height)}`;
  return element('path', { class: 'mark', d });
}

interface Label extends Box {
  anchor: 'start' | 'end';
}

/** Beside their lines, where none covers another, and where there is room, no dot and no other line. */
export function drawMarkLabels(
  marks: readonly Mark[],
  place: Place,
  area: Area,
  dots: readonly Box[],
): string[] {
  const frame = { x: area.left, y: area.top, width: area.width, height: area.height };
  const taken: Label[] = [];
  return marks.map((mark) => {
    const others = marks.filter((other) => other !== mark);
    const lines = others.map((other) => lineOf(other, place(other), area));
    const label = firstFree(placesOf(mark, place(mark), area), frame, taken, [...dots, ...lines]);
    taken.push(label);
    return element(
      'text',
      {
        class: 'mark-label',
        x: label.anchor === 'start' ? label.x : label.x + label.width,
        y: label.y + BASELINE,
        'text-anchor': label.anchor,
      },
      escapeXml(mark.label),
    );
  });
}

const GAP = 4;
/** Height of a line in MARK_FONT, and its baseline. */
const LINE = 21;
const BASELINE = 16;
/** Places along a horizontal line. */
const COLUMNS = 6;

/** What a label would lie on. */
const lineOf = ({ axis }: Mark, at: number, { left, top, width, height }: Area): Box =>
  axis === 'y'
    ? { x: left, y: top + at - 1, width, height: 2 }
    : { x: left + at - 1, y: top, width: 2, height };

/** Along a horizontal line, first at its ends, above or below it; beside a vertical one on either side, from the top down. */
function placesOf(mark: Mark, at: number, area: Area): [Label, ...Label[]] {
  const { left, top, width, height } = area;
  const size = { width: textWidth(mark.label, MARK_FONT), height: LINE };
  const atRight = (x: number, y: number): Label => ({ x, y, ...size, anchor: 'start' });
  const atLeft = (x: number, y: number): Label => ({
    x: x - size.width,
    y,
    ...size,
    anchor: 'end',
  });
  if (mark.axis === 'y') {
    const [above, below] = [top + at - size.height, top + at + 2];
    const [start, end] = [left + GAP, left + width - GAP];
    const step = (end - start - size.width) / (COLUMNS - 1);
    const between = Array.from({ length: COLUMNS - 2 }, (_, column) => start + (column + 1) * step);
    return [
      atLeft(end, above),
      atLeft(end, below),
      ...[start, ...between].flatMap((x) => [atRight(x, above), atRight(x, below)]),
    ];
  }
  const count = Math.floor(height / size.height);
  const rows = Array.from({ length: count }, (_, row) => top + row * size.height);
  const x = left + at;
  const [first = top, ...others] = rows;
  return [
    atRight(x + GAP, first),
    atLeft(x - GAP, first),
    ...others.flatMap((y) => [atRight(x + GAP, y), atLeft(x - GAP, y)]),
    // Across its own line, where neither side has room.
    ...rows.flatMap((y) => [atLeft(left + width - GAP, y), atRight(left + GAP, y)]),
  ];
}
