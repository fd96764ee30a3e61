// Random values that are valid by construction: choices that exclude each other are made together.
import fc from 'fast-check';
import { N8N_LEGACY_VERSION, N8N_VERSION } from '../../support/versions';

/** What the values below name and the user, or Kubernetes, has made. */
export const GIVEN_BY_USER = [
  'default',
  'user-key',
  'user-database',
  'user-redis',
  'user-tls',
  'user-ca',
  'user-token',
  'user-s3',
  'user-sentinel',
  'user-env',
  'user-claim',
  'user-files',
];

type Values = Record<string, unknown>;

const sometimes = (arb: fc.Arbitrary<Values>): fc.Arbitrary<Values> =>
  fc.oneof(fc.constant({}), arb);
const all = (...parts: fc.Arbitrary<Values>[]): fc.Arbitrary<Values> =>
  fc.tuple(...parts).map((values) => values.reduce(merge, {}));

function merge(a: Values, b: Values): Values {
  const merged = { ...a };
  for (const [key, value] of Object.entries(b)) {
    const both = isObject(merged[key]) && isObject(value);
    merged[key] = both ? merge(merged[key] as Values, value as Values) : value;
  }
  return merged;
}

const isObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const memory = fc.oneof(
  fc.integer({ min: 1024, max: 16_384 }).map((mebibytes) => `${mebibytes}Mi`),
  fc.double({ min: 1, max: 16, noNaN: true }).map((gibibytes) => `${gibibytes.toFixed(3)}Gi`),
  fc.integer({ min: 2, max: 20 }).map((gigabytes) => `${gigabytes}G`),
  fc.integer({ min: 1 << 30, max: 2 ** 34 }),
  fc.integer({ min: 2, max: 20 }).map((gigabytes) => `${gigabytes}e9`),
);
const resources = fc.record({
  requests: fc.record({ cpu: fc.constantFrom('100m', 1, '0.5'), memory: fc.constant('1Gi') }),
  limits: fc.record({ memory }, { requiredKeys: [] }),
});
const env = fc.dictionary(
  fc.constantFrom(
    'N8N_LOG_LEVEL',
    'NODE_OPTIONS',
    'EXECUTIONS_MODE',
    'MINE',
    'N8N_WEBHOOK_URL',
    'QUEUE_BULL_PREFIX',
    'N8N_GRACEFUL_SHUTDOWN_TIMEOUT',
    'N8N_CONCURRENCY_PRODUCTION_LIMIT',
    'DB_POSTGRESDB_POOL_SIZE',
    'OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS',
  ),
  fc.oneof(
    fc.constantFrom('a', 'true', ''),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.constant({ valueFrom: { secretKeyRef: { name: 'user-token', key: 'k' } } }),
  ),
);
const podSettings = fc.record(
  {
    env,
    resources,
    envFrom: fc.constant([{ secretRef: { name: 'user-env' } }]),
    podLabels: fc.constant({ extra: 'label' }),
    nodeSelector: fc.constant({ disk: 'fast' }),
    tolerations: fc.constant([{ key: 'x', operator: 'Exists' }]),
    priorityClassName: fc.constant('high'),
    spread: fc.boolean(),
    podDisruptionBudget: fc.record({
      enabled: fc.boolean(),
      maxUnavailable: fc.constantFrom(1, 2, '50%'),
    }),
    shutdown: fc.record({
      timeoutSeconds: fc.integer({ min: 1, max: 900 }),
      preStopSeconds: fc.integer({ min: 0, max: 20 }),
      closeConnections: fc.boolean(),
    }),
    sidecars: fc.constant([
      {
        name: 'side',
        image: 'x',
        securityContext: { readOnlyRootFilesystem: true, allowPrivilegeEscalation: false },
      },
    ]),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<Values>;

const scaled = sometimes(
  fc.record({
    autoscaling: fc.record({
      enabled: fc.constant(true),
      maxReplicas: fc.integer({ min: 1, max: 9 }),
    }),
  }),
);
/** No Service leads to a worker. */
const workerSettings = podSettings.map(({ shutdown, ...others }) => {
  if (shutdown === undefined) return others;
  const { timeoutSeconds, preStopSeconds } = shutdown as Values;
  return { ...others, shutdown: { timeoutSeconds, preStopSeconds } };
});
const worker = all(
  workerSettings,
  fc.record({
    replicas: fc.integer({ min: 1, max: 5 }),
    concurrency: fc.option(fc.integer({ min: 1, max: 80 })),
  }),
  fc.oneof(
    scaled,
    fc.record({
      keda: fc.record({ enabled: fc.constant(true), minReplicas: fc.integer({ min: 0, max: 2 }) }),
    }),
  ),
);
const pools = fc
  .uniqueArray(fc.constantFrom('a', 'big', 'gpu-1'), { maxLength: 3 })
  .chain((names) =>
    fc.tuple(
      ...names.map((name) =>
        fc
          .tuple(
            worker,
            fc.constantFrom<Values>({}, { keda: { enabled: true } }, { dedicatedQueue: true }),
          )
          .map(([settings, more]) => ({
            ...settings,
            name,
            autoscaling: { enabled: false },
            keda: { enabled: false },
            ...more,
          })),
      ),
    ),
  );

const externalDatabase = fc.constantFrom<Values>(
  ...[
    { existingSecret: 'user-database' },
    { password: 'p', tls: { enabled: true } },
    { passwordless: true, tls: { enabled: true, existingSecret: 'user-tls' } },
  ].map((more) => ({
    database: { external: { host: 'db', ...more } },
    encryptionKey: { existingSecret: 'user-key' },
  })),
);
const externalRedis = fc.constantFrom<Values>(
  { redis: { external: { host: 'redis', existingSecret: 'user-redis', tls: { enabled: true } } } },
  { redis: { external: { clusterNodes: ['a:6379', 'b:6379'], user: 'u', password: 'p' } } },
  { redis: { external: { host: 'redis' } } },
  {
    redis: {
      external: {
        sentinel: { nodes: ['a:26379', 'b:26379'], existingSecret: 'user-sentinel' },
        tls: { enabled: true },
      },
    },
  },
);
const key = fc.constantFrom<Values>(
  {},
  { encryptionKey: { existingSecret: 'user-key' } },
  { encryptionKey: { value: 'a key' } },
);
const ownStores = fc.constantFrom<Values>(
  { database: { own: { existingSecret: 'user-database' } } },
  { redis: { own: { existingSecret: 'user-redis' } } },
);

const regular = all(
  fc.constant({ executions: { mode: 'regular' } }),
  sometimes(fc.constant({ database: { type: 'postgresql' } })),
  sometimes(
    fc.record({
      persistence: fc.constantFrom<Values>(
        { enabled: false },
        { existingClaim: 'user-claim' },
        { accessModes: ['ReadWriteMany'] },
      ),
    }),
  ),
  sometimes(
    fc.record({ main: fc.record({ concurrency: fc.option(fc.integer({ min: 1, max: 60 })) }) }),
  ),
  key,
);
const queue = all(
  key,
  fc.constant({ executions: { mode: 'queue' }, database: { type: 'postgresql' } }),
  fc.oneof(fc.constant({}), externalRedis, ownStores),
  sometimes(fc.constant({ multiMain: { enabled: true }, main: { replicas: 2 } })),
  fc.tuple(worker, pools).map(([settings, list]) => ({
    worker: { ...settings, pools: list },
    // Only this one knows queues of pools.
    ...(list.some((pool) => 'dedicatedQueue' in pool) ? { image: { tag: N8N_VERSION } } : {}),
  })),
  sometimes(fc.constant({ redis: { prefix: 'mine' } })),
  sometimes(
    fc.constantFrom<Values>(
      { webhook: { enabled: true, exclusive: true }, publicUrl: 'https://n8n.test' },
      {
        webhook: { enabled: true, exclusive: true, mcp: { sse: true } },
        publicUrl: 'https://n8n.test',
      },
    ),
  ),
  sometimes(
    fc.record({
      webhook: all(
        podSettings,
        fc.oneof(scaled, fc.constant({ keda: { enabled: true } })),
        fc.constant({ enabled: true }),
      ),
    }),
  ),
  sometimes(fc.constant({ executions: { recovery: { intervalMinutes: 10, batch: 9 } } })),
);
/** A Secret for a store that is not deployed is refused. */
function withoutOwnDatabase(values: Values): Values {
  const database = { ...(values['database'] as Values) };
  delete database['own'];
  return { ...values, database };
}
const withExternalDatabase = all(
  queue.map((values) => ({ ...values, encryptionKey: {} })),
  externalDatabase,
).map(withoutOwnDatabase);

const legacy = all(
  fc.record({
    image: fc.record({ tag: fc.constantFrom(N8N_LEGACY_VERSION, '0.200.0') }),
    executions: fc.record({ process: fc.constantFrom('main', 'own') }),
  }),
  fc.constant({ executions: { mode: 'regular' } }),
);

const modern = all(
  // An older n8n does not know it, and the chart refuses it there.
  sometimes(
    fc.record({
      executions: fc.record({
        pruning: fc.record({ bufferHours: fc.integer({ min: 0, max: 48 }) }),
      }),
    }),
  ),
  sometimes(
    fc.record({ image: fc.record({ tag: fc.constantFrom(N8N_VERSION, '2.0.0', '2.50.0') }) }),
  ),
  sometimes(
    fc.constantFrom<Values>(
      { taskRunners: { mode: 'external' } },
      { taskRunners: { mode: 'external', authToken: { existingSecret: 'user-token' } } },
      { taskRunners: { mode: 'external' }, pythonPackages: { packages: ['numpy==2.3.2'] } },
    ),
  ),
  sometimes(
    fc.constantFrom<Values>(
      { binaryData: { mode: 'database' } },
      { binaryData: { mode: 's3', s3: { host: 's3', bucket: 'b', existingSecret: 'user-s3' } } },
    ),
  ),
);

const common = all(
  sometimes(fc.record({ main: podSettings })),
  sometimes(fc.record({ env })),
  fc.record({
    tuning: fc.record({
      profile: fc.constantFrom('default', 'throughput', 'low-memory', 'io-bound', 'cpu-bound'),
    }),
  }),
  sometimes(
    fc.constantFrom<Values>(
      { publicUrl: 'https://n8n.test', ingress: { enabled: true } },
      { publicUrl: 'http://n8n.test', ingress: { enabled: true, hosts: ['*.test', 'b.test'] } },
      {
        publicUrl: '',
        ingress: { enabled: true, hosts: ['a.test'], tls: [{ secretName: 'user-tls' }] },
      },
      {
        ...{ publicUrl: 'https://n8n.test', webhookUrl: 'https://hooks.test/here' },
        httpRoute: { enabled: true, parentRefs: [{ name: 'g' }], webhook: { enabled: true } },
      },
      {
        publicUrl: 'https://n8n.test/flows',
        httpRoute: { enabled: true, parentRefs: [{ name: 'g' }] },
      },
      {
        ...{ publicUrl: 'https://n8n.test', webhookUrl: 'https://hooks.test' },
        ingress: { enabled: true, webhook: { enabled: true, className: 'public' } },
      },
      { service: { type: 'LoadBalancer', loadBalancerSourceRanges: ['10.0.0.0/8'] } },
    ),
  ),
  sometimes(
    fc.constantFrom(
      { pod: { beforeStart: { seed: { command: ['node', 'x.cjs'], configMap: 'user-files' } } } },
      { main: { beforeStart: { seed: { command: ['n8n', 'list:workflow'] } } } },
    ),
  ),
  sometimes(
    fc.record({
      executions: fc.record({
        pruning: fc.record(
          {
            enabled: fc.boolean(),
            maxAgeHours: fc.integer({ min: 1, max: 9000 }),
            maxCount: fc.integer({ min: 0, max: 1_000_000 }),
          },
          { requiredKeys: [] },
        ),
      }),
    }),
  ),
  sometimes(
    fc.record({
      monitoring: fc.constantFrom<Values>(
        { enabled: true },
        { enabled: true, podMonitor: { enabled: true } },
        { enabled: true, serviceMonitor: { enabled: true } },
      ),
    }),
  ),
  sometimes(
    fc.record({
      networkPolicy: fc.constantFrom<Values>(
        { enabled: false },
        { egress: { enabled: true } },
        { from: [{ namespaceSelector: {} }] },
      ),
    }),
  ),
  sometimes(
    fc.constantFrom<Values>(
      { fullnameOverride: 'flows' },
      { nameOverride: 'x' },
      { commonLabels: { team: 'ops' } },
      { serviceAccount: { create: false, name: '' } },
    ),
  ),
  sometimes(
    fc.constantFrom<Values>(
      { communityPackages: { packages: ['n8n-nodes-x@1.0.0'] } },
      {
        communityPackages: {
          ...{ packages: ['n8n-nodes-x@1.0.0'], npmrc: { existingSecret: 'user-token' } },
        },
      },
      { sentry: { existingSecret: 'user-token' }, license: { existingSecret: 'user-key' } },
      { env: { FILLED: '{{ .Release.Name }}' }, 'x-mine': { a: 1 } },
      { logs: { output: ['file'], format: 'json' } },
    ),
  ),
  sometimes(
    fc.constantFrom<Values>(
      { trustedCertificates: { existingConfigMap: 'user-ca' } },
      { trustedCertificates: { existingSecret: 'user-ca' } },
    ),
  ),
  fc.constant<Values>({ secretsInEnvFrom: [] }),
  sometimes(
    fc.record({
      callHome: fc.record({
        diagnostics: fc.boolean(),
        versionNotifications: fc.boolean(),
        templates: fc.boolean(),
      }),
    }),
  ),
);

export const anyValues = fc.oneof(
  all(modern, regular, common),
  all(modern, queue, common),
  all(modern, withExternalDatabase, common),
  all(legacy, common, key),
);
