// `helm package` takes the workflows and scripts along that the chart only links to, small enough for Kubernetes.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { attempt, chart, paths, render, renderOf } from './support/helm.ts';

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

test('no ConfigMap comes near the limit of 1 MiB', async () => {
  const { manifests } = await render(paths.helm3, WITH_ALL);
  const sizes = manifests
    .filter(({ kind }) => kind === 'ConfigMap')
    .map((map) => JSON.stringify(map['data']).length);
  expect(sizes.length).toBeGreaterThanOrEqual(3);
  for (const size of sizes) expect(size).toBeLessThan(MEBIBYTE / 2);
});
