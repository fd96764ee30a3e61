/** A record as text for a file: two spaces a level, and each list of numbers on one line. */
export const jsonOf = (record: unknown): string =>
  `${JSON.stringify(record, null, 2).replace(NUMBERS, (list) => list.replace(/\s+/g, ' ').replace(/^\[ | \]$/g, (end) => end.trim()))}\n`;

/** A text in JSON holds no line break, so that only a list begins like this. */
const NUMBERS = /\[\n\s+(?:-?\d[\d.eE+-]*|null)(?:,\n\s+(?:-?\d[\d.eE+-]*|null))*\n\s*\]/g;
