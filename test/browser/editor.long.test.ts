import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repositoryRoot } from '../../cli/src/lab/paths';
import { packNodes } from '../nodes/support/package';
import { Editor, oneNode } from '../support/editor';
import { N8N_VERSION } from '../support/versions';
import { eventually, pause } from '../support/wait';

/** The editor of n8n 2.x. UPDATE_SCREENSHOTS=1 renews the pictures in the docs. */
const folder = mkdtempSync(join(tmpdir(), 'n8n-editor-test-'));
const pictures = join(repositoryRoot(), 'docs/screenshots');
const WORKFLOWS = join(repositoryRoot(), 'workflows');
let editor: Editor;

beforeAll(async () => {
  editor = await Editor.open(N8N_VERSION, packNodes(folder));
}, 240_000);

afterAll(async () => {
  await editor.close();
  rmSync(folder, { recursive: true, force: true });
});

const type = 'n8n-nodes-load-target.loadTarget';
const loadTarget = { name: 'Load Target', type, typeVersion: 1 };

const picture = async (name: string): Promise<void> => {
  if (process.env['UPDATE_SCREENSHOTS'] !== '1') return;
  await editor.page.mouse.move(5, 5);
  await pause(1000, 'animations of the editor come to rest');
  await editor.page.screenshot({ path: join(pictures, `node-${name}.png`) });
};

test('a bundled workflow is imported through the menu, and its Load Target runs', async () => {
  const { page, part, node, url } = editor;
  await editor.importFile(join(WORKFLOWS, 'load-target/cpu.json'));
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

test('a new Load Target yields to others, and does not freeze n8n', async () => {
  const { part, node } = editor;
  await part('ndv-close-button').click();
  await editor.importFile(oneNode({ ...loadTarget, parameters: {} }));
  await node('Load Target').dblclick();
  await part('ndv').waitFor();
  expect(await part('parameter-input-eventLoop').locator('input').inputValue()).toBe('Yield');
  const mayFreeze = part('parameter-input-mayFreeze').locator('[role="switch"]');
  expect(await mayFreeze.getAttribute('aria-checked')).toBe('false');
  await picture('panel');
}, 120_000);

test('a mistake is shown as one sentence', async () => {
  const { part, node } = editor;
  await part('ndv-close-button').click();
  const parameters = { operation: 'memory', sizeMiB: 900_000, heldAs: 'strings', holdMs: 0 };
  await editor.importFile(oneNode({ ...loadTarget, parameters }));
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
  await part('ndv-close-button').click();
}, 180_000);

test('a node that is not known or not complete is found', async () => {
  for (const [type, typeVersion] of [
    ['executeWorkflow', 1.2] as const,
    ['noSuchNode', 1] as const,
  ]) {
    const node = { name: type, type: `n8n-nodes-base.${type}`, typeVersion, parameters: {} };
    await editor.importFile(oneNode(node));
    await editor.node(type).waitFor();
    expect(await editor.incomplete()).toEqual([type]);
  }
}, 120_000);

/** In which nodes n8n wants something chosen after an import, as the note says. */
const TO_CHOOSE: Record<string, string[]> = {
  'http-calls.json': ['Get the customer', 'Get the orders', 'Get the stock'],
};

/** Those of n8n 0.x are imported into the editor of that n8n. One of three of each folder; LONG=1 takes all. */
const EVERY = process.env['LONG'] === '1' ? 1 : 3;
const FILES = ['.', 'load-target', 'ten-workflows'].flatMap((under) =>
  readdirSync(join(WORKFLOWS, under))
    .filter((name) => name.endsWith('.json') && name !== 'catalogue.json')
    .filter((name, index) => index % EVERY === 0 || name in TO_CHOOSE)
    .map((name) => join(under, name)),
);
test.each(FILES)(
  '%s is imported with every node known and complete, and its note can be read in full',
  async (name) => {
    const { nodes } = JSON.parse(readFileSync(join(WORKFLOWS, name), 'utf8')) as {
      nodes: { name: string; type: string }[];
    };
    await editor.importInstead(join(WORKFLOWS, name));
    const steps = nodes.filter(({ type }) => type !== 'n8n-nodes-base.stickyNote');
    for (const step of steps) await editor.node(step.name).waitFor();
    expect(await editor.part('canvas-node').count()).toBe(steps.length);
    expect(await editor.part('sticky').count()).toBe(nodes.length - steps.length);
    expect(await editor.incomplete()).toEqual(TO_CHOOSE[name] ?? []);
    expect(await editor.notesCutShort()).toEqual([]);
  },
  60_000,
);
