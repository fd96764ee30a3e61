import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { renderIndexHtml } from '../../cli/src/commands/report/index/html';
import {
  rowOfComparison,
  rowOfDrill,
  rowOfRun,
  rowOfFind,
  rowOfSweep,
} from '../../cli/src/commands/report/index/row';
import { openBrowser } from '../support/browser';
import { isLong } from '../support/properties';
import { openReport, overflowOf, overlappingTexts, seriousFindings } from '../support/page';
import { sampleComparedRuns, sampleComparison, sampleMigration } from '../support/sample-compare';
import { sampleDrill } from '../support/sample-drill';
import { sampleSearch } from '../support/sample-find';
import { samplePrediction } from '../support/sample-predict';
import { sampleProof } from '../support/sample-proof';
import { sampleRate } from '../support/sample-rate';
import { sampleRun } from '../support/sample-run';
import { sampleCells, sampleSweep } from '../support/sample-sweep';
import { compareDocument } from '../../cli/src/features/compare/report/document';
import { drillDocument } from '../../cli/src/features/drill/report/document';
import { drillsDocument } from '../../cli/src/features/drill/report/all';
import { carriedTo } from '../../cli/src/features/find/analysis/carried';
import { findDocument } from '../../cli/src/features/find/report/document';
import { rateDocument } from '../../cli/src/features/find/report/rate';
import { renderHtml } from '../../cli/src/report/page/html';
import { proofDocument } from '../../cli/src/features/recommend/report/document';
import { migrateDocument } from '../../cli/src/features/migrate/report/document';
import { predictDocument } from '../../cli/src/features/predict/report/document';
import { otherMachineDocument } from '../../cli/src/features/predict/report/other-machine';
import { runDocument } from '../../cli/src/run/report/document';
import { sweepDocument } from '../../cli/src/features/sweep/report/document';

const folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-report-'));
const files = {
  run: join(folder, 'run.html'),
  search: join(folder, 'search.html'),
  comparison: join(folder, 'comparison.html'),
  drill: join(folder, 'drill.html'),
  sweep: join(folder, 'sweep.html'),
  matrix: join(folder, 'matrix.html'),
  prediction: join(folder, 'prediction.html'),
  'prediction at another price': join(folder, 'other-machine.html'),
  migration: join(folder, 'migration.html'),
  rate: join(folder, 'rate.html'),
  proof: join(folder, 'proof.html'),
  drills: join(folder, 'drills.html'),
  index: join(folder, 'index.html'),
};
const KINDS = Object.keys(files) as (keyof typeof files)[];
let browser: Browser;

beforeAll(async () => {
  writeFileSync(files.run, renderHtml(runDocument(sampleRun())));
  writeFileSync(files.search, renderHtml(findDocument(sampleSearch())));
  writeFileSync(
    files.comparison,
    renderHtml(compareDocument(sampleComparison(), sampleComparedRuns())),
  );
  const { record, ...parts } = sampleDrill();
  writeFileSync(files.drill, renderHtml(drillDocument(record, parts)));
  const sweep = sampleSweep('workers: [1, 2, 4]', 'repeats: 3\n');
  writeFileSync(files.sweep, renderHtml(sweepDocument(sweep, sampleCells(sweep))));
  const matrix = sampleSweep(
    'tuning: [none, default], workers: [1, 2, 4], cpuMillicores: [500, 1000]',
  );
  writeFileSync(files.matrix, renderHtml(sweepDocument(matrix, sampleCells(matrix))));
  writeFileSync(files.prediction, renderHtml(predictDocument(samplePrediction())));
  const search = sampleSearch();
  const carried = carriedTo(12.25, search);
  if (carried === null) throw new Error('the search has no price');
  writeFileSync(
    files['prediction at another price'],
    renderHtml(otherMachineDocument(carried, search, ['predict', '--at-cpu', '12.25ms'])),
  );
  writeFileSync(files.migration, renderHtml(migrateDocument(sampleMigration())));
  writeFileSync(files.rate, renderHtml(rateDocument(sampleRate())));
  writeFileSync(files.proof, renderHtml(proofDocument(sampleProof())));
  writeFileSync(
    files.drills,
    renderHtml(
      drillsDocument([
        { fault: 'kill-worker', record, reason: '', folder: 'a-drill' },
        { fault: 'stop-redis', record: null, reason: 'Redis did not come up.', folder: null },
      ]),
    ),
  );
  writeFileSync(
    files.index,
    renderIndexHtml('Results', [
      { ...rowOfRun(sampleRun()), href: 'run.html' },
      { ...rowOfFind(sampleSearch()), href: 'search.html' },
      { ...rowOfComparison(sampleComparison()), href: 'comparison.html' },
      { ...rowOfDrill(record, parts), href: 'drill.html' },
      { ...rowOfSweep(sweep, sampleCells(sweep)), href: 'sweep.html' },
    ]),
  );
  browser = await openBrowser();
}, 120_000);

afterAll(async () => {
  await browser.close();
  rmSync(folder, { recursive: true });
});

/** A report answers before anybody scrolls. */
const SCREEN_HEIGHT = 900;
const SCREENS: [name: string, width: number, scheme: 'light' | 'dark'][] = [
  ['phone', 375, 'light'],
  ['desktop in the dark', 1280, 'dark'],
];
if (isLong) SCREENS.push(['desktop', 1280, 'light'], ['phone in the dark', 375, 'dark']);

