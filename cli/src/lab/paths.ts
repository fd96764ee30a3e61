// Paths of the lab's tools. lab/places.sh and lab/env.sh give them to shells; a test keeps the two equal.
import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';

export type Environment = Record<string, string | undefined>;

/** The pinned versions by their names in lab/versions.env. */
export type Versions = Record<string, string>;

export interface LabPaths {
  cache: string;
  /** Links to every program: the cache's own, or a fitting one of the system. */
  bin: string;
  node24: string;
  node18: string;
  /** Run by node24. */
  n8n: string;
  /** Below 1.0, run by node18. */
  n8nLegacy: string;
  k6: string;
  helm3: string;
  helm4: string;
  helmUnittest: string;
  kubeconform: string;
  helmDocs: string;
}

/** The folder of this module, in a bundle as in the sources, which scripts and tests load as they are. */
export const here = typeof __dirname === 'undefined' ? import.meta.dirname : __dirname;

/** Paths say where a tool is once it is installed, not that it is. */
export function labPaths(
  versions: Versions = readVersions(),
  env: Environment = process.env,
): LabPaths {
  const cache = cacheFolder(env);
  const bin = join(cache, 'bin');
  return {
    cache,
    bin,
    node24: join(bin, 'node24'),
    node18: join(bin, 'node18'),
    n8n: n8nProgram(cache, pinned(versions, 'N8N_VERSION')),
    n8nLegacy: n8nProgram(cache, pinned(versions, 'N8N_LEGACY_VERSION')),
    k6: join(bin, 'k6'),
    helm3: join(bin, 'helm3'),
    helm4: join(bin, 'helm4'),
    helmUnittest: join(bin, 'helm-unittest'),
    kubeconform: join(bin, 'kubeconform'),
    helmDocs: join(bin, 'helm-docs'),
  };
}

export function cacheFolder(env: Environment = process.env): string {
  const base = env['XDG_CACHE_HOME'] || join(env['HOME'] || homedir(), '.cache');
  return env['N8N_TUNED_CACHE'] || join(base, 'n8n-tuned');
}

export function n8nProgram(cache: string, version: string): string {
  return join(cache, 'n8n', version, 'node_modules', 'n8n', 'bin', 'n8n');
}

/** A program of the lab or, where the lab has none, of the PATH; null: there is neither. */
export function findProgram(name: string, env: Environment = process.env): string | null {
  // Debian puts servers in sbin, which is not on everyone's PATH.
  const folders = [join(cacheFolder(env), 'bin'), ...(env['PATH'] ?? '').split(delimiter)];
  const files = [...folders, '/usr/sbin', '/sbin']
    .filter(Boolean)
    .map((folder) => join(folder, name));
  return files.find(isProgram) ?? null;
}

export function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export function readVersions(root = repositoryRoot()): Versions {
  return parseVersions(readFileSync(join(root, 'lab', 'versions.env'), 'utf8'));
}

export function parseVersions(text: string): Versions {
  const lines = text.split('\n').map((line) => /^([A-Z0-9_]+)=(\S+)/.exec(line));
  return Object.fromEntries(
    lines.flatMap((match) => (match ? [[match[1] ?? '', match[2] ?? '']] : [])),
  );
}

export function pinned(versions: Versions, name: string): string {
  const version = versions[name];
  if (version === undefined) throw new Error(`lab/versions.env does not pin ${name}`);
  return version;
}

/** Whether tools can be installed: the npm package carries what pins them, and not what installs them. */
export function hasLab(root = repositoryRoot()): boolean {
  return existsSync(join(root, 'lab', 'install.sh'));
}

/** The folder that lab/, loadtests/ and workflows/ are in: above the sources as above the bundle. */
export function repositoryRoot(from = here): string {
  for (let folder = from; folder !== dirname(folder); folder = dirname(folder)) {
    if (existsSync(join(folder, 'lab', 'versions.env'))) return folder;
  }
  throw new Error(`there is no folder with lab/versions.env above ${from}`);
}
