import type { FileChooser, Locator, Page } from 'playwright-core';
import type { Packed } from '../nodes/support/package';
import { N8nHome, setUpOwner } from '../nodes/support/n8n';
import { openBrowser } from './browser';
import { N8N_LEGACY_VERSION, N8N_VERSION } from './versions';

const owner = { email: 'owner@example.com', password: 'Passw0rd!' };

/** What an editor has a node's name in, marks an incomplete one with, and imports by. */
interface Known {
  name: string;
  issues: string;
  importing: (part: (id: string) => Locator, page: Page) => Promise<void>;
}

const KNOWN: Record<string, Known> = {
  [N8N_VERSION]: {
    name: 'data-node-name',
    issues: '[data-test-id="node-issues"], [class*="nodeIconPlaceholder"]',
    importing: async (part) => {
      await part('workflow-menu-item-import').hover();
      await part('workflow-menu-item-import-from-file').click();
    },
  },
  [N8N_LEGACY_VERSION]: {
    name: 'data-name',
    issues: '.node-issues, [class*="nodeIconPlaceholder"]',
    importing: (_part, page) => page.getByText('Import from File').click(),
  },
};

/** The editor of an n8n with the packed nodes, in a browser in which its owner is signed in. */
export class Editor {
  private constructor(
    readonly url: string,
    readonly page: Page,
    private readonly known: Known,
    readonly close: () => Promise<void>,
  ) {}

  static async open(version: string, packages: Packed[]): Promise<Editor> {
    const known = KNOWN[version];
    if (known === undefined) throw new Error(`nobody knows the editor of n8n ${version}`);
    const home = new N8nHome(version);
    home.installTarballs(packages);
    const url = await home.start();
    await setUpOwner(url, owner);
    const browser = await openBrowser();
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    const page = await context.newPage();
    page.setDefaultTimeout(60_000);
    await page.goto(`${url}/signin`);
    await page.locator('input[type="email"]').fill(owner.email);
    await page.locator('input[type="password"]').fill(owner.password);
    await page.keyboard.press('Enter');
    await page.waitForURL(/home|workflow/);
    return new Editor(url, page, known, async () => {
      await browser.close();
      await home.stop();
    });
  }

  readonly part = (id: string): Locator => this.page.locator(`[data-test-id="${id}"]`);

  readonly node = (name: string): Locator =>
    this.page.locator(`[data-test-id="canvas-node"][${this.known.name}="${name}"]`);

  /** Through the menu, into a workflow that is new. */
  async importFile(file: Parameters<FileChooser['setFiles']>[0]): Promise<void> {
    await this.page.goto(`${this.url}/workflow/new`);
    await this.importHere(file);
  }

  /** The same, into the workflow that is open, once it is empty: much faster than a new one. */
  async importInstead(file: string): Promise<void> {
    await this.page.locator('.vue-flow__pane').click({ position: { x: 20, y: 20 } });
    await this.page.keyboard.press('Control+a');
    await this.page.keyboard.press('Delete');
    await this.part('canvas-node').first().waitFor({ state: 'detached' });
    await this.importHere(file);
  }

  private async importHere(file: Parameters<FileChooser['setFiles']>[0]): Promise<void> {
    await this.part('workflow-menu').first().click();
    const chooser = this.page.waitForEvent('filechooser');
    await this.known.importing(this.part, this.page);
    await (await chooser).setFiles(file);
  }

  /** The nodes that the editor marks: unknown ones, and those in which something is to be chosen. */
  incomplete(): Promise<(string | null)[]> {
    const { name, issues } = this.known;
    return this.page
      .locator(`[data-test-id="canvas-node"]:has(${issues})`)
      .evaluateAll((all, attribute) => all.map((one) => one.getAttribute(attribute)), name);
  }

  /** The headings of notes whose frames do not show all of their text. */
  notesCutShort(): Promise<string[]> {
    return this.part('sticky').evaluateAll((all) =>
      all
        .filter((note) => {
          const last = [...note.querySelectorAll('p')].at(-1);
          const bottom = (element: Element): number => element.getBoundingClientRect().bottom;
          return last === undefined || bottom(last) > bottom(note);
        })
        .map((note) => note.querySelector('h2')?.textContent ?? 'no heading'),
    );
  }
}

/** A file with a workflow of a manual trigger and the node under test. */
export function oneNode(node: {
  name: string;
  type: string;
  typeVersion: number;
  parameters: object;
}): { name: string; mimeType: string; buffer: Buffer } {
  const workflow = {
    name: 'One node',
    nodes: [
      {
        ...{ id: '1', name: 'Start', type: 'n8n-nodes-base.manualTrigger', typeVersion: 1 },
        ...{ position: [0, 0], parameters: {} },
      },
      { id: '2', position: [220, 0], ...node },
    ],
    connections: { Start: { main: [[{ node: node.name, type: 'main', index: 0 }]] } },
  };
  return {
    ...{ name: 'workflow.json', mimeType: 'application/json' },
    buffer: Buffer.from(JSON.stringify(workflow)),
  };
}
