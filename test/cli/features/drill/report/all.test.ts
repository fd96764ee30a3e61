import {
  drillsCsv,
  drillsDocument,
  type DrillRow,
} from '../../../../../cli/src/features/drill/report/all';
import { tableOf } from '../../../../../cli/src/record/csv';
import { renderMarkdown } from '../../../../../cli/src/report/text/markdown';
import { renderTerminal } from '../../../../../cli/src/report/text/terminal';
import { sampleDrill } from '../../../../support/sample-drill';

/** Drills side by side: what came of each, why it did not pass, and what was not made at all. */

const { record } = sampleDrill();
const [sent, lost] = [String(record.ledger.sent), String(record.ledger.lost)];
const rows: DrillRow[] = [
  { fault: 'kill-worker', record, reason: '', folder: 'a-drill' },
  { fault: 'stop-redis', record: null, reason: 'Redis did not come up', folder: null },
  { fault: 'burst', record, reason: 'the disk is full', folder: 'another' },
];

const shown = (drills: readonly DrillRow[]): string[] =>
  renderTerminal(drillsDocument(drills), { width: 100, colour: false }).split('\n');
const tableIn = (drills: readonly DrillRow[]): string[] => {
  const lines = shown(drills);
  return lines.slice(lines.findIndex((line) => line.startsWith('fault ')));
};

test('the terminal shows a verdict, a row for each drill, and why one did not pass', () => {
  const [head, worker, redis, burst, ...notes] = tableIn(rows);
  const [first, second] = shown(rows);
  expect([first, second?.trim()].join(' ')).toBe(
    'FAIL     n8n kept every promise in 0 of 3 drills, and broke a promise in 1; 2 drills have no valid result.',
  );
  expect(head).toMatch(/^fault +verdict +sent +lost of exposed +errors +detect +recover$/);
  expect(worker?.split(/ {2,}/).slice(0, 4)).toEqual([
    ...['kill-worker', 'FAIL', sent, `${lost} of ${String(record.ledger.exposed)}`],
  ]);
  expect(redis).toMatch(/^stop-redis +not made +-/);
  // What was not recorded as it should be says nothing.
  expect(burst).toMatch(/^burst +INVALID/);
  expect(notes.join('\n')).toContain(`kill-worker: lost=0: ${lost} of`);
  expect(notes).toContain('stop-redis: Redis did not come up');
});

test('requests that are still running stand beside those that are lost', () => {
  const { classes } = record.ledger;
  const running = { requests: 3, ids: [] };
  const open = { ...record, ledger: { ...record.ledger, classes: { ...classes, running } } };
  const [, cells] = tableIn([{ ...rows[1], record: open } as DrillRow]);
  expect(cells?.split(/ {2,}/)[3]).toBe(`${lost} of ${String(record.ledger.exposed)}, 3 unknown`);
});

test('a report in Markdown names the folder of each drill, and what became of the requests', () => {
  const text = renderMarkdown(drillsDocument(rows));
  expect(text).toContain(`| kill-worker | FAIL | ${sent} | ${lost} of `);
  expect(text).toContain('- kill-worker: a-drill/report.html');
  expect(text).toContain(`${lost} accepted and lost`);
  expect(text).toContain('| stop-redis | not made | - |');
});

test('the verdict is PASS where all drills passed, and says so of none where no promise was made', () => {
  const kept = { ...record, verdict: { ...record.verdict, outcome: 'pass' as const } };
  const row: DrillRow = { fault: 'kill-worker', record: kept, reason: '', folder: 'a-drill' };
  expect(drillsDocument([row]).verdict).toMatchObject({ tone: 'good', word: 'PASS' });
  expect(drillsDocument([]).verdict).toMatchObject({ tone: 'unsure', word: 'INVALID' });
});

test('the table as CSV has a column for each class', () => {
  const [worker, redis] = tableOf(drillsCsv(rows), [
    ...(['fault', 'verdict', 'sent', 'once', 'lost', 'exposed', 'folder'] as const),
  ]);
  expect(worker).toMatchObject({ fault: 'kill-worker', verdict: 'fail', sent, lost });
  expect(redis).toMatchObject({ fault: 'stop-redis', verdict: 'not made', sent: '', lost: '' });
});
