#!/usr/bin/env node
// Writes docs/times.md from docs/records/times/*.tsv; with --check it only says whether that is needed.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { format } from 'prettier';

const recordsFolder = new URL('../../docs/records/times/', import.meta.url);
const pageFile = new URL('../../docs/times.md', import.meta.url);

/** One file a machine state: lines `# key: value`, then `stage<TAB>seconds<TAB>result`. */
function readRecord(file) {
  const lines = readFileSync(new URL(file, recordsFolder), 'utf8').trim().split('\n');
  const facts = Object.fromEntries(
    lines.filter((l) => l.startsWith('#')).map((l) => l.slice(2).split(': ', 2)),
  );
  const stages = lines
    .filter((l) => !l.startsWith('#'))
    .map((l) => l.split('\t'))
    .map(([stage, seconds, result]) => ({ stage, seconds: Number(seconds), result }));
  return { name: file.replace('.tsv', ''), facts, stages };
}

const duration = (seconds) =>
  seconds < 90
    ? `${Math.round(seconds)} s`
    : `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;

const sections = readdirSync(recordsFolder)
  .filter((file) => file.endsWith('.tsv'))
  .sort()
  .map(readRecord)
  .map(
    ({ facts, stages }) => `## ${facts.title}

${facts.machine}; ${facts.date}. ${facts.note ?? ''}

| stage | time | |
|---|---|---|
${stages.map((s) => `| ${s.stage} | ${duration(s.seconds)} | ${s.result ?? ''} |`).join('\n')}`,
  );

const page = await format(
  [
    `# How long it takes

<!-- Written by lab/generate/times.mjs from docs/records/times: change it there. -->

Each table is one run, as the clock of the machine showed it. Wall times of one run vary with whatever else the
machine does: take them as an order of magnitude.`,
    ...sections,
  ].join('\n\n'),
  { parser: 'markdown', printWidth: 100 },
);

if (!process.argv.includes('--check')) {
  writeFileSync(pageFile, page);
} else if (readFileSync(pageFile, 'utf8') !== page) {
  console.error('docs/times.md is out of date: run npm run generate');
  process.exit(1);
}
