// Records found and read, and their figures as the page of results shows them. A record in the archive of its study has
// the path that it would have as a file: studies/modes/results/sweep.json is the record `sweep` of studies/modes.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compiled } from '../compiled.mjs';

export const root = new URL('../../../', import.meta.url);

const { readArchive, filesOf, unpack } = compiled(`export * from './record/archive';`);

const archives = new Map();
/** The archive in which a path of a record lies, its files, and the path within; null for any other file. */
function archived(path) {
  const [, file, inside = ''] = /^(studies\/[^/]+\/results)(?:\/(.*))?$/.exec(path) ?? [];
  if (file === undefined) return null;
  if (!archives.has(file)) {
    const archive = readArchive(fileURLToPath(new URL(`${file}.jsonl.gz`, root)));
    archives.set(file, { file: `${file}.jsonl.gz`, archive, files: filesOf(archive) });
  }
  return { ...archives.get(file), inside };
}

export function read(path) {
  const known = archived(path);
  if (known === null) return readFileSync(new URL(path, root), 'utf8');
  const text = known.files.get(known.inside);
  if (text === undefined) throw new Error(`${known.file} has no ${known.inside}`);
  return text;
}
export const readJson = (path) => JSON.parse(read(path));
/** Of a folder whether there is a record at or beneath it. */
export function has(path) {
  const known = archived(path);
  if (known === null) return existsSync(new URL(path, root));
  return known.files.has(known.inside) || namesIn(path).length > 0;
}

/** What lies in a folder of records, in the order of the names. */
export function namesIn(folder) {
  const { files, inside } = archived(folder.replace(/\/*$/, '/'));
  const beneath = [...files.keys()].filter((path) => path.startsWith(inside));
  return [...new Set(beneath.map((path) => path.slice(inside.length).split('/')[0]))].sort();
}

/** Every record named `name` at or beneath a folder, in the order of the paths. */
export function recordsNamed(name, folder) {
  if (folder === 'studies/') {
    return readdirSync(new URL(folder, root), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .flatMap((entry) => recordsNamed(name, `${folder}${entry.name}/results/`))
      .sort();
  }
  const at = /^studies\/[^/]+\/$/.test(folder) ? `${folder}results/` : folder;
  const { files, inside } = archived(at);
  return [...files.keys()]
    .filter((path) => path.startsWith(inside) && `/${path}`.endsWith(`/${name}`))
    .map((path) => `${at}${path.slice(inside.length)}`)
    .sort();
}

/** A folder with the records at or beneath `folder` as files, there until this process ends. */
export function unpacked(folder) {
  const { archive, inside } = archived(folder.replace(/\/*$/, '/'));
  const to = mkdtempSync(join(tmpdir(), 'n8n-tuned-records-'));
  process.once('exit', () => rmSync(to, { recursive: true, force: true }));
  unpack(archive, inside, to);
  return join(to, inside);
}

/** What a page links to for a record: the archive and the id, as `n8n-tuned report` takes them. */
export function hrefOf(path, up = '../') {
  const known = archived(path);
  return `${up}${known === null ? path : `${known.file}#${known.inside.replace(/\.json$/, '')}`}`;
}
/** The record that such a link leads to. */
export const pathOf = (href) =>
  href.replace(/^\.\.\//, '').replace(/\.jsonl\.gz#(.+)$/, '/$1.json');

/** As the command writes it. */
export const { formatNumber: number } = compiled(`export { formatNumber } from './ui/numbers';`);
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

export const link = (path) => `[record](${hrefOf(path)})`;
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
