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

/** Beside their lines, where none covers another. */
export function drawMarkLabels(marks: readonly Mark[], place: Place, area: Area): string[] {
  const frame = { x: area.left, y: area.top, width: area.width, height: area.height };
  const taken: Label[] = [];
  return marks.map((mark) => {
    const label = firstFree(placesOf(mark, place(mark), area), taken, frame);
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
/** Of a line of MARK_FONT: its height, and where its letters stand. */
const LINE = 21;
const BASELINE = 16;
const ROWS = 4;

/** Along a horizontal line at either end, above or below it; beside a vertical one on either side, in the upper rows. */
function placesOf(mark: Mark, at: number, { left, top, width }: Area): [Label, ...Label[]] {
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
    return [atLeft(end, above), atLeft(end, below), atRight(start, above), atRight(start, below)];
  }
  const rows = Array.from({ length: ROWS }, (_, row) => top + row * size.height);
  const x = left + at;
  const [first = top, ...others] = rows;
  return [
    atRight(x + GAP, first),
    atLeft(x - GAP, first),
    ...others.flatMap((y) => [atRight(x + GAP, y), atLeft(x - GAP, y)]),
  ];
}
