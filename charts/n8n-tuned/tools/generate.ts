// What follows from other files: values.schema.json and README.md from values.yaml, files/defaults.yaml and the settings of
// files/environment.yaml; files/load-target from the built node, files/loadtests and files/workflows from the folders of
// these names, files/recover.cjs from the command.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { buildSync } from 'esbuild';
import { parse } from 'yaml';
import { schemaOf, type TuningSetting } from './schema';
import { readValues, type Value } from './values';

type Files = Record<string, string>;

const CHART = 'charts/n8n-tuned';

/** By their path in the repository. */
export function chartFiles(root: string): Files {
  const read = (file: string): string => readFileSync(join(root, CHART, file), 'utf8');
  const values = readValues(join(root, CHART, 'values.yaml'));
  const presets = readdirSync(join(root, CHART, 'presets')).map((file) => basename(file, '.yaml'));
  const { tuning } = parse(read('files/environment.yaml')) as {
    tuning: Record<string, TuningSetting>;
  };
  const files = {
    'values.schema.json': `${JSON.stringify(schemaOf(values, presets, tuning), null, 2)}\n`,
    'README.md': readmeOf(read('tools/readme-head.md'), values),
    'files/recover.cjs': recovery(root),
    ...loadTarget(root),
    ...loadTests(root),
    ...workflows(root),
  };
  return Object.fromEntries(
    Object.entries(files).map(([file, text]) => [`${CHART}/${file}`, text]),
  );
}

/** A table a section. */
function readmeOf(head: string, values: readonly Value[]): string {
  const cell = (text: string): string => text.replaceAll('|', '\\|');
  const sections = new Map<string, string[]>();
  for (const { path, value, section, text } of values) {
    const name = path.join('.');
    if (text === undefined) throw new Error(`values.yaml: ${name} has no sentence ("# -- ...")`);
    const row = `| \`${name}\` | \`${cell(JSON.stringify(value))}\` | ${cell(text)} |`;
    sections.set(section, [...(sections.get(section) ?? []), row]);
  }
  const tables = [...sections].map(([section, rows]) =>
    [
      `### ${section}`,
      '',
      '| value | default | what it does |',
      '| --- | --- | --- |',
      ...rows,
    ].join('\n'),
  );
  return `${head.trimEnd()}\n\n${tables.join('\n\n')}\n`;
}

/** What the CronJob of recovery runs: the command's own code in one file, without a package. n8n's image has the rest. */
function recovery(root: string): string {
  const { outputFiles } = buildSync({
    entryPoints: [join(root, 'cli/src/features/recover/in-cluster.ts')],
    absWorkingDir: root,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    external: ['ioredis'],
    banner: {
      js: '// Generated from cli/src/features/recover by tools/generate.ts. docs/recovery.md',
    },
    write: false,
    logLevel: 'warning',
  });
  return outputFiles[0]?.text ?? '';
}

/** The node Load Target as a package that n8n loads from its folder of community nodes, small enough for a ConfigMap. */
function loadTarget(root: string): Files {
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
    'files/load-target/package.json': `${JSON.stringify({ name, version, license, n8n }, null, 2)}\n`,
    ...Object.fromEntries(files.map((file) => [`files/load-target/${file}`, built(file)])),
  };
}

/**
 * The k6 scripts, bundled without types and comments, as one small file per profile and what they share; they stay at
 * their place relative to workflows/catalogue.json.
 */
function loadTests(root: string): Files {
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
    outdir: '/files/loadtests',
    chunkNames: 'lib/shared',
    write: false,
  });
  // A comment names the source, which is no longer beside it.
  return Object.fromEntries(
    outputFiles.map(({ path, text }) => [path.slice(1), text.replaceAll(/^\/\/ .*\n/gm, '')]),
  );
}

function workflows(root: string): Files {
  const folder = join(root, 'workflows');
  return Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.json'))
      .sort()
      .map((file) => [`files/workflows/${file}`, readFileSync(join(folder, file), 'utf8')]),
  );
}
