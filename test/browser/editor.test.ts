import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { repositoryRoot } from '../../capacity/src/lab/paths';
import { eventually } from '../nodes/support/eventually';
import { N8nHome } from '../nodes/support/n8n';
import { packNodes } from '../nodes/support/package';
import { openBrowser } from '../support/browser';

/** UPDATE_SCREENSHOTS=1 renews the pictures in the docs. */
const folder = mkdtempSync(join(tmpdir(), 'n8n-editor-test-'));
const pictures =
  process.env['UPDATE_SCREENSHOTS'] === '1' ? join(repositoryRoot(), 'docs/screenshots') : folder;
const owner = { email: 'owner@example.com', password: 'Passw0rd!' };
const home = new N8nHome('2.41.1');
const browsers: Browser[] = [];
let page: Page;
let url: string;

beforeAll(async () => {
  mkdirSync(pictures, { recursive: true });
  home.installTarball(packNodes(folder).tarball);
  url = await home.start();
  const names = { firstName: 'Test', lastName: 'Owner' };
  // The REST routes come a little after readiness.
  await eventually(async () => {
    const response = await fetch(`${url}/rest/owner/setup`, {
      ...{ method: 'POST', body: JSON.stringify({ ...owner, ...names }) },
      headers: { 'content-type': 'application/json' },
    });
    return response.ok;
  }, 60_000);
  const browser = await openBrowser();
  browsers.push(browser);
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  page = await context.newPage();
  page.setDefaultTimeout(60_000);
}, 240_000);

afterAll(async () => {
  for (const browser of browsers) await browser.close();
  await home.stop();
  rmSync(folder, { recursive: true, force: true });
});

const picture = async (name: string): Promise<void> => {
  // Animations of the editor come to rest first.
  await page.waitForTimeout(1000);
  await page.screenshot({ path: join(pictures, `node-${name}.png`) });
};
const part = (id: string): ReturnType<Page['locator']> => page.locator(`[data-test-id="${id}"]`);
const node = (name: string): ReturnType<Page['locator']> =>
  page.locator(`[data-test-id="canvas-node"][data-node-name="${name}"]`);

test('a bundled workflow is imported through the menu, and its Load Target runs', async () => {
  await page.goto(`${url}/signin`);
  await page.locator('input[type="email"]').fill(owner.email);
  await page.locator('input[type="password"]').fill(owner.password);
  await page.keyboard.press('Enter');
  await page.waitForURL(/home|workflow/);

  await page.goto(`${url}/workflow/new`);
  await part('workflow-menu').first().click();
  await part('workflow-menu-item-import').hover();
  const chooser = page.waitForEvent('filechooser');
  await part('workflow-menu-item-import-from-file').click();
  const file = join(repositoryRoot(), 'workflows/load-target/cpu.json');
  await (await chooser).setFiles(file);
  await node('Count to n').waitFor();
  expect(await node('Count to n').innerText()).toContain('CPU');
  await picture('canvas');

  await page.emulateMedia({ colorScheme: 'dark' });
  const icon = node('Count to n').locator('img').first();
  await eventually(async () => (await icon.getAttribute('src'))?.includes('dark') === true);
  await picture('canvas-dark');
  await page.emulateMedia({ colorScheme: 'light' });

  await node('Count to n').dblclick();
  await part('ndv').waitFor();
  expect(await part('parameter-input-until').locator('input').inputValue()).toBe('Iterations');
  await picture('panel');

  await part('node-execute-button').click();
  // The editor listens for one call of the test webhook.
  await eventually(
    async () => (await fetch(`${url}/webhook-test/load-target-cpu?n=500000`)).ok,
    60_000,
  );
  await part('output-panel').locator('[data-test-id="radio-button-schema"]').click();
  await part('output-panel').getByText('124999750000').first().waitFor();
  await part('output-panel').getByText('ranBy').first().waitFor();
  await picture('output');
}, 240_000);

test('a mistake is shown as one sentence', async () => {
  await part('ndv-close-button').click();
  await page.goto(`${url}/workflow/new`);
  await part('workflow-menu').first().click();
  await part('workflow-menu-item-import').hover();
  const chooser = page.waitForEvent('filechooser');
  await part('workflow-menu-item-import-from-file').click();
  const parameters = { operation: 'memory', sizeMiB: 900_000, heldAs: 'strings', holdMs: 0 };
  const workflow = {
    name: 'Too much',
    nodes: [
      {
        ...{ id: '1', name: 'Start', type: 'n8n-nodes-base.manualTrigger', typeVersion: 1 },
        ...{ position: [0, 0], parameters: {} },
      },
      {
        ...{ id: '2', name: 'Load Target', type: 'n8n-nodes-load-target.loadTarget' },
        ...{ typeVersion: 1, position: [220, 0], parameters },
      },
    ],
    connections: { Start: { main: [[{ node: 'Load Target', type: 'main', index: 0 }]] } },
  };
  await (
    await chooser
  ).setFiles({
    ...{ name: 'workflow.json', mimeType: 'application/json' },
    buffer: Buffer.from(JSON.stringify(workflow)),
  });
  await node('Load Target').waitFor();
  await node('Load Target').dblclick();
  await part('node-execute-button').click();
  const output = part('output-panel');
  await output
    .getByText(/900000 MiB of strings do not fit: \d+ MiB are free/)
    .first()
    .waitFor();
  await output
    .getByText(/turn on 'May Crash n8n'/)
    .first()
    .waitFor();
  await picture('refusal');
}, 180_000);
