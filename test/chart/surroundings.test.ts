// What the chart meets where people run it: ingress controllers and load balancers, poolers, proxies to the outside, networks of
// IPv6, object stores, disks that fill. The whole chart is rendered.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  attempt,
  chart,
  KUBERNETES,
  loadChart,
  paths,
  render,
  renderOf,
  type Manifest,
} from './support/helm.ts';
import { podTemplates } from './support/pods.ts';

type Values = Record<string, unknown>;
const QUEUE: Values = {
  executions: { mode: 'queue' },
  database: { type: 'postgresql' },
  webhook: { enabled: true, replicas: 3 },
  publicUrl: 'https://n8n.example.com',
};

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-surroundings-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});
function fileOf(values: Values): string {
  const file = join(folder, 'values.json');
  writeFileSync(file, JSON.stringify({ ...QUEUE, ...values }));
  return file;
}
const manifestsOf = async (values: Values): Promise<Manifest[]> =>
  (await render(paths.helm3, ['-f', fileOf(values)])).manifests;
const refusalOf = async (values: Values): Promise<string> => {
  const args = ['template', 'n8n', chart, '--kube-version', KUBERNETES, '-f', fileOf(values)];
  return (await attempt(paths.helm3, args)).output;
};
const annotationsOf = (manifests: Manifest[], kind: string, name = 'n8n-n8n-tuned') =>
  manifests.find((one) => one.kind === kind && one.metadata.name === name)?.metadata.annotations ??
  {};
function variablesOf(manifests: Manifest[], component: string): Record<string, unknown> {
  const pod = podTemplates(manifests).find(
    ({ labels }) => labels['app.kubernetes.io/component'] === component,
  );
  const env = pod?.spec.containers[0]?.env ?? [];
  return Object.fromEntries(env.map(({ name, value, valueFrom }) => [name, value ?? valueFrom]));
}

const LONG = { executions: { mode: 'queue', maxResponseSeconds: 900 } };
const alb = 'alb.ingress.kubernetes.io';
test.each<[string, Values, Record<string, string>]>([
  ['nginx', {}, { 'nginx.ingress.kubernetes.io/proxy-read-timeout': '915' }],
  ['haproxy', {}, { 'haproxy.org/timeout-server': '915s' }],
  ['openshift', {}, { 'haproxy.router.openshift.io/timeout': '915s' }],
  [
    'alb',
    {},
    {
      [`${alb}/load-balancer-attributes`]: 'idle_timeout.timeout_seconds=915',
      [`${alb}/target-group-attributes`]: 'deregistration_delay.timeout_seconds=915',
    },
  ],
  // It waits for a response without a limit of its own.
  ['traefik', {}, {}],
])('%s waits as long as the longest reply takes', async (controller, more, expected) => {
  const named = await manifestsOf({ ...LONG, ...more, ingress: { enabled: true, controller } });
  expect(annotationsOf(named, 'Ingress')).toMatchObject(expected);
  const others = Object.keys(annotationsOf(named, 'Ingress')).filter(
    (name) => !name.startsWith(Object.keys(expected)[0]?.split('/')[0] ?? 'none'),
  );
  expect(others).toEqual([]);
  // The name of the class says it as well.
  const byClass = await manifestsOf({ ...LONG, ingress: { enabled: true, className: controller } });
  expect(annotationsOf(byClass, 'Ingress')).toEqual(annotationsOf(named, 'Ingress'));
});

test('the load balancer of Google Cloud reads what it needs from an object that the Services name', async () => {
  const manifests = await manifestsOf({ ...LONG, ingress: { enabled: true, className: 'gce' } });
  const config = manifests.find(({ kind }) => kind === 'BackendConfig');
  expect(config).toMatchObject({
    metadata: { name: 'n8n-n8n-tuned' },
    spec: { timeoutSec: 915, connectionDraining: { drainingTimeoutSec: 915 } },
  });
  for (const service of ['n8n-n8n-tuned', 'n8n-n8n-tuned-webhook']) {
    expect(annotationsOf(manifests, 'Service', service)).toMatchObject({
      'cloud.google.com/backend-config': '{"default":"n8n-n8n-tuned"}',
    });
  }
});

