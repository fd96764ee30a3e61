import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repositoryRoot } from '../../cli/src/lab/paths';
import { freePort } from '../../cli/src/targets/process/ports';
import { N8nHome, setUpOwner, webhookWorkflow } from './support/n8n';
import {
  fileIn,
  LOAD_TARGET,
  packageOf,
  packNodes,
  QUEUE_MONITOR,
  type Packed,
} from './support/package';
import { credential } from './support/redis';
import { startRegistry } from './support/registry';
import { isLong } from '../support/properties';
import { N8N_LEGACY_VERSION, N8N_VERSION } from '../support/versions';
import { until } from '../support/wait';

let folder: string;
let packages: Packed[];
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'n8n-package-test-'));
  packages = packNodes(folder);
}, 240_000);
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const TYPES = {
  [QUEUE_MONITOR]: ['once', 'queueMonitor', 'queueMonitorTrigger'],
  [LOAD_TARGET]: ['loadTarget'],
};
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
  const response = await until(
    `a response of ${url}`,
    async () => {
      const found = await fetch(url);
      const isJson = found.headers.get('content-type')?.includes('json');
      return found.ok && isJson === true ? found : null;
    },
    120_000,
  );
  return response.json();
}

const SOURCES = { [QUEUE_MONITOR]: 'nodes/QueueMonitor', [LOAD_TARGET]: 'nodes/LoadTarget' };

test.each([
  [
    QUEUE_MONITOR,
    /^dist\/(nodes\/QueueMonitor\/[\w.]+\.(node\.js|node\.json|svg)|credentials\/[\w.]+\.(credentials\.js|svg)|nodes\/QueueMonitor\/vendor\/(ioredis\.js|LICENSES\.txt))$/,
    [
      'dist/credentials/QueueRedisApi.credentials.js',
      ...[
        'Once.node.js',
        'QueueMonitor.node.js',
        'QueueMonitorTrigger.node.js',
        'QueueMonitorTrigger.node.json',
      ].map((file) => `dist/nodes/QueueMonitor/${file}`),
    ],
  ],
  [
    LOAD_TARGET,
    /^(workflows\/([\w-]+\/)?[\w-]+\.json|dist\/nodes\/LoadTarget\/[\w.]+\.(node\.js|node\.json|svg))$/,
    ['dist/nodes/LoadTarget/LoadTarget.node.js', 'workflows/catalogue.json'],
  ],
] as const)('the tarball of %s holds its own files and nothing stray', (name, own, needed) => {
  const { tarball, files, sizeBytes } = packageOf(packages, name);
  const common = /^(package\.json|README\.md|CHANGELOG\.md|LICENSE)$/;
  expect(files.filter((file) => !common.test(file) && !own.test(file))).toEqual([]);
  expect(files).toEqual(expect.arrayContaining([...needed, 'LICENSE', 'CHANGELOG.md']));
  const readme = join(repositoryRoot(), SOURCES[name], 'README.md');
  expect(fileIn(tarball, 'README.md')).toBe(readFileSync(readme, 'utf8'));
  const manifest = JSON.parse(fileIn(tarball, 'package.json')) as Record<string, unknown>;
  expect(manifest).not.toHaveProperty('private');
  expect(manifest).not.toHaveProperty('dependencies');
  expect(sizeBytes).toBeLessThan(500 * 1024);
});

test.each(['.', ...Object.values(SOURCES)])(
  'nothing can be published from the folder %s by itself',
  (source) => {
    // Nothing listens there: what could be published would fail otherwise.
    const token = '--//127.0.0.1:9/:_authToken=none';
    const args = ['publish', '--registry', 'http://127.0.0.1:9/', token, '--fetch-retries', '0'];
    const { status, stderr } = spawnSync('npm', args, {
      ...{ cwd: join(repositoryRoot(), source), encoding: 'utf8' },
    });
    expect(stderr).toContain('EPRIVATE');
    expect(status).not.toBe(0);
  },
);

/** Each way to install them takes starts of n8n, those of n8n 0.x the longest: LONG=1 has all of them. */
const VERSIONS = isLong ? [N8N_VERSION, N8N_LEGACY_VERSION] : [N8N_VERSION];

interface NodeType {
  name: string;
  iconUrl: string | { light: string; dark: string };
}

const INSTALLATIONS = [
  [N8N_VERSION, '/community-packages', ['queueMonitorTool'], 'refused the connection'],
  // n8n 0.x finds no test of a credential that it has just installed.
  [N8N_LEGACY_VERSION, '/nodes', [], 'No testing function found'],
] as const;

test.each(INSTALLATIONS.slice(0, VERSIONS.length))(
  'n8n %s installs both as community packages',
  async (version, installation, tools, refusal) => {
    const registry = await startRegistry(folder, packages);
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
        for (const name of [QUEUE_MONITOR, LOAD_TARGET] as const) {
          const installed = await post(installation, { name }, cookie);
          expect(await installed.json()).toMatchObject({
            data: {
              packageName: name,
              installedVersion: packageOf(packages, name).version,
              installedNodes: TYPES[name].map((type) => ({ type: `${name}.${type}` })),
            },
          });
        }
        const types = (await (
          await fetch(`${url}/types/nodes.json`, { headers: { cookie } })
        ).json()) as NodeType[];
        const isOurs = ({ name }: NodeType): boolean =>
          packages.some((p) => name.startsWith(p.name));
        const ours = types.filter(isOurs);
        expect(new Set(ours.map(({ name }) => name.split('.')[1]))).toEqual(
          new Set([...Object.values(TYPES).flat(), ...tools]),
        );
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
        expect(registry.asked.filter((path) => path.endsWith('.tgz'))).toHaveLength(2);
      },
      registry.close,
    );
  },
  240_000,
);

if (isLong) {
  test.each(VERSIONS)(
    'n8n %s runs it from the tarball',
    async (version) => {
      const home = new N8nHome(version);
      await inHome(home, async () => {
        home.installTarballs(packages);
        const id = version.startsWith('0.') ? '7' : 'tarball';
        home.import('workflow', [
          webhookWorkflow(id, { type: `${LOAD_TARGET}.loadTarget`, ...waiting }),
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

  test.each(VERSIONS)(
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
}
