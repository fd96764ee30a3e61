// The image of the command, in a pod of a namespace that admits only restricted pods: it finds its k6, its workflows and
// its chart, and loads an n8n of the cluster.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { inCluster } from '../support/cluster';
import { buildCli } from '../support/cli';
import { Release, ROOT } from '../support/release';

jest.setTimeout(1_800_000);

const { version } = JSON.parse(readFileSync(join(ROOT, 'cli/package.json'), 'utf8')) as {
  version: string;
};
const RESTRICTED = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'] },
  readOnlyRootFilesystem: true,
  runAsNonRoot: true,
  seccompProfile: { type: 'RuntimeDefault' },
};

let n8n: Release;
beforeAll(async () => {
  buildCli();
  await promisify(execFile)(join(ROOT, 'lab/images/build.sh'), ['n8n-tuned']);
  n8n = await Release.inNewNamespace('command-image');
  await n8n.deploy({ loadTargets: { enabled: true } });
  await n8n.space.apply([
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'command' },
      spec: {
        containers: [
          {
            name: 'command',
            image: `n8n-tuned/n8n-tuned:${version}`,
            command: ['sleep', 'infinity'],
            securityContext: RESTRICTED,
            volumeMounts: [
              { name: 'data', mountPath: '/data' },
              { name: 'tmp', mountPath: '/tmp' },
            ],
          },
        ],
        volumes: [
          { name: 'data', emptyDir: {} },
          { name: 'tmp', emptyDir: {} },
        ],
      },
    },
  ]);
  await n8n.space.kubectl('wait', '--for=condition=Ready', 'pod/command', '--timeout=150s');
});
afterAll(() => n8n.remove());

const inPod = (...args: string[]) =>
  inCluster(['kubectl', '-n', n8n.space.name, 'exec', 'command', '--', 'n8n-tuned', ...args], {
    timeoutMs: 300_000,
  });

test('it tells its version, and renders its chart with its own Helm', async () => {
  expect((await inPod('--version')).stdout).toContain(version);
  const { code, stdout, stderr } = await inCluster(
    [
      ...['kubectl', '-n', n8n.space.name, 'exec', 'command', '--', 'helm', 'template', 'n8n'],
      '/opt/n8n-tuned/charts/n8n-tuned',
    ],
    { timeoutMs: 120_000 },
  );
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toContain('kind: Deployment');
});

test('it loads an n8n of the cluster and keeps the record where it may write', async () => {
  const url = await n8n.serviceUrl();
  await n8n.expectedResponse(`${url}/webhook/load-last-node`);
  const { stdout, stderr } = await inPod(
    ...['run', '--url', url, '--workload', 'last-node', '--rate', '2', '--duration', '10s'],
    ...['--warmup', '2s', '--slo', 'errors<50%', '--json'],
  );
  if (stdout === '') throw new Error(stderr);
  const record = JSON.parse(stdout) as {
    folder: string;
    summary: { achieved: { requests: number } };
  };
  expect(record.folder).toMatch(/^(\/data\/)?results\//);
  expect(record.summary.achieved.requests).toBeGreaterThan(10);
});
