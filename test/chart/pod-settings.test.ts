// What stands under `pod` is for every role: each of its leaves must reach each of them, and mean what it means there.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readValues } from '../../charts/n8n-tuned/tools/values.ts';
import { drawn } from '../support/properties.ts';
import { chart, paths, render, type Manifest } from './support/helm.ts';

type Values = Record<string, unknown>;

const ROLES = ['main', 'worker', 'worker-heavy', 'webhook'];
const QUEUE: Values = {
  executions: { mode: 'queue' },
  database: { type: 'postgresql' },
  multiMain: { enabled: true },
  main: { replicas: 2 },
  worker: { pools: [{ name: 'heavy' }] },
  webhook: { enabled: true },
};

/** Another value than the default, by path; numbers and flags need none. */
const EXAMPLES: Record<string, unknown> = {
  podLabels: { a: 'b' },
  podAnnotations: { a: 'b' },
  annotations: { a: 'b' },
  heap: { oldSpace: '400Mi' },
  'podSecurityContext.seccompProfile.type': 'Unconfined',
  'podSecurityContext.fsGroupChangePolicy': 'Always',
  'securityContext.capabilities.drop': ['NET_RAW'],
  'shutdown.timeoutSeconds': 1800,
  'shutdown.preStopSeconds': 21,
  terminationGracePeriodSeconds: 4000,
  scratchLimit: '3Gi',
  lifecycle: { preStop: { sleep: { seconds: 3 } } },
  beforeStart: { x: { command: ['true'] } },
  strategy: { type: 'Recreate' },
  topologySpreadConstraints: [{ maxSkew: 2 }],
  nodeSelector: { a: 'b' },
  affinity: { nodeAffinity: {} },
  tolerations: [{ key: 'x', operator: 'Exists' }],
  priorityClassName: 'high',
  runtimeClassName: 'other',
  schedulerName: 'other',
  hostAliases: [{ ip: '10.0.0.1', hostnames: ['x'] }],
  dnsPolicy: 'Default',
  dnsConfig: { options: [{ name: 'ndots', value: '2' }] },
  args: ['other'],
  initContainers: [{ name: 'x', image: 'x' }],
  sidecars: [{ name: 'x', image: 'x' }],
  volumes: [{ name: 'x', emptyDir: {} }],
  volumeMounts: [{ name: 'tmp', mountPath: '/x' }],
  'autoscaling.enabled': false,
  'autoscaling.minReplicas': 4,
  'autoscaling.metrics': [{ type: 'Pods' }],
  'autoscaling.behavior': { scaleDown: { stabilizationWindowSeconds: 9 } },
};
/** What a leaf needs beside it to show. */
const BESIDE: Record<string, Values> = { autoscaling: { autoscaling: { enabled: true } } };
/** Roles that have no use for a leaf. */
const MEANS_NOTHING_TO: Record<string, string[]> = {
  // No Service leads to a worker.
  'shutdown.closeConnections': ['worker', 'worker-heavy'],
  keepAliveSeconds: ['worker', 'worker-heavy'],
};

interface Leaf {
  path: string[];
  value: unknown;
}

let folder: string;
let leaves: Leaf[];
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-pod-'));
  leaves = (readValues(join(chart, 'values.yaml')) as Leaf[])
    .filter(({ path }) => path[0] === 'pod')
    .flatMap(({ path, value }) => flattened(path.slice(1), value));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** A block with one sentence for all of it is a leaf to the reader of values.yaml, and many to a role. */
function flattened(path: string[], value: unknown): Leaf[] {
  const isBlock = typeof value === 'object' && value !== null && !Array.isArray(value);
  const entries = isBlock ? Object.entries(value) : [];
  if (entries.length === 0) return [{ path, value }];
  return entries.flatMap(([key, inner]) => flattened([...path, key], inner));
}

const nested = (path: string[], value: unknown): Values =>
  path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value) as Values;

let files = 0;
async function ofRoles(...layers: Values[]): Promise<Map<string, Manifest[]>> {
  const args = [QUEUE, ...layers].flatMap((values) => {
    const file = join(folder, `${files++}.json`);
    writeFileSync(file, JSON.stringify(values));
    return ['-f', file];
  });
  const { manifests } = await render(paths.helm3, ['--skip-tests', ...args]);
  const of = (role: string): Manifest[] =>
    manifests.filter(({ metadata }) => metadata.labels?.['app.kubernetes.io/component'] === role);
  return new Map(ROLES.map((role) => [role, of(role)]));
}

const bases = new Map<string, Promise<Map<string, Manifest[]>>>();
function base(beside: Values): Promise<Map<string, Manifest[]>> {
  const key = JSON.stringify(beside);
  const known = bases.get(key) ?? ofRoles(beside);
  bases.set(key, known);
  return known;
}

function another({ path, value }: Leaf): unknown {
  const example = EXAMPLES[path.join('.')];
  if (example !== undefined) return example;
  if (typeof value === 'boolean') return !value;
  return typeof value === 'number' ? value + 1 : undefined;
}

/** What is wrong with one leaf, in sentences. */
async function broken(leaf: Leaf): Promise<string[]> {
  const name = leaf.path.join('.');
  const beside = { pod: BESIDE[leaf.path[0] ?? ''] ?? {} };
  const set = nested(leaf.path, another(leaf));
  const [before, ofPod, ofEach] = [
    await base(beside),
    await ofRoles(beside, { pod: set }),
    await ofRoles(beside, { main: set, worker: set, webhook: set }),
  ];
  return ROLES.flatMap((role) => {
    const [was, is, own] = [before, ofPod, ofEach].map((all) => JSON.stringify(all.get(role)));
    const changes = was !== is;
    const should = !(MEANS_NOTHING_TO[name] ?? []).includes(role);
    return [
      ...(changes === should ? [] : [`pod.${name} ${changes ? 'reaches' : 'misses'} ${role}`]),
      ...(is === own ? [] : [`pod.${name} is not what ${role}.${name} is`]),
    ];
  });
}

test('every leaf of `pod` has another value to try', () => {
  const without = leaves.filter((leaf) => another(leaf) === undefined);
  expect(without.map(({ path }) => path.join('.'))).toEqual([]);
});

test('every leaf of `pod` reaches every role', async () => {
  expect(leaves.length).toBeGreaterThan(50);
  const failures: string[] = [];
  for (const index of drawn(leaves.length)) {
    const leaf = leaves[index];
    if (leaf !== undefined) failures.push(...(await broken(leaf)));
  }
  expect(failures).toEqual([]);
}, 900_000);

test('null in a role or a pool means not set, and lets `pod` through', async () => {
  const shutdown = { timeoutSeconds: 1800, preStopSeconds: 21 };
  const unset = { timeoutSeconds: null, preStopSeconds: null };
  const plain = await ofRoles({ pod: { shutdown } });
  const nulls = await ofRoles({
    pod: { shutdown },
    worker: { shutdown: unset, pools: [{ name: 'heavy', shutdown: unset, concurrency: null }] },
  });
  expect(nulls).toEqual(plain);
  expect(JSON.stringify(plain.get('worker-heavy'))).toContain(
    '"terminationGracePeriodSeconds":1836',
  );
});
