// Writes every file that follows from others; with --check it only says which are out of date.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { k6Scripts } from './k6-scripts';
import { readme } from './readme';
import { root, type Generated } from './records';
import { reference } from './reference';
import { measured } from './measured';
import { scale } from './scale';
import { studies } from './studies';
import { terminals } from './terminals';
import { times } from './times';
import { workloads } from './workloads';

const GENERATORS = [
  workloads,
  k6Scripts,
  reference,
  times,
  studies,
  measured,
  scale,
  readme,
  terminals,
];
/** These write their files themselves. */
const PROGRAMS = ['charts/n8n-tuned/tools/generate.mjs', 'monitoring/generate.mjs'];
const isCheck = process.argv.includes('--check');
const path = (file: string): string => join(root, file);

const formatted = async (file: string, text: string): Promise<string> =>
  file.endsWith('.md')
    ? format(text, { ...(await resolveConfig(path(file))), filepath: file })
    : text;

const filesOf = (owned: Generated['owned']): string[] =>
  owned === undefined
    ? []
    : readdirSync(path(owned.folder), { recursive: true, encoding: 'utf8' })
        .map((file) => `${owned.folder}/${file}`)
        .filter((file) => owned.pattern.test(file));

const stale: string[] = [];
for (const generator of GENERATORS) {
  const { files, owned }: Generated = generator();
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

for (const program of PROGRAMS) {
  const { status } = spawnSync(process.execPath, [program, ...process.argv.slice(2)], {
    cwd: root,
    stdio: 'inherit',
  });
  if (status !== 0) process.exitCode = 1;
}
