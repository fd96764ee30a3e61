// A module of the command, compiled for a generator: Node.js loads no TypeScript of this kind.
import { rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A module of the same path would be the one that was loaded before. */
let calls = 0;

/** What `source` exports; `source` is TypeScript whose imports are paths from cli/src. */
export function compiled(source) {
  // Beside the command, where the packages that it needs are found.
  const outfile = `${root}cli/.compiled-${process.pid}-${calls++}.cjs`;
  try {
    buildSync({
      stdin: { contents: source, resolveDir: `${root}cli/src`, loader: 'ts' },
      outfile,
      bundle: true,
      platform: 'node',
      format: 'cjs',
      define: { 'import.meta.dirname': '__dirname' },
      packages: 'external',
      logLevel: 'warning',
    });
    return createRequire(import.meta.url)(outfile);
  } finally {
    rmSync(outfile, { force: true });
  }
}
