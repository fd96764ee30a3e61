import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { renderCompareHtml } from '../../capacity/src/report/compare/html';
import { renderDrillHtml } from '../../capacity/src/report/drill/html';
import { renderFindHtml } from '../../capacity/src/report/find/html';
import { renderIndexHtml } from '../../capacity/src/report/index/html';
import {
  rowOfComparison,
  rowOfDrill,
  rowOfRun,
  rowOfSearch,
} from '../../capacity/src/report/index/row';
import { renderRunHtml } from '../../capacity/src/report/run/html';
import { openBrowser } from '../support/browser';
import { openReport, overflowOf, overlappingTexts, seriousFindings } from '../support/page';
import { sampleComparedRuns, sampleComparison } from '../support/sample-compare';
import { sampleDrill } from '../support/sample-drill';
import { sampleSearch } from '../support/sample-find';
import { sampleRun } from '../support/sample-run';

const folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-report-'));
const files = {
  run: join(folder, 'run.html'),
  search: join(folder, 'search.html'),
  comparison: join(folder, 'comparison.html'),
  drill: join(folder, 'drill.html'),
  index: join(folder, 'index.html'),
};
let browser: Browser;

beforeAll(async () => {
  writeFileSync(files.run, renderRunHtml(sampleRun()));
  writeFileSync(files.search, renderFindHtml(sampleSearch()));
  writeFileSync(files.comparison, renderCompareHtml(sampleComparison(), sampleComparedRuns()));
  const { record, ...parts } = sampleDrill();
  writeFileSync(files.drill, renderDrillHtml(record, parts));
  writeFileSync(
    files.index,
    renderIndexHtml('Results', [
      { ...rowOfRun(sampleRun()), href: 'run.html' },
      { ...rowOfSearch(sampleSearch()), href: 'search.html' },
      { ...rowOfComparison(sampleComparison()), href: 'comparison.html' },
      { ...rowOfDrill(record, parts), href: 'drill.html' },
    ]),
  );
  browser = await openBrowser();
}, 120_000);

afterAll(async () => {
  await browser.close();
  rmSync(folder, { recursive: true });
});

describe.each([
  ['phone', 375, 'light'],
  ['desktop', 1280, 'light'],
  ['desktop in the dark', 1280, 'dark'],
] as const)('on a %s', (_name, width, scheme) => {
  it.each(['run', 'search', 'comparison', 'drill', 'index'] as const)(
    'the page of a %s has no serious findings, no errors, no text on another, and does not scroll sideways',
    async (kind) => {
      const { page, complaints } = await openReport(browser, files[kind], width, scheme);
      expect(await seriousFindings(page)).toEqual([]);
      expect(complaints).toEqual([]);
      expect(await overflowOf(page)).toBeLessThanOrEqual(0);
      expect(await overlappingTexts(page)).toEqual([]);
      await page.close();
    },
    30_000,
  );
});

it('tells the figures under the pointer, zooms to what is dragged over, and back', async () => {
  const { page, complaints } = await openReport(browser, files.run, 1280);
  const plot = page.locator('#rate svg.plot');
  await plot.scrollIntoViewIfNeeded();
  const box = await plot.boundingBox();
  if (!box) throw new Error('the plot is not on the page');
  const at = (share: number) => [box.x + box.width * share, box.y + box.height / 2] as const;

  await page.mouse.move(...at(0.5));
  await expectText(page, '#rate .tip', /offered: 40 per second/);

  const before = await page.locator('#rate svg.area').getAttribute('viewBox');
  await page.mouse.move(...at(0.3));
  await page.mouse.down();
  await page.mouse.move(...at(0.6), { steps: 4 });
  await page.mouse.up();
  const zoomed = await page.locator('#rate svg.area').getAttribute('viewBox');
  expect(zoomed).not.toBe(before);
  await page.locator('#rate .reset').click();
  const back = await page.locator('#rate svg.area').getAttribute('viewBox');
  expect(back?.split(' ').map(Number)).toEqual(before?.split(' ').map(Number));
  expect(complaints).toEqual([]);
  await page.close();
}, 120_000);

it('sorts an index by any column, also with the keyboard, and says so', async () => {
  const { page, complaints } = await openReport(browser, files.index, 1280);
  const rates = () =>
    page
      .locator('.index tbody tr td:nth-child(4)')
      .evaluateAll((cells) => cells.map((cell) => cell.textContent ?? ''));
  const head = page.locator('.index th', { hasText: 'Rate' });
  const button = head.locator('button');
  await button.click();
  // What is not known comes last both ways.
  expect(await rates()).toEqual(['38.4', '40', '-', '-']);
  expect(await head.getAttribute('aria-sort')).toBe('ascending');
  await button.press('Enter');
  expect(await rates()).toEqual(['40', '38.4', '-', '-']);
  expect(await page.locator('.index th[aria-sort]').count()).toBe(1);
  expect(complaints).toEqual([]);
  await page.close();
}, 120_000);

async function expectText(page: Page, selector: string, wanted: RegExp): Promise<void> {
  expect(await page.locator(selector).textContent()).toMatch(wanted);
}