describe("a route of GKE's Gateways", () => {
  const ofGke = (more: Values = {}): Promise<Manifest[]> =>
    manifestsOf({
      ...LONG,
      httpRoute: { enabled: true, controller: 'gke', parentRefs: [{ name: 'gateway' }] },
      ...more,
    });

  test('has no timeouts, which they refuse: a policy of each Service has them', async () => {
    const manifests = await ofGke();
    const route = manifests.find(({ kind }) => kind === 'HTTPRoute');
    expect(JSON.stringify(route)).toContain('/webhook');
    expect(JSON.stringify(route)).not.toContain('timeouts');
    const other = { enabled: true, parentRefs: [{ name: 'gateway' }] };
    expect(JSON.stringify(await manifestsOf({ httpRoute: other }))).toContain('timeouts');
    const services = ['n8n-n8n-tuned', 'n8n-n8n-tuned-webhook'];
    for (const kind of ['GCPBackendPolicy', 'HealthCheckPolicy']) {
      const policies = manifests.filter((one) => one.kind === kind);
      expect(policies.map(({ metadata }) => metadata.name)).toEqual(services);
      expect(policies.map((one) => one['spec'])).toMatchObject(
        services.map((name) => ({ targetRef: { group: '', kind: 'Service', name } })),
      );
    }
    expect(manifests.find(({ kind }) => kind === 'GCPBackendPolicy')?.['spec']).toMatchObject({
      default: { timeoutSec: 915, connectionDraining: { drainingTimeoutSec: 915 } },
    });
  });

  test('keeps a user on one of several mains', async () => {
    const manifests = await ofGke({ multiMain: { enabled: true }, main: { replicas: 2 } });
    const affinities = manifests
      .filter(({ kind }) => kind === 'GCPBackendPolicy')
      .map((one) => (one['spec'] as { default: { sessionAffinity?: object } }).default)
      .map(({ sessionAffinity }) => sessionAffinity);
    expect(affinities).toEqual([{ type: 'GENERATED_COOKIE' }, undefined]);
  });
});

test('a controller that is not known gets nothing, and is said to get nothing', async () => {
  const values = { ingress: { enabled: true, className: 'ours' } };
  expect(annotationsOf(await manifestsOf(values), 'Ingress')).toEqual({});
  const dryRun = ['install', 'n8n', chart, '--dry-run=client', '-f', fileOf(values)];
  const { output } = await attempt(paths.helm3, dryRun);
  if (!output.includes('cluster unreachable')) {
    expect(output).toContain('does not show which controller serves it');
  }
});

test.each([
  ['nginx', 'Ingress', 'nginx.ingress.kubernetes.io/affinity'],
  ['haproxy', 'Ingress', 'haproxy.org/cookie-persistence'],
  ['alb', 'Ingress', `${alb}/target-group-attributes`],
  ['traefik', 'Service', 'traefik.ingress.kubernetes.io/service.sticky.cookie'],
])('with several mains %s keeps a user on one', async (controller, kind, annotation) => {
  const manifests = await manifestsOf({
    multiMain: { enabled: true },
    main: { replicas: 2 },
    ingress: { enabled: true, controller },
  });
  expect(annotationsOf(manifests, kind)[annotation]).toMatch(/cookie|true|n8n-main/);
});

test('a pod waits longer for a load balancer outside the cluster to forget it', async () => {
  const grace = async (values: Values): Promise<number> => {
    const manifests = await manifestsOf(values);
    const pod = podTemplates(manifests).find(
      ({ labels }) => labels['app.kubernetes.io/component'] === 'webhook',
    );
    return pod?.spec.terminationGracePeriodSeconds ?? 0;
  };
  const byIngress = (controller: string): Promise<number> =>
    grace({ ingress: { enabled: true, controller } });
  const parentRefs = [{ name: 'gateway' }];
  const shortest = await byIngress('nginx');
  expect((await byIngress('alb')) - shortest).toBe(15);
  const httpRoute = { enabled: true, controller: 'gke', parentRefs };
  expect((await grace({ httpRoute })) - shortest).toBe(15);
});

