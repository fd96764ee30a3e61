/** The packages of a release of n8n that patches and variables rest on: those of an install, or fetched from the registry. */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { imageOnly, installedN8n } from '../../lab/n8n';
import { readPlainFile } from '../../linux/plain-file';
import { cacheFolder, n8nProgram } from '../../lab/paths';
import { supports } from '../../plan/environment';
import { Failure, Mistake } from '../../ui/exit';

const run = promisify(execFile);

export const PARTS = [
  'n8n',
  'n8n-core',
  'bull',
  '@n8n/typeorm',
  '@n8n/db',
  '@n8n/config',
  '@n8n/expression-runtime',
] as const;
export type PackageOfN8n = (typeof PARTS)[number];

export interface Packages {
  /** The folder of each package; without an entry, this n8n has none, or it is missing. */
  folders: Partial<Record<PackageOfN8n, string>>;
  /** The version of each that this n8n needs, and that the registry does not have. */
  missing: Partial<Record<PackageOfN8n, string>>;
}

/** Null: this version is not installed. */
export function installedPackages(version: string): Packages | null {
  const cache = cacheFolder();
  if (!installedN8n(cache).includes(version)) return null;
  const modules = join(dirname(n8nProgram(cache, version)), '../..');
  const folders: Packages['folders'] = Object.fromEntries(
    PARTS.map((name) => [name, join(modules, name)] as const).filter(([, path]) =>
      existsSync(path),
    ),
  );
  const needed = dependenciesOf(join(modules, 'n8n'));
  const missing = PARTS.filter((name) => folders[name] === undefined && name in needed);
  return { folders, missing: Object.fromEntries(missing.map((name) => [name, needed[name]])) };
}

const manifestSchema = z.object({ dependencies: z.record(z.string(), z.string()).default({}) });

const dependenciesOf = (n8n: string): Readonly<Partial<Record<string, string>>> =>
  manifestSchema.parse(JSON.parse(readPlainFile(join(n8n, 'package.json')))).dependencies;

/** What npm says when the registry answers, and has no such version or package. */
const NOT_THERE = /\bcode (ETARGET|E404)\b/;

/** The line of npm's errors that says why. */
export function reasonOf(said: string): string {
  const lines = [...said.matchAll(/npm error (.+)/g)].map(([, line = '']) => line);
  const why = lines.find((line) => !/^(code|syscall|errno) /.test(line));
  return why ?? said.split('\n')[0] ?? '';
}

/** Into this folder; `tell` is told of each. */
export async function fetchPackages(
  version: string,
  folder: string,
  tell: (text: string) => void,
  signal: AbortSignal,
): Promise<Packages> {
  const get = async (name: PackageOfN8n, wanted: string): Promise<string | null> => {
    tell(`fetching ${name} ${wanted}`);
    const into = join(folder, name);
    mkdirSync(into, { recursive: true });
    try {
      const packed = ['pack', `${name}@${wanted}`, '--loglevel=error', '--pack-destination', into];
      const { stdout } = await run('npm', packed, { env: process.env, signal });
      const archive = join(into, stdout.trim().split('\n').at(-1) ?? '');
      await run('tar', ['xzf', archive, '--strip-components=1', '-C', into], { signal });
      return into;
    } catch (error) {
      signal.throwIfAborted();
      const said = String((error as { stderr?: unknown }).stderr ?? error);
      if (NOT_THERE.test(said)) return null;
      throw new Failure(`npm cannot fetch ${name} ${wanted}: ${reasonOf(said)}`);
    }
  };
  const n8n = await get('n8n', version);
  if (n8n === null) {
    requireFromNpm(version);
    throw new Mistake(
      `npm cannot download n8n ${version}: n8n-tuned n8n list shows the available releases.`,
    );
  }
  const needed = dependenciesOf(n8n);
  const folders: Packages['folders'] = { n8n };
  const missing: Packages['missing'] = {};
  for (const name of PARTS) {
    const wanted = needed[name];
    if (wanted === undefined) continue;
    const path = await get(name, wanted);
    if (path === null) missing[name] = wanted;
    else folders[name] = path;
  }
  return { folders, missing };
}

/** For a version that the registry does not have: a reason better than that. */
export function requireFromNpm(version: string): void {
  if (supports(version, 'fromNpm')) return;
  throw new Mistake(imageOnly(version));
}
