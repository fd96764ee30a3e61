// Writes what follows from other files: values.schema.json and README.md from values.yaml, files/load-target from the
// built node. test/chart holds them equal; --check only says whether they are.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { format } from 'prettier';
import { loadTargetFiles } from './load-target.mjs';
import { readmeOf } from './readme.mjs';
import { schemaOf } from './schema.mjs';
import { readValues } from './values.mjs';

const chart = join(dirname(fileURLToPath(import.meta.url)), '..');
const values = readValues(join(chart, 'values.yaml'));

const generated = {
  'values.schema.json': `${JSON.stringify(schemaOf(values), null, 2)}\n`,
  'README.md': readmeOf(readFileSync(join(chart, 'tools/readme-head.md'), 'utf8'), values),
  ...loadTargetFiles(join(chart, '../..')),
};
const checkOnly = process.argv.includes('--check');
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
