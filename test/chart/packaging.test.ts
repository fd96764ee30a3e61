// The chart is whole in itself, under every way to carry it, and small enough for Kubernetes.
import { existsSync, lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
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
  expect(lines).toBeLessThan(1000);
});

test('no ConfigMap comes near the limit of 1 MiB', async () => {
  const { manifests } = await render(paths.helm3, WITH_ALL);
  const sizes = manifests
    .filter(({ kind }) => kind === 'ConfigMap')
    .map((map) => JSON.stringify(map['data']).length);
  expect(sizes.length).toBeGreaterThanOrEqual(3);
  for (const size of sizes) expect(size).toBeLessThan(MEBIBYTE / 2);
});
