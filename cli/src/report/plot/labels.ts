/**
 * Room for the texts of a plot. An SVG cannot measure its own text, and a page shows it in letters of several sizes
 * (style.ts of the page): what fits in the largest fits in all.
 */
export const TICK_FONT = 19;
export const MARK_FONT = 17;
/** Width of a letter as a share of its height; digits of common sans-serif fonts are not wider. */
const LETTER_WIDTH = 0.64;

export const textWidth = (text: string, font: number): number => text.length * font * LETTER_WIDTH;

export const fits = (name: string, room: number): boolean => textWidth(name, TICK_FONT) <= room;

/** A name in the largest letters of a page, those of a phone. */
export function fitting(name: string, room: number): string {
  if (fits(name, room)) return name;
  let max = name.length;
  while (max > 1 && !fits(`${name.slice(0, max)}…`, room)) max -= 1;
  return `${name.slice(0, max)}…`;
}

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

const overlaps = (a: Box, b: Box): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

/**
 * Chooses, from places for one box, the first inside the frame that is free of what is `taken` and of what is better
 * `avoided`; without one, the first that is free of what is taken, or else the first inside.
 */
export function firstFree<Place extends Box>(
  places: readonly [Place, ...Place[]],
  frame: Box,
  taken: readonly Box[],
  avoided: readonly Box[] = [],
): Place {
  const inside = (box: Box): boolean =>
    box.x >= frame.x &&
    box.x + box.width <= frame.x + frame.width &&
    box.y >= frame.y &&
    box.y + box.height <= frame.y + frame.height;
  const freeOf = (boxes: readonly Box[]): Place | undefined =>
    places.find((place) => inside(place) && !boxes.some((box) => overlaps(place, box)));
  return freeOf([...taken, ...avoided]) ?? freeOf(taken) ?? places.find(inside) ?? places[0];
}

/** Texts along a line whose centres are given, without those that would touch the one before. */
export function apart<Label extends { text: string; at: number }>(
  labels: readonly Label[],
  font: number,
): Label[] {
  const kept: Label[] = [];
  let end = -Infinity;
  for (const label of labels) {
    const half = textWidth(label.text, font) / 2;
    if (label.at - half < end) continue;
    kept.push(label);
    end = label.at + half;
  }
  return kept;
}
