import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repositoryRoot } from '../../capacity/src/lab/paths';
import { freePort } from '../../capacity/src/targets/process/ports';
import { N8nHome, setUpOwner, webhookWorkflow } from './support/n8n';
import { packNodes, type Packed } from './support/package';
import { credential } from './support/redis';
import { startRegistry } from './support/registry';

let folder: string;
let packed: Packed;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'n8n-package-test-'));
  packed = packNodes(folder);
}, 240_000);
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const TYPES = ['loadTarget', 'queueMonitor', 'queueMonitorTrigger'];
const waiting = { parameters: { operation: 'wait', waitMs: 1 } };

/** Runs n8n and ends it, however the test ends. */
async function inHome(
  home: N8nHome,
  use: () => Promise<void>,
  close?: () => Promise<void>,
): Promise<void> {
  try {
    await use();
  } finally {
    await home.stop();
    await close?.();
  }
}

/** What the first answer of the webhook says, once it is there. */
async function answerOf(url: string): Promise<unknown> {
  for (const end = Date.now() + 120_000; Date.now() < end;) {
    const response = await fetch(url);
    const json = response.headers.get('content-type')?.includes('json');
    if (response.ok && json) return await response.json();
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${url} never answered`);
}

test('the tarball holds the nodes, the workflows, and nothing stray', () => {
  const strange = packed.files.filter(
    (file) =>
      !/^(package\.json|README\.md|LICENSE)$/.test(file) &&
      !/^workflows\/([\w-]+\/)?[\w-]+\.json$/.test(file) &&
      !/^dist\/(nodes\/\w+|credentials)\/[\w.]+\.(node\.js|node\.json|credentials\.js|svg)$/.test(
        file,
      ) &&
      !/^dist\/nodes\/QueueMonitor\/vendor\/(bull\.js|ioredis\.js|LICENSES\.txt)$/.test(file),
  );
  expect(strange).toEqual([]);
  for (const type of [
    'LoadTarget/LoadTarget',
    'QueueMonitor/QueueMonitor',
    'QueueMonitor/QueueMonitorTrigger',
  ]) {
    expect(packed.files).toContain(`dist/nodes/${type}.node.js`);
    expect(packed.files).toContain(`dist/nodes/${type}.node.json`);
  }
  expect(packed.files).toContain('dist/credentials/QueueRedisApi.credentials.js');
  const readme = execFileSync('tar', ['-xzOf', packed.tarball, 'package/README.md']);
  expect(readme.toString()).toBe(readFileSync(join(repositoryRoot(), 'nodes/README.md'), 'utf8'));
  expect(packed.sizeBytes).toBeLessThan(1.5 * 1024 * 1024);
});

interface NodeType {
  name: string;
  iconUrl: string | { light: string; dark: string };
}

test.each([
  ['2.41.1', '/community-packages', [...TYPES, 'queueMonitorTool'], 'refused the connection'],
  // n8n 0.x finds no test of a credential that it has just installed.
  ['0.221.2', '/nodes', TYPES, 'No testing function found'],
] as const)(
  'n8n %s installs it as a community package',
  async (version, installation, known, refusal) => {
    const registry = await startRegistry(folder, packed);
    const home = new N8nHome(version, registry.env);
    if (version.startsWith('0.')) {
      // It gives npm no environment, and makes no package in a folder that is there.
      mkdirSync(home.packages);
      writeFileSync(join(home.packages, 'package.json'), '{}');
      writeFileSync(join(home.packages, '.npmrc'), registry.npmrc);
    }
    await inHome(
      home,
      async () => {
        const url = await home.start();
        const post = (path: string, body: object, cookie = ''): Promise<Response> =>
          fetch(`${url}/rest${path}`, {
            ...{ method: 'POST', body: JSON.stringify(body) },
            headers: { 'content-type': 'application/json', cookie },
          });
        const owner = { email: 'owner@example.com', password: 'Passw0rd!' };
        const cookie = await setUpOwner(url, owner);
        const installed = await post(installation, { name: packed.name }, cookie);
        expect(await installed.json()).toMatchObject({
          data: {
            packageName: packed.name,
            installedVersion: packed.version,
            installedNodes: TYPES.map((type) => ({ type: `${packed.name}.${type}` })),
          },
        });
        const types = (await (
          await fetch(`${url}/types/nodes.json`, { headers: { cookie } })
        ).json()) as NodeType[];
        const ours = types.filter(({ name }) => name.startsWith(packed.name));
        expect(new Set(ours.map(({ name }) => name.split('.')[1]))).toEqual(new Set(known));
        for (const { iconUrl } of ours) {
          for (const icon of typeof iconUrl === 'string' ? [iconUrl] : Object.values(iconUrl)) {
            const response = await fetch(`${url}/${icon}`, { headers: { cookie } });
            expect(response.headers.get('content-type')).toContain('svg');
          }
        }
        const credentials = {
          ...{ id: '', name: 'Queue', type: 'queueRedisApi' },
          data: credential({ port: await freePort(), password: 'secret' }),
        };
        const tested = await (await post('/credentials/test', { credentials }, cookie)).text();
        expect(JSON.parse(tested)).toMatchObject({
          data: {
            status: 'Error',
            message: expect.stringContaining(refusal) as string,
          },
        });
        expect(tested).not.toContain('secret');
        expect(registry.asked.some((path) => path.endsWith('.tgz'))).toBe(true);
      },
      registry.close,
    );
  },
  240_000,
);

test.each(['2.41.1', '0.221.2'] as const)(
  'n8n %s runs it from the tarball',
  async (version) => {
    const home = new N8nHome(version);
    await inHome(home, async () => {
      home.installTarball(packed.tarball);
      const id = version.startsWith('0.') ? '7' : 'tarball';
      home.import('workflow', [
        webhookWorkflow(id, { type: `${packed.name}.loadTarget`, ...waiting }),
      ]);
      home.activate([id]);
      const url = await home.start();
      expect(await answerOf(`${url}/webhook/${id}`)).toMatchObject({
        operation: 'wait',
        ranBy: { n8nVersion: version, role: version.startsWith('0.') ? 'own' : 'main' },
      });
    });
  },
  300_000,
);

test.each(['2.41.1', '0.221.2'] as const)(
  'n8n %s runs it as an extension folder',
  async (version) => {
    const home = new N8nHome(version, {
      N8N_CUSTOM_EXTENSIONS: join(repositoryRoot(), 'dist'),
      ...(version.startsWith('0.') && { EXECUTIONS_PROCESS: 'main' }),
    });
    await inHome(home, async () => {
      const id = version.startsWith('0.') ? '8' : 'extension';
      home.import('workflow', [webhookWorkflow(id, { type: 'CUSTOM.loadTarget', ...waiting })]);
      home.activate([id]);
      const url = await home.start();
      expect(await answerOf(`${url}/webhook/${id}`)).toMatchObject({
        operation: 'wait',
        ranBy: { n8nVersion: version, role: 'main' },
      });
    });
  },
  300_000,
);