const POOLED = { host: 'db', port: 6432, existingSecret: 'db', maxConnections: 500 };
const EXTERNAL = { encryptionKey: { existingSecret: 'given' } };
test('what looks like a pooler is asked about, and in transaction mode a session keeps nothing', async () => {
  const of = (external: Values): Values => ({
    ...EXTERNAL,
    database: { type: 'postgresql', external },
  });
  expect(await refusalOf(of(POOLED))).toContain('database.external.pooling: db:6432 looks like');
  expect(await refusalOf(of({ ...POOLED, port: 5432, host: 'n8n-db-pooler-rw' }))).toContain(
    'looks like a connection pooler',
  );
  const options = async (pooling: string): Promise<unknown> =>
    variablesOf(await manifestsOf(of({ ...POOLED, pooling })), 'main')['NODE_OPTIONS'];
  expect(await options('session')).toContain('session-once.cjs');
  expect(await options('none')).toContain('session-once.cjs');
  expect(await options('transaction')).not.toContain('session-once.cjs');
  const asked = { ...of({ ...POOLED, pooling: 'transaction' }), tuning: { sessionOnce: true } };
  expect(await refusalOf(asked)).toContain('tuning.sessionOnce: behind a pooler');
});

test.each<[string, Values, string]>([
  ['for all roles', { env: { DB_POSTGRESDB_PORT: 6432 } }, 'db:6432'],
  ['as text', { env: { DB_POSTGRESDB_PORT: '6543' } }, 'db:6543'],
  ['for one role', { worker: { env: { DB_POSTGRESDB_HOST: 'pgbouncer' } } }, 'pgbouncer:5432'],
])('a pooler that variables name %s is asked about too', async (_, more, pooler) => {
  const of = (pooling: string): Values => ({
    ...EXTERNAL,
    database: { type: 'postgresql', external: { ...POOLED, port: 5432, pooling } },
    ...more,
  });
  expect(await refusalOf(of(''))).toContain(
    `database.external.pooling: ${pooler} looks like a connection pooler`,
  );
  const options = variablesOf(await manifestsOf(of('transaction')), 'worker')['NODE_OPTIONS'];
  expect(options).not.toContain('session-once.cjs');
});

test('the pool mode of a server that variables alone name is taken', async () => {
  const of = (pooling: string): Values => ({
    env: { DB_POSTGRESDB_HOST: 'pgbouncer' },
    database: { type: 'postgresql', external: { pooling } },
  });
  expect(await refusalOf(of(''))).toContain('pgbouncer:5432 looks like a connection pooler');
  const options = variablesOf(await manifestsOf(of('transaction')), 'worker')['NODE_OPTIONS'];
  expect(options).not.toContain('session-once.cjs');
});

