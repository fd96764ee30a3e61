import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { hrefOf, SHOWN_SEARCH } from '../../lab/generate/records';
import { repositoryRoot } from '../../cli/src/lab/paths';
import { readFind } from '../../cli/src/features/find/read';
import { readRecordFolders } from '../../cli/src/record/archive';
import { openBrowser } from '../support/browser';
import { openReport, overflowOf, overlappingTexts, seriousFindings } from '../support/page';
import { findDocument } from '../../cli/src/features/find/report/document';
import { renderHtml } from '../../cli/src/report/page/html';

/**
 * The pictures of the README: the report of a search that is recorded in the repository.
 * UPDATE_SCREENSHOTS=1 renews them.
 */
const RECORD = hrefOf(`${SHOWN_SEARCH}/find.json`);
const out = mkdtempSync(join(tmpdir(), 'n8n-tuned-first-page-'));
const pictures =
  process.env['UPDATE_SCREENSHOTS'] === '1' ? join(repositoryRoot(), 'docs/screenshots') : out;
const file = join(out, 'report.html');
let browser: Browser;

beforeAll(async () => {
  const record = readRecordFolders([join(repositoryRoot(), RECORD)], ([folder = '']) =>
    readFind(folder),
  );
  // A search that is not sure of its answer is nothing to show first.
  expect(record.verdict).toBe('found');
  writeFileSync(file, renderHtml(findDocument(record)));
  browser = await openBrowser();
}, 120_000);

afterAll(async () => {
  await browser.close();
  rmSync(out, { recursive: true, force: true });
});

/** Down to the first plot. A page of GitHub shows the wide ones 830 pixels wide; a phone has its own, as sharp as its screen. */
const SHAPES = {
  '': { width: 1200, dots: 1.4 },
  '-phone': { width: 390, dots: 2 },
};
const SHOWN_WIDTH = 830;
/** Higher, and the first screen has no room for what stands around it. */
const MAX_HEIGHT = 470;

test.each(
  (['light', 'dark'] as const).flatMap((scheme) =>
    (['', '-phone'] as const).map((shape) => [shape, scheme] as const),
  ),
)(
  'the first page shows one report: find%s-%s',
  async (shape, scheme) => {
    const { width, dots } = SHAPES[shape];
    const { page, complaints } = await openReport(browser, file, width, scheme, dots);
    expect(await seriousFindings(page)).toEqual([]);
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    expect(await overlappingTexts(page)).toEqual([]);
    expect(complaints).toEqual([]);
    const last = await page.locator('figure svg.plot').first().boundingBox();
    const height = Math.ceil((last?.y ?? 0) + (last?.height ?? 0));
    if (shape === '') expect((height * SHOWN_WIDTH) / width).toBeLessThan(MAX_HEIGHT);
    const clip = { x: 0, y: 0, width, height };
    const path = join(pictures, `find${shape}-${scheme}.png`);
    await page.screenshot({ path, fullPage: true, clip });
    await page.close();
  },
  60_000,
);
