import type { CompareRecord } from '../record';
import { compareCharts } from './charts';
import { compareFigures, pairTable, takesFigures, topologyTable } from './figures';
import type { ComparedRuns } from './seen';
import { repeatCommand } from '../../../report/text/units';
import { markdownOf, table } from '../../../report/text/markdown';

export function renderCompareMarkdown(record: CompareRecord, runs: ComparedRuns): string {
  const pairs = pairTable(record);
  const topologies = topologyTable(record);
  const lines = [
    `# ${record.b.name} compared with ${record.a.name}`,
    '',
    `**${record.sentence}**`,
    '',
    ...table(
      ['', ''],
      [...compareFigures(record), ...takesFigures(record, runs)].map((f) => [f.name, f.value]),
    ),
    '',
    ...record.doubts.map((d) => `- Doubt: ${d}`),
    '',
    '## Both sides, and pair by pair',
    '',
    ...compareCharts(record, runs).map((c) => `![${c.title}](plots/${c.id}.svg)`),
    '',
    ...table(pairs.head, pairs.rows),
    '',
    '## The two topologies',
    '',
    ...table(topologies.head, topologies.rows),
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
