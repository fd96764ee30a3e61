// What stands under `pod` is for every role: each of its leaves must reach each of them, and mean what it means there.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readValues } from '../../charts/n8n-tuned/tools/values.ts';
import { drawn } from '../support/properties.ts';
import { attempt, chart, paths, render, type Manifest } from './support/helm.ts';

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
  'heap.oldSpace': '400Mi',
  'heap.runnerOldSpace': '100Mi',
  'heap.runnerPayload': '20Mi',
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
  // In queue mode, workers run the Code nodes.
  'heap.runnerOldSpace': ['main', 'webhook'],
  'heap.runnerPayload': ['main', 'webhook'],
};
/** A role among these that has a use for it in another mode. */
const IN_REGULAR_MODE = ['main'];
const refusing = (name: string): string[] =>
  (MEANS_NOTHING_TO[name] ?? []).filter((role) => !IN_REGULAR_MODE.includes(role));
/** Shares that values.yaml shows in `heap`, and a role may have of its own. */
const OF_HEAP: Leaf[] = [
  { path: ['heap', 'enabled'], value: true },
  ...['oldSpace', 'runnerOldSpace', 'runnerPayload'].map((name) => ({
    path: ['heap', name],
    value: '1/2',
  })),
];

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
    .flatMap(({ path, value }) => flattened(path.slice(1), value))
    .flatMap((leaf) => (leaf.path.join('.') === 'heap' ? OF_HEAP : leaf));
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
    await ofRoles(
      beside,
      ...['main', 'worker', 'webhook']
        .filter((role) => !refusing(name).includes(role))
        .map((role) => ({ [role]: set })),
    ),
  ];
  return ROLES.flatMap((role) => {
    const [was, is, own] = [before, ofPod, ofEach].map((all) => JSON.stringify(all.get(role)));
    const changes = was !== is;
    const should = !(MEANS_NOTHING_TO[name] ?? []).includes(role);
    return [
      ...(changes === should ? [] : [`pod.${name} ${changes ? 'reaches' : 'misses'} ${role}`]),
      ...(is === own || refusing(name).includes(role)
        ? []
        : [`pod.${name} is not what ${role}.${name} is`]),
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

test('what means nothing to a role is refused there, and not dropped', async () => {
  const asked = Object.keys(MEANS_NOTHING_TO).flatMap((name) =>
    refusing(name).map((role) => [name, role] as const),
  );
  expect(asked.length).toBeGreaterThan(5);
  for (const [name, role] of asked) {
    const leaf = leaves.find(({ path }) => path.join('.') === name);
    const set = nested(name.split('.'), leaf && another(leaf));
    const at =
      role === 'worker-heavy'
        ? { worker: { pools: [{ name: 'heavy', ...set }] } }
        : { [role]: set };
    const file = join(folder, `${files++}.json`);
    writeFileSync(file, JSON.stringify({ ...QUEUE, ...at }));
    const { output } = await attempt(paths.helm3, ['template', 'n8n', chart, '-f', file]);
    expect(output).toContain(`additional properties '${name.split('.').at(-1) ?? ''}' not allowed`);
  }
}, 120_000);

/** Leaves of one role alone that say what is made, and not how. */
const STRUCTURE = ['webhook.enabled', 'worker.pools'];
const OF_ROLES: Record<string, unknown> = {
  ...{ replicas: 7, concurrency: 7 },
  env: { ANY: 'b' },
  envFrom: [{ secretRef: { name: 'b' } }],
  resources: { requests: { cpu: '3' } },
  'keda.triggers': [{ type: 'cron', metadata: { start: 'b' } }],
  'keda.minReplicas': 1,
  'keda.maxReplicas': 9,
  'keda.cooldownSeconds': 700,
  'service.type': 'LoadBalancer',
  'service.nodePort': 30_100,
  'service.annotations': { a: 'b' },
  'service.loadBalancerClass': 'b',
  'service.loadBalancerSourceRanges': ['10.0.0.0/8'],
  'service.externalTrafficPolicy': 'Local',
};
/** What a leaf of a role needs beside it to show. */
const BESIDE_OF_ROLES: Record<string, Values> = {
  'main.concurrency': {
    ...{
      executions: { mode: 'regular' },
      multiMain: { enabled: false },
      webhook: { enabled: false },
    },
    ...{ main: { replicas: 1 }, worker: { pools: [] } },
  },
  'worker.dedicatedQueue': { worker: { pools: [{ name: 'heavy', dedicatedQueue: true }] } },
  'webhook.exclusive': { publicUrl: 'https://n8n.test' },
  'webhook.mcp.sse': {
    ...{ publicUrl: 'https://n8n.test', httpRoute: { enabled: true, parentRefs: [{ name: 'g' }] } },
  },
  keda: { worker: { keda: { enabled: true } }, webhook: { keda: { enabled: true } } },
  ...{ 'worker.keda.enabled': {}, 'webhook.keda.enabled': {} },
};

test('every leaf of a role alone changes what is rendered, or is refused', async () => {
  const own = (readValues(join(chart, 'values.yaml')) as Leaf[]).filter(
    ({ path }) =>
      ['main', 'worker', 'webhook'].includes(path[0] ?? '') && !STRUCTURE.includes(path.join('.')),
  );
  expect(own.length).toBeGreaterThan(30);
  const rendered = async (...layers: Values[]): Promise<string> => {
    const args = [QUEUE, { secretsInEnvFrom: [] }, ...layers].flatMap((values) => {
      const file = join(folder, `${files++}.json`);
      writeFileSync(file, JSON.stringify(values));
      return ['-f', file];
    });
    return (await attempt(paths.helm3, ['template', 'n8n', chart, '--skip-tests', ...args])).output;
  };
  const dropped: string[] = [];
  for (const index of drawn(own.length)) {
    const { path = [], value = null } = own[index] ?? {};
    const name = path.join('.');
    const given = OF_ROLES[path.slice(1).join('.')] ?? another({ path: path.slice(1), value });
    if (given === undefined) throw new Error(`${name} has no other value to try`);
    const beside = BESIDE_OF_ROLES[name] ?? BESIDE_OF_ROLES[path[1] ?? ''] ?? {};
    const set = nested(path, given);
    if ((await rendered(beside)) === (await rendered(beside, set))) dropped.push(name);
  }
  expect(dropped).toEqual([]);
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
