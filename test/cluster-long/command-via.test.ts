// The load comes in as users do: through an Ingress and through a Gateway of a real cluster.
import type { RunRecord } from '../../cli/src/record/run-record';
import { buildCli } from '../support/cli';
import { clusterStatus, createNamespace, type Namespace } from '../support/cluster';
import { n8nTuned, resultsFolder } from '../support/cluster-command';
import { installKnown, onKnown } from '../support/known-release';

jest.setTimeout(600_000);

const HOST = 'known.example.com';
const LABELS = { 'app.kubernetes.io/instance': 'known' };

const { path: out, remove } = resultsFolder();
let space: Namespace;
beforeAll(async () => {
  buildCli();
  space = await createNamespace('via');
  await installKnown(space, out, { inTurn: [20] });
  const port = { service: { name: 'known', port: { name: 'http' } } };
  await space.apply([
    {
      ...{ apiVersion: 'networking.k8s.io/v1', kind: 'Ingress' },
      metadata: { name: 'known', labels: LABELS },
      spec: {
        ingressClassName: 'nginx',
        rules: [
          { host: HOST, http: { paths: [{ path: '/', pathType: 'Prefix', backend: port }] } },
        ],
      },
    },
    {
      ...{ apiVersion: 'gateway.networking.k8s.io/v1', kind: 'Gateway' },
      metadata: { name: 'public' },
      spec: {
        gatewayClassName: 'nginx',
        listeners: [{ name: 'plain', port: 80, protocol: 'HTTP' }],
      },
    },
    {
      ...{ apiVersion: 'gateway.networking.k8s.io/v1', kind: 'HTTPRoute' },
      metadata: { name: 'known', labels: LABELS },
      spec: {
        parentRefs: [{ name: 'public' }],
        hostnames: [HOST],
        rules: [{ backendRefs: [{ name: 'known', port: 80 }] }],
      },
    },
  ]);
});
afterAll(async () => {
  remove();
  await space?.remove();
});

test.each(['ingress', 'gateway'])(
  'requests go through the %s, by its host at its address',
  async (way) => {
    const address = (await clusterStatus())[way] ?? '';
    const { stdout, stderr } = await n8nTuned(
      ...['run', ...onKnown(space), '--via', way, '--via-address', address, '--out', out, '--json'],
      ...['--rate', '10', '--duration', '5s', '--warmup', '1s'],
    );
    if (stdout === '') throw new Error(stderr);
    const record = JSON.parse(stdout) as RunRecord;
    expect(record.target.url).toBe(`http://${HOST}`);
    expect(record.summary.offered.requests).toBe(50);
    expect(record.summary.errors.requests).toBe(0);
  },
);

test('a release without a way in is told, before anything is made', async () => {
  await space.kubectl('delete', 'ingress', 'known');
  const { code, stderr } = await n8nTuned(
    'run',
    ...onKnown(space),
    '--via',
    'ingress',
    '--out',
    out,
  );
  expect(code).toBe(2);
  expect(stderr).toMatch(
    /no Ingress of the release leads to the Service known: set ingress.enabled/,
  );
});
