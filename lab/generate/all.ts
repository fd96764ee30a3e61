// Writes every file that follows from others; with --check it only says which are out of date.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { format, getFileInfo, resolveConfig } from 'prettier';
import { chartFiles } from '../../charts/n8n-tuned/tools/generate';
import { files as monitoringFiles, owned as monitoringFolders } from '../../monitoring';
import { k6Scripts } from './k6-scripts';
import { readme } from './readme';
import { root, type Generated } from './records';
import { reference } from './reference';
import { measured } from './measured';
import { onlySettings } from './only-settings';
import { scale } from './scale';
import { standIns } from './stand-ins';
import { studies } from './studies';
import { terminals } from './terminal-svg';
import { times } from './times';
import { workloads } from './workloads';
import { parse } from 'yaml';
import { z } from 'zod';

/** The part of files/versions.yaml that follows from n8n's own configuration: which n8n reads which variable. */

const FILE = 'charts/n8n-tuned/files/versions.yaml';
const readSchema = z.object({ variables: z.record(z.string(), z.string()) });
const tableSchema = z.object({
  variables: z.array(z.object({ name: z.string(), n8n: z.string().optional() })),
});

function versions(): Generated {
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

const GENERATORS: (() => Generated)[] = [
  versions,
  workloads,
  k6Scripts,
  reference,
  times,
  studies,
  measured,
  onlySettings,
  scale,
  standIns,
  readme,
  terminals,
];

const everything = (): Generated[] => [
  ...GENERATORS.map((generator) => generator()),
  { files: chartFiles(root) },
  ...inFolders(monitoringFiles(pathToFileURL(root)), monitoringFolders),
];

/** What lies in each of these folders is generated; the other files lie among those written by hand. */
function inFolders(files: Generated['files'], folders: readonly string[]): Generated[] {
  const among = (isOne: (file: string) => boolean): Generated['files'] =>
    Object.fromEntries(Object.entries(files).filter(([file]) => isOne(file)));
  const isIn = (file: string, folder: string): boolean => file.startsWith(`${folder}/`);
  return [
    { files: among((file) => !folders.some((folder) => isIn(file, folder))) },
    ...folders.map((folder) => ({
      files: among((file) => isIn(file, folder)),
      owned: { folder, pattern: /\.\w+$/ },
    })),
  ];
}

const isCheck = process.argv.includes('--check');
const path = (file: string): string => join(root, file);

async function formatted(file: string, text: string): Promise<string> {
  const ignorePath = path('.prettierignore');
  const { ignored, inferredParser } = await getFileInfo(path(file), { ignorePath });
  if (ignored || inferredParser === null) return text;
  return format(text, { ...(await resolveConfig(path(file))), filepath: path(file) });
}

const filesOf = (owned: Generated['owned']): string[] =>
  owned === undefined
    ? []
    : readdirSync(path(owned.folder), { recursive: true, encoding: 'utf8' })
        .map((file) => `${owned.folder}/${file}`)
        .filter((file) => owned.pattern.test(file));

const stale: string[] = [];
for (const { files, owned } of everything()) {
  for (const [file, text] of Object.entries(files)) {
    const content = await formatted(file, text);
    if (existsSync(path(file)) && readFileSync(path(file), 'utf8') === content) continue;
    stale.push(file);
    if (isCheck) continue;
    mkdirSync(dirname(path(file)), { recursive: true });
    writeFileSync(path(file), content);
  }
  for (const file of filesOf(owned).filter((one) => !(one in files))) {
    stale.push(file);
    if (!isCheck) rmSync(path(file));
  }
}
if (isCheck && stale.length > 0) {
  console.error(`${stale.join(', ')}: out of date: run npm run generate`);
  process.exitCode = 1;
}
