// Bundles the command into one file, so that it starts fast and needs nothing compiled beside it.
import { build } from 'esbuild';
import { join } from 'node:path';
import { replaceFiles } from '../lab/replace-files.mjs';

await replaceFiles(join(import.meta.dirname, 'dist'), (folder) =>
  build({
    entryPoints: [join(import.meta.dirname, 'src/cli.ts')],
    outfile: join(folder, 'cli.js'),
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    packages: 'external',
    sourcemap: true,
    banner: { js: '#!/usr/bin/env node' },
    logLevel: 'warning',
  }),
);
