#!/usr/bin/env node
// Writes the tables of loadtests/README.md from what the scripts declare; with --check it only says whether that is needed.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { compiled } from './compiled.mjs';
import { filled } from './readme/parts.mjs';
import { table } from './results/records.mjs';

const page = fileURLToPath(new URL('../../loadtests/README.md', import.meta.url));
const read = (file) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');

const { GROUPS, PROFILES } = compiled(`
  export { GROUPS } from '../../loadtests/lib/variables.ts';
  export { PROFILES } from '../../loadtests/profiles/all.ts';
`);

/** A cell holds no bar. */
const code = (text) => (text === undefined ? '' : `\`${text}\``);

function profiles() {
  const rows = Object.entries(PROFILES).map(
    ([name, { title, loop, ratePerSecond, clients, durationSeconds, warmupSeconds }]) => [
      `[${name}.ts](${name}.ts)`,
      title,
      loop === 'closed' ? `${clients} clients` : `${ratePerSecond}/s`,
      `${durationSeconds} s`,
      warmupSeconds === 0 ? 'none' : `${warmupSeconds} s`,
    ],
  );
  return table(['script', 'what it does', 'RATE or VUS', 'DURATION', 'WARMUP'], rows);
}

function variables() {
  return Object.entries(GROUPS)
    .map(([title, group]) => `### ${title}\n\n${variableTable(group)}`)
    .join('\n\n');
}

function variableTable(group) {
  const rows = Object.entries(group).map(([name, { what, usual, example }]) => [
    code(name),
    what,
    usual === 'profile' ? 'by profile' : code(usual),
    code(example),
  ]);
  const last = rows.some((row) => row[3] !== '') ? 4 : 2;
  return table(
    ['variable', 'what it is', 'default', 'example'].slice(0, last),
    rows.map((row) => row.slice(0, last)),
  );
}

function versions() {
  const [, tested] = /^K6_VERSION=v?(\S+)$/m.exec(read('lab/versions.env')) ?? [];
  const types = JSON.parse(read('package.json')).devDependencies['@types/k6'];
  if (tested === undefined) throw new Error('lab/versions.env has no K6_VERSION');
  return `The tests run the scripts and the examples with k6 ${tested}. Their types are checked with \`@types/k6\` ${types}. Newer versions of k6 were not run.`;
}

const written = readFileSync(page, 'utf8');
const text = await format(
  filled(
    written,
    { profiles: profiles(), variables: variables(), versions: versions() },
    'k6-scripts',
  ),
  { ...(await resolveConfig(page)), parser: 'markdown' },
);
if (!process.argv.includes('--check')) {
  writeFileSync(page, text);
} else if (written !== text) {
  console.error('loadtests/README.md is out of date: run npm run generate');
  process.exit(1);
}
