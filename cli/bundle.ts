// The command as a bundle, so that it starts fast and needs nothing compiled beside it.
import { build, type BuildOptions, type Plugin } from 'esbuild';
import { chmodSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { licencesOf } from '../lab/licences';

const root = resolve(__dirname, '..');
const common = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node20',
  logLevel: 'warning',
} satisfies BuildOptions;

/** The sources are ES modules when scripts load them; `here` of cli/src/lab/paths.ts asks for both. */
const cjs = {
  format: 'cjs',
  define: { 'import.meta.dirname': '__dirname' },
} satisfies BuildOptions;

const command = (folder: string) =>
  ({
    ...common,
    entryPoints: [join(__dirname, 'src/cli.ts')],
    outfile: join(folder, 'cli.js'),
    ...cjs,
    banner: { js: '#!/usr/bin/env node' },
  }) satisfies BuildOptions;

/** What the command runs with Node.js alone: in a pod, and the stand-in also as a process beside n8n. */
const PROGRAMS = {
  'pod-links': 'targets/kubernetes/drill/links-program',
  'pod-connections': 'targets/kubernetes/drill/connections-program',
  'stand-in': 'stand-in/program',
};
const programs = (folder: string) =>
  build({
    ...common,
    entryPoints: Object.entries(PROGRAMS).map(([out, name]) => ({
      in: join(__dirname, `src/${name}.ts`),
      out,
    })),
    outdir: folder,
    outExtension: { '.js': '.cjs' },
    ...cjs,
    minify: true,
  });

/** For this checkout: packages are found in its node_modules. */
export async function bundle(folder: string): Promise<void> {
  await build({ ...command(folder), packages: 'external', sourcemap: true });
  await programs(folder);
}

/** What few calls load, and what is larger than all the rest. */
const LAZY: Record<string, string> = {
  '@aws-sdk/client-s3': 's3',
  '@kubernetes/client-node': 'kubernetes',
};
const lazily: Plugin = {
  name: 'lazily',
  setup: ({ onResolve }) => {
    onResolve({ filter: /^@/ }, ({ path, kind }) => {
      const name = kind === 'dynamic-import' ? LAZY[path] : undefined;
      return name === undefined ? undefined : { path: `./vendor/${name}.mjs`, external: true };
    });
  },
};

/** With every package that it needs, for a machine that has none of them and reaches no registry. */
export async function bundleWithPackages(folder: string): Promise<void> {
  const own = await build({
    ...command(folder),
    metafile: true,
    plugins: [lazily],
    // An optional native driver.
    external: ['pg-native'],
  });
  chmodSync(join(folder, 'cli.js'), 0o755);
  await programs(folder);
  const lazy = await build({
    ...common,
    entryPoints: Object.entries(LAZY).map(([path, name]) => ({ in: path, out: name })),
    outdir: join(folder, 'vendor'),
    outExtension: { '.js': '.mjs' },
    format: 'esm',
    splitting: true,
    // Modules keep the names of their exports, and what nothing uses stays out.
    mainFields: ['module', 'main'],
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'none',
    metafile: true,
    // Optional native parts of WebSockets.
    external: ['bufferutil', 'utf-8-validate'],
  });
  writeFileSync(join(folder, 'LICENSES.txt'), licencesOf([own.metafile, lazy.metafile], root));
}
