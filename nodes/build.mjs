// Compiles each node and credential into one CommonJS file. What they need at run time is carried
// along in vendor/, so that an n8n without a network can have it. Syntax for Node 18: n8n 0.x.
// Usage: node nodes/build.mjs [FOLDER]; a FOLDER is new or empty, without it dist/ is brought up to date.
import { build } from 'esbuild';
import { cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { licencesOf } from '../lab/licences.mjs';
import { replaceFiles } from '../lab/replace-files.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const sources = ['nodes', 'credentials'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true }).map((file) => join(folder, file)),
);
const find = (pattern) => sources.filter((file) => pattern.test(file));

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

async function buildInto(outdir) {
  await build({
    ...common,
    entryPoints: find(/\.(node|credentials)\.ts$/),
    outbase: root,
    outdir,
    plugins: [vendored('./vendor')],
  });
  const vendor = join(outdir, 'nodes/QueueMonitor/vendor');
  const { metafile } = await build({
    ...common,
    entryPoints: ['bull', 'ioredis'],
    outdir: vendor,
    legalComments: 'none',
    metafile: true,
    // An optional native speed-up of Bull's wire format, which the nodes never use.
    external: ['msgpackr-extract'],
    plugins: [vendored('.')],
  });

  writeFileSync(join(vendor, 'LICENSES.txt'), licencesOf([metafile], root));

  // Icons, and what the editor's search knows of a node.
  for (const file of find(/\.(svg|node\.json)$/)) {
    mkdirSync(dirname(join(outdir, file)), { recursive: true });
    cpSync(join(root, file), join(outdir, file));
  }
}

const [given] = process.argv.slice(2);
await (given ? buildInto(resolve(given)) : replaceFiles(join(root, 'dist'), buildInto));
