// Records found and read, and their figures as the page of results shows them.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { compiled } from '../compiled.mjs';

export const root = new URL('../../../', import.meta.url);

export const read = (path) => readFileSync(new URL(path, root), 'utf8');
export const readJson = (path) => JSON.parse(read(path));
export const has = (path) => existsSync(new URL(path, root));

/** Every record named `name` at or beneath a folder, in the order of the paths. */
export function recordsNamed(name, folder) {
  return readdirSync(new URL(folder, root), { withFileTypes: true })
    .flatMap((entry) => {
      const path = `${folder}${entry.name}`;
      if (entry.isDirectory()) return recordsNamed(name, `${path}/`);
      return entry.name === name ? [path] : [];
    })
    .sort();
}

/** As the command writes it. */
export const { formatNumber: number } = await compiled(
  `export { formatNumber } from './ui/numbers';`,
);
export const range = ({ low, high }) =>
  high === null ? `at least ${number(low)}` : `${number(low)} to ${number(high)}`;
/** What to say behind the answer of a search that is not sure of it; records of earlier versions have no verdict. */
export const unsure = ({ verdict, confirmed }) => {
  if (verdict === 'inconclusive') return ', inconclusive';
  return confirmed ? '' : ', not confirmed';
};
/** Of a comparison whose interval contains 1: alike only where more than 20% is ruled out, as `compare` judges it. */
export const undecided = ({ low, high }) =>
  Math.max(high, 1 / low) <= 1.2 ? 'no difference' : 'not known';

export const link = (path) => `[record](../${path})`;
/** A record, and how it is made again: as it says itself or, if it is older than that, by `command`. */
export const linkWithCommand = (path, command) =>
  `${link(path)}. Repeat it with \`${readJson(path).command ?? command}\`.`;
export const table = (head, rows) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

export const spread = (values) =>
  `${number(median(values))} (${number(Math.min(...values))} to ${number(Math.max(...values))})`;

export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