const SESSION_ONCE = 'session-once.cjs';
const HIDDEN = { valueFrom: { secretKeyRef: { name: 'db', key: 'host' } } };
const RDS = 'n8n.proxy-demo.eu-central-1.rds.amazonaws.com';
test.each<[string, Values, Values]>([
  ['a host from a Secret', {}, { env: { DB_POSTGRESDB_HOST: HIDDEN } }],
  ['a host from a file', {}, { env: { DB_POSTGRESDB_HOST_FILE: '/run/db/host' } }],
  ['a host of one role', {}, { worker: { env: { DB_POSTGRESDB_HOST: HIDDEN } } }],
  [
    "a host that envFrom has, where the chart's is taken out",
    {},
    { env: { DB_POSTGRESDB_HOST: null }, envFrom: [{ secretRef: { name: 'db' } }] },
  ],
  ['a port from a Secret', {}, { env: { DB_POSTGRESDB_PORT: HIDDEN } }],
  ['an RDS Proxy', { host: RDS }, {}],
  ['an endpoint of an RDS Proxy, named by a variable', {}, { env: { DB_POSTGRESDB_HOST: RDS } }],
  ['the port of pools at DigitalOcean', { port: 25061 }, {}],
])(
  'behind %s sessions are set for each query, until the user says the pool mode',
  async (_, ofServer, more) => {
    const options = async (external: Values, tuning: Values = {}): Promise<unknown> => {
      const server = { ...POOLED, port: 5432, ...ofServer, ...external };
      const database = { type: 'postgresql', external: server };
      const manifests = await manifestsOf({ ...EXTERNAL, ...more, database, tuning });
      return variablesOf(manifests, 'worker')['NODE_OPTIONS'];
    };
    expect(await options({})).toMatch(/read-once\.cjs/);
    expect(await options({})).not.toContain(SESSION_ONCE);
    expect(await options({ pooling: 'none' })).toContain(SESSION_ONCE);
    expect(await options({ pooling: 'session' })).toContain(SESSION_ONCE);
    expect(await options({ pooling: 'transaction' })).not.toContain(SESSION_ONCE);
    expect(await options({}, { sessionOnce: true })).toContain(SESSION_ONCE);
  },
);

test.each<[string, Values]>([
  ["the chart's own PostgreSQL", {}],
  ['a plain host', { host: 'db.example.com' }],
  ['an instance of RDS', { host: 'n8n.demo.eu-central-1.rds.amazonaws.com' }],
])('on %s sessions are set once without a word of the user', async (_, server) => {
  const external = 'host' in server ? { ...POOLED, port: 5432, ...server } : server;
  // A Secret that envFrom has cannot win over the host that the chart sets.
  const values = { database: { type: 'postgresql', external }, ...EXTERNAL };
  const manifests = await manifestsOf({ ...values, envFrom: [{ secretRef: { name: 'any' } }] });
  expect(variablesOf(manifests, 'worker')['NODE_OPTIONS']).toContain(SESSION_ONCE);
});

test.each<Values>([{ DB_POSTGRESDB_HOST_FILE: '/run/db/host' }, { DB_POSTGRESDB_HOST: HIDDEN }])(
  'the pool mode of a server that only %j names is taken',
  async (env) => {
    const of = async (pooling: string): Promise<unknown> => {
      const database = { type: 'postgresql', external: { pooling } };
      return variablesOf(await manifestsOf({ env, database }), 'worker')['NODE_OPTIONS'];
    };
    expect(await of('none')).toContain(SESSION_ONCE);
    expect(await of('transaction')).not.toContain(SESSION_ONCE);
  },
);

test('with a proxy to the outside, n8n reaches its own Services and those of the cluster without it', async () => {
  const outboundProxy = { https: 'http://proxy:3128', noProxy: ['.example.com'] };
  const given = variablesOf(await manifestsOf({ outboundProxy }), 'worker');
  expect(given['HTTPS_PROXY']).toBe('http://proxy:3128');
  const without = String(given['NO_PROXY']).split(',');
  expect(without).toEqual(
    expect.arrayContaining([
      ...[
        'localhost',
        '127.0.0.1',
        'n8n-n8n-tuned',
        'n8n-n8n-tuned-webhook',
        'n8n-n8n-tuned-redis',
      ],
      ...['.svc', '.example.com'],
    ]),
  );
  // One from a Secret leads past the same.
  const secret = { valueFrom: { secretKeyRef: { name: 'proxy', key: 'url' } } };
  const other = variablesOf(await manifestsOf({ env: { HTTPS_PROXY: secret } }), 'main');
  expect(String(other['NO_PROXY'])).toContain('n8n-n8n-tuned-redis');
  expect(variablesOf(await manifestsOf({}), 'main')).not.toHaveProperty('NO_PROXY');
});

