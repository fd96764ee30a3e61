// Bundles the command into one file, so that it starts fast and needs nothing compiled beside it.
import { build } from 'esbuild';

await build({
  entryPoints: [new URL('src/cli.ts', import.meta.url).pathname],
  outfile: new URL('dist/cli.js', import.meta.url).pathname,
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  packages: 'external',
  sourcemap: true,
  banner: { js: '#!/usr/bin/env node' },
  logLevel: 'warning',
});
