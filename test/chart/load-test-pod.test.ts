// The pod of the load test, without a cluster: its files lie as kubelet lays a ConfigMap out, its own arguments and
// variables go to the k6 that is in the lab's image, and a server that answers right gets the load.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { LoadSummary } from '../../loadtests/lib/load-summary.ts';
import { startKnownServer, type KnownServer } from '../support/known-server.ts';
import { loadChart, paths, renderOf, type Manifest } from './support/helm.ts';
import { podTemplates, type PodSpec } from './support/pods.ts';

const run = promisify(execFile);
let folder: string;
let server: KnownServer;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-load-pod-'));
  server = await startKnownServer();
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Does what kubelet does: the files behind `..data`, and a link to each name at the top. */
function layOut(pod: PodSpec, manifests: Manifest[]): void {
  const source = pod.volumes?.find(({ name }) => name === 'scripts')?.configMap;
  const map = manifests.find(
    ({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === source?.name,
  );
  const data = map?.['data'] as Record<string, string>;
  const tops = new Set<string>();
  for (const { key, path } of source?.items ?? []) {
    const file = join(folder, '..2026', path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, data[key] ?? '');
    tops.add(path.split('/')[0] ?? '');
  }
  symlinkSync('..2026', join(folder, '..data'));
  for (const top of tops) symlinkSync(join('..data', top), join(folder, top));
}

test('the Job loads what it is told to and ends with its summary', async () => {
  const { manifests } = await renderOf(loadChart, paths.helm3, [
    '--set',
    `loadTest.enabled=true,loadTest.profile=load,target=${server.url}`,
    '--set',
    'loadTest.env.SUMMARY_FILE=stdout,loadTest.env.RATE=20,loadTest.env.DURATION=3s,loadTest.env.WARMUP=0s',
  ]);
  const pod = podTemplates(manifests).find(
    ({ owner }) => owner.kind === 'Job' && owner.metadata.name.includes('-load-test-'),
  );
  const k6 = pod?.spec.containers[0];
  if (pod === undefined || k6 === undefined) throw new Error('the chart renders no load test');
  layOut(pod.spec, manifests);
  expect(k6.command).toBeUndefined();
  expect(k6.volumeMounts).toContainEqual({ name: 'scripts', mountPath: '/k6', readOnly: true });
  const env = Object.fromEntries((k6.env ?? []).map(({ name, value }) => [name, value ?? '']));
  const args = (k6.args ?? []).map((arg) => arg.replace(/^\/k6\//, `${folder}/`));

  // No more of the environment than the pod has; a failed SLO or request would end it with another code.
  const { stdout } = await run(paths.k6, [...args, '--address=127.0.0.1:0'], { env });
  const [json] = /^\{\n[^]*?\n\}$/m.exec(stdout) ?? [];
  const summary = JSON.parse(json ?? '{}') as LoadSummary;
  expect(summary).toMatchObject({ profile: 'load', workloads: ['last-node'], errors: {} });
  // They are of 60; a busy machine may begin late.
  expect(summary.expected).toBeGreaterThan(20);
  expect(server.seen.right).toBeGreaterThanOrEqual(summary.expected);
}, 180_000);
