// The pods beside n8n get into its stores by whatever way main does, and get nothing else of n8n: the whole chart is rendered.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { paths, render, type Manifest } from './support/helm.ts';
import { podTemplates, type Container, type PodTemplate } from './support/pods.ts';

type Values = Record<string, unknown>;

const PROXY = { name: 'database-proxy', image: 'example.com/proxy:1', restartPolicy: 'Always' };
const QUEUE: Values = {
  executions: { mode: 'queue' },
  database: { type: 'postgresql', external: { host: '127.0.0.1', passwordless: true } },
  redis: { external: { host: 'redis', user: 'n8n', database: 3 } },
  encryptionKey: { existingSecret: 'given' },
  recovery: { enabled: true, apiKey: { existingSecret: 'api' } },
  monitoring: { enabled: true, exporter: { enabled: true } },
};
const IN_STORES = ['exporter', 'recovery'];

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-helper-pods-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

async function manifestsOf(values: Values): Promise<Manifest[]> {
  const file = join(folder, 'values.json');
  writeFileSync(file, JSON.stringify(values));
  return (await render(paths.helm3, ['-f', file])).manifests;
}

const componentOf = ({ labels }: PodTemplate): string =>
  labels['app.kubernetes.io/component'] ?? '';

async function podsOf(values: Values): Promise<Record<string, PodTemplate>> {
  const pods = podTemplates(await manifestsOf(values));
  return Object.fromEntries(pods.map((pod) => [componentOf(pod), pod]));
}

const first = (pod: PodTemplate | undefined): Container => {
  const container = pod?.spec.containers[0];
  if (container === undefined) throw new Error('there is no such pod');
  return container;
};
const variables = (pod: PodTemplate | undefined): Record<string, unknown> =>
  Object.fromEntries(
    (first(pod).env ?? []).map(({ name, value, valueFrom }) => [name, value ?? valueFrom]),
  );
/** Annotations of the pod itself. */
function annotationsOf(pod: PodTemplate | undefined): Record<string, string> {
  const spec = pod?.owner['spec'] as {
    template?: { metadata: Manifest['metadata'] };
    jobTemplate?: { spec: { template: { metadata: Manifest['metadata'] } } };
  };
  const metadata =
    pod?.owner.kind === 'Pod'
      ? pod.owner.metadata
      : (spec.jobTemplate?.spec ?? spec).template?.metadata;
  return metadata?.annotations ?? {};
}

test.each(IN_STORES)(
  '%s has the identity, the proxies and the volumes by which main gets into its stores',
  async (component) => {
    const pods = await podsOf({
      ...QUEUE,
      serviceAccount: { name: 'with-a-cloud-identity' },
      main: {
        initContainers: [PROXY, { name: 'before', image: 'example.com/before:1' }],
        volumes: [{ name: 'secrets', emptyDir: {} }],
        volumeMounts: [{ name: 'secrets', mountPath: '/secrets' }],
      },
    });
    const { spec } = pods[component] as PodTemplate;
    expect(spec.serviceAccountName).toBe('with-a-cloud-identity');
    expect(spec.initContainers).toEqual([PROXY]);
    expect(spec.volumes).toContainEqual({ name: 'secrets', emptyDir: {} });
    expect(first(pods[component]).volumeMounts).toContainEqual({
      ...{ name: 'secrets', mountPath: '/secrets' },
    });
  },
);

test.each([
  ['exporter', 'DB_POSTGRESDB_PASSWORD'],
  ['exporter', 'QUEUE_BULL_REDIS_PASSWORD'],
  ['recovery', 'QUEUE_BULL_REDIS_PASSWORD'],
])('%s reads %s from the file and from the envFrom that main has', async (component, name) => {
  const database = { type: 'postgresql', external: { host: 'db' } };
  const passwords = ['DB_POSTGRESDB_PASSWORD', 'QUEUE_BULL_REDIS_PASSWORD'];
  const files = await podsOf({
    ...{ ...QUEUE, database },
    env: Object.fromEntries(passwords.map((each) => [`${each}_FILE`, `/secrets/${each}`])),
  });
  expect(variables(files[component])).toMatchObject({ [`${name}_FILE`]: `/secrets/${name}` });
  expect(variables(files[component])).not.toHaveProperty(name);
  const envFrom = [{ secretRef: { name: 'all-of-n8n' } }];
  const from = await podsOf({ ...QUEUE, database, envFrom, secretsInEnvFrom: passwords });
  expect(first(from[component]).envFrom).toEqual(envFrom);
  expect(variables(from[component])).not.toHaveProperty(name);
});

