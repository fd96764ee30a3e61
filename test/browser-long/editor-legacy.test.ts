import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repositoryRoot } from '../../cli/src/lab/paths';
import { packNodes } from '../nodes/support/package';
import { Editor, oneNode } from '../support/editor';
import { N8N_LEGACY_VERSION } from '../support/versions';

/** The editor of n8n 0.x. */
const folder = mkdtempSync(join(tmpdir(), 'n8n-editor-test-'));
const WORKFLOWS = join(repositoryRoot(), 'workflows/legacy');
let editor: Editor;

beforeAll(async () => {
  editor = await Editor.open(N8N_LEGACY_VERSION, packNodes(folder));
}, 240_000);

afterAll(async () => {
  await editor.close();
  rmSync(folder, { recursive: true, force: true });
});

const type = 'n8n-nodes-load-target.loadTarget';
const loadTarget = { name: 'Load Target', type, typeVersion: 1 };

test('a Load Target is imported through the menu, shows its parameters, and runs', async () => {
  const { part, node } = editor;
  const parameters = { operation: 'cpu', until: 'loop', loopTo: 500_000 };
  await editor.importFile(oneNode({ ...loadTarget, parameters }));
  await node('Load Target').waitFor();
  expect(await node('Load Target').innerText()).toContain('CPU');
  const icon = await node('Load Target').locator('img').first().getAttribute('src');
  expect(icon).toContain('loadTarget.svg');

  await node('Load Target').dblclick();
  await part('ndv').waitFor();
  const panel = part('node-parameters');
  for (const title of ['Limit By', 'Iterations', 'Event Loop', 'May Freeze n8n']) {
    expect(await panel.innerText()).toContain(title);
  }
  await part('node-execute-button').click();
  await part('output-panel').getByText('124999750000').first().waitFor();
}, 240_000);

test('a mistake is shown as one sentence', async () => {
  const { part, node } = editor;
  const parameters = { operation: 'memory', sizeMiB: 900_000, heldAs: 'strings', holdMs: 0 };
  await editor.importFile(oneNode({ ...loadTarget, parameters }));
  await node('Load Target').dblclick();
  await part('node-execute-button').click();
  await part('output-panel')
    .getByText(/900000 MiB of strings do not fit: \d+ MiB are free/)
    .first()
    .waitFor();
}, 180_000);

test('a node that is not complete is found', async () => {
  const type = 'n8n-nodes-queue-monitor.queueMonitor';
  const monitor = { name: 'Queue Monitor', type, typeVersion: 1, parameters: {} };
  await editor.importFile(oneNode(monitor));
  await editor.node('Queue Monitor').waitFor();
  expect(await editor.incomplete()).toEqual(['Queue Monitor']);
}, 120_000);

test.each(readdirSync(WORKFLOWS))(
  '%s is imported with every node known and complete',
  async (name) => {
    const { nodes } = JSON.parse(readFileSync(join(WORKFLOWS, name), 'utf8')) as {
      nodes: { name: string; type: string }[];
    };
    await editor.importFile(join(WORKFLOWS, name));
    const steps = nodes.filter(({ type }) => type !== 'n8n-nodes-base.stickyNote');
    for (const step of steps) await editor.node(step.name).waitFor();
    expect(await editor.part('canvas-node').count()).toBe(steps.length);
    expect(await editor.incomplete()).toEqual([]);
  },
  60_000,
);
