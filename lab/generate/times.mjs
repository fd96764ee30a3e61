#!/usr/bin/env node
// Writes docs/times.md from docs/records/times/*.tsv; with --check it only says whether that is needed.
import { readFileSync, writeFileSync } from 'node:fs';
import { format } from 'prettier';

const recordsFolder = new URL('../../docs/records/times/', import.meta.url);
const pageFile = new URL('../../docs/times.md', import.meta.url);

/** One file per state of the machine: lines `# key: value`, then `stage<TAB>seconds<TAB>result`. */
function readRecord(file) {
  const lines = readFileSync(new URL(file, recordsFolder), 'utf8').trim().split('\n');
  const facts = Object.fromEntries(
    lines.filter((l) => l.startsWith('#')).map((l) => /^# ([^:]+): (.*)$/.exec(l).slice(1)),
  );
  const stages = lines
    .filter((l) => !l.startsWith('#'))
    .map((l) => l.split('\t'))
    .map(([stage, seconds, result]) => ({ stage, seconds: Number(seconds), result }));
  return { facts, stages };
}

/** Of the stages that its line `# total: one + another` names; the others are parts of these. */
function totalSeconds({ facts, stages }) {
  const named = facts.total.split(' + ');
  const counted = stages.filter(({ stage }) => named.includes(stage));
  if (counted.length !== named.length) throw new Error(`not all stages are there: ${facts.total}`);
  return counted.reduce((sum, { seconds }) => sum + seconds, 0);
}

const duration = (seconds) =>
  seconds < 90
    ? `${Math.round(seconds)} s`
    : `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;

const [cold, warm] = ['cold.tsv', 'warm.tsv'].map(readRecord);
const [installing, testing] = [cold, warm].map(totalSeconds);

const sections = [cold, warm].map(
  ({ facts, stages }) => `## ${facts.title}

${facts.machine}; ${facts.date}. ${facts.note}

| stage | time | |
|---|---|---|
${stages.map((s) => `| ${s.stage} | ${duration(s.seconds)} | ${s.result ?? ''} |`).join('\n')}`,
);

const page = await format(
  [
    `# How long it takes

<!-- Written by lab/generate/times.mjs from docs/records/times: change it there. -->

With nothing installed, \`.ci/run\` takes ${duration(installing)} to install what it needs, and ${duration(testing)} for its
tests: ${duration(installing + testing)}. With everything installed, only the tests remain.

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
