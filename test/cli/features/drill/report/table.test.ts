import {
  drillsCsv,
  renderDrillsMarkdown,
  renderDrillsTerminal,
  type DrillRow,
} from '../../../../../cli/src/features/drill/report/table';
import { tableOf } from '../../../../../cli/src/record/csv';
import { sampleDrill } from '../../../../support/sample-drill';

/** Drills side by side: what came of each, why it did not pass, and what was not made at all. */

const { record } = sampleDrill();
const [sent, lost] = [String(record.ledger.sent), String(record.ledger.lost)];
const rows: DrillRow[] = [
  { fault: 'kill-worker', record, reason: '', folder: 'a-drill' },
  { fault: 'stop-redis', record: null, reason: 'Redis did not come up', folder: null },
  { fault: 'burst', record, reason: 'the disk is full', folder: 'another' },
];

test('in the terminal', () => {
  const [head, worker, redis, burst, ...notes] = renderDrillsTerminal(rows).split('\n');
  expect(head).toMatch(/^fault +verdict +sent +lost of exposed +at most +errors +detect +recover$/);
  expect(worker?.split(/ {2,}/).slice(0, 4)).toEqual([
    ...['kill-worker', 'FAIL', sent, `${lost} of ${String(record.ledger.exposed)}`],
  ]);
  expect(redis).toMatch(/^stop-redis +not made +-/);
  // What was not recorded as it should be says nothing.
  expect(burst).toMatch(/^burst +INVALID/);
  expect(notes.join('\n')).toContain(`  lost=0: ${lost} of`);
  expect(notes).toEqual(
    expect.arrayContaining(['kill-worker:', 'stop-redis:', '  Redis did not come up']),
  );
});

test('nothing bounds what is lost where requests are still running', () => {
  const { classes } = record.ledger;
  const running = { requests: 3, ids: [] };
  const open = { ...record, ledger: { ...record.ledger, classes: { ...classes, running } } };
  const [, cells] = renderDrillsTerminal([{ ...rows[1], record: open } as DrillRow]).split('\n');
  expect(cells?.split(/ {2,}/)[4]).toBe('-');
});

test('as Markdown, with a link to each', () => {
  const text = renderDrillsMarkdown(rows);
  expect(text).toContain(`| [kill-worker](a-drill/report.md) | FAIL | ${sent} | ${lost} of `);
  expect(text).toContain(`${lost} accepted and lost`);
  expect(text).toContain('| stop-redis | not made | - |');
});

test('nothing made is a table all the same', () => {
  expect(renderDrillsMarkdown([])).toContain('| fault | verdict |');
});

test('as CSV, a column for each class', () => {
  const [worker, redis] = tableOf(drillsCsv(rows), [
    ...(['fault', 'verdict', 'sent', 'once', 'lost', 'exposed', 'folder'] as const),
  ]);
  expect(worker).toMatchObject({ fault: 'kill-worker', verdict: 'fail', sent, lost });
  expect(redis).toMatchObject({ fault: 'stop-redis', verdict: 'not made', sent: '', lost: '' });
});
