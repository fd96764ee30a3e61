// What is carried along in a bundle goes with its licence.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';

/** The text for a file beside the bundles; their inputs are relative to `root`. */
export function licencesOf(metafiles: readonly Metafile[], root: string): string {
  const carried = metafiles
    .flatMap(({ inputs }) => Object.keys(inputs))
    .flatMap((file) => /^.*node_modules\/(@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []);
  const licences = [...new Set(carried)].sort().map((folder) => {
    const { name, version, license } = JSON.parse(
      readFileSync(join(root, folder, 'package.json'), 'utf8'),
    ) as Record<string, string>;
    const file = readdirSync(join(root, folder)).find((entry) => /^licen[cs]e/i.test(entry));
    const text = file
      ? readFileSync(join(root, folder, file), 'utf8').trim()
      : `Licence: ${String(license)}`;
    return `${String(name)} ${String(version)}\n\n${text}\n`;
  });
  return licences.join(`\n${'-'.repeat(72)}\n\n`);
}
