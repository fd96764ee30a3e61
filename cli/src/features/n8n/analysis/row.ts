/** What the patches and the variables of the kit find in a release of n8n, from the code that was read. */
import { isWithin } from '../../../plan/environment';

export interface Read {
  version: string;
  /** By its name: the hash of its text; null: it is not there. */
  functions: Readonly<Record<string, string | null>>;
  /** Null: this n8n evaluates expressions without a sandbox. */
  bundle: { isKnown: boolean; verdict: PatchProof | null } | null;
  /** All that its configuration names; null: it was not read. */
  variables: ReadonlySet<string> | null;
}

/** By the name of each patch of expressions: why it is left out, or null where it is proven. */
export type PatchProof = Readonly<Record<string, readonly [state: string, why: string] | null>>;

/** The names of functions, or the bundle in which n8n evaluates expressions, of which patches prove themselves. */
export type PatchedCode = 'sandbox' | readonly string[];

export interface Kit {
  /** The chart's, with the range of n8n for which it loads each (null: for every one), and what each changes in n8n. */
  patches: readonly { name: string; range: string | null; code: PatchedCode }[];
  /** Hashes that known.json has, by the names of functions. */
  known: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Variables of n8n's configuration, with the range in which files/versions.yaml has each. */
  variables: Readonly<Record<string, string>>;
}

export interface PatchRow {
  patch: string;
  state: 'known' | 'proven' | 'unknown' | 'not needed' | 'not loaded' | 'not tried';
  /** Functions whose text is another one, or which are not there, and why a proof failed. */
  because: string[];
}

export interface ReleaseRow {
  version: string;
  patches: PatchRow[];
  /** What files/versions.yaml says otherwise than this n8n; null: its configuration was not read. */
  variables: string[] | null;
}

export function rowOf(read: Read, kit: Kit): ReleaseRow {
  return {
    version: read.version,
    patches: kit.patches.map(({ name, range, code }) =>
      range !== null && !isWithin(read.version, range)
        ? { patch: name, state: 'not loaded', because: [`for n8n ${range.replaceAll('-0', '')}`] }
        : { patch: name, ...stateOf(name, code, read, kit) },
    ),
    variables: read.variables === null ? null : differences(read.version, read.variables, kit),
  };
}

function stateOf(
  name: string,
  code: PatchedCode,
  { functions, bundle }: Read,
  { known }: Kit,
): Pick<PatchRow, 'state' | 'because'> {
  if (code === 'sandbox') return ofExpressions(name, bundle);
  const because = code.flatMap((each) => {
    const hash = functions[each] ?? null;
    if (hash === null) return [`${each} is not there`];
    return known[each]?.[hash] === undefined ? [`${each} is another one (${hash})`] : [];
  });
  return { state: because.length === 0 ? 'known' : 'unknown', because };
}

function ofExpressions(name: string, bundle: Read['bundle']): Pick<PatchRow, 'state' | 'because'> {
  if (bundle === null) return { state: 'not needed', because: ['expressions have no sandbox'] };
  if (bundle.isKnown) return { state: 'known', because: [] };
  if (bundle.verdict === null) {
    return { state: 'not tried', because: ['no n8n with isolated-vm is installed to try it in'] };
  }
  const why = bundle.verdict[name] ?? null;
  return why === null ? { state: 'proven', because: [] } : { state: 'unknown', because: [why[1]] };
}

function differences(version: string, names: ReadonlySet<string>, { variables }: Kit): string[] {
  return Object.entries(variables).flatMap(([name, range]) => {
    const isSaid = isWithin(version, range);
    if (isSaid === names.has(name)) return [];
    return [
      `${name}: ${isSaid ? 'said to be there, and it is not' : 'it is there, and said not to be'}`,
    ];
  });
}

/** Whether all that the chart loads for this n8n is in force with it. */
export const isAdmitted = ({ patches, variables }: ReleaseRow): boolean =>
  patches.every(({ state }) => state !== 'unknown' && state !== 'not tried') &&
  (variables ?? []).length === 0;
