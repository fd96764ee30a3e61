import { drillAdvice } from '../analysis/advice';
import type { DrillRecord } from '../record';
import { markdownOf, table } from '../../../report/text/markdown';
import { repeatCommand } from '../../../report/text/units';
import { drillCharts, type DrillParts } from './charts';
import {
  drillFigureRows,
  drillTakes,
  drillWord,
  ledgerTable,
  namedIds,
  promiseTable,
} from './figures';
import { duration } from '../../../ui/numbers';

export function renderDrillMarkdown(record: DrillRecord, parts: DrillParts): string {
  const { verdict, fault } = record;
  const ledger = ledgerTable(record);
  const promises = promiseTable(record);
  const ids = namedIds(record);
  const advice = drillAdvice(record);
  const lines = [
    `# Drill ${fault.name}: ${drillWord(record).toLowerCase()}`,
    '',
    `**${verdict.sentence}**`,
    '',
    ...table(
      ['', ''],
      [...drillFigureRows(record), ...drillTakes(parts.run.record)].map(({ name, value }) => [
        name,
        value,
      ]),
    ),
    '',
    ...verdict.doubts.map((doubt) => `- Doubt: ${doubt}`),
    ...(verdict.doubts.length === 0 ? [] : ['']),
    ...(advice.length === 0 ? [] : ['## What to change', '', ...advice.map((a) => `- ${a}`), '']),
    '## The ledger',
    '',
    ...table(ledger.head, ledger.rows),
    '',
    ...ids.map((line) => `- ${line}`),
    ...(ids.length === 0 ? [] : ['']),
    '## What was promised',
    '',
    ...table(promises.head, promises.rows),
    '',
    '## What was done',
    '',
    ...fault.done.map(({ tMs, text }) => `- ${duration(tMs)}: ${text}`),
    '',
    '## Over time',
    '',
    ...drillCharts(record, parts).map(({ id, title }) => `![${title}](plots/${id}.svg)`),
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
