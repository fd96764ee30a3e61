import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';

const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/** A report in the browser, and everything it complains of or asks of the outside. */
export async function openReport(
  browser: Browser,
  file: string,
  width: number,
  colorScheme: 'light' | 'dark' = 'light',
  /** Dots of the screen per CSS pixel. */
  deviceScaleFactor = 1,
): Promise<{ page: Page; complaints: string[] }> {
  const context = await browser.newContext({
    viewport: { width, height: 900 },
    ...{ colorScheme, deviceScaleFactor },
  });
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

/** What axe finds serious or critical. */
export async function seriousFindings(page: Page): Promise<string[]> {
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

/** Pixels by which it scrolls sideways. */
export const overflowOf = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

/** Texts of plots that lie on one another or are cut off at the edge of their plot, as the browser drew them. */
export const overlappingTexts = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    // A descender may reach into the line below by less than this.
    const tolerance = 1;
    return [...document.querySelectorAll('svg.plot')].flatMap((plot) => {
      const frame = plot.getBoundingClientRect();
      const texts = [...plot.querySelectorAll('text')].map((text) => ({
        text: text.textContent ?? '',
        box: text.getBoundingClientRect(),
      }));
      const outside = texts
        .filter(
          ({ box }) =>
            box.left < frame.left - tolerance ||
            box.right > frame.right + tolerance ||
            box.top < frame.top - tolerance ||
            box.bottom > frame.bottom + tolerance,
        )
        .map(({ text }) => `${text} is cut off`);
      const touching = texts.flatMap((a, index) =>
        texts
          .slice(index + 1)
          .filter(
            (b) =>
              a.box.left + tolerance < b.box.right &&
              b.box.left + tolerance < a.box.right &&
              a.box.top + tolerance < b.box.bottom &&
              b.box.top + tolerance < a.box.bottom,
          )
          .map((b) => `${a.text} lies on ${b.text}`),
      );
      return [...outside, ...touching];
    });
  });