test.each([
  [
    'exporter',
    ['N8N_ENCRYPTION_KEY', 'N8N_LICENSE_ACTIVATION_KEY', 'N8N_USER_MANAGEMENT_JWT_SECRET'],
  ],
  ['recovery', ['N8N_ENCRYPTION_KEY', 'DB_POSTGRESDB_PASSWORD']],
])(
  '%s gets no other secret of n8n, not even from an envFrom that has all',
  async (component, secrets) => {
    const pods = await podsOf({
      ...QUEUE,
      encryptionKey: {},
      envFrom: [{ secretRef: { name: 'all-of-n8n' } }],
      secretsInEnvFrom: ['N8N_ENCRYPTION_KEY', 'QUEUE_BULL_REDIS_PASSWORD'],
    });
    // What stands under env wins over envFrom.
    for (const secret of secrets) expect(variables(pods[component])).toHaveProperty(secret, '');
  },
);

interface Policy {
  policyTypes: string[];
  egress?: { to?: object[]; ports?: { port: number | string; protocol: string }[] }[];
}
async function policiesOf(values: Values): Promise<Record<string, Policy>> {
  const policies = (await manifestsOf(values)).filter(({ kind }) => kind === 'NetworkPolicy');
  return Object.fromEntries(
    policies.map(({ metadata, spec }) => [
      metadata.labels?.['app.kubernetes.io/component'] ?? '',
      spec as Policy,
    ]),
  );
}
/** Ports at any address, DNS aside. */
const portsOf = ({ egress = [] }: Policy): unknown[] =>
  egress
    .filter(({ to }) => to === undefined)
    .flatMap(({ ports = [] }) => ports.map(({ port }) => port))
    .filter((port) => port !== 53);

describe('the policy of a pod beside n8n lets it', () => {
  const database = { type: 'postgresql', external: { host: 'db', passwordless: true } };
  const BY_ENV = {
    ...{ ...QUEUE, database },
    env: { QUEUE_BULL_REDIS_PORT: 6390, DB_POSTGRESDB_PORT: '5499' },
  };

  test('out to the ports of the stores that main has, and to no others', async () => {
    const plain = await policiesOf({ ...QUEUE, database });
    expect(portsOf(plain['exporter'] as Policy)).toEqual([6379, 5432]);
    expect(portsOf(plain['recovery'] as Policy)).toEqual([6379]);
    const byEnv = await policiesOf(BY_ENV);
    expect(portsOf(byEnv['exporter'] as Policy)).toEqual([6390, 5499]);
    expect(portsOf(byEnv['recovery'] as Policy)).toEqual([6390]);
    const strict = await policiesOf({ ...BY_ENV, networkPolicy: { egress: { enabled: true } } });
    expect(portsOf(strict['main'] as Policy)).toEqual([5499, 6390]);
  });

  test('out to the Redis and the database that main is given in place of those of the chart', async () => {
    const env = { QUEUE_BULL_REDIS_HOST: 'redis', DB_POSTGRESDB_HOST: 'db' };
    const values = { ...BY_ENV, database: { type: 'postgresql' }, redis: {} };
    const own = await policiesOf({ ...values, env });
    expect(portsOf(own['exporter'] as Policy)).toEqual([6379, 5432]);
    expect(portsOf(own['recovery'] as Policy)).toEqual([6379]);
  });

  const from = { secretKeyRef: { name: 'all-of-n8n', key: 'port' } };
  test.each<[string, Values, boolean[]]>([
    ['a proxy stands beside it', { pod: { initContainers: [PROXY] } }, [true, true]],
    [
      'a port comes from a Secret',
      { env: { QUEUE_BULL_REDIS_PORT: { valueFrom: from } } },
      [true, true],
    ],
    [
      'a port comes from a file',
      { env: { DB_POSTGRESDB_PORT_FILE: '/secrets/port' } },
      [true, false],
    ],
    [
      'an envFrom has no port',
      { envFrom: [{ secretRef: { name: 'all-of-n8n' } }], secretsInEnvFrom: [] },
      [false, false],
    ],
  ])('out to whatever main may reach where %s, and only then', async (_, more, asMain) => {
    for (const egress of [
      {},
      { metadata: true },
      { enabled: true, to: [{ ports: [{ port: 443 }] }] },
    ]) {
      const values = { ...QUEUE, database, ...more, networkPolicy: { egress } };
      const { main, ...others } = await policiesOf(values);
      for (const [at, component] of IN_STORES.entries()) {
        const own = others[component] as Policy;
        const isFree = Boolean(asMain[at]) && main?.egress === undefined;
        if (isFree) expect(own).not.toHaveProperty('egress');
        else {
          // Recovery reaches n8n as well.
          const all = expect.arrayContaining<unknown>(main?.egress ?? ['anything']) as unknown;
          if (asMain[at]) expect(own.egress).toEqual(all);
          else expect(own.egress).not.toEqual(all);
        }
        expect(own.policyTypes).toEqual(isFree ? ['Ingress'] : ['Ingress', 'Egress']);
      }
    }
  });

  test('out to the n8n that recovery is told to ask, where all else is as main has it', async () => {
    const recovery = { ...(QUEUE['recovery'] as object), url: 'https://n8n.test:8443' };
    const networkPolicy = { egress: { enabled: true } };
    const values = { ...QUEUE, recovery, networkPolicy, pod: { initContainers: [PROXY] } };
    expect(portsOf((await policiesOf(values))['recovery'] as Policy)).toContain(8443);
  });
});

