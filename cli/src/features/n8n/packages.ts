/** The packages of a release of n8n that patches and variables rest on: those of an install, or fetched from the registry. */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { installedN8n } from '../../lab/n8n';
import { readPlainFile } from '../../linux/plain-file';
import { cacheFolder, n8nProgram } from '../../lab/paths';
import { supports } from '../../plan/environment';
import { Mistake } from '../../ui/exit';

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

/** The folder of each package; without an entry: this n8n has none, or the registry does not have it. */
export type Packages = Partial<Record<PackageOfN8n, string>>;

/** Null: this version is not installed. */
export function installedPackages(version: string): Packages | null {
  const cache = cacheFolder();
  if (!installedN8n(cache).includes(version)) return null;
  const modules = join(dirname(n8nProgram(cache, version)), '../..');
  return Object.fromEntries(
    PARTS.map((name) => [name, join(modules, name)] as const).filter(([, path]) =>
      existsSync(path),
    ),
  );
}

const manifestSchema = z.object({ dependencies: z.record(z.string(), z.string()).default({}) });

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
      const packed = ['pack', `${name}@${wanted}`, '--silent', '--pack-destination', into];
      const { stdout } = await run('npm', packed, { signal });
      const archive = join(into, stdout.trim().split('\n').at(-1) ?? '');
      await run('tar', ['xzf', archive, '--strip-components=1', '-C', into], { signal });
      return into;
    } catch {
      signal.throwIfAborted();
      return null;
    }
  };
  const n8n = await get('n8n', version);
  if (n8n === null) {
    requireFromNpm(version);
    throw new Mistake(
      `npm cannot download n8n ${version}: n8n-tuned n8n list shows the available releases.`,
    );
  }
  const { dependencies } = manifestSchema.parse(
    JSON.parse(readPlainFile(join(n8n, 'package.json'))),
  );
  const found: Packages = { n8n };
  for (const name of PARTS) {
    const wanted = dependencies[name];
    if (wanted === undefined) continue;
    const path = await get(name, wanted);
    if (path !== null) found[name] = path;
  }
  return found;
}

/** For a version that the registry does not have: a reason better than that. */
export function requireFromNpm(version: string): void {
  if (supports(version, 'fromNpm')) return;
  throw new Mistake(
    `n8n ${version} is available only as an image, not from npm: measure it with --target container --image n8nio/n8n:${version}.`,
  );
}
