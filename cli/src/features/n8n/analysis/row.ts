/** What the patches and the variables of the kit find in a release of n8n, from the code that was read. */
import { z } from 'zod';
import { isWithin } from '../../../plan/environment';
import { compareVersions } from '../../../ui/versions';

export interface Read {
  version: string;
  /** By its name: the hash of its text; null: it is not there. */
  functions: Readonly<Record<string, string | null>>;
  /** Null: this n8n evaluates expressions without a sandbox, or its package is missing. */
  bundle: ({ hash: string; isKnown: boolean } & BundleProof) | null;
  /** All that its configuration names; null: it was not read. */
  variables: ReadonlySet<string> | null;
  /** The version of each package that this n8n needs, and that could not be had. */
  missing: Readonly<Record<string, string>>;
}

/** By the name of each patch of expressions: why it is left out, or null where it is proven. */
export type PatchProof = Readonly<Record<string, readonly [state: string, why: string] | null>>;

/** What the test of a bundle said, if it was not known; `why` it said nothing. */
export interface BundleProof {
  verdict: PatchProof | null;
  why?: string;
}

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
  /** Why its configuration was not read, where it has one. */
  unread: string[];
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
    unread: read.missing[CONFIGURATION] === undefined ? [] : lacking(read, [CONFIGURATION]),
  };
}

const SANDBOX = '@n8n/expression-runtime';
const CONFIGURATION = '@n8n/config';

const lacking = ({ missing }: Read, names: readonly string[]): string[] =>
  names.map((name) => `the registry has no ${name} ${missing[name] ?? ''}`);

function stateOf(
  name: string,
  code: PatchedCode,
  read: Read,
  { known }: Kit,
): Pick<PatchRow, 'state' | 'because'> {
  if (code === 'sandbox') return ofExpressions(name, read);
  const { functions, missing } = read;
  // Any of these may have what was not found.
  const unread = Object.keys(missing).filter((each) => each !== SANDBOX && each !== CONFIGURATION);
  const lost = code.filter((each) => (functions[each] ?? null) === null);
  if (lost.length > 0 && unread.length > 0) {
    const why = lacking(read, unread).join(', ');
    return { state: 'not tried', because: lost.map((each) => `${each} was not read: ${why}`) };
  }
  const because = code.flatMap((each) => {
    const hash = functions[each] ?? null;
    if (hash === null) return [`${each} is missing`];
    return known[each]?.[hash] === undefined
      ? [`${each} differs from the known code (${hash})`]
      : [];
  });
  return { state: because.length === 0 ? 'known' : 'unknown', because };
}

function ofExpressions(name: string, read: Read): Pick<PatchRow, 'state' | 'because'> {
  const { bundle, missing } = read;
  if (bundle === null) {
    return missing[SANDBOX] === undefined
      ? { state: 'not needed', because: ['expressions have no sandbox'] }
      : { state: 'not tried', because: lacking(read, [SANDBOX]) };
  }
  if (bundle.isKnown) return { state: 'known', because: [] };
  if (bundle.verdict === null) {
    return { state: 'not tried', because: bundle.why === undefined ? [] : [bundle.why] };
  }
  const why = bundle.verdict[name] ?? null;
  return why === null ? { state: 'proven', because: [] } : { state: 'unknown', because: [why[1]] };
}

function differences(version: string, names: ReadonlySet<string>, { variables }: Kit): string[] {
  return Object.entries(variables).flatMap(([name, range]) => {
    const isSaid = isWithin(version, range);
    if (isSaid === names.has(name)) return [];
    return [`${name}: ${isSaid ? 'listed, but missing' : 'present, but not listed'}`];
  });
}

/** The functions that the patches change which the chart loads for this n8n. */
export const functionsLoaded = (version: string, { patches }: Kit): Set<string> =>
  new Set(
    patches
      .filter(({ range }) => range === null || isWithin(version, range))
      .flatMap(({ code }) => (code === 'sandbox' ? [] : code)),
  );

/** The same row once variables have these ranges, which a newer release may change. */
export const rowWithRanges = (
  row: ReleaseRow,
  { version, variables }: Read,
  kit: Kit,
  ranges: Kit['variables'],
): ReleaseRow => {
  if (variables === null) return row;
  const names = Object.keys(kit.variables);
  const now = names.flatMap((name) => {
    const range = ranges[name];
    return range === undefined ? [] : [[name, range] as const];
  });
  return {
    ...row,
    variables: differences(version, variables, { ...kit, variables: Object.fromEntries(now) }),
  };
};

/** Whether all that the chart loads for this n8n is in force with it. */
export const isAdmitted = ({ patches, variables, unread }: ReleaseRow): boolean =>
  patches.every(({ state }) => state !== 'unknown' && state !== 'not tried') &&
  unread.length === 0 &&
  (variables ?? []).length === 0;

/* What known.json says of a release once it was tried, and the row of the page of versions. */

const entrySchema = z.object({
  /** `2.39.0 to 2.41.3`, and behind a comma what was admitted later. */
  n8n: z.string(),
  how: z.string(),
  on: z.string(),
});
export const knownSchema = z.object({
  bundles: z.record(z.string(), entrySchema),
  functions: z.record(z.string(), z.record(z.string(), entrySchema)),
});
export type KnownCode = z.infer<typeof knownSchema>;