test('recovery in one process asks n8n alone, and gets nothing of its stores', async () => {
  const { recovery } = await podsOf({
    recovery: { enabled: true, apiKey: { existingSecret: 'api' } },
    encryptionKey: { existingSecret: 'given' },
    pod: { initContainers: [PROXY] },
    envFrom: [{ secretRef: { name: 'all-of-n8n' } }],
    secretsInEnvFrom: [],
  });
  expect(recovery?.spec.initContainers).toBeUndefined();
  expect(recovery?.spec.serviceAccountName).toBeUndefined();
  expect(first(recovery).envFrom).toBeUndefined();
});

test('pods that end get annotations of their own, since what is injected into n8n would keep them from ending', async () => {
  const pods = await podsOf({
    ...QUEUE,
    taskRunners: { mode: 'external' },
    pod: {
      podAnnotations: { 'vault.hashicorp.com/agent-inject': 'true' },
      podLabels: { mesh: 'in' },
    },
    helperPods: {
      podLabels: { mesh: 'out' },
      podAnnotations: { 'linkerd.io/inject': 'disabled' },
      storeAnnotations: { 'vault.hashicorp.com/agent-pre-populate-only': 'true' },
    },
  });
  const out = { 'linkerd.io/inject': 'disabled' };
  const withPassword = { ...out, 'vault.hashicorp.com/agent-pre-populate-only': 'true' };
  expect(annotationsOf(pods['make-secrets'])).toEqual(out);
  expect(annotationsOf(pods['recovery'])).toEqual(withPassword);
  expect(annotationsOf(pods['smoke'])).not.toHaveProperty(['vault.hashicorp.com/agent-inject']);
  expect(annotationsOf(pods['exporter'])).toMatchObject({
    'vault.hashicorp.com/agent-inject': 'true',
  });
  const ending = ['make-secrets', 'recovery', 'smoke'];
  expect(ending.map((component) => pods[component]?.labels['mesh'])).toEqual(
    ending.map(() => 'out'),
  );
});

test.each(['make-secrets', 'recovery', 'smoke', 'backup'])(
  '%s asks for no sidecar that the labels of n8n ask for, and keeps its other labels',
  async (component) => {
    const podLabels = {
      'sidecar.istio.io/inject': 'true',
      'istio.io/rev': 'stable',
      'kuma.io/sidecar-injection': 'enabled',
      'linkerd.io/inject': 'enabled',
      'agent.datadoghq.com/sidecar': 'fargate',
      'azure.workload.identity/use': 'true',
      team: 'automation',
    };
    const values = {
      ...QUEUE,
      encryptionKey: {},
      database: { type: 'postgresql', own: { backup: { enabled: true } } },
      pod: { podLabels },
    };
    const labels = (await podsOf(values))[component]?.labels ?? {};
    expect(labels).toMatchObject({
      'sidecar.istio.io/inject': 'false',
      'kuma.io/sidecar-injection': 'disabled',
      'linkerd.io/inject': 'disabled',
      'azure.workload.identity/use': 'true',
      team: 'automation',
    });
    expect(labels).not.toHaveProperty(['istio.io/rev']);
    expect(labels).not.toHaveProperty(['agent.datadoghq.com/sidecar']);
    const asked = { 'sidecar.istio.io/inject': 'true', 'istio.io/rev': 'canary' };
    const inMesh = await podsOf({ ...values, helperPods: { podLabels: asked } });
    expect(inMesh[component]?.labels).toMatchObject(asked);
    const without = await podsOf({ ...values, pod: { podLabels: { team: 'automation' } } });
    expect(Object.keys(without[component]?.labels ?? {})).not.toContain('sidecar.istio.io/inject');
  },
);

