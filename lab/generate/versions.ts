/** The part of files/versions.yaml that follows from n8n's own configuration: which n8n reads which variable. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { root, type Generated } from './records';

const FILE = 'charts/n8n-tuned/files/versions.yaml';
const readSchema = z.object({ variables: z.record(z.string(), z.string()) });
const tableSchema = z.object({
  variables: z.array(z.object({ name: z.string(), n8n: z.string().optional() })),
});

export function versions(): Generated {
  const textOf = (file: string): string => readFileSync(join(root, file), 'utf8');
  const known = readSchema.parse(JSON.parse(textOf('lab/n8n/variables.json'))).variables;
  const { variables } = tableSchema.parse(parse(textOf('charts/n8n-tuned/files/environment.yaml')));
  const names = variables.filter(({ n8n }) => n8n === 'config').map(({ name }) => name);
  const lines = [...new Set(names)].sort().map((name) => {
    const range = known[name];
    if (range === undefined)
      throw new Error(`no n8n that was read has ${name}: lab/n8n/variables.json`);
    return `  ${name}: '${range}'\n`;
  });
  const [before = ''] = textOf(FILE).split(/^variables:/m);
  return { files: { [FILE]: `${before}variables:\n${lines.join('')}` } };
}
