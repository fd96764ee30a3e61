// What is committed and follows from other files: values.schema.json and README.md, from values.yaml, files/defaults.yaml
// and the settings of files/environment.yaml.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
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
