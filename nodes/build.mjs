// Compiles each node and credential into one CommonJS file. What they need at run time is carried
// along in vendor/, so that an n8n without a network can have it. Syntax for Node 18: n8n 0.x.
import { build } from 'esbuild';
import { cpSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const outdir = join(root, 'dist');
const sources = ['nodes', 'credentials'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true }).map((file) => join(folder, file)),
);
const find = (pattern) => sources.filter((file) => pattern.test(file));

rmSync(outdir, { recursive: true, force: true });
const common = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node18',
  format: 'cjs',
  // Whitespace and syntax only: n8n finds a class by its name.
  minifySyntax: true,
  minifyWhitespace: true,
  keepNames: true,
  logLevel: 'warning',
};

/** Bull and ioredis lie beside the two nodes that share them, once. */
const vendored = (folder) => ({
  name: 'vendored',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^(bull|ioredis)$/ }, ({ path, kind }) =>
      kind === 'entry-point' ? undefined : { path: `${folder}/${path}.js`, external: true },
    ),
});

await build({
  ...common,
  entryPoints: find(/\.(node|credentials)\.ts$/),
  outbase: root,
  outdir,
  plugins: [vendored('./vendor')],
});
await build({
  ...common,
  entryPoints: ['bull', 'ioredis'],
  outdir: join(outdir, 'nodes/QueueMonitor/vendor'),
  // The licences of what is carried along stay with it.
  legalComments: 'linked',
  // An optional native speed-up of Bull's wire format, which the nodes never use.
  external: ['msgpackr-extract'],
  plugins: [vendored('.')],
});

// Icons, and what the editor's search knows of a node.
for (const file of find(/\.(svg|node\.json)$/)) {
  mkdirSync(dirname(join(outdir, file)), { recursive: true });
  cpSync(join(root, file), join(outdir, file));
}
