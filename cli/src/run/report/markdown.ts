import { markdownOf, table } from '../../report/text/markdown';
import { drawChartFile } from '../../report/plot/draw';
import {
  LIMIT_COLUMNS,
  limitFigures,
  limitRows,
  ROLE_COLUMNS,
  roleRows,
  runFigures,
  runTitle,
} from './figures';
import { repeatCommand } from '../../report/text/units';
import type { RunData } from './data';
import { prometheusCharts, runCharts } from './charts';
import { takesFigures } from './first';
import { duration } from '../../ui/numbers';

/** Files that stand beside report.md: the plots it shows. */
export function plotFiles(data: RunData): { name: string; content: string }[] {
  const charts = [...runCharts(data), ...[...prometheusCharts(data).values()].flat()];
  return charts.map((chart) => ({
    name: `plots/${chart.id}.svg`,
    content: drawChartFile(chart),
  }));
}

export function renderMarkdown(data: RunData): string {
  const { record } = data;
  const { verdict } = record;
  const lines = [
    `# ${runTitle(record)}`,
    '',
    `**${verdict.sentence}**`,
    '',
    ...table(
      ['', ''],
      [...runFigures(record), ...takesFigures(record)].map((f) => [f.name, f.value]),
    ),
    '',
    ...limitFigures(record).flatMap(({ name, value }) => [`**${name}** ${value}`, '']),
  ];
  if (verdict.breaches.length > 0)
    lines.push('## What was missed', '', ...verdict.breaches.map((b) => `- ${b.text}`), '');
  if (verdict.doubts.length > 0)
    lines.push(
      '## What makes this result doubtful',
      '',
      ...verdict.doubts.map((d) => `- ${d}`),
      '',
    );
  if (record.summary.roles.length > 0)
    lines.push(
      '## Roles',
      '',
      ...table(
        ['role', ...ROLE_COLUMNS],
        roleRows(record).map((r) => [r.role, ...r.cells]),
      ),
      '',
    );
  const limits = limitRows(record);
  if (limits.length > 0) lines.push('## Limits', '', ...table(LIMIT_COLUMNS, limits), '');
  lines.push(
    '## Over time',
    '',
    ...runCharts(data).map((c) => `![${c.title}](plots/${c.id}.svg)`),
    '',
  );
  for (const [board, charts] of prometheusCharts(data))
    lines.push(
      `## From Prometheus: ${board}`,
      '',
      ...charts.map((c) => `![${c.title}](plots/${c.id}.svg)`),
      '',
    );
  if (record.events.length > 0)
    lines.push(
      '## What happened',
      '',
      ...record.events.map((e) => `- ${duration(e.tMs)}, ${e.kind}: ${e.text}`),
      '',
    );
  lines.push('## How to repeat it', '', '```', repeatCommand(record.command), '```', '');
  lines.push(
    '```json',
    JSON.stringify(
      { topology: record.topology, versions: record.versions, machine: record.machine },
      null,
      2,
    ),
    '```',
    '',
  );
  return markdownOf(lines);
}
