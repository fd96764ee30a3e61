// Writes what follows from other files: values.schema.json and README.md from values.yaml and files/defaults.yaml,
// files/load-target from the built node, files/loadtests and files/workflows from the folders of these names. test/chart
// holds them equal; --check only says whether they are.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { format } from 'prettier';
import { loadTargetFiles } from './load-target.mjs';
import { loadTestFiles, workflowFiles } from './load-test.mjs';
import { recoveryFiles } from './recovery.mjs';
import { readmeOf } from './readme.mjs';
import { schemaOf } from './schema.mjs';
import { readValues } from './values.mjs';

const chart = join(dirname(fileURLToPath(import.meta.url)), '..');
const root = join(chart, '../..');
const values = readValues(join(chart, 'values.yaml'));
const presets = readdirSync(join(chart, 'presets')).map((file) => basename(file, '.yaml'));

const generated = {
  'values.schema.json': `${JSON.stringify(schemaOf(values, presets), null, 2)}\n`,
  'README.md': readmeOf(readFileSync(join(chart, 'tools/readme-head.md'), 'utf8'), values),
  ...loadTargetFiles(root),
  ...(await loadTestFiles(root)),
  ...workflowFiles(root),
  ...(await recoveryFiles(root)),
};
const checkOnly = process.argv.includes('--check');
/** What lies in a folder that is generated whole, and no source is left for. */
const leftovers = ['files/loadtests', 'files/workflows'].flatMap((folder) =>
  readdirSync(join(chart, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(chart, join(entry.parentPath, entry.name)))
    .filter((file) => !(file in generated)),
);
for (const file of leftovers) {
  if (!checkOnly) rmSync(join(chart, file));
  else {
    console.error(
      `charts/n8n-tuned/${file} has no source: run node charts/n8n-tuned/tools/generate.mjs`,
    );
    process.exitCode = 1;
  }
}
for (const [file, text] of Object.entries(generated)) {
  const path = join(chart, file);
  const content =
    file === 'values.schema.json' ? await format(text, { parser: 'json', printWidth: 100 }) : text;
  if (!checkOnly) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  } else if (!existsSync(path) || readFileSync(path, 'utf8') !== content) {
    console.error(
      `charts/n8n-tuned/${file} is out of date: run node charts/n8n-tuned/tools/generate.mjs`,
    );
    process.exitCode = 1;
  }
}
