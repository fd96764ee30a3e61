/** What users read, compared with test/golden; how it behaves is tested beside this file. */
import { renderCompareMarkdown } from '../../../cli/src/features/compare/report/markdown';
import { renderCompareTerminal } from '../../../cli/src/features/compare/report/terminal';
import { renderDrillMarkdown } from '../../../cli/src/features/drill/report/markdown';
import { renderDrillTerminal } from '../../../cli/src/features/drill/report/terminal';
import { renderFindMarkdown } from '../../../cli/src/features/find/report/markdown';
import { renderFindTerminal } from '../../../cli/src/features/find/report/terminal';
import { renderSearches } from '../../../cli/src/features/find/report/list-terminal';
import { renderCsv } from '../../../cli/src/run/report/csv';
import { plotFiles, renderMarkdown } from '../../../cli/src/run/report/markdown';
import { renderTerminal } from '../../../cli/src/run/report/terminal';
import { programOf } from '../../../cli/src/program';
import { expectGolden } from '../../support/golden';
import { sampleComparedRuns, sampleComparison } from '../../support/sample-compare';
import { sampleDrill } from '../../support/sample-drill';
import { sampleSearch } from '../../support/sample-find';
import { sampleRun } from '../../support/sample-run';

const PLAIN = { width: 100, colour: false };
const run = sampleRun();
const search = sampleSearch();
const comparison = sampleComparison();
const { record: drill, ...drillParts } = sampleDrill();

const help = (): string => {
  let shown = '';
  programOf()
    .configureHelp({ helpWidth: 100 })
    .configureOutput({ writeOut: (text) => (shown += text) })
    .outputHelp();
  return shown;
};

const plot = (id: string): string =>
  plotFiles(run).find(({ name }) => name === `plots/${id}.svg`)?.content ?? '';

test.each<[string, () => string]>([
  ['run/report.md', () => renderMarkdown(run)],
  ['run/terminal.txt', () => `${renderTerminal(run.record, PLAIN)}\n`],
  ['run/coloured.txt', () => `${renderTerminal(run.record, { width: 60, colour: true })}\n`],
  ['run/rate.svg', () => plot('rate')],
  ['run/runs.csv', () => renderCsv([run.record])],
  ['find/report.md', () => renderFindMarkdown(search)],
  ['find/terminal.txt', () => `${renderFindTerminal(search, PLAIN)}\n`],
  ['find/list.txt', () => `${renderSearches([search])}\n`],
  ['compare/report.md', () => renderCompareMarkdown(comparison, sampleComparedRuns())],
  ['compare/terminal.txt', () => `${renderCompareTerminal(comparison, PLAIN)}\n`],
  ['drill/report.md', () => renderDrillMarkdown(drill, drillParts)],
  ['drill/terminal.txt', () => `${renderDrillTerminal(drill, PLAIN)}\n`],
  ['help.txt', help],
])('%s', (name, render) => {
  const content = render();
  expect(content.length).toBeGreaterThan(100);
  expectGolden(name, content);
});
