// What is committed and follows from other files: values.schema.json and README.md of both charts, from values.yaml, and
// here from files/defaults.yaml and the settings of files/environment.yaml.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parse } from 'yaml';
import { schemaOf, schemaOfLoad, schemaText, type TuningSetting } from './schema';
import { readValues, type Value } from './values';

type Files = Record<string, string>;

const CHART = 'charts/n8n-tuned';
const LOAD = 'charts/n8n-load';

/** By their path in the repository. */
export const chartFiles = (root: string): Files => ({ ...filesOfN8n(root), ...filesOfLoad(root) });

function filesOfLoad(root: string): Files {
  const values = readValues(join(root, LOAD, 'values.yaml'));
  return {
    [`${LOAD}/values.schema.json`]: schemaText(schemaOfLoad(values)),
    [`${LOAD}/README.md`]: readmeOf(
      readFileSync(join(root, LOAD, 'tools/readme-head.md'), 'utf8'),
      values,
    ),
  };
}

function filesOfN8n(root: string): Files {
  const read = (file: string): string => readFileSync(join(root, CHART, file), 'utf8');
  const values = readValues(join(root, CHART, 'values.yaml'));
  const presets = readdirSync(join(root, CHART, 'presets')).map((file) => basename(file, '.yaml'));
  const { tuning } = parse(read('files/environment.yaml')) as {
    tuning: Record<string, TuningSetting>;
  };
  const defaultOf = ({ path }: Value): unknown =>
    path[0] === 'tuning' ? tuning[path[1] ?? '']?.default : null;
  const files = {
    'values.schema.json': schemaText(schemaOf(values, presets, tuning)),
    'README.md': readmeOf(
      read('tools/readme-head.md'),
      values.map((each) => ({ ...each, value: each.value ?? defaultOf(each) })),
    ),
  };
  return Object.fromEntries(
    Object.entries(files).map(([file, text]) => [`${CHART}/${file}`, text]),
  );
}

/** Blocks of which each value has a row of its own, because readers look for it by its name. */
const SPREAD = [
  'executions',
  'tuning',
  'pod',
  'main',
  'worker',
  'webhook',
  'database',
  'redis',
  'ingress',
  'networkPolicy',
];

/** Enough in a cell with many values; values.yaml has the rest. */
const firstSentence = (text: string): string => text.split(/(?<=\.) (?=[A-Z`])/)[0] ?? text;

/** A table a section, and a row a subject: a value, or the block of those that are set together. */
function readmeOf(head: string, values: readonly Value[]): string {
  const cell = (text: string): string => text.replaceAll('|', '\\|');
  const shown = (value: unknown): string => `\`${cell(JSON.stringify(value))}\``;
  const sections = new Map<string, Map<string, Value[]>>();
  for (const value of values) {
    const { path, section, text } = value;
    const name = path.join('.');
    if (text === undefined) throw new Error(`values.yaml: ${name} has no sentence ("# -- ...")`);
    const isAlone = path.length === 1 || (path.length === 2 && SPREAD.includes(path[0] ?? ''));
    const subject = isAlone ? name : path.slice(0, -1).join('.');
    const subjects = sections.get(section) ?? new Map<string, Value[]>();
    subjects.set(subject, [...(subjects.get(subject) ?? []), value]);
    sections.set(section, subjects);
  }
  const row = (subject: string, of: readonly Value[]): string => {
    const [only] = of;
    if (only?.path.join('.') === subject)
      return `| \`${subject}\` | ${shown(only.value)} | ${cell(only.text ?? '')} |`;
    const lines = of.map(
      ({ path, value, text = '' }) =>
        `\`${path.at(-1) ?? ''}\` (${shown(value)}): ${cell(firstSentence(text))}`,
    );
    return `| \`${subject}\` | | ${lines.join('<br>')} |`;
  };
  const tables = [...sections].map(([section, subjects]) =>
    [
      `### ${section}`,
      '',
      '| value | default | what it does |',
      '| --- | --- | --- |',
      ...[...subjects].map(([subject, of]) => row(subject, of)),
    ].join('\n'),
  );
  return `${head.trimEnd()}\n\n${tables.join('\n\n')}\n`;
}
