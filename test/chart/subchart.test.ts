// The chart as a part of another one, with the usual condition that switches it on and off.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { attempt, chart, paths, renderOf } from './support/helm.ts';

const PARENT = `apiVersion: v2
name: parent
version: 1.0.0
dependencies:
  - name: n8n-tuned
    version: 9.9.9
    condition: n8n-tuned.enabled
`;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-parent-'));
  mkdirSync(join(folder, 'charts'));
  writeFileSync(join(folder, 'Chart.yaml'), PARENT);
  const args = ['package', chart, '--destination', join(folder, 'charts'), '--version', '9.9.9'];
  expect(await attempt(paths.helm3, args)).toMatchObject({ code: 0 });
}, 60_000);
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe.each([
  ['3', paths.helm3],
  ['4', paths.helm4],
])('under Helm %s', (_, helm) => {
  const deployments = async (...args: string[]): Promise<number> => {
    const { manifests } = await renderOf(folder, helm, args);
    return manifests.filter(({ kind }) => kind === 'Deployment').length;
  };

  test('its condition brings it in and leaves it out', async () => {
    expect(await deployments('--set', 'n8n-tuned.enabled=true')).toBe(1);
    expect(await deployments('--set', 'n8n-tuned.enabled=false')).toBe(0);
  });

  test("it takes the parent's globals", async () => {
    const { text } = await renderOf(folder, helm, [
      ...['--set', 'global.imageRegistry=mirror.example.com', '--set', 'global.theirs.key=1'],
    ]);
    expect(text).toContain('image: "mirror.example.com/n8nio/n8n:');
  });

  test('the parent names a preset, and its own values win', async () => {
    expect(await deployments('--set', 'n8n-tuned.preset=medium')).toBe(3);
    const off = ['--set', 'n8n-tuned.preset=medium,n8n-tuned.webhook.enabled=false'];
    expect(await deployments(...off)).toBe(2);
  });

  test('the parent fills its texts', async () => {
    const { text } = await renderOf(folder, helm, [
      ...['--set', 'global.domain=example.com', '--set', 'n8n-tuned.ingress.enabled=true'],
      ...['--set', 'n8n-tuned.publicUrl=https://n8n.{{ .Values.global.domain }}'],
    ]);
    expect(text).toContain('host: "n8n.example.com"');
  });
});
