import type { CellRecord, SweepRecord } from '../record';
import { repeatCommand } from '../../../report/text/units';
import { markdownOf, table } from '../../../report/text/markdown';
import { sweepCharts } from './charts';
import {
  crashes,
  sweepDoubts,
  sweepFigures,
  sweepLimits,
  sweepSentence,
  sweepTable,
} from './figures';

export function renderSweepMarkdown(sweep: SweepRecord, records: readonly CellRecord[]): string {
  const { head, rows } = sweepTable(sweep, records);
  const dead = crashes(records);
  const limits = sweepLimits(sweep, records);
  return markdownOf([
    `# ${sweep.title}`,
    '',
    `**${sweepSentence(sweep, records)}**`,
    '',
    ...table(
      ['', ''],
      sweepFigures(sweep, records).map(({ name, value }) => [name, value]),
    ),
    '',
    ...sweepDoubts(sweep, records).map((doubt) => `- Doubt: ${doubt}`),
    '',
    '## What came out',
    '',
    ...sweepCharts(sweep, records)
      .flat()
      .map(({ id, title }) => `![${title}](plots/${id}.svg)`),
    '',
    ...table(head, rows),
    '',
    ...(limits.length > 0
      ? [
          '## What limited each cell',
          '',
          ...limits.map(({ cell, text }) => `- ${cell}: ${text}`),
          '',
        ]
      : []),
    ...(dead.length > 0
      ? ['## What crashed', '', ...dead.map(({ id, sentence }) => `- ${id}: ${sentence}`), '']
      : []),
    '## How to repeat it',
    '',
    '```',
    repeatCommand(sweep.command),
    '```',
    '',
  ]);
}
