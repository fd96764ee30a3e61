import { element, escapeXml, round } from '../../../report/plot/svg';
import type { Course } from './row';
import { formatNumber } from '../../../ui/numbers';

const WIDTH = 120;
const HEIGHT = 28;
/** So that the stroke is not cut off. */
const EDGE = 3;
/** More points than pixels say no more. */
const MAX_POINTS = WIDTH;

/** A line as high as a line of text, with its ends in words for those who do not see it; empty of one value. */
export function sparkline({ label, values }: Course): string {
  const known = values.filter((value) => value !== null && Number.isFinite(value)).map(Number);
  if (known.length < 2) return '';
  const least = Math.min(0, ...known);
  const most = known.reduce((a, b) => Math.max(a, b), least);
  const height = most > least ? most - least : 1;
  const step = Math.max(1, Math.ceil(values.length / MAX_POINTS));
  let d = '';
  let pen = false;
  for (let index = 0; index < values.length; index += step) {
    const value = highest(values.slice(index, index + step));
    if (value === null) {
      pen = false;
      continue;
    }
    const x = EDGE + (index / Math.max(1, values.length - 1)) * (WIDTH - 2 * EDGE);
    const y = HEIGHT - EDGE - ((value - least) / height) * (HEIGHT - 2 * EDGE);
    d += `${pen ? 'L' : 'M'}${round(x)} ${round(y)}`;
    pen = true;
  }
  const words = `${label}: ${String(known.length)} values from ${formatNumber(Math.min(...known))} to ${formatNumber(most)}, last ${formatNumber(known.at(-1) ?? 0)}`;
  return element(
    'svg',
    {
      class: 'sparkline',
      viewBox: `0 0 ${String(WIDTH)} ${String(HEIGHT)}`,
      width: WIDTH,
      height: HEIGHT,
      role: 'img',
      'aria-label': words,
    },
    `<title>${escapeXml(words)}</title>`,
    element('path', { class: 'curve s0', d }),
  );
}

/** The highest value on a pixel, so that no peak is missed. */
function highest(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null && Number.isFinite(value)).map(Number);
  return known.length === 0 ? null : Math.max(...known);
}
