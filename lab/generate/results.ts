// docs/results.md, an index, and a page per question in docs/results/, all of it from the records in studies/ and
// docs/records/.
import { drawChartFile } from '../../cli/src/report/plot/draw';
import { conditionsOf } from './results/conditions.mjs';
import { PAGES, type Page } from './results/pages';
import { table, type Generated } from './records';

const BY =
  '<!-- Written by lab/generate/results.ts from the records in studies/ and docs/records/. -->';

type MadePage = Omit<Page, 'parts'> & { parts: string[] };

export function results(): Generated {
  const pages = PAGES.map((page) => ({ ...page, parts: page.parts.map((part) => part()) }));
  return {
    files: {
      'docs/results.md': index(pages),
      ...Object.fromEntries(pages.map((page) => [`docs/results/${page.name}.md`, pageOf(page)])),
      ...Object.fromEntries(
        pages
          .flatMap((page) => page.plots())
          .map((chart) => [`docs/results/${chart.id}.svg`, drawChartFile(chart)]),
      ),
    },
    owned: { folder: 'docs/results', pattern: /./ },
  };
}

function index(pages: readonly MadePage[]): string {
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
function pageOf({ question, parts }: MadePage): string {
  const text = parts.filter((part) => part !== '').join('\n\n');
  const deeper = text.replace(/\]\((?![a-z]+:|#)/g, '](../');
  return `# ${question}

${BY}

[All questions](../results.md)

${deeper}`;
}
