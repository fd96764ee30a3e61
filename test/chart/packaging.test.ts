// The chart is whole in itself, under every way to carry it, and small enough for Kubernetes.
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { attempt, chart, KUBERNETES, paths, render, renderOf } from './support/helm.ts';

const MEBIBYTE = 1 << 20;
const WITH_ALL = ['--set', 'loadTargets.enabled=true,loadTest.enabled=true'];
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-package-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

test.each([
  ['3', paths.helm3],
  ['4', paths.helm4],
])(
  'packaged by Helm %s it renders what the folder renders',
  async (_, helm) => {
    const args = ['package', chart, '--destination', folder];
    expect(await attempt(helm, args)).toMatchObject({ code: 0 });
    const [archive = ''] = readdirSync(folder);
    const packaged = await renderOf(join(folder, archive), helm, WITH_ALL);
    const own = await render(helm, WITH_ALL);
    expect(packaged.text).toBe(own.text);
  },
  60_000,
);

test('it carries each workflow as it is in the repository, and no other', () => {
  const workflowsIn = (home: string): [string, string][] =>
    readdirSync(home, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.json'))
      .sort()
      .map((file) => [file, readFileSync(join(home, file), 'utf8')]);
  const own = workflowsIn(join(chart, '../../workflows'));
  expect(own.length).toBeGreaterThan(40);
  expect(workflowsIn(join(chart, 'files/workflows'))).toEqual(own);
});

describe('in a checkout that was not built', () => {
  const BUILT = /\/files\/(load-target|loadtests|workflows|recover\.cjs)$/;
  const SENTENCE = 'This chart is in a checkout that was not built: run make build in the checkout';
  let charts: string;
  beforeAll(() => {
    charts = mkdtempSync(join(tmpdir(), 'n8n-tuned-not-built-'));
    cpSync(join(chart, '..'), charts, { recursive: true, filter: (path) => !BUILT.test(path) });
  });
  afterAll(() => {
    rmSync(charts, { recursive: true, force: true });
  });

  test.each([
    ['3', paths.helm3],
    ['4', paths.helm4],
  ])('Helm %s ends with one sentence that says what to run', async (_, helm) => {
    const { code, output } = await attempt(helm, ['template', 'n8n', join(charts, 'n8n-tuned')]);
    expect(code).toBe(1);
    expect(output.split(SENTENCE)).toHaveLength(2);
  });

  test('nothing is published', async () => {
    const publish = [join(charts, 'publish.sh'), 'oci://127.0.0.1:1/charts', '--plain-http'];
    const { code, output } = await attempt('env', [`HELM=${paths.helm3}`, ...publish]);
    expect(code).toBe(1);
    expect(output).toContain(SENTENCE);
    expect(output).not.toContain('packaged');
  });
});

test("no file of it is a link, which Flux's Git source drops and Helm warns of", async () => {
  const links = readdirSync(chart, { recursive: true, encoding: 'utf8' }).filter((file) =>
    lstatSync(join(chart, file)).isSymbolicLink(),
  );
  expect(links).toEqual([]);
  const { output } = await attempt(paths.helm3, ['template', chart, '--kube-version', KUBERNETES]);
  expect(output).not.toMatch(/symlink|symbolic|walk/i);
});

test('a default rendering is short enough to be read, without and with the patches in it', async () => {
  const { text, manifests } = await render(paths.helm3);
  const patches = manifests.flatMap(({ data }) =>
    Object.entries((data ?? {}) as Record<string, string>)
      .filter(([name]) => existsSync(join(chart, 'files/preload', name)))
      .map(([, script]) => script.split('\n').length),
  );
  const lines = text.split('\n').length;
  expect(patches.length).toBeGreaterThan(3);
  expect(lines - patches.reduce((sum, each) => sum + each, 0)).toBeLessThan(700);
  expect(lines).toBeLessThan(1900);
});

test('no ConfigMap comes near the limit of 1 MiB', async () => {
  const { manifests } = await render(paths.helm3, WITH_ALL);
  const sizes = manifests
    .filter(({ kind }) => kind === 'ConfigMap')
    .map((map) => JSON.stringify(map['data']).length);
  expect(sizes.length).toBeGreaterThanOrEqual(3);
  for (const size of sizes) expect(size).toBeLessThan(MEBIBYTE / 2);
});
