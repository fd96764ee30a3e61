#!/usr/bin/env node
// Writes docs/results.md, an index, and a page per question in docs/results/, all of it from the records in studies/
// and docs/records/; with --check it only says whether that is needed. Takes away pages that it does not write.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { format } from 'prettier';
import { compiled } from './compiled.mjs';
import { conditionsOf } from './results/conditions.mjs';
import { PAGES } from './results/pages.mjs';
import { root, table } from './results/records.mjs';

const STYLE = { parser: 'markdown', printWidth: 100 };
const BY =
  '<!-- Written by lab/generate/results.mjs from the records in studies/ and docs/records/. -->';
const folder = new URL('docs/results/', root);
const isCheck = process.argv.includes('--check');

/** Of what has a record. */
const pages = PAGES.map((page) => ({ ...page, parts: page.parts.map((part) => part()) })).filter(
  ({ parts }) => parts.some((part) => part !== ''),
);

const { drawChartFile } = compiled(`export { drawChartFile } from './report/plot/draw';`);
const plots = pages.flatMap((page) => page.plots());

const files = new Map([
  [new URL('docs/results.md', root).href, await format(index(), STYLE)],
  ...(await Promise.all(
    pages.map(async (page) => [
      new URL(`${page.name}.md`, folder).href,
      await format(pageOf(page), STYLE),
    ]),
  )),
  ...plots.map((chart) => [new URL(`${chart.id}.svg`, folder).href, drawChartFile(chart)]),
]);

const present = existsSync(folder) ? readdirSync(folder) : [];
const extra = present.map((name) => new URL(name, folder)).filter(({ href }) => !files.has(href));
const stale = [...files].filter(
  ([href, text]) => !existsSync(new URL(href)) || readFileSync(new URL(href), 'utf8') !== text,
);

if (!isCheck) {
  mkdirSync(folder, { recursive: true });
  for (const file of extra) rmSync(file);
  for (const [href, text] of files) writeFileSync(new URL(href), text);
} else if (stale.length + extra.length > 0) {
  const names = [...stale.map(([href]) => href), ...extra.map(({ href }) => href)].map((href) =>
    href.slice(root.href.length),
  );
  console.error(`${names.join(', ')}: out of date: run npm run generate`);
  process.exit(1);
}

function index() {
  const rows = pages.map(({ name, question, answer, parts }) => {
    const { sentence, published = '', ours = '', ratio = '' } = answer();
    const conditions = conditionsOf(parts.join('\n'));
    return [`[${question}](results/${name}.md)`, sentence, published, ours, ratio, conditions];
  });
  return `# What was measured

${BY}

One page per question. Every figure, here and there, comes from a record in this repository. Most of it ran on one small
machine with two cores, with the load generator beside n8n: take ratios from it, not absolutes. Published figures are
those of experiments by others, on machines of theirs; what they published is in the file of the study, and
\`n8n-tuned study\` repeats it ([studies](../studies/README.md)). Conditions are those of all records of a page, taken together, with
the arrivals of its open loops where they are recorded; load, duration and the other work on the machine stand in its parts.

${table(['question', 'answer', 'published', 'ours', 'ours, of the published', 'conditions'], rows)}`;
}

/** Links of the parts are those of a page in docs/. */
function pageOf({ question, parts }) {
  const text = parts.filter((part) => part !== '').join('\n\n');
  const deeper = text.replace(/\]\((?![a-z]+:|#)/g, '](../');
  return `# ${question}

${BY}

[All questions](../results.md)

${deeper}`;
}
