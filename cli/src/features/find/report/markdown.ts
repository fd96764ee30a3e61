import { workloadName } from '../../../plan/chosen-workload';
import type { FindRecord } from '../record';
import { findCharts } from './charts';
import { findFigures, PROBE_COLUMNS, probeRow, probeTerms } from './figures';
import { repeatCommand } from '../../../report/text/units';
import { markdownOf, table } from '../../../report/text/markdown';

export function renderFindMarkdown(record: FindRecord): string {
  const lines = [
    `# Capacity of ${workloadName(record.workload)}`,
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
    ...probeTerms(record).map(({ name, value }) => `- ${name}: ${value}`),
    '',
    '## How to repeat it',
    '',
    '```',
    repeatCommand(record.command),
    '```',
    '',
  ];
  return markdownOf(lines);
}