describe.each(SCREENS)('on a %s', (_name, width, scheme) => {
  it.each(KINDS)(
    'the page of a %s begins with its verdict and first picture, has no serious findings, no errors, no text on another or on a dot, and does not scroll sideways',
    async (kind) => {
      const { page, complaints } = await openReport(browser, files[kind], width, scheme);
      if (kind !== 'index') await expectVerdictFirst(page, kind, SCREEN_HEIGHT);
      expect(await seriousFindings(page)).toEqual([]);
      expect(complaints).toEqual([]);
      expect(await overflowOf(page)).toBeLessThanOrEqual(0);
      expect(await overlappingTexts(page)).toEqual([]);
      expect(await labelsOnDots(page)).toEqual([]);
      await page.close();
    },
    30_000,
  );
});

/** Both whole, on the first screen or sheet. */
async function expectVerdictFirst(page: Page, kind: string, height: number): Promise<void> {
  const ends = await page.evaluate(() =>
    ['.verdict', 'svg.plot'].map(
      (part) => document.querySelector(part)?.getBoundingClientRect().bottom,
    ),
  );
  const [verdict, picture] = ends;
  expect(verdict).toBeLessThan(height);
  // Several drills have a table instead.
  if (kind === 'drills') expect(picture).toBeUndefined();
  else expect(picture).toBeLessThan(height);
}

test('the report tells the figures under the pointer, zooms to what is dragged over, and back', async () => {
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

test('the report sorts an index by any column, also with the keyboard, and says so', async () => {
  const { page, complaints } = await openReport(browser, files.index, 1280);
  const rates = () =>
    page
      .locator('.index tbody tr td:nth-child(4)')
      .evaluateAll((cells) => cells.map((cell) => cell.textContent ?? ''));
  const head = page.locator('.index th', { hasText: 'Rate' });
  const button = head.locator('button');
  await button.click();
  // What is not known comes last both ways.
  expect(await rates()).toEqual(['38.4', '40', '-', '-', '-']);
  expect(await head.getAttribute('aria-sort')).toBe('ascending');
  await button.press('Enter');
  expect(await rates()).toEqual(['40', '38.4', '-', '-', '-']);
  expect(await page.locator('.index th[aria-sort]').count()).toBe(1);
  expect(complaints).toEqual([]);
  await page.close();
}, 120_000);

/** A4 less the margins, in CSS pixels. */
const PAPER = { width: 718, height: 1047 };

/** Reports of plots, and of tables. */
const PRINTED: (keyof typeof files)[] = isLong ? KINDS : ['run', 'drills'];

describe('on paper', () => {
  it.each(PRINTED)(
    'the page of a %s has its verdict and first picture on the first sheet, in light colours, and is cut off nowhere, whatever the screen shows',
    async (kind) => {
      const { page, complaints } = await openReport(browser, files[kind], PAPER.width, 'dark');
      await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
      expect(await coloursOf(page)).toEqual({
        paper: 'rgb(255, 255, 255)',
        ink: 'rgb(29, 36, 51)',
      });
      if (kind !== 'index') await expectVerdictFirst(page, kind, PAPER.height);
      expect(await overflowOf(page)).toBeLessThanOrEqual(0);
      expect(await cutOff(page)).toEqual([]);
      expect(await overlappingTexts(page)).toEqual([]);
      expect(complaints).toEqual([]);
      await page.close();
    },
    30_000,
  );

  it('shows nothing that only a pointer can use', async () => {
    const { page } = await openReport(browser, files.run, 1280);
    const plot = page.locator('#rate svg.plot');
    await plot.scrollIntoViewIfNeeded();
    const box = await plot.boundingBox();
    if (!box) throw new Error('the plot is not on the page');
    const at = (share: number) => [box.x + box.width * share, box.y + box.height / 2] as const;
    await page.mouse.move(...at(0.3));
    await page.mouse.down();
    await page.mouse.move(...at(0.6), { steps: 4 });
    await page.mouse.up();
    const parts = ['.tip', '.cursor', '.reset'].map((part) => page.locator(`#rate ${part}`));
    const shown = () => Promise.all(parts.map((part) => part.isVisible()));
    expect(await shown()).toEqual([true, true, true]);
    await page.emulateMedia({ media: 'print' });
    expect(await shown()).toEqual([false, false, false]);
    expect(await page.locator('details').first().isVisible()).toBe(false);
    await page.close();
  }, 30_000);
});

const coloursOf = (page: Page): Promise<{ paper: string; ink: string }> =>
  page.evaluate(() => {
    const { backgroundColor, color } = getComputedStyle(document.body);
    return { paper: backgroundColor, ink: color };
  });

/** What is wider than its frame: on paper nobody scrolls. */
const cutOff = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll('.wide, pre')]
      .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
      .map(({ textContent }) => (textContent ?? '').slice(0, 80)),
  );

/** Labels of marks that lie on a dot of their plot, as the browser drew both. */
const labelsOnDots = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    // Half of the width of a dot, whose path has no length.
    const radius = 3;
    return [...document.querySelectorAll('svg.plot')].flatMap((plot) => {
      const dots = [...plot.querySelectorAll('.dot')].map((dot) => dot.getBoundingClientRect());
      return [...plot.querySelectorAll('.mark-label')]
        .filter((label) => {
          const box = label.getBoundingClientRect();
          return dots.some(
            ({ x, y }) =>
              x > box.left - radius &&
              x < box.right + radius &&
              y > box.top - radius &&
              y < box.bottom + radius,
          );
        })
        .map((label) => `${label.textContent ?? ''} lies on a dot of ${plot.ariaLabel ?? ''}`);
    });
  });

async function expectText(page: Page, selector: string, wanted: RegExp): Promise<void> {
  expect(await page.locator(selector).textContent()).toMatch(wanted);
}
