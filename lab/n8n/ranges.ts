/** In which versions something exists, as a semver constraint, from those that were looked into. */
import { compareVersions } from '../../cli/src/ui/versions';

/** Releases alone, in order. */
export const sortedVersions = (versions: readonly string[]): string[] =>
  versions.filter((version) => /^\d+\.\d+\.\d+$/.test(version)).sort(compareVersions);

/** A bound is the first release that was read and has it, or has it no more; null where none has it. */
export function rangeOf(read: readonly { version: string; has: boolean }[]): string | null {
  const parts: string[][] = [];
  let before = false;
  for (const { version, has } of read) {
    if (has && !before) parts.push([`>=${version}-0`]);
    if (!has && before) parts.at(-1)?.push(`<${version}-0`);
    before = has;
  }
  return parts.length === 0 ? null : parts.map((part) => part.join(' ')).join(' || ');
}

/** The same range once a newer release was read, which has it or has it not. */
export function rangeWith(range: string | undefined, version: string, has: boolean): string | null {
  const parts = range === undefined ? [] : range.split(' || ');
  const isOpen = parts.length > 0 && !(parts.at(-1) ?? '').includes('<');
  if (has && !isOpen) parts.push(`>=${version}-0`);
  if (!has && isOpen) parts.push(`${parts.pop() ?? ''} <${version}-0`);
  return parts.length === 0 ? null : parts.join(' || ');
}
