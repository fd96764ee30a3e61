// The k6 scripts as one small file per profile and what they share, and the workflows: real files, because Flux's Git
// source and some packagers drop links.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { build } from 'esbuild';

/** Bundled without types and comments; the scripts stay at their place relative to workflows/catalogue.json. */
export async function loadTestFiles(root) {
  const folder = join(root, 'loadtests');
  const { outputFiles } = await build({
    entryPoints: readdirSync(folder)
      .filter((file) => file.endsWith('.ts'))
      .map((file) => join(folder, file)),
    bundle: true,
    splitting: true,
    format: 'esm',
    target: 'es2022',
    external: ['k6', 'k6/*'],
    minifySyntax: true,
    legalComments: 'none',
    outdir: '/files/loadtests',
    chunkNames: 'lib/shared',
    write: false,
  });
  return Object.fromEntries(
    outputFiles.map(({ path, text }) => [
      relative('/', path),
      // Its own place is no longer beside its source.
      text.replaceAll(/^\/\/ .*\n/gm, ''),
    ]),
  );
}

export function workflowFiles(root) {
  const folder = join(root, 'workflows');
  return Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.json'))
      .sort()
      .map((file) => [`files/workflows/${file}`, readFileSync(join(folder, file), 'utf8')]),
  );
}
