// Which n8n each patch knows, in the table of docs/chart/patches.md, from the hashes of known.json.
import { isWithin, table as environmentTable } from '../../cli/src/plan/environment';
import { compareVersions } from '../../cli/src/ui/versions';
import { read, readJson, type Generated } from './records';
import { distinct } from './sweeps';

type Range = readonly [from: string, to: string];
interface Entry {
  n8n: string;
}
export interface KnownCode {
  bundles: Record<string, Entry>;
  functions: Record<string, Record<string, Entry>>;
}

const rangesOf = (entries: Record<string, Entry> | undefined): Range[] =>
  Object.values(entries ?? {})
    .flatMap(({ n8n }) => n8n.split(', '))
    .map((part): Range => {
      const [from = '', to = from] = part.split(' to ');
      return [from, to];
    });

const isBefore = (a: string, b: string): boolean => compareVersions(a, b) < 0;

/** What is in both. */
const inBoth = (some: readonly Range[], others: readonly Range[]): Range[] =>
  some.flatMap(([fromA, toA]) =>
    others.flatMap(([fromB, toB]): Range[] => {
      const from = isBefore(fromA, fromB) ? fromB : fromA;
      const to = isBefore(toA, toB) ? toA : toB;
      return isBefore(to, from) ? [] : [[from, to]];
    }),
  );

const told = (ranges: readonly Range[]): string =>
  distinct(
    ranges
      .toSorted(([a], [b]) => compareVersions(a, b))
      .map(([from, to]) => (from === to ? from : `${from} to ${to}`)),
  ).join(', ');

type PatchRow = ReturnType<typeof environmentTable>['patches'][number];

function rangesOfPatch({ code, n8n }: PatchRow, known: KnownCode): Range[] | null {
  if (code === undefined) return null;
  const all =
    code === 'sandbox'
      ? rangesOf(known.bundles)
      : code.map((name) => rangesOf(known.functions[name])).reduce(inBoth);
  return all.filter((ends) => ends.every((end) => n8n === undefined || isWithin(end, n8n)));
}

const nameOf = ({ name }: PatchRow): string => name.replace('.cjs', '');

/** By the name of the patch. */
export const knownVersions = (known: KnownCode): Record<string, string> =>
  Object.fromEntries(
    environmentTable().patches.map((patch) => {
      const ranges = rangesOfPatch(patch, known);
      return [nameOf(patch), ranges === null ? 'every n8n' : told(ranges)];
    }),
  );

/** The versions whose code every patch knows. */
export const knownToAll = (known: KnownCode): string =>
  told(
    environmentTable()
      .patches.flatMap((patch) => {
        const ranges = rangesOfPatch(patch, known);
        return ranges === null ? [] : [ranges];
      })
      .reduce(inBoth),
  );

export const knownCode = (): KnownCode =>
  readJson<KnownCode>('charts/n8n-tuned/files/preload/known.json');

const PATCHES = 'docs/chart/patches.md';

/** The page with the last column of its table as known.json has it. */
export function patchesPage(page: string, known: KnownCode): string {
  const versions = knownVersions(known);
  const missing = new Set(Object.keys(versions));
  const lines = page.split('\n').map((line) => {
    const [row, head, name = ''] = /^(\|[^|]+\| (?:\[`|`)([a-z-]+)`.*\|)[^|]+\|$/.exec(line) ?? [];
    const range = versions[name];
    if (row === undefined || range === undefined) return line;
    missing.delete(name);
    return `${head ?? ''} ${range} |`;
  });
  if (missing.size > 0) throw new Error(`${PATCHES} has no row for ${[...missing].join(', ')}`);
  return lines.join('\n');
}

export const patches = (): Generated => ({
  files: { [PATCHES]: patchesPage(read(PATCHES), knownCode()) },
});
