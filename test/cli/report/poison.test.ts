// A record is written by others: what a report shows of it runs nothing and loads nothing.
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { row, RowReader } from '../../../cli/src/record/csv';
import { page } from '../../../cli/src/report/page/page';
import { sampleComparedRuns, sampleComparison } from '../../support/sample-compare';
import { sampleDrill } from '../../support/sample-drill';
import { sampleSearch } from '../../support/sample-find';
import { sampleRun } from '../../support/sample-run';
import { compareDocument } from '../../../cli/src/features/compare/report/document';
import { drillDocument } from '../../../cli/src/features/drill/report/document';
import { findDocument } from '../../../cli/src/features/find/report/document';
import { renderHtml } from '../../../cli/src/report/page/html';
import { runDocument } from '../../../cli/src/run/report/document';
import { renderMarkdown } from '../../../cli/src/report/text/markdown';

const POISON = '<img src=x onerror=alert(1)></script><script>alert(2)</script>';

/** What a word decides stays: how a record is drawn, and of which kind it is. */
const DECIDES =
  /^(kind|loop|outcome|verdict|answer|metric|mode|name|process|tuning|database|role|resource|class|status|arrivals|answers|method|startedAt|endedAt|at)$/;

/** Every free text of a record with tags at its end. */
function poisoned<Part>(part: Part, key = ''): Part {
  if (typeof part === 'string') return (DECIDES.test(key) ? part : `${part}${POISON}`) as Part;
  if (Array.isArray(part)) return part.map((each: unknown) => poisoned(each, key)) as Part;
  if (typeof part !== 'object' || part === null || part instanceof Map) return part;
  return Object.fromEntries(
    Object.entries(part).map(([name, value]) => [name, poisoned(value as unknown, name)]),
  ) as Part;
}

const run = sampleRun();
const { slo: slos, ...plain } = run.record;
const runData = { ...run, record: { ...poisoned(plain), slo: slos } } as typeof run;
const search = poisoned(sampleSearch());
const comparison = poisoned(sampleComparison());
const { record, ...parts } = sampleDrill();
const drill = poisoned(record);
const compared = sampleComparedRuns();

/** Code is shown as it is written. */
const withoutCode = (text: string): string => text.replaceAll(/^```[\s\S]*?^```/gm, '');

test.each<[string, () => string]>([
  ['a run', () => renderMarkdown(runDocument(runData))],
  ['a search', () => renderMarkdown(findDocument(search))],
  ['a comparison', () => renderMarkdown(compareDocument(comparison, compared))],
  ['a drill', () => renderMarkdown(drillDocument(drill, parts))],
])('report.md of %s holds no tag, whatever the texts of its record are', (_, render) => {
  const text = withoutCode(render());
  expect(text).toContain('&lt;img src=x');
  expect(text).not.toMatch(/<[a-z/!?]/i);
});

test.each<[string, () => string]>([
  ['a run', () => renderHtml(runDocument(runData))],
  ['a search', () => renderHtml(findDocument(search))],
  ['a comparison', () => renderHtml(compareDocument(comparison, compared))],
  ['a drill', () => renderHtml(drillDocument(drill, parts))],
])('report.html of %s holds no tag of its record', (_, render) => {
  const text = render();
  expect(text).toContain('&lt;img src=x');
  expect(text).not.toContain('<img');
  expect(text).not.toContain('<script>alert');
});

test('a page loads nothing, sends nothing, and runs its own script alone', () => {
  const text = page('A title', '<p>a</p>', { style: '', script: 'more()' });
  const [, policy = ''] = /Content-Security-Policy" content="([^"]*)"/.exec(text) ?? [];
  const [, script = ''] = /<script>([\s\S]*)<\/script>/.exec(text) ?? [];
  expect(script).toContain(';more()');
  const digest = createHash('sha256').update(script).digest('base64');
  expect(policy.split('; ')).toEqual([
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    `script-src 'sha256-${digest}'`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ]);
  expect(text).not.toMatch(/ on[a-z]+=/i);
});

test('no text of a CSV file begins as a formula of a spreadsheet does; it is read as it was', () => {
  const text = fc.oneof(
    fc.string({ unit: fc.constantFrom('=', '+', '-', '@', "'", '\t', '\r', '"', ',', '1', 'a') }),
    fc.constantFrom('=cmd|x!A1', '@SUM(1)', '-2+3', "'=1"),
  );
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 4 }), fc.integer(), (cells, number) => {
      const line = row([...cells, number]);
      const [read = []] = new RowReader().read(line);
      expect(read).toEqual([...cells, String(number)]);
      for (const cell of cells) {
        expect(row([cell]).replace(/^"/, '')).not.toMatch(/^[=+\-@\t\r]/);
      }
      expect(row([number])).toBe(`${String(number)}\n`);
    }),
  );
});