test('a file with another secret of n8n is in no pod beside it, a file that it reads and a volume of its proxy are', async () => {
  const volume = (name: string): object => ({ name, secret: { secretName: name } });
  const mount = (name: string): object => ({ name, mountPath: `/secrets/${name}` });
  const proxy = { ...PROXY, volumeMounts: [mount('proxy')] };
  const names = ['key', 'redis', 'both', 'proxy', 'other'];
  const pods = await podsOf({
    ...QUEUE,
    encryptionKey: {},
    env: {
      N8N_ENCRYPTION_KEY_FILE: '/secrets/key/encryption-key',
      N8N_LICENSE_ACTIVATION_KEY_FILE: '/secrets/proxy/licence',
      N8N_SMTP_PASS_FILE: '/secrets/both/smtp',
      DB_POSTGRESDB_PASSWORD_FILE: '/secrets/both/database',
      QUEUE_BULL_REDIS_PASSWORD_FILE: '/secrets/redis/password',
    },
    database: { type: 'postgresql', external: { host: 'db' } },
    pod: { initContainers: [proxy], volumes: names.map(volume), volumeMounts: names.map(mount) },
  });
  const mountsOf = (component: string): (string | undefined)[] =>
    first(pods[component]).volumeMounts?.map(({ mountPath }) => mountPath) ?? [];
  const volumesOf = (component: string): (string | undefined)[] =>
    pods[component]?.spec.volumes?.map(({ name }) => name) ?? [];
  expect(mountsOf('exporter').filter((path) => path?.startsWith('/secrets'))).toEqual([
    ...['/secrets/redis', '/secrets/both', '/secrets/other'],
  ]);
  // It does not ask the database.
  expect(mountsOf('recovery').filter((path) => path?.startsWith('/secrets'))).toEqual([
    ...['/secrets/redis', '/secrets/other'],
  ]);
  expect(volumesOf('exporter')).toEqual(['scripts', 'redis', 'both', 'proxy', 'other']);
  expect(volumesOf('recovery')).toEqual(['scripts', 'redis', 'proxy', 'other']);
  expect(mountsOf('main')).toContain('/secrets/key');
});

test('what installs packages gets none of the secrets of n8n', async () => {
  const secrets = [
    ...['N8N_ENCRYPTION_KEY', 'N8N_LICENSE_ACTIVATION_KEY', 'N8N_USER_MANAGEMENT_JWT_SECRET'],
    ...['DB_POSTGRESDB_PASSWORD', 'QUEUE_BULL_REDIS_PASSWORD', 'N8N_SMTP_PASS'],
  ];
  const installs = {
    ...QUEUE,
    encryptionKey: {},
    database: { type: 'postgresql', external: { host: 'db' } },
    communityPackages: { packages: ['n8n-nodes-one@1.0.0'] },
    taskRunners: { mode: 'external' },
    pythonPackages: { packages: ['numpy==2.0.0'] },
  };
  const named = async (values: Values, name: string): Promise<Record<string, unknown>> => {
    const { spec } = (await podsOf(values))['worker'] as PodTemplate;
    const found = spec.initContainers?.find((one) => one.name === name);
    return Object.fromEntries(
      (found?.env ?? []).map((one) => [one.name, one.value ?? one.valueFrom]),
    );
  };
  const ofIndex = { NPM_TOKEN: 'n', PIP_INDEX_URL: 'https://index.test' };
  const values = Object.fromEntries(secrets.map((name) => [name, 'secret']));
  for (const container of ['community-packages', 'python-packages']) {
    const byValue = await named({ ...installs, env: { ...ofIndex, ...values } }, container);
    expect(byValue).toMatchObject(ofIndex);
    expect(Object.keys(byValue)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(new RegExp(`^(${secrets.join('|')})$`))]),
    );
    const byEnvFrom = {
      ...installs,
      envFrom: [{ secretRef: { name: 'all-of-n8n' } }],
      secretsInEnvFrom: [
        ...['N8N_ENCRYPTION_KEY', 'DB_POSTGRESDB_PASSWORD', 'QUEUE_BULL_REDIS_PASSWORD'],
      ],
    };
    const blank = await named(byEnvFrom, container);
    for (const name of secrets) expect(blank).toHaveProperty(name, '');
  }
});

test('the job that makes Secrets may create them, and read none', async () => {
  const manifests = await manifestsOf({
    executions: { mode: 'queue' },
    database: { type: 'postgresql' },
  });
  const role = manifests.find(
    ({ kind, metadata }) => kind === 'Role' && metadata.name.endsWith('make-secrets'),
  );
  expect(role?.['rules']).toEqual([{ apiGroups: [''], resources: ['secrets'], verbs: ['create'] }]);
  // The key that the values gave before comes to it as a variable, by the node.
  const pods = podTemplates(manifests);
  const job = pods.find((pod) => componentOf(pod) === 'make-secrets');
  expect(variables(job)).toMatchObject({
    COPY_0: {
      secretKeyRef: {
        ...{ name: 'n8n-n8n-tuned-given-encryption-key', key: 'encryption-key', optional: true },
      },
    },
  });
});
