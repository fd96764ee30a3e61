// Compiles the two packages of nodes: each node and each credential into one CommonJS file. What they need at run time is
// carried along in vendor/, so that an n8n without a network can have it. Syntax for Node 18: n8n 0.x.
// Usage: npx tsx nodes/build.ts [FOLDER]; a FOLDER is new or empty, without it dist/ is brought up to date.
import { build, type BuildOptions, type Plugin } from 'esbuild';
import { cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { licencesOf } from '../lab/licences';
import { replaceFiles } from '../lab/replace-files';
import { packages, root } from './packages';

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
  // n8n has it; what is carried along would be another copy, whose classes n8n does not know.
  external: ['n8n-workflow'],
  logLevel: 'warning',
} satisfies BuildOptions;

/** ioredis lies beside the two nodes that share it, once. */
const vendored: Plugin = {
  name: 'vendored',
  setup: ({ onResolve }) => {
    onResolve({ filter: /^ioredis$/ }, () => ({ path: './vendor/ioredis.js', external: true }));
  },
};

/** The source of a file that the manifest names. */
const sourceOf = (file: string): string => file.replace(/^dist\//, '').replace(/\.js$/, '.ts');

async function buildPackage({ manifest }: (typeof packages)[number], into: string): Promise<void> {
  const named = [...manifest.n8n.credentials, ...manifest.n8n.nodes];
  const { metafile } = await build({
    ...common,
    entryPoints: named.map(sourceOf),
    outbase: root,
    outdir: join(into, 'dist'),
    plugins: [vendored],
    metafile: true,
  });
  // Icons, and what the editor's search knows of a node, are found in the folder of the node.
  for (const folder of new Set(named.map((file) => dirname(sourceOf(file))))) {
    for (const file of readdirSync(join(root, folder))) {
      if (!/\.(svg|node\.json)$/.test(file)) continue;
      mkdirSync(join(into, 'dist', folder), { recursive: true });
      cpSync(join(root, folder, file), join(into, 'dist', folder, file));
    }
  }
  const needsRedis = Object.values(metafile.outputs).some(({ imports }) =>
    imports.some(({ path }) => path === './vendor/ioredis.js'),
  );
  if (needsRedis) await buildVendor(join(into, 'dist/nodes/QueueMonitor/vendor'));
  writeFileSync(join(into, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

async function buildVendor(outdir: string): Promise<void> {
  const { metafile } = await build({
    ...common,
    entryPoints: ['ioredis'],
    outdir,
    legalComments: 'none',
    metafile: true,
  });
  writeFileSync(join(outdir, 'LICENSES.txt'), licencesOf([metafile], root));
}

async function buildInto(outdir: string): Promise<void> {
  for (const each of packages) await buildPackage(each, join(outdir, each.name));
}

const [given] = process.argv.slice(2);
await (given ? buildInto(resolve(given)) : replaceFiles(join(root, 'dist'), buildInto));
