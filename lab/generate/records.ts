// Records found and read, and their figures as a page shows them. A record in the archive of its study has the path that
// it would have as a file: studies/modes/results/modes/sweep.json is the record `modes/sweep` of studies/modes.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { priceOf } from '../../cli/src/features/find/analysis/price';
import type { FindRecord } from '../../cli/src/features/find/record';
import { filesOf, readArchive, unpack, type Archive } from '../../cli/src/record/archive';
import { readRun } from '../../cli/src/record/read-run';
import type { RunRecord } from '../../cli/src/record/run-record';
import { table as tableLines } from '../../cli/src/report/text/markdown';
import { formatNumber } from '../../cli/src/ui/numbers';

export const root = fileURLToPath(new URL('../../', import.meta.url));

/** What a generator writes: texts by the path of their file. */
export interface Generated {
  files: Record<string, string>;
  /** Any other file of this kind is one of yesterday, and goes. */
  owned?: { folder: string; pattern: RegExp };
}

interface Archived {
  file: string;
  archive: Archive;
  files: Map<string, string>;
}

const archives = new Map<string, Archived>();

function archiveAt(results: string): Archived {
  const known = archives.get(results);
  if (known !== undefined) return known;
  const file = `${results}.jsonl.gz`;
  const archive = readArchive(join(root, file));
  const read = { file, archive, files: filesOf(archive) };
  archives.set(results, read);
  return read;
}

/** The archive in which a path of a record lies, and the path within; null for any other file. */
function archived(path: string): (Archived & { inside: string }) | null {
  const [, results, inside = ''] = /^(studies\/[^/]+\/results)(?:\/(.*))?$/.exec(path) ?? [];
  return results === undefined ? null : { ...archiveAt(results), inside };
}

function archivedAt(path: string): Archived & { inside: string } {
  const known = archived(path);
  if (known === null) throw new Error(`${path} is in no archive`);
  return known;
}

export function read(path: string): string {
  const known = archived(path);
  if (known === null) return readFileSync(join(root, path), 'utf8');
  const text = known.files.get(known.inside);
  if (text === undefined) throw new Error(`${known.file} has no ${known.inside}`);
  return text;
}

/** Runs that somebody made once, by hand, by their names. */
export const SINGLE_RUNS = 'docs/records/single-runs.json';

/** The caller says what the record is: what wrote it has the same type. */
export const readJson = <Content>(path: string): Content => JSON.parse(read(path)) as Content;

/** Whether there is a record at a path, or any beneath it. */
export function has(path: string): boolean {
  const known = archived(path);
  if (known === null) return existsSync(join(root, path));
  return known.files.has(known.inside) || namesIn(path).length > 0;
}

