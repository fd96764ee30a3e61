// What the charts carry of the rest of the repository, which Git ignores: n8n-load files/load-target from the built node, and
// files/loadtests and files/workflows from the folders of these names; n8n-tuned files/recover.cjs from the command.
//
//   tsx charts/n8n-tuned/tools/build.ts     after npm run build:nodes
import { buildSync } from 'esbuild';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

/** By their path in the folder `charts`. */
type Files = Record<string, string>;

const root = join(import.meta.dirname, '../../..');
const home = join(root, 'charts');
const LOAD = 'n8n-load/files';
/** Nothing else is in these. */
const FOLDERS = ['load-target', 'loadtests', 'workflows'].map((name) => `${LOAD}/${name}`);

/** What the CronJob of recovery runs: the command's own code in one file, without a package. n8n's image has the rest. */
function recovery(): Files {
  const { outputFiles } = buildSync({
    entryPoints: [join(root, 'cli/src/features/recover/in-cluster.ts')],
    absWorkingDir: root,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    external: ['ioredis'],
    // Helm keeps it twice in the Secret of a release.
    minify: true,
    lineLimit: 120,
    banner: {
      js: '// Built from cli/src/features/recover by tools/build.ts. docs/recovery.md',
    },
    write: false,
    logLevel: 'warning',
  });
  return { 'n8n-tuned/files/recover.cjs': outputFiles[0]?.text ?? '' };
}

/** The node Load Target as a package that n8n loads from its folder of community nodes, small enough for a ConfigMap. */
function loadTarget(): Files {
  const built = (file: string): string =>
    readFileSync(join(root, 'dist/n8n-nodes-load-target', file), 'utf8');
  const { name, version, license, n8n } = JSON.parse(built('package.json')) as Record<
    string,
    unknown
  >;
  const files = ['LoadTarget.node.js', 'loadTarget.svg', 'loadTarget.dark.svg'].map(
    (file) => `dist/nodes/LoadTarget/${file}`,
  );
  return {
    [`${LOAD}/load-target/package.json`]: `${JSON.stringify({ name, version, license, n8n }, null, 2)}\n`,
    ...Object.fromEntries(files.map((file) => [`${LOAD}/load-target/${file}`, built(file)])),
  };
}

/**
 * The k6 scripts, bundled without types and comments, as one small file per profile and what they share; they stay at
 * their place relative to workflows/catalogue.json.
 */
function loadTests(): Files {
  const folder = join(root, 'loadtests');
  const { outputFiles } = buildSync({
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
    outdir: '/loadtests',
    chunkNames: 'lib/shared',
    write: false,
  });
  // A comment names the source, which is no longer beside it.
  return Object.fromEntries(
    outputFiles.map(({ path, text }) => [`${LOAD}${path}`, text.replaceAll(/^\/\/ .*\n/gm, '')]),
  );
}

function workflows(): Files {
  const folder = join(root, 'workflows');
  return Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.json'))
      .sort()
      .map((file) => [`${LOAD}/workflows/${file}`, readFileSync(join(folder, file), 'utf8')]),
  );
}

/** A reader at the same time finds each file whole, as it was or as it is now. */
function write(file: string, text: string): void {
  const path = join(home, file);
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return;
  mkdirSync(dirname(path), { recursive: true });
  const draft = `${path}.draft-${String(process.pid)}`;
  writeFileSync(draft, text);
  renameSync(draft, path);
}

const built: Files = { ...recovery(), ...loadTarget(), ...loadTests(), ...workflows() };
for (const [file, text] of Object.entries(built)) write(file, text);
for (const folder of FOLDERS) {
  for (const entry of readdirSync(join(home, folder), { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const isDraft = entry.name.includes('.draft-');
    if (entry.isFile() && !isDraft && !(path.slice(home.length + 1) in built)) rmSync(path);
  }
}
