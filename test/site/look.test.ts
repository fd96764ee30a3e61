// The documentation site in a browser, as `make site` builds it: on a desktop, and on a phone in the dark.
// UPDATE_SCREENSHOTS=1 renews its pictures in docs/screenshots.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { repositoryRoot } from '../../cli/src/lab/paths';
import { openBrowser } from '../support/browser';
import { overflowOf, seriousFindings } from '../support/page';

const BASE = '/n8n-tuned/';
const dist = join(repositoryRoot(), 'site/dist');
const TYPES: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
};

const server: Server = createServer((request, response) => {
  const { pathname } = new URL(request.url ?? '/', 'http://localhost');
  const file = join(dist, pathname.replace(BASE, '/').replace(/\/$/, '/index.html'));
  if (!existsSync(file)) return void response.writeHead(404).end();
  response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' });
  response.end(readFileSync(file));
});
let browser: Browser;
let address: string;

beforeAll(async () => {
  execFileSync('make', ['site'], {
    cwd: repositoryRoot(),
    env: { ...process.env, SITE_URL: `http://localhost${BASE}` },
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}${BASE}next/`;
  browser = await openBrowser();
}, 600_000);

afterAll(async () => {
  await browser.close();
  server.close();
});

type Scheme = 'light' | 'dark';

async function open(path: string, width: number, colorScheme: Scheme): Promise<Shown> {
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('response', (response) => {
    if (response.status() >= 400) complaints.push(`${response.status()} ${response.url()}`);
  });
  await page.goto(address + path);
  // Then Vue has taken over what was rendered when the site was built.
  await page.waitForFunction(
    () => (document.querySelector('#app') as { __vue_app__?: unknown } | null)?.__vue_app__ != null,
  );
  return { page, complaints };
}
interface Shown {
  page: Page;
  complaints: string[];
}

const PAGES = {
  'the first page': '',
  overview: 'overview.html',
  'a page of commands': 'docs/get-started.html',
  'values of the chart': 'charts/n8n-tuned/',
  results: 'docs/measured.html',
  'wide tables': 'docs/workloads.html',
  monitoring: 'docs/monitoring.html',
  runbook: 'docs/runbooks/memory-and-cpu.html',
  'reference of a command': 'docs/reference/find.html',
};
/** Each width and each scheme once: colours do not depend on the width. */
const SCREENS: [number, Scheme, picture: string][] = [
  [1280, 'light', 'site'],
  [390, 'dark', 'site-phone'],
];

describe.each(SCREENS)('a screen is %i pixels wide, %s', (width, scheme, picture) => {
  it.each(Object.entries(PAGES))('%s', async (_name, path) => {
    const { page, complaints } = await open(path, width, scheme);
    expect(await seriousFindings(page)).toEqual([]);
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('the search finds a value by its name, and leads to it', async () => {
    const { page, complaints } = await open('', width, scheme);
    if (process.env['UPDATE_SCREENSHOTS'] === '1') {
      const path = join(repositoryRoot(), `docs/screenshots/${picture}.png`);
      await page.screenshot({ path });
    }
    await page.locator('.DocSearch-Button').click();
    await page.locator('#localsearch-input').fill('executions.maxResponseSeconds');
    const result = page.locator('.VPLocalSearchBox .result', { hasText: 'Values' }).first();
    await result.waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await result.click();
    await page.waitForURL('**/charts/n8n-tuned/**');
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});

test('the commands of "Try it here" are within the first two screens of the README', async () => {
  const { page } = await open('overview.html', 1280, 'light');
  const box = await page.locator('pre .line', { hasText: 'make test' }).first().boundingBox();
  expect((box?.y ?? Infinity) + (box?.height ?? 0)).toBeLessThanOrEqual(2 * 900);
  await page.context().close();
});

/** Widths of common screens, and those between which the theme changes its layout. */
const WIDTHS = [390, 1280, 1440, 1512, 1560, 1920];

/** Links of the menus whose text ends outside what is shown of their menu, or of the page. */
const cutLinks = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const shown = [...document.querySelectorAll('.VPSidebar a, .VPNavBar a')].filter(
      (link) => link.getClientRects().length > 0,
    );
    return shown.flatMap((link) => {
      const text = document.createRange();
      text.selectNodeContents(link);
      const { left, right } = text.getBoundingClientRect();
      const menu = link.closest('.VPSidebar, .VPNavBar')?.getBoundingClientRect();
      const end = Math.min(menu?.right ?? 0, document.documentElement.clientWidth);
      const isCut = right > end + 0.5 || left < (menu?.left ?? 0) - 0.5;
      return isCut
        ? [`${link.textContent}: ${String(left)} to ${String(right)}, of ${String(end)}`]
        : [];
    });
  });

test.each(WIDTHS)('no link leaves its menu at %i pixels', async (width) => {
  const { page } = await open('docs/reference/find.html', width, 'light');
  if (width < 960) {
    await page.locator('.VPLocalNav .menu').click();
    await page.locator('.VPSidebar.open').waitFor();
    // The menu moves in from the left.
    await page.waitForFunction(
      () => document.querySelector('.VPSidebar')?.getBoundingClientRect().left === 0,
    );
  }
  const links = await page.locator('.VPSidebar a').count();
  expect(links).toBeGreaterThan(40);
  expect(await cutLinks(page)).toEqual([]);
  expect(await overflowOf(page)).toBeLessThanOrEqual(0);
  await page.context().close();
});

/** What readers ask, and the page that has to come first. */
const QUESTIONS: [question: string, page: string][] = [
  ['how much load can my n8n take', 'docs/find.html'],
  ['capacity', 'docs/find.html'],
  ['load test my workflow', 'docs/own-workflow.html'],
  ['safe', 'docs/own-workflow.html'],
  ['mock openai', 'docs/stand-in.html'],
  ['inconclusive', 'docs/read-a-report.html'],
  ['exit code', 'docs/read-a-report.html'],
  ['error message', 'docs/troubleshooting.html'],
  ['401', 'docs/troubleshooting.html'],
  ['environment variables', 'docs/only-settings.html'],
  ['production checklist', 'docs/go-live.html'],
  ['how many workers do I need', 'docs/go-live.html'],
  ['cost', 'docs/go-live.html'],
  ['github actions', 'docs/ci.html'],
  ['out of memory', 'docs/chart/tuning.html'],
  ['ingress', 'docs/chart/traffic.html'],
  ['uninstall', 'docs/chart/upgrade.html'],
  ['rollback', 'docs/chart/upgrade.html'],
  ['official chart', 'docs/chart/migrate.html'],
  ['delete old executions', 'docs/chart/data.html'],
  ['kill worker', 'docs/drills.html'],
  ['retry lost executions', 'docs/recovery.html'],
  ['grafana dashboards', 'docs/monitoring.html'],
  ['encryption key', 'docs/chart/encryption-key.html'],
  ['compare two versions', 'docs/compare.html'],
];

test('the search finds first the page that answers', async () => {
  const { page } = await open('', 1280, 'light');
  await page.locator('.DocSearch-Button').click();
  const input = page.locator('#localsearch-input');
  const found: [string, string][] = [];
  for (const [question] of QUESTIONS) {
    await input.fill('');
    await page.waitForFunction(() => document.querySelector('.VPLocalSearchBox .result') === null);
    await input.fill(question);
    const first = page.locator('.VPLocalSearchBox .result').first();
    await first.waitFor();
    const href = (await first.getAttribute('href')) ?? '';
    found.push([question, href.replace(/^.*\/next\//, '').replace(/#.*$/, '')]);
  }
  expect(found).toEqual(QUESTIONS);
  await page.context().close();
});

test('a page says when it was changed, and leads to where it is edited', async () => {
  const { page } = await open('docs/find.html', 1280, 'light');
  const edit = await page.locator('.edit-link-button').getAttribute('href');
  expect(edit).toBe('https://github.com/n8n-tuned/n8n-tuned/edit/main/docs/find.md');
  expect(await page.locator('.VPLastUpdated time').getAttribute('datetime')).toMatch(/^20\d\d-/);
  await page.context().close();
});

test('the picture follows the colours that a reader chooses', async () => {
  const { page } = await open('', 1280, 'light');
  const shown = () => page.locator('.vp-doc img:visible').first().getAttribute('src');
  const light = await shown();
  await page.locator('.VPNavBarAppearance .VPSwitch').click();
  const dark = await shown();
  expect(light).toMatch(/find-light/);
  expect(dark).toMatch(/find-dark/);
  await page.context().close();
});
