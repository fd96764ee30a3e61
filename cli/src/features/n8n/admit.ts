/** Reads a release of n8n: which patches of the kit fit, what has changed, which variables it knows. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { installedN8n } from '../../lab/n8n';
import { readPlainFile } from '../../linux/plain-file';
import { cacheFolder, hasLab, pinned, readVersions, repositoryRoot } from '../../lab/paths';
import { chartFile, chartFolder, table } from '../../plan/environment';
import { Mistake } from '../../ui/exit';
import { knownSchema, type KnownCode } from './analysis/row';
import {
  functionsLoaded,
  rowOf,
  type Kit,
  type PatchProof,
  type BundleProof,
  type Read,
  type ReleaseRow,
} from './analysis/row';
import { fetchPackages, installedPackages, type Packages } from './packages';

const run = promisify(execFile);
/** A program that reads all files of n8n may print this much. */
const MAX_BYTES = 2 ** 26;

export interface Admission {
  row: ReleaseRow;
  read: Read;
  /** Lines of each function that has changed, beside those of the n8n of the kit. */
  diffs: string[];
}

export async function admit(
  version: string,
  tell: (text: string) => void,
  signal: AbortSignal,
): Promise<Admission> {
  if (!hasLab())
    throw new Mistake(
      'admit works only in a checkout of n8n-tuned: clone the repository, and run the command there.',
    );
  const folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-admit-'));
  try {
    const packages =
      installedPackages(version) ?? (await fetchPackages(version, folder, tell, signal));
    tell('reading the functions that patches change');
    const texts = await functionsIn(packages, signal);
    const kit = kitOf();
    const read: Read = {
      version,
      functions: Object.fromEntries(
        Object.entries(texts).map(([name, text]) => [name, text === null ? null : sha256(text)]),
      ),
      bundle: await bundleIn(version, packages, tell, signal),
      variables: variablesIn(packages),
      missing: packages.missing,
    };
    const loaded = functionsLoaded(version, kit);
    const shown = Object.entries(texts).filter(([name]) => loaded.has(name));
    const diffs = await diffsOf(Object.fromEntries(shown), kit, folder, signal);
    return { row: rowOf(read, kit), read, diffs };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const preload = (...path: string[]): string => join(chartFolder(), 'files/preload', ...path);
export const known = (): KnownCode =>
  knownSchema.parse(chartFile('files', 'preload', 'known.json'));

export function kitOf(): Kit {
  const { variables } = z
    .looseObject({ variables: z.record(z.string(), z.string()) })
    .parse(chartFile('files', 'versions.yaml'));
  return {
    patches: table().patches.map(({ name, n8n = null, code = [] }) => ({
      ...{ name: name.replace(/\.cjs$/, ''), range: n8n, code },
    })),
    known: known().functions,
    variables,
  };
}

const textsSchema = z.record(z.string(), z.string());
type Texts = Readonly<Record<string, string | null>>;

/** The text of each function that a patch knows by its hash; null: it is not there. */
async function functionsIn({ folders }: Packages, signal: AbortSignal): Promise<Texts> {
  const names = [
    ...new Set(kitOf().patches.flatMap(({ code }) => (code === 'sandbox' ? [] : code))),
  ];
  const found: Record<string, string> = {};
  for (const part of ['n8n', 'n8n-core', 'bull', '@n8n/typeorm', '@n8n/db'] as const) {
    const folder = folders[part];
    if (folder === undefined) continue;
    const [tsx, script] = ['node_modules/tsx/dist/cli.mjs', 'lab/n8n/functions.ts'].map((file) =>
      join(repositoryRoot(), file),
    ) as [string, string];
    const inside = existsSync(join(folder, 'dist')) ? join(folder, 'dist') : folder;
    const { stdout } = await run(process.execPath, [tsx, script, inside, ...names], {
      ...{ signal, maxBuffer: MAX_BYTES },
    });
    Object.assign(found, textsSchema.parse(JSON.parse(stdout)));
  }
  return Object.fromEntries(names.map((name) => [name, found[name] ?? null]));
}

async function bundleIn(
  version: string,
  { folders }: Packages,
  tell: (text: string) => void,
  signal: AbortSignal,
): Promise<Read['bundle']> {
  const folder = folders['@n8n/expression-runtime'];
  const file = folder === undefined ? '' : join(folder, 'dist/bundle/runtime.iife.js');
  if (!existsSync(file)) return null;
  const hash = sha256(readPlainFile(file));
  const isKnown = known().bundles[hash] !== undefined;
  if (isKnown) return { hash, isKnown, verdict: null };
  const isolatedVm = isolatedVmFor(version);
  if (isolatedVm === null) {
    const why = 'the test needs isolated-vm, which no installed n8n contains';
    return { hash, isKnown, verdict: null, why };
  }
  tell('testing the patches for expressions in two sandboxes');
  const node = join(cacheFolder(), 'bin', 'node24');
  const names = kitOf()
    .patches.filter(({ code }) => code === 'sandbox')
    .map(({ name }) => name);
  const words = [preload('expressions-proof.cjs'), file, isolatedVm, ...names];
  const env = { ...process.env, N8N_TUNED_WITHOUT: names.join(',') };
  // It ends itself once it has answered.
  const ended = await run(node, words, { env, signal }).catch((error: unknown) => error);
  signal.throwIfAborted();
  return { hash, isKnown, ...proofIn(ended) };
}

/** What the program that tests patches has answered, or why it has not: what it said last, or why it did not start. */
export function proofIn(ended: unknown): BundleProof {
  const { stdout, stderr, message } = endedSchema.parse(ended);
  if (stdout.endsWith('}')) return { verdict: verdictSchema.parse(JSON.parse(stdout)) };
  const last = stderr.trim().split('\n').at(-1) ?? '';
  return { verdict: null, why: `the test did not end: ${last === '' ? message : last}` };
}
const endedSchema = z.looseObject({
  stdout: z.string().default(''),
  stderr: z.string().default(''),
  message: z.string().default('it said nothing'),
});

const verdictSchema: z.ZodType<PatchProof> = z.record(
  z.string(),
  z.tuple([z.string(), z.string()]).nullable(),
);

/** That of this n8n if it is installed, and otherwise of another one, the newest first. */
function isolatedVmFor(version: string): string | null {
  const modules = [version, ...installedN8n(cacheFolder()).reverse()].map((one) =>
    join(cacheFolder(), 'n8n', one, 'node_modules/isolated-vm'),
  );
  return modules.find((path) => existsSync(path)) ?? null;
}

/** Reads the names in n8n's own decorators. */
function variablesIn({ folders }: Packages): Set<string> | null {
  const folder = folders['@n8n/config'];
  if (folder === undefined) return null;
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const texts = files
    .filter((file) => file.endsWith('.js'))
    .map((file) => readPlainFile(join(folder, file)));
  const found = texts.flatMap((text) => [...text.matchAll(/Env\)\(\s*['"]([A-Z0-9_]+)['"]/g)]);
  return new Set(found.map(([, name = '']) => name));
}

/** Beside the n8n of the kit, which must be installed for that. */
async function diffsOf(
  texts: Texts,
  kit: Kit,
  folder: string,
  signal: AbortSignal,
): Promise<string[]> {
  const changed = Object.entries(texts).filter(
    ([name, text]) => text !== null && kit.known[name]?.[sha256(text)] === undefined,
  );
  const ours = pinned(readVersions(), 'N8N_VERSION');
  const packages = changed.length === 0 ? null : installedPackages(ours);
  if (packages === null) return [];
  const before = await functionsIn(packages, signal);
  const diffs: string[] = [];
  for (const [name, text] of changed) {
    const sides = [`${name} (n8n ${ours})`, `${name} (this n8n)`];
    const files = ['known', 'found'].map((side) => join(folder, `${side}.js`));
    writeFileSync(files[0] ?? '', `${before[name] ?? ''}\n`);
    writeFileSync(files[1] ?? '', `${text ?? ''}\n`);
    const labels = sides.flatMap((side) => ['--label', side]);
    // Its exit code says that they differ.
    const said = await run('diff', ['-u', ...labels, ...files]).then(
      ({ stdout }) => stdout,
      (error: unknown) => String((error as { stdout?: unknown }).stdout ?? ''),
    );
    diffs.push(said.trimEnd());
  }
  return diffs;
}