/** What lies in a folder of records, in the order of the names. */
export function namesIn(folder: string): string[] {
  const { files, inside } = archivedAt(folder.replace(/\/*$/, '/'));
  const beneath = [...files.keys()].filter((path) => path.startsWith(inside));
  return [...new Set(beneath.map((path) => path.slice(inside.length).split('/')[0] ?? ''))].sort();
}

/** Every record named `name` at or beneath a folder, in the order of the paths. */
export function recordsNamed(name: string, folder: string): string[] {
  if (folder === 'studies/') {
    return readdirSync(join(root, folder), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .flatMap((entry) => recordsNamed(name, `${folder}${entry.name}/results/`))
      .sort();
  }
  const at = /^studies\/[^/]+\/$/.test(folder) ? `${folder}results/` : folder;
  const { files, inside } = archivedAt(at);
  return [...files.keys()]
    .filter((path) => path.startsWith(inside) && `/${path}`.endsWith(`/${name}`))
    .map((path) => `${at}${path.slice(inside.length)}`)
    .sort();
}

/** Reads the records at or beneath `folder`, which lie there as files for as long as `readIt` takes. */
export function readUnpacked<Content>(
  folder: string,
  readIt: (folder: string) => Content,
): Content {
  const { archive, inside } = archivedAt(folder.replace(/\/*$/, '/'));
  const to = mkdtempSync(join(tmpdir(), 'n8n-tuned-records-'));
  try {
    unpack(archive, inside, to);
    return readIt(join(to, inside));
  } finally {
    rmSync(to, { recursive: true, force: true });
  }
}

/** What a page links to for a record: the archive and the id, as `n8n-tuned report` takes them. From the root. */
export function hrefOf(path: string): string {
  const known = archived(path);
  return known === null ? path : `${known.file}#${known.inside.replace(/\.json$/, '')}`;
}
/** The record that such a link leads to. */
export const pathOf = (href: string): string => href.replace(/\.jsonl\.gz#(.+)$/, '/$1.json');

/** Writes a number like the command; `-` if nothing is known. */
export const number = (value: number | null | undefined): string => formatNumber(value ?? NaN);
export const range = ({ low, high }: { low: number; high: number | null }): string =>
  high === null ? `at least ${number(low)}` : `${number(low)} to ${number(high)}`;
/** What to say behind the answer of a search that is not sure of it; records of earlier versions have no verdict. */
export const unsure = ({
  verdict,
  confirmed = verdict === 'found' || verdict === 'rough',
}: {
  verdict?: string;
  confirmed?: boolean;
}): string => {
  if (verdict === 'inconclusive') return ', inconclusive';
  return confirmed ? '' : ', not confirmed';
};
/** The price of a request at which a capacity holds; nothing where its record does not know it. */
export const atPrice = (search: Parameters<typeof priceOf>[0]): string => {
  const price = priceOf(search);
  return price === null ? '' : ` at ${ms(price.cpuMs)} of CPU`;
};
/** The interval of a comparison contains 1: alike only if more than 20% is ruled out, as `compare` judges it. */
export const undecided = ({ low, high }: { low: number; high: number | null }): string =>
  Math.max(high ?? Infinity, 1 / low) <= 1.2 ? 'no difference' : 'not known';

/** "3 of 20". */
export const outOf = (part: number, all: number): string => `${number(part)} of ${number(all)}`;
/** From the lowest to the highest. */
export const rangeOf = (values: readonly number[]): string =>
  range({ low: Math.min(...values), high: Math.max(...values) });

export const link = (path: string): string => `[record](${hrefOf(path)})`;
type Cell = string | number;
export const table = (head: readonly string[], rows: readonly (readonly Cell[])[]): string =>
  tableLines(
    head,
    rows.map((cells) => cells.map(String)),
  ).join('\n');

/** A table by its columns: what heads each, and its cell of a row. */
export const tableOf = <Row>(
  rows: readonly Row[],
  columns: Record<string, (row: Row) => Cell | null>,
): string =>
  table(
    Object.keys(columns),
    rows.map((row) => Object.values(columns).map((cellOf) => cellOf(row) ?? '-')),
  );

/** Columns that are alike, one for each item, by its title. */
export const columns = <Item, Row>(
  items: readonly Item[],
  titleOf: (item: Item) => string,
  cellOf: (row: Row, item: Item) => Cell | null,
): Record<string, (row: Row) => Cell | null> =>
  Object.fromEntries(items.map((item) => [titleOf(item), (row: Row) => cellOf(row, item)]));

/** With a unit; `-` where nothing is known. */
const withUnit =
  (unit: string) =>
  (value: number | null | undefined): string =>
    value === null || value === undefined || !Number.isFinite(value)
      ? '-'
      : `${number(value)}${unit}`;
export const [ms, mib, seconds, perSecond, times, share] = [
  ...[withUnit(' ms'), withUnit(' MiB'), withUnit(' s'), withUnit('/s'), withUnit('x')],
  (value: number | null | undefined): string => withUnit('%')(value == null ? value : 100 * value),
] as const;

export const spread = (values: readonly number[]): string =>
  `${number(median(values))} (${rangeOf(values)})`;

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const at = (index: number): number => sorted[index] ?? NaN;
  return sorted.length % 2 === 1 ? at(middle) : (at(middle - 1) + at(middle)) / 2;
}

/** The value in the middle, or the lower one of two: always one that was measured. */
export const lowerMedian = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? NaN;

/** A record of the command, read and checked as the command does. */
export const runAt = (path: string): RunRecord => readUnpacked(dirname(path), readRun);

/** The search that the first pages show; it is of the workload that make capacity writes its values for. */
export const SHOWN_SEARCH = 'studies/capacity/results/last-node';

/** A search that is not sure of its answer is nothing to show first. */
export function refuseUnlessFound({ verdict }: Pick<FindRecord, 'verdict'>, path: string): void {
  if (verdict !== 'found')
    throw new Error(`${path} is ${verdict}: only a search that found its answer is shown`);
}

/** "a, b and c". */
export const listed = (words: readonly string[]): string =>
  new Intl.ListFormat('en-GB').format(words);

// The parts of a page that a script writes: each lies between `<!-- NAME: generated -->` and `<!-- end of NAME -->`.

const startOf = (name: string, by: string): string =>
  `<!-- ${name}: generated by lab/generate/${by}.ts -->`;
const endOf = (name: string): string => `<!-- end of ${name} -->`;

/** The page with each part written anew; a part that the page has no place for is an error. */
export function filled(page: string, parts: Record<string, string>, by = 'readme'): string {
  return Object.entries(parts).reduce((text, [name, content]) => {
    const begin = startOf(name, by);
    const start = text.indexOf(begin);
    const end = text.indexOf(endOf(name));
    if (start < 0 || end < start) {
      throw new Error(`the page has no place for ${name}: add ${begin} and ${endOf(name)}`);
    }
    return `${text.slice(0, start)}${begin}\n\n${content}\n\n${text.slice(end)}`;
  }, page);
}
