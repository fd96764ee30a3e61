#!/usr/bin/env node
// Writes docs/terminal/*.svg: what the command prints about records of this repository; with --check it only says
// whether that is needed.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { compiled } from './compiled.mjs';
import { root, unpacked } from './results/records.mjs';
import { terminalSvg } from './terminal/svg.mjs';

const STYLE = { width: 96, colour: true };

const command = compiled(`
  export { readComparison } from './features/compare/record';
  export { readRun } from './record/read-run';
  export { readSearch } from './features/find/read';
  export { compareDocument } from './features/compare/report/document';
  export { findDocument } from './features/find/report/document';
  export { runDocument } from './run/report/document';
  export { renderTerminal } from './report/text/terminal';
`);

const slos = ({ slo }) => slo.map(({ text }) => `--slo '${text}'`).join(' ');

/** What is typed today to measure the same: records keep the options of their day. */
const PICTURES = [
  {
    name: 'run',
    folder: 'studies/proof/results/recommended',
    read: command.readRun,
    document: (record) => command.runDocument({ record }),
    typed: (record) =>
      `n8n-tuned run --workload ${record.workload.name} --rate ${record.profile.ratePerSecond} --duration ${record.profile.durationSeconds}s \\\n  ${slos(record)}`,
  },
  {
    name: 'find',
    folder: 'studies/capacity/results/last-node',
    read: command.readSearch,
    document: command.findDocument,
    typed: (record) =>
      `n8n-tuned find --workload ${record.workload.name} ${slos(record)} --budget ${record.budgetSeconds}s`,
  },
  {
    name: 'compare',
    folder: 'studies/comparisons/results/last-node-regular',
    read: command.readComparison,
    document: (record) => command.compareDocument(record),
    typed: ({ a, b, workload, command: words }) =>
      `n8n-tuned compare ${a.name}.yaml ${b.name}.yaml --workload ${workload.name} --vus ${words[words.indexOf('--vus') + 1]}`,
  },
];

const stale = [];
for (const { name, folder, read, document, typed } of PICTURES) {
  const record = read(unpacked(folder));
  const picture = terminalSvg({
    command: typed(record),
    output: command.renderTerminal(document(record), STYLE),
  });
  const file = new URL(`docs/terminal/${name}.svg`, root);
  if (existsSync(file) && readFileSync(file, 'utf8') === picture) continue;
  stale.push(`docs/terminal/${name}.svg`);
  if (process.argv.includes('--check')) continue;
  mkdirSync(new URL('.', file), { recursive: true });
  writeFileSync(file, picture);
}
if (stale.length > 0 && process.argv.includes('--check')) {
  console.error(`${stale.join(', ')} out of date: run npm run generate`);
  process.exitCode = 1;
}