const IPV6 = { service: { ipFamilies: ['IPv6'], ipFamilyPolicy: 'SingleStack' } };
const AT_A_HOST = { redis: { external: { host: 'redis.test', existingSecret: 'redis' } } };
test.each<[string, Values, string | undefined]>([
  ["the chart's own Redis, whatever addresses its Service has", {}, 'true'],
  ["the user's Redis in a cluster of IPv6", { ...AT_A_HOST, ...IPV6 }, 'true'],
  ["no Redis of the user's unasked", AT_A_HOST, undefined],
  ['none where n8n has no such setting', { image: { tag: '1.66.0' } }, undefined],
])('n8n, recovery and the exporter look up addresses of IPv6 for %s', async (_, more, expected) => {
  const hasRecovery = more['image'] === undefined;
  const manifests = await manifestsOf({
    ...more,
    monitoring: { enabled: true, exporter: { enabled: true } },
    ...(hasRecovery ? { recovery: { enabled: true, apiKey: { existingSecret: 'key' } } } : {}),
  });
  const beside = hasRecovery ? ['recovery'] : [];
  for (const component of ['main', 'worker', 'webhook', 'exporter', ...beside]) {
    const variables = variablesOf(manifests, component);
    expect(variables).toHaveProperty('QUEUE_BULL_REDIS_HOST');
    expect(variables['QUEUE_BULL_REDIS_DUALSTACK']).toBe(expected);
  }
});

test('an n8n that cannot reach a Redis of IPv6 is refused one', async () => {
  const old = { image: { tag: '1.66.0' } };
  const sentence = 'service.ipFamilies: n8n 1.66.0 looks up only IPv4 addresses for Redis';
  expect(await refusalOf({ ...old, ...IPV6 })).toContain(sentence);
  const both = { service: { ipFamilies: ['IPv6', 'IPv4'], ipFamilyPolicy: 'PreferDualStack' } };
  expect(await refusalOf({ ...old, ...both })).not.toContain(sentence);
  expect(await refusalOf({ ...old, ...IPV6, ...AT_A_HOST })).not.toContain(sentence);
});

test('an n8n that listens on IPv4 alone listens on both in a cluster of IPv6', async () => {
  const regular = { executions: { mode: 'regular' }, webhook: { enabled: false } };
  const listensAt = async (values: Values): Promise<unknown> =>
    variablesOf(await manifestsOf({ ...regular, ...values }), 'main')['N8N_LISTEN_ADDRESS'];
  expect(await listensAt({ image: { tag: '1.66.0' }, ...IPV6 })).toBe('::');
  expect(await listensAt({ image: { tag: '1.66.0' } })).toBeUndefined();
  expect(await listensAt(IPV6)).toBeUndefined();
  const worker = async (tag: string): Promise<Record<string, unknown>> =>
    variablesOf(await manifestsOf({ image: { tag }, ...IPV6, ...AT_A_HOST }), 'worker');
  expect(await worker('1.66.0')).toHaveProperty('N8N_WORKER_SERVER_ADDRESS', '::');
  expect(await worker('2.41.1')).not.toHaveProperty('N8N_WORKER_SERVER_ADDRESS');
});

