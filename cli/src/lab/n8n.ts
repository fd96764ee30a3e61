/** The n8n that are installed on this machine, and the Node.js that each needs. */
import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { compareVersions } from '../ui/versions';
import { n8nProgram } from './paths';

/** Whole installs of n8n in the cache, the oldest first. */
export function installedN8n(cache: string): string[] {
  const folder = join(cache, 'n8n');
  if (!existsSync(folder)) return [];
  const versions = readdirSync(folder);
  return versions.filter((name) => existsSync(n8nProgram(cache, name))).sort(compareVersions);
}

export interface N8nManifest {
  version: string;
  /** The versions of Node.js that this n8n asks for; null: any. */
  engines: string | null;
}

const manifestSchema = z.object({
  name: z.literal('n8n'),
  version: z.string(),
  engines: z.looseObject({ node: z.string().optional() }).optional(),
});

/** What the package of a program says, which may be a link to it; null: it is not n8n's. */
export function manifestOf(program: string): N8nManifest | null {
  try {
    const file = join(dirname(realpathSync(program)), '..', 'package.json');
    const { version, engines } = manifestSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
    return { version, engines: engines?.node ?? null };
  } catch {
    return null;
  }
}

/** A version, or the packages that one gets in other versions; '.' is that package itself. */
type Override = string | { [name: string]: Override };
const overrideSchema: z.ZodType<Override> = z.lazy(() =>
  z.union([z.string(), z.record(z.string(), overrideSchema)]),
);
const installSchema = z.object({ overrides: z.record(z.string(), overrideSchema) });

function overridesIn(override: Override, within: readonly string[]): string[] {
  if (typeof override === 'string') return [`${within.join(' > ')} ${override}`];
  return Object.entries(override).flatMap(([name, inside]) =>
    overridesIn(inside, name === '.' ? within : [...within, name]),
  );
}

/**
 * Packages that an install has in other versions than n8n asks for, as where the registry lacks those: `NAME VERSION`, or
 * `PARENT > NAME VERSION` of one that only that package gets.
 */
export function replacedIn(program: string): string[] {
  try {
    const file = join(dirname(realpathSync(program)), '../../../package.json');
    const { overrides } = installSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
    return overridesIn(overrides, []);
  } catch {
    return [];
  }
}

/** The lab's Node.js, as tools of it, with the oldest version of each major line first. */
const NODES = [
  ['node18', '18.20.8'],
  ['node24', '24.21.0'],
] as const;

/** The oldest that n8n accepts: what it was released with. One that accepts none of them gets the newest. */
export function nodeFor(engines: string | null): 'node18' | 'node24' {
  const fitting = NODES.find(([, version]) => engines === null || accepts(engines, version));
  return fitting?.[0] ?? 'node24';
}

/** `>=18.17 <= 22`, `24.x`, `^20 || >=22`: whether a version is in a range of engines. */
export function accepts(range: string, version: string): boolean {
  return range
    .split('||')
    .some((part) =>
      [...part.matchAll(/(>=|<=|>|<|\^|~)?\s*v?(\d+(?:\.\d+)*)/g)].every(
        ([, sign = '', bound = '']) => holds(sign, version, bound),
      ),
    );
}

function holds(sign: string, version: string, bound: string): boolean {
  // A bound of few numbers is a whole line: 24 is all of 24.x.
  const sameLine = version.split('.').slice(0, bound.split('.').length).join('.') === bound;
  const side = compareVersions(version, bound);
  switch (sign) {
    case '>=':
      return side >= 0;
    case '>':
      return side > 0 && !sameLine;
    case '<=':
      return side <= 0 || sameLine;
    case '<':
      return side < 0;
    case '':
      return sameLine;
    default:
      return side >= 0 && version.split('.')[0] === bound.split('.')[0];
  }
}

/** For a version that the registry does not have, as n8n does not publish it there. */
export const imageOnly = (version: string): string =>
  `n8n ${version} is available only as an image, not from npm: measure it with --target container --image n8nio/n8n:${version}.`;