/** The same rows of a database: tests on PostgreSQL show it. What others store or queue differently needs a person. */
const SHOWN_BY_TESTS: readonly string[] = ['session-once', 'read-once'];

/** With this release, of which all tests of the patches have passed on this day. */
export function knownWith(known: KnownCode, read: Read, kit: Kit, on: string): KnownCode {
  const { version } = read;
  const added = { n8n: version, how: 'tests', on };
  const byTests = new Set(
    kit.patches
      .filter(({ name }) => SHOWN_BY_TESTS.includes(name))
      .flatMap(({ code }) => (code === 'sandbox' ? [] : code)),
  );
  const functions = { ...known.functions };
  for (const [name, hash] of Object.entries(read.functions)) {
    const all = functions[name] ?? {};
    const before = hash === null ? undefined : all[hash];
    if (hash === null || (before === undefined && !byTests.has(name))) continue;
    functions[name] = {
      ...all,
      [hash]: before === undefined ? added : withVersion(before, version),
    };
  }
  const { bundle } = read;
  if (bundle === null) return { ...known, functions };
  const before = known.bundles[bundle.hash];
  const isProven = Object.values(bundle.verdict ?? { none: ['', ''] }).every((why) => why === null);
  const entry =
    before === undefined
      ? isProven
        ? { ...added, how: 'self-test and tests' }
        : undefined
      : withVersion(before, version);
  return {
    bundles: entry === undefined ? known.bundles : { ...known.bundles, [bundle.hash]: entry },
    functions,
  };
}

type Entry = z.infer<typeof entrySchema>;

const withVersion = (entry: Entry, version: string): Entry =>
  isIn(entry.n8n, version) ? entry : { ...entry, n8n: `${entry.n8n}, ${version}` };

const isIn = (text: string, version: string): boolean =>
  text.split(', ').some((part) => {
    const [from = '', to = from] = part.split(' to ');
    return compareVersions(version, from) >= 0 && compareVersions(version, to) <= 0;
  });

const rowSchema = z.object({
  n8n: z.string(),
  /** The day on which it was looked at. */
  on: z.string(),
  patches: z.array(
    z.object({ patch: z.string(), state: z.string(), because: z.array(z.string()) }),
  ),
  variables: z.array(z.string()).nullable(),
  /** Null: its code was read, and it did not run. */
  tried: z
    .object({
      node: z.string(),
      /** Tests of the patches with this n8n. */
      tests: z.object({
        passed: z.number(),
        failed: z.number(),
        /** The names of those that failed. */
        failing: z.array(z.string()).default([]),
      }),
      /** By the metrics of the processes that ran, for each role. */
      inForce: z.record(z.string(), z.record(z.string(), z.string())),
      /** With one request each. */
      workloads: z.object({ responded: z.number(), failed: z.array(z.string()) }),
    })
    .nullable(),
  /** How long the command took, up to this row; left out: it was not measured. */
  tookSeconds: z.number().optional(),
});
export const versionsSchema = z.object({ versions: z.array(rowSchema) });
export type VersionRow = z.infer<typeof rowSchema>;

/** In place of what the record had of it. The newest release comes first; what was tried is not replaced by what was read. */
export function rowsWith(rows: readonly VersionRow[], row: VersionRow): VersionRow[] {
  const before = rows.find(({ n8n }) => n8n === row.n8n);
  const kept = row.tried === null && before?.tried != null ? asTried(row, before) : row;
  return [...rows.filter(({ n8n }) => n8n !== row.n8n), kept].sort((a, b) =>
    compareVersions(b.n8n, a.n8n),
  );
}

const asTried = (row: VersionRow, { tried, tookSeconds }: VersionRow): VersionRow => {
  const { n8n, on, patches, variables } = row;
  const took = tookSeconds === undefined ? {} : { tookSeconds };
  return { n8n, on, patches, variables, tried, ...took };
};

/** The row of a release once this is known. */
export const rowAfter = (read: Read, kit: Kit, { bundles, functions }: KnownCode): ReleaseRow =>
  rowOf(
    {
      ...read,
      bundle: read.bundle && { ...read.bundle, isKnown: bundles[read.bundle.hash] !== undefined },
    },
    { ...kit, known: functions },
  );

/** What known.json would have after it and has not before: hashes of code that the tests of this release run as known. */
export function hashesAdded(before: KnownCode, after: KnownCode): string[] {
  const hashesOf = ({ bundles, functions }: KnownCode): string[] =>
    [bundles, ...Object.values(functions)].flatMap((entries) => Object.keys(entries));
  const known = new Set(hashesOf(before));
  return hashesOf(after).filter((hash) => !known.has(hash));
}

/** Whether nothing is left to a person: the code is known or proven, the tests passed, and each workload responded. */
export const isWhole = (row: ReleaseRow, { tried }: VersionRow): boolean =>
  isAdmitted(row) &&
  tried !== null &&
  tried.tests.failed === 0 &&
  tried.tests.passed > 0 &&
  tried.workloads.failed.length === 0;

/** A changed patch of what is stored or queued, whose functions have changed in n8n, is for a person to read. */
export const forAPerson = ({ patches }: ReleaseRow): PatchRow[] =>
  patches.filter(({ patch, state }) => state === 'unknown' && !SHOWN_BY_TESTS.includes(patch));