test('every Service of both charts has the IP families that the user gives', async () => {
  const service = { ipFamilies: ['IPv6', 'IPv4'], ipFamilyPolicy: 'PreferDualStack' };
  const everything = {
    service,
    worker: { pools: [{ name: 'heavy' }] },
    webhook: { enabled: true, replicas: 3, exclusive: true, mcp: { sse: true } },
    monitoring: { enabled: true, exporter: { enabled: true } },
    recovery: { enabled: true, apiKey: { existingSecret: 'key' } },
  };
  const servicesOf = (manifests: Manifest[]): Manifest[] =>
    manifests.filter(({ apiVersion, kind }) => apiVersion === 'v1' && kind === 'Service');
  const services = servicesOf(await manifestsOf(everything));
  expect(services.map(({ metadata }) => metadata.name).sort()).toEqual([
    ...['n8n-n8n-tuned', 'n8n-n8n-tuned-mcp', 'n8n-n8n-tuned-postgresql'],
    ...['n8n-n8n-tuned-redis', 'n8n-n8n-tuned-webhook'],
    ...['n8n-n8n-tuned-worker-heavy-metrics', 'n8n-n8n-tuned-worker-metrics'],
  ]);
  for (const { spec } of services) expect(spec).toMatchObject(service);
  const givenNone = servicesOf(await manifestsOf({ ...everything, service: {} }));
  expect(givenNone).toHaveLength(services.length);
  for (const { spec } of givenNone)
    expect(Object.keys(spec as object).join()).not.toMatch(/ipFamil/);
  // The other chart renders none, and so asks for no families.
  const { manifests } = await renderOf(loadChart, paths.helm3, [
    ...['--set', 'loadTest.enabled=true,loadTest.profile=load,target=http://n8n'],
  ]);
  expect(servicesOf(manifests)).toEqual([]);
});

test('what a pod writes to its own disk has a limit', async () => {
  interface Scratch {
    name: string;
    emptyDir?: { sizeLimit?: string };
  }
  const limits = async (values: Values): Promise<unknown[]> =>
    podTemplates(await manifestsOf(values))
      .filter(({ owner }) => owner.kind === 'Deployment')
      .flatMap(({ spec }) => (spec.volumes ?? []) as Scratch[])
      .filter(({ name }) => ['home', 'tmp'].includes(name))
      .map(({ emptyDir }) => emptyDir?.sizeLimit);
  expect(new Set(await limits({}))).toEqual(new Set(['10Gi']));
  expect(new Set(await limits({ pod: { scratchLimit: '' } }))).toEqual(new Set([undefined]));
});

test('no pod of either chart may fill the disk of its node', async () => {
  const withoutVolumes = { persistence: { enabled: false } };
  const toS3 = { enabled: true, s3: { bucket: 'dumps', prefix: 'n8n' } };
  const values = {
    taskRunners: { mode: 'external' },
    pythonPackages: { packages: ['numpy==2.0.0'] },
    communityPackages: { packages: ['n8n-nodes-one@1.0.0'] },
    database: { type: 'postgresql', own: { ...withoutVolumes, backup: toS3 } },
    redis: { own: withoutVolumes },
    recovery: { enabled: true, apiKey: { existingSecret: 'api' } },
    monitoring: { enabled: true, exporter: { enabled: true } },
  };
  const manifests = await manifestsOf(values);
  for (const parallelism of [1, 3]) {
    const set = `loadTest.enabled=true,target=http://n8n,loadTest.parallelism=${parallelism}`;
    manifests.push(...(await renderOf(loadChart, paths.helm3, ['--set', set])).manifests);
  }
  const volumes = podTemplates(manifests).flatMap(({ owner, labels, spec }) =>
    ((spec.volumes ?? []) as { name: string; emptyDir?: { sizeLimit?: string } }[])
      .filter(({ emptyDir }) => emptyDir !== undefined)
      .map(({ name, emptyDir }) => ({
        of: `${owner.kind} ${labels['app.kubernetes.io/component'] ?? ''}: ${name}`,
        limit: emptyDir?.sizeLimit,
      })),
  );
  expect(volumes.map(({ of }) => of)).toEqual(
    expect.arrayContaining([
      ...['Deployment worker: runner-tmp', 'StatefulSet redis: data'],
      ...['StatefulSet postgresql: data', 'CronJob backup: backups'],
      ...['Job load-test: tmp', 'TestRun load-test: tmp'],
    ]),
  );
  expect(volumes.filter(({ limit }) => limit === undefined)).toEqual([]);
});

