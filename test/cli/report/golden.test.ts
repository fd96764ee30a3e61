/** What users read, compared with test/golden; how it behaves is tested beside this file. */
import { programOf } from '../../../cli/src/program';
import { compareDocument } from '../../../cli/src/features/compare/report/document';
import type { ReportDocument } from '../../../cli/src/report/document';
import { drillDocument } from '../../../cli/src/features/drill/report/document';
import { drillsDocument } from '../../../cli/src/features/drill/report/all';
import { reportFiles } from '../../../cli/src/report/files';
import { findDocument } from '../../../cli/src/features/find/report/document';
import { rateDocument } from '../../../cli/src/features/find/report/rate';
import { renderFinds } from '../../../cli/src/features/find/report/list-terminal';
import { renderHtml } from '../../../cli/src/report/page/html';
import { migrateDocument } from '../../../cli/src/features/migrate/report/document';
import { proofDocument } from '../../../cli/src/features/recommend/report/document';
import { carriedTo } from '../../../cli/src/features/find/analysis/carried';
import { otherMachineDocument } from '../../../cli/src/features/predict/report/other-machine';
import { predictDocument } from '../../../cli/src/features/predict/report/document';
import { renderCsv } from '../../../cli/src/run/report/csv';
import { runDocument } from '../../../cli/src/run/report/document';
import { sweepDocument } from '../../../cli/src/features/sweep/report/document';
import { renderMarkdown } from '../../../cli/src/report/text/markdown';
import { renderTerminal } from '../../../cli/src/report/text/terminal';
import {
  sampleComparedRuns,
  sampleComparison,
  sampleMigration,
} from '../../support/sample-compare';
import { sampleDrill } from '../../support/sample-drill';
import { sampleSearch } from '../../support/sample-find';
import { sampleRate } from '../../support/sample-rate';
import { samplePrediction } from '../../support/sample-predict';
import { sampleProof } from '../../support/sample-proof';
import { sampleRun } from '../../support/sample-run';
import { sampleCells, sampleSweep } from '../../support/sample-sweep';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const FOLDER = join(__dirname, '../../golden');

/**
 * What users read, kept as a file: a change of it is then seen in a review. With UPDATE_GOLDEN=1 the file is written
 * anew instead.
 */
function expectGolden(name: string, content: string): void {
  const file = join(FOLDER, name);
  if (process.env['UPDATE_GOLDEN'] === '1') {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
    return;
  }
  const golden = existsSync(file) ? readFileSync(file, 'utf8') : null;
  if (golden === content) return;
  throw new Error(
    golden === null
      ? `test/golden/${name} is missing: UPDATE_GOLDEN=1 writes it.`
      : `${firstDifference(golden, content, name)}\nWhere this is what you want, run the same with UPDATE_GOLDEN=1 and commit test/golden.`,
  );
}

function firstDifference(golden: string, content: string, name: string): string {
  const [old, now] = [golden.split('\n'), content.split('\n')];
  const at = old.findIndex((line, index) => line !== now[index]);
  const index = at < 0 ? old.length : at;
  return [
    `test/golden/${name} differs from line ${String(index + 1)} on:`,
    `- ${old[index] ?? '(the end)'}`,
    `+ ${now[index] ?? '(the end)'}`,
  ].join('\n');
}

const run = sampleRun();
const search = sampleSearch();
const { record: drill, ...drillParts } = sampleDrill();
const sweep = sampleSweep('tuning: [none, default], workers: [1, 2]', 'repeats: 2\n');

const carried = carriedTo(12.25, search);
if (carried === null) throw new Error('the search has no price');

const DOCUMENTS: Record<string, ReportDocument> = {
  run: runDocument(run),
  find: findDocument(search),
  rate: rateDocument(sampleRate()),
  compare: compareDocument(sampleComparison(), sampleComparedRuns()),
  drill: drillDocument(drill, drillParts),
  'drill-all': drillsDocument([
    { fault: 'kill-worker', record: drill, reason: '', folder: 'a-drill' },
    { fault: 'stop-redis', record: null, reason: 'Redis did not come up.', folder: null },
  ]),
  sweep: sweepDocument(sweep, sampleCells(sweep)),
  proof: proofDocument(sampleProof()),
  predict: predictDocument(samplePrediction()),
  'predict-at-cpu': otherMachineDocument(carried, search, [
    ...['predict', '--from', 'results/a', '--at-cpu', '12.25ms'],
  ]),
};

/** All formats in one file: the repository stays below 2,200. */
function migration(): string {
  return Object.entries(FORMATS)
    .map(([name, render]) => `==> ${name}\n${render(migrateDocument(sampleMigration()))}`)
    .join('\n');
}

/** The style, the script and the plots of a page are tested elsewhere. */
const textOf = (html: string): string =>
  html
    .replaceAll(/<(style|script|svg)[^>]*>.*?<\/\1>/gs, '')
    .replaceAll(/ content="default-src[^"]*"/g, '')
    .replaceAll(/(?=<(h\d|p|ul|li|tr|dl|div|figure|pre|section|details)\b)/g, '\n')
    .replaceAll(/\n{2,}/g, '\n');

const FORMATS: Record<string, (document: ReportDocument) => string> = {
  'report.html': (document) => textOf(renderHtml(document)),
  'report.md': renderMarkdown,
  'terminal.txt': (document) => `${renderTerminal(document, { width: 80, colour: false })}\n`,
};

const help = (name?: string): string => {
  const program = programOf();
  const command = program.commands.find((one) => one.name() === name) ?? program;
  return command.helpInformation();
};

test.each<[string, () => string]>([
  ...Object.entries(DOCUMENTS).flatMap(([kind, document]) =>
    Object.entries(FORMATS).map(([name, render]): [string, () => string] => [
      `${kind}/${name}`,
      () => render(document),
    ]),
  ),
  [
    'run/coloured.txt',
    () => `${renderTerminal(runDocument({ record: run.record }), { width: 60, colour: true })}\n`,
  ],
  [
    'run/rate.svg',
    () =>
      reportFiles(runDocument(run)).find(({ name }) => name === 'plots/rate.svg')?.content ?? '',
  ],
  ['run/runs.csv', () => renderCsv([run.record])],
  ['migrate.txt', migration],
  ['help.txt', () => `${help()}\n${help('find')}`],
])('%s', (name, render) => {
  const content = render();
  expect(content.length).toBeGreaterThan(100);
  expectGolden(name, content);
});

test('a list of searches is a line for each, below what its columns are', () => {
  expect(renderFinds([search]).split('\n')).toEqual([
    'workload   mode              verdict  capacity  interval           CPU per request  plan with  limited by',
    'last-node  queue, 2 workers  FOUND    40/s      between 38 and 44  24.5 ms          24.3/s     main event loop',
  ]);
});

test.each(Object.entries(DOCUMENTS))(
  'the report of a %s says what was measured',
  (kind, document) => {
    for (const render of [renderHtml, renderMarkdown]) {
      const text = render(document);
      expect(text).toContain('Test CPU');
      expect(text).not.toContain('undefined');
      if (kind !== 'predict') expect(text).toMatch(/Version of n8n.*2\.41\.1[^]*2026-11-2\d/);
    }
  },
);
