import { readFileSync } from 'node:fs';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { renderRunHtml } from '../../capacity/src/report/html/run';
import { openBrowser } from '../support/browser';
import { sampleRun } from '../support/sample-run';

const folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-report-'));
const file = join(folder, 'report.html');
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
let browser: Browser;

beforeAll(async () => {
  writeFileSync(file, renderRunHtml(sampleRun()));
  browser = await openBrowser();
}, 30_000);

afterAll(async () => {
  await browser.close();
  rmSync(folder, { recursive: true });
});

async function open(width: number, colorScheme: 'light' | 'dark' = 'light') {
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    if (!request.url().startsWith('file:') && !request.url().startsWith('data:'))
      complaints.push(`asked for ${request.url()}`);
  });
  await page.goto(pathToFileURL(file).href);
  return { page, complaints };
}

async function seriousFindings(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const runner = (
      globalThis as unknown as {
        axe: {
          run(): Promise<{
            violations: { id: string; impact: string; nodes: { target: string[] }[] }[];
          }>;
        };
      }
    ).axe;
    const { violations } = await runner.run();
    return violations
      .filter((v) => v.impact === 'serious' || v.impact === 'critical')
      .map((v) => `${v.id}: ${v.nodes.map((n) => n.target.join(' ')).join(', ')}`);
  });
}

describe.each([
  ['phone', 375, 'light'],
  ['desktop', 1280, 'light'],
  ['desktop in the dark', 1280, 'dark'],
] as const)('the report on a %s', (_name, width, scheme) => {
  it('has no serious findings, no errors, and does not scroll sideways', async () => {
    const { page, complaints } = await open(width, scheme);
    expect(await seriousFindings(page)).toEqual([]);
    expect(complaints).toEqual([]);
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(overflow).toBeLessThanOrEqual(0);
    await page.close();
  }, 30_000);
});

it('tells the figures under the pointer, zooms to what is dragged over, and back', async () => {
  const { page, complaints } = await open(1280);
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
}, 30_000);

async function expectText(page: Page, selector: string, wanted: RegExp): Promise<void> {
  expect(await page.locator(selector).textContent()).toMatch(wanted);
}