test('data of executions goes where it is asked for, with the settings of that store', async () => {
  const s3 = { host: 's3.test', bucket: 'b' };
  const inS3 = { executions: { mode: 'queue', dataStorage: 's3' }, binaryData: { s3 } };
  expect(variablesOf(await manifestsOf(inS3), 'worker')).toMatchObject({
    N8N_EXECUTION_DATA_STORAGE_MODE: 's3',
    N8N_EXTERNAL_STORAGE_S3_HOST: 's3.test',
    N8N_DEFAULT_BINARY_DATA_MODE: 'database',
  });
  const azure = { account: 'a', container: 'c', existingSecret: 'azure' };
  const inAzure = { binaryData: { mode: 'azure', azure } };
  expect(variablesOf(await manifestsOf(inAzure), 'worker')).toMatchObject({
    N8N_DEFAULT_BINARY_DATA_MODE: 'azure',
    N8N_EXTERNAL_STORAGE_AZURE_ACCOUNT_NAME: 'a',
    N8N_EXTERNAL_STORAGE_AZURE_ACCOUNT_KEY: { secretKeyRef: { name: 'azure' } },
  });
  for (const [dataStorage, sentence] of [
    ['s3', 'binaryData.s3: executions.dataStorage=s3 requires a host and a bucket'],
    ['azure', 'binaryData.azure: executions.dataStorage=azure requires an account and'],
    ['filesystem', 'executions.dataStorage: in queue mode, all roles must see the same files'],
  ] as const) {
    expect(await refusalOf({ executions: { mode: 'queue', dataStorage } })).toContain(sentence);
  }
});

test('braces of another program in an object of the user are never taken away in silence', async () => {
  const secretOf = (password: string, asText = false): Values => {
    const manifest = {
      ...{ apiVersion: 'external-secrets.io/v1', kind: 'ExternalSecret' },
      metadata: { name: 'n8n' },
      spec: { target: { template: { data: { password } } } },
    };
    return { extraManifests: [asText ? JSON.stringify(manifest) : manifest] };
  };
  const sentence =
    'extraManifests[0]: Helm evaluates {{ .password }}, but does not know the name in this expression: correct the name, or, if the expression is for another program, write {{ `{{ .password }}` }}.';
  expect(await refusalOf(secretOf('{{ .password }}'))).toContain(sentence);
  expect(await refusalOf(secretOf('{{ .password }}', true))).toContain(sentence);
  expect(await refusalOf(secretOf('x{{- index .items 0 | upper }}'))).toContain(
    'evaluates {{- index .items 0 | upper }},',
  );
  const template = '{{- with secret "n8n" -}}{{ .Data.password }}{{- end }}';
  const refusal = await refusalOf({
    ...{
      env: { GREETING: 'Hello {{ .name }}', NOW: '{{ $now }}' },
      ingress: { hosts: ['{{ .h }}'] },
    },
    pod: { podAnnotations: { 'vault.hashicorp.com/agent-inject-template-n8n': template } },
  });
  for (const foreign of [
    'GREETING: Helm evaluates {{ .name }},',
    'NOW: Helm evaluates {{ $now }},',
    'hosts: Helm evaluates {{ .h }},',
    'agent-inject-template-n8n: Helm evaluates {{- with secret',
  ]) {
    expect(refusal).toContain(foreign);
  }
  const taken = [
    ['{{ "{{ .password }}" }}', '{{ .password }}'],
    ['{{ `{{ .password }}` }}', '{{ .password }}'],
    ['{{ .Release.Name }}-{{ .Values.timezone }}', 'n8n-Etc/UTC'],
    ['{{ range list 1 }}{{ printf "%s" $.Chart.Name }}{{ end }}', 'n8n-tuned'],
    ["{{/* the team's .env, without .password */}}x", 'x'],
    ['{{- /* see .env */ -}}x', 'x'],
    ['{{ if $zone := .Values.timezone }}{{ $zone }}{{ end }}', 'Etc/UTC'],
    ['{{ printf `%s .name` .Release.Name }}', 'n8n .name'],
    ['{{ (index .Values "image").registry }}', 'docker.io'],
    ['{{ (dict "name" "y").name }}', 'y'],
    ['{{ $.Values.timezone | replace "/" ".Or." }}', 'Etc.Or.UTC'],
    ['{{ template "n8n-tuned.name" . }}', 'n8n-tuned'],
    ['{{ get .Values.image "registry" }}', 'docker.io'],
    ['{{ $.Files.Get "none" | default "no .file" }}', 'no .file'],
  ] as const;
  const extraManifests = taken.flatMap(([given]) => secretOf(given)['extraManifests']);
  const manifests = await manifestsOf({ extraManifests });
  const secrets = manifests.filter(({ kind }) => kind === 'ExternalSecret');
  expect(secrets.map((secret) => JSON.stringify(secret))).toEqual(
    taken.map(([, rendered]) => expect.stringContaining(`"password":"${rendered}"`) as string),
  );
});

