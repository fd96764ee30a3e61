import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { openBrowser } from '../support/browser';
import { buildCli, endStartedClis, recordIn, runCli, runFolder } from '../support/cli';
import { openReport, overflowOf, seriousFindings } from '../support/page';

/** The report of a run on real n8n in queue mode: 10 slots of 5 s each hold 2 requests a second, and get 3. */
const out = mkdtempSync(join(tmpdir(), 'n8n-tuned-real-report-'));
let browser: Browser;
let folder: string;

beforeAll(async () => {
  buildCli();
  const order = [
    ...['run', '--workload', 'wait-5s', '--variant', 'load-target'],
    ...['--workers', '2', '--concurrency', '5', '--tuning', 'throughput'],
    ...['--rate', '3', '--warmup', '10s', '--duration', '40s', '--slo', 'p95<8s'],
  ];
  const { stderr } = await runCli(order, {}, out);
  const found = runFolder(join(out, 'results'));
  if (found === null) throw new Error(stderr);
  folder = found;
  browser = await openBrowser();
}, 300_000);

afterAll(async () => {
  endStartedClis();
  await browser.close();
  rmSync(out, { recursive: true, force: true });
});

test('the report names the worker slots as what limited it, with its evidence', () => {
  const { verdict, summary } = recordIn(folder);
  expect(verdict).toMatchObject({ outcome: 'not sustained', limitedBy: { name: 'worker slots' } });
  expect(summary.backlog?.slopePerSecond).toBeGreaterThan(0);
  expect(summary.spread).toHaveLength(2);
});

test('the report is below 2 MB', () => {
  expect(statSync(join(folder, 'report.html')).size).toBeLessThan(2_000_000);
});

test.each([
  ['phone', 375],
  ['desktop', 1280],
])(
  'the report is right on a %s',
  async (_name, width) => {
    const { page, complaints } = await openReport(browser, join(folder, 'report.html'), width);
    for (const plot of ['rate', 'latency', 'memory', 'cpu', 'queue', 'loop-lag', 'spread']) {
      expect(await page.locator(`#${plot} svg.plot`).count()).toBe(1);
    }
    expect(await seriousFindings(page)).toEqual([]);
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    expect(complaints).toEqual([]);
    await page.close();
  },
  60_000,
);
