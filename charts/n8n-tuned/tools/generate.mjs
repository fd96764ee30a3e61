// Writes values.schema.json and README.md from values.yaml. test/chart holds them equal.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readmeOf } from './readme.mjs';
import { schemaOf } from './schema.mjs';
import { readValues } from './values.mjs';

const chart = join(dirname(fileURLToPath(import.meta.url)), '..');
const values = readValues(join(chart, 'values.yaml'));

const generated = {
  'values.schema.json': `${JSON.stringify(schemaOf(values), null, 2)}\n`,
  'README.md': readmeOf(readFileSync(join(chart, 'tools/readme-head.md'), 'utf8'), values),
};
const checkOnly = process.argv.includes('--check');
for (const [file, content] of Object.entries(generated)) {
  const path = join(chart, file);
  if (!checkOnly) writeFileSync(path, content);
  else if (readFileSync(path, 'utf8') !== content) {
    console.error(`${file} does not follow from values.yaml: run node charts/n8n-tuned/tools/generate.mjs`);
    process.exitCode = 1;
  }
}
