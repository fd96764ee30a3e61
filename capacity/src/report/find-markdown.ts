import type { FindRecord } from '../record/find-record';
import { findCharts } from './find-charts';
import { findFigures, PROBE_COLUMNS, probeRow } from './find-figures';
import { repeatCommand } from './figures';
import { table } from './markdown';

export function renderFindMarkdown(record: FindRecord): string {
  const lines = [
    `# How much of ${record.workload.title} n8n sustains`,
    '',
    `**${record.sentence}**`,
    '',
    ...table(
      ['', ''],
      findFigures(record).map((f) => [f.name, f.value]),
    ),
    '',
    ...record.doubts.map((d) => `- Doubt: ${d}`),
    '',
    '## The search',
    '',
    ...findCharts(record).map((c) => `![${c.title}](plots/${c.id}.svg)`),
    '',
    ...table(PROBE_COLUMNS, record.probes.map(probeRow)),
    '',
    '## How to repeat it',
    '',
    '```',
    repeatCommand(record.command),
    '```',
    '',
  ];
  return lines.join('\n');
}