test('the address of an index of packages is one argument, whatever is in it', async () => {
  const manifests = await manifestsOf({
    communityPackages: { packages: ['n8n-nodes-x@1.0.0'], registry: 'a: b' },
    pythonPackages: { packages: ['six==1.17.0'], index: 'c: d' },
    taskRunners: { mode: 'external' },
  });
  const args = podTemplates(manifests).flatMap(({ spec }) =>
    (spec.initContainers ?? []).flatMap((one) => one.args ?? []),
  );
  expect(args).toEqual(expect.arrayContaining(['--registry=a: b', '--index-url=c: d']));
});

test('MCP over SSE goes to one process, and over HTTP to every processor, by what an HTTPRoute sees of a request', async () => {
  interface Rule {
    matches: { path: { value: string }; method?: string; queryParams?: { name: string }[] }[];
    backendRefs: { name: string }[];
  }
  const rulesOf = async (webhook: Values): Promise<Rule[]> => {
    const httpRoute = { enabled: true, parentRefs: [{ name: 'gateway' }] };
    const manifests = await manifestsOf({ httpRoute, webhook: { enabled: true, ...webhook } });
    const route = manifests.find(({ kind }) => kind === 'HTTPRoute');
    return (route?.['spec'] as { rules: Rule[] }).rules.filter(
      ({ matches }) => matches[0]?.path.value === '/mcp',
    );
  };
  const servicesOf = (rules: Rule[]): unknown[] =>
    rules.map(({ backendRefs }) => backendRefs[0]?.name);
  expect(servicesOf(await rulesOf({}))).toEqual(['n8n-n8n-tuned-webhook']);
  const split = await rulesOf({ mcp: { sse: true } });
  expect(servicesOf(split)).toEqual(['n8n-n8n-tuned', 'n8n-n8n-tuned-webhook']);
  expect(
    split[0]?.matches.map(({ method, queryParams }) => method ?? queryParams?.[0]?.name),
  ).toEqual(['GET', 'sessionId']);
  const apart = await rulesOf({ exclusive: true, mcp: { sse: true } });
  expect(servicesOf(apart)).toEqual(['n8n-n8n-tuned-mcp', 'n8n-n8n-tuned-webhook']);
});

test('the patches come with every script that they read, and with no other', async () => {
  const of = async (values: Values): Promise<[string, string][]> => {
    const preload = (await manifestsOf(values)).find(
      ({ kind, metadata }) => kind === 'ConfigMap' && metadata.name.endsWith('-preload'),
    );
    return Object.entries((preload?.['data'] ?? {}) as Record<string, string>);
  };
  const readBy = (text: string): string[] =>
    [...text.matchAll(/(?:require\('\.\/|__dirname, ')([^']+)'/g)].map(([, name = '']) => name);
  const sqlite = { executions: { mode: 'regular' }, database: {}, webhook: { enabled: false } };
  for (const values of [{}, sqlite, { tuning: { keepStalled: false } }]) {
    const files = await of(values);
    const names = files.map(([name]) => name);
    for (const [, text] of files) expect(names).toEqual(expect.arrayContaining(readBy(text)));
  }
  expect((await of({})).map(([name]) => name)).toContain('running-work.cjs');
  expect((await of(sqlite)).map(([name]) => name)).not.toContain('running-work.cjs');
});
