// values.schema.json from values.yaml: the shape comes from the defaults, what they cannot tell stands in SHAPES.
import type { Value } from './values';

interface Shape {
  [keyword: string]: unknown;
  type?: string | string[];
  enum?: unknown[];
  properties?: Record<string, Shape>;
  required?: string[] | undefined;
}
type Block = Shape & { properties: Record<string, Shape> };

const any: Shape = {};
const text: Shape = { type: 'string' };
const flag: Shape = { type: 'boolean' };
const whole = (minimum = 0): Shape => ({ type: 'integer', minimum });
const list = (items = any): Shape => ({ type: 'array', items });
const oneOf = (...values: unknown[]): Shape => ({ enum: values });
const orNull = (shape: Shape): Shape => ({ anyOf: [shape, { type: 'null' }] });
const object: Shape = { type: 'object' };
const texts: Shape = { type: 'object', additionalProperties: text };
/**
 * Records of a measurement show numbers, booleans and the words of a list; of other texts only those that match
 * `x-recorded`, which says how a text looks that holds no secret. The values of variables have a list of their own.
 */
const shown = (shape: Shape, form: string): Shape => ({ ...shape, 'x-recorded': form });
/** Whether it is one says the template, in a sentence. */
const quantity = shown({ type: ['string', 'number'] }, '^[0-9.]+([EPTGMK]i?|[mk])?$');
const imageTag = shown(
  { type: ['string', 'number'] },
  '^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}(@sha256:[0-9a-f]{64})?$',
);
const plainName = shown(text, '^[a-z0-9][a-z0-9.-]*$');
const seconds = shown(text, '^([0-9]+(ms|s|m|h))?$');
/** The same shape, and null: "not set". */
const nullable = (shape: Shape): Shape => {
  if (shape.enum) return { ...shape, enum: [...shape.enum, null] };
  if (shape.type) return { ...shape, type: [shape.type, 'null'].flat() };
  return orNull(shape);
};
const resourcesOf = (shape: (one: Shape) => Shape): Shape => ({
  type: 'object',
  additionalProperties: false,
  properties: {
    requests: shape({ type: 'object', additionalProperties: shape(quantity) }),
    limits: shape({ type: 'object', additionalProperties: shape(quantity) }),
    claims: list(object),
  },
});
const resources = resourcesOf((shape) => shape);
/** A role's resources, in which null takes out what a preset or the chart has. */
const resourcesOrNone = resourcesOf(nullable);
const env: Shape = {
  type: 'object',
  'x-recorded': 'variables',
  propertyNames: { pattern: '^[A-Za-z_][A-Za-z0-9_.-]*$' },
  additionalProperties: {
    anyOf: [
      { type: ['string', 'number', 'boolean', 'null'] },
      {
        type: 'object',
        required: ['valueFrom'],
        properties: { valueFrom: object },
        additionalProperties: false,
      },
    ],
  },
};
const share: Shape = {
  anyOf: [
    shown({ type: 'string', minLength: 1 }, '^[0-9.]+(/[0-9.]+|[KMG]i?)?$'),
    { type: 'number', exclusiveMinimum: 0 },
  ],
};
const heapOverride: Shape = {
  type: 'object',
  additionalProperties: false,
  properties: { enabled: flag, oldSpace: share, runnerOldSpace: share, runnerPayload: share },
};
const probe: Shape = {
  type: 'object',
  additionalProperties: false,
  properties: {
    enabled: flag,
    httpGet: object,
    tcpSocket: object,
    exec: object,
    grpc: object,
    initialDelaySeconds: whole(),
    periodSeconds: whole(1),
    timeoutSeconds: whole(1),
    successThreshold: whole(1),
    failureThreshold: whole(1),
    terminationGracePeriodSeconds: whole(1),
  },
};
const beforeStart: Shape = {
  type: 'object',
  propertyNames: { pattern: '^[a-z0-9]([-a-z0-9]{0,40}[a-z0-9])?$' },
  additionalProperties: orNull({
    type: 'object',
    additionalProperties: false,
    properties: { command: { ...list(text), minItems: 1 }, configMap: plainName },
  }),
};
const name: Shape = { type: 'string', pattern: '^([a-z0-9]([-a-z0-9]*[a-z0-9])?)?$' };
const anyPort: Shape = { type: 'integer', minimum: 1, maximum: 65535 };

const threshold: Shape = { type: 'number', minimum: 0 };
const budget: Shape = { type: 'number', exclusiveMinimum: 0, maximum: 0.06 };

/**
 * What is under `pod` for the other roles, and means nothing to this one: no Service leads to a worker, and a webhook processor
 * has no task runner.
 */
const UNUSED: Record<string, string[][]> = {
  main: [],
  worker: [['keepAliveSeconds'], ['shutdown', 'closeConnections']],
  webhook: [
    ['heap', 'runnerOldSpace'],
    ['heap', 'runnerPayload'],
  ],
};

const PROFILES = ['throughput', 'low-memory', 'io-bound', 'cpu-bound'];

/** By the value's path, or by its last keys. */
const SHAPES: Record<string, Shape> = {
  preset: { type: ['string', 'array', 'null'] },
  nameOverride: name,
  fullnameOverride: name,
  commonLabels: texts,
  commonAnnotations: texts,
  annotations: texts,
  dataStorage: oneOf('', 'database', 'filesystem', 's3', 'azure'),
  scratchLimit: quantity,
  pooling: oneOf('', 'none', 'session', 'transaction'),
  'httpRoute.controller': oneOf('', 'gke'),
  controller: oneOf('', 'nginx', 'haproxy', 'traefik', 'alb', 'gce', 'openshift'),
  podAnnotations: texts,
  storeAnnotations: texts,
  podLabels: texts,
  labels: texts,
  nodeSelector: texts,
  'global.imagePullSecrets': list({ type: ['string', 'object'] }),
  imagePullSecrets: list({ type: ['string', 'object'] }),
  ...Object.fromEntries(
    ['initContainers', 'sidecars', 'volumes', 'volumeMounts', 'hostAliases', 'tolerations'].map(
      (key) => [key, list(object)],
    ),
  ),
  topologySpreadConstraints: list(object),
  storesFrom: list(object),
  registry: shown(text, '^[a-z0-9.-]*(:[0-9]+)?(/[a-z0-9._-]+)*$'),
  repository: shown(text, '^[a-z0-9.-]+(:[0-9]+)?(/[a-z0-9._-]+)*$'),
  tag: imageTag,
  'image.version': imageTag,
  digest: shown({ type: 'string', pattern: '^(sha256:[0-9a-f]{64})?$' }, '^sha256:[0-9a-f]{64}$'),
  storageClass: plainName,
  timezone: shown(text, '^[A-Z][A-Za-z_]+(/[A-Z][A-Za-z_+0-9-]+)*$'),
  workload: plainName,
  'pod.beforeStart': beforeStart,
  interval: seconds,
  scrapeTimeout: seconds,
  pullPolicy: oneOf('Always', 'IfNotPresent', 'Never'),
  'executions.mode': oneOf('regular', 'queue'),
  'executions.process': oneOf('main', 'own'),
  'executions.timeoutSeconds': whole(-1),
  'executions.maxResponseSeconds': whole(10),
  'pruning.maxAgeHours': whole(1),
  'pruning.maxCount': orNull(whole()),
  'pruning.bufferHours': orNull(whole()),
  'recovery.intervalMinutes': orNull(whole(1)),
  'recovery.batch': orNull(whole(1)),
  'executions.peakRatePerSecond': orNull({ type: 'number', exclusiveMinimum: 0 }),
  'tuning.profile': oneOf('default', ...PROFILES),
  'shutdown.timeoutSeconds': orNull(whole(1)),
  'shutdown.preStopSeconds': orNull(whole()),
  terminationGracePeriodSeconds: orNull(whole(1)),
  keepAliveSeconds: whole(),
  guardSeconds: whole(),
  pingTimeoutSeconds: whole(1),
  reconnectSeconds: whole(1),
  outageSeconds: whole(1),
  proxyHops: orNull(whole()),
  concurrency: orNull(whole(1)),
  cooldownSeconds: orNull(whole()),
  poolSize: orNull(whole(1)),
  'heap.oldSpace': share,
  'heap.runnerOldSpace': share,
  'heap.runnerPayload': share,
  'pod.heap': heapOverride,
  'taskRunners.mode': oneOf('internal', 'external', 'off'),
  resources,
  initResources: resources,
  env,
  envFrom: list(object),
  secretsInEnvFrom: orNull({
    ...list(
      oneOf(
        ...['N8N_ENCRYPTION_KEY', 'DB_POSTGRESDB_PASSWORD', 'QUEUE_BULL_REDIS_PASSWORD'].flatMap(
          (name) => [name, `${name}_FILE`],
        ),
      ),
    ),
    uniqueItems: true,
  }),
  'probes.startup': probe,
  'probes.readiness': probe,
  'probes.liveness': probe,
  size: quantity,
  'podDisruptionBudget.maxUnavailable': {
    anyOf: [whole(1), { type: 'string', pattern: '^[1-9][0-9]?[0-9]?%$' }],
  },
  'autoscaling.maxReplicas': whole(1),
  'autoscaling.minReplicas': orNull(whole(1)),
  'keda.minReplicas': orNull(whole()),
  'keda.triggers': list(object),
  'keda.maxReplicas': whole(1),
  'keda.pollingSeconds': whole(1),
  args: list(text),
  'database.type': oneOf('sqlite', 'postgresql'),
  port: anyPort,
  prefix: { type: 'string', minLength: 1 },
  's3.prefix': text,
  's3.endpoint': { type: 'string', pattern: '^(https?://[^/]+.*)?$' },
  clusterNodes: list({ type: 'string', pattern: '^.+:[0-9]+$' }),
  'sentinel.nodes': list({ type: 'string', pattern: '^.+:[0-9]+$' }),
  'sentinel.master': { type: 'string', minLength: 1 },
  'persistence.accessModes': list(oneOf('ReadWriteOnce', 'ReadWriteMany', 'ReadWriteOncePod')),
  'binaryData.mode': oneOf('', 'default', 'filesystem', 'database', 's3', 'azure'),
  'communityPackages.packages': list({ type: 'string', minLength: 1 }),
  'pythonPackages.packages': list({ type: 'string', minLength: 1 }),
  'pythonPackages.allow': list(text),
  'service.type': oneOf('ClusterIP', 'NodePort', 'LoadBalancer'),
  'service.ipFamilyPolicy': oneOf('', 'SingleStack', 'PreferDualStack', 'RequireDualStack'),
  'service.ipFamilies': list(oneOf('IPv4', 'IPv6')),
  'logs.output': { ...list(oneOf('console', 'file')), minItems: 1, uniqueItems: true },
  'logs.format': oneOf('text', 'json'),
  relabelings: list(object),
  metricRelabelings: list(object),
  hosts: list({ type: 'string', minLength: 1 }),
  nodePort: orNull(anyPort),
  loadBalancerSourceRanges: list(text),
  externalTrafficPolicy: oneOf('', 'Cluster', 'Local'),
  hostnames: list(text),
  parentRefs: list(object),
  'prometheusRule.disabled': list(text),
  'prometheusRule.severities': {
    type: 'object',
    additionalProperties: oneOf('critical', 'warning', 'info'),
  },
  'capacity.executionsPerSecond': { type: 'number', minimum: 0 },
  // 14.4 times the budget is still a share.
  'thresholds.webhookErrorBudget': budget,
  'thresholds.webhookSlowBudget': budget,
  'thresholds.workerSilentMinutes': whole(1),
  'thresholds.workflowSilentHours': whole(1),
  'thresholds.webhookSlowSeconds': oneOf(0.003, 0.03, 0.1, 0.3, 1.5, 10),
  'loadTest.profile': oneOf('smoke', 'load', 'stress', 'spike', 'soak', 'breakpoint', 'closed'),
  'loadTest.parallelism': whole(1),
  'backup.schedule': shown({ type: 'string', minLength: 1 }, '^[0-9*/, -]+$'),
  'backup.keep': whole(1),
  'recovery.schedule': shown({ type: 'string', minLength: 1 }, '^[0-9*/, -]+$'),
  'recovery.tag': { type: 'string', minLength: 1 },
  'recovery.attempts': whole(1),
  'recovery.atOnce': whole(1),
  'recovery.stopAfterLost': whole(1),
  'recovery.ageSeconds': whole(),
  'recovery.backOffSeconds': whole(),
  'recovery.sinceHours': whole(1),
  // Node.js gives up on a response that has not begun after five minutes.
  'recovery.patienceSeconds': { type: 'integer', minimum: 1, maximum: 290 },
  dnsPolicy: oneOf('', 'ClusterFirst', 'ClusterFirstWithHostNet', 'Default', 'None'),
  extraManifests: list({ type: ['object', 'string'] }),
};

/** What files/environment.yaml says of a setting of the tuning: null leaves it to the profile. */
export interface TuningSetting {
  default: string | number | boolean;
  /** Texts that it may be. */
  choices?: string[];
  /** The smallest number. */
  min?: number;
}

function shapeOfSetting({ default: fallback, choices, min }: TuningSetting): Shape {
  // Helm reads a bare `off` as false.
  if (choices?.includes('off')) return oneOf(...choices, false, null);
  if (choices !== undefined) return oneOf(...choices, null);
  if (typeof fallback === 'string') return orNull(text);
  return orNull(typeof fallback === 'boolean' ? flag : whole(min));
}

type Tuning = Readonly<Record<string, TuningSetting>>;

/** A value that a preset may set is null, or a map without the keys that it sets. */
function shapeOf({ path, value, isUnset }: Value, tuning: Tuning): Shape {
  const setting = path[0] === 'tuning' ? tuning[path[1] ?? ''] : undefined;
  if (setting !== undefined) return shapeOfSetting(setting);
  if (!isUnset) return shapeOfDefault(path, value);
  if (path.at(-1) === 'resources') return resourcesOrNone;
  const shape = shapeOfDefault(path, value);
  return shape.type === 'object' ? shape : nullable(shape);
}

function shapeOfDefault(path: readonly string[], value: unknown): Shape {
  const [key = '', parent = ''] = [path.at(-1), path.at(-2)];
  const within = SHAPES[`${parent}.${key}`];
  if (parent === 'thresholds' && within === undefined) return threshold;
  const named = SHAPES[path.join('.')] ?? within ?? SHAPES[key];
  if (named !== undefined) return named;
  if (Array.isArray(value)) return list();
  if (typeof value === 'boolean') return flag;
  if (typeof value === 'number') return whole();
  if (typeof value === 'string') return text;
  if (value !== null && typeof value === 'object') return object;
  throw new Error(
    `values.yaml: ${path.join('.')} is ${String(value)}, whose type nobody can tell: add it to SHAPES`,
  );
}

function closed(properties: Record<string, Shape>, more: Shape = {}): Block {
  return { type: 'object', additionalProperties: false, properties, ...more };
}

function deepMerge(a: Record<string, Shape>, b: Record<string, Shape>): Record<string, Shape> {
  const merged = { ...a };
  for (const [key, shape] of Object.entries(b)) {
    const [below, above] = [merged[key]?.properties, shape.properties];
    merged[key] = below && above ? closed(deepMerge(below, above)) : shape;
  }
  return merged;
}

/** What no template can do without: the user may set it to null, and Helm then takes it out. */
const isNeeded = (value: unknown, shape: Shape): boolean =>
  shape === probe ||
  ['number', 'boolean'].includes(typeof value) ||
  (typeof value === 'string' && value !== '');

function need(block: Shape, key: string): void {
  block.required = [...new Set([...(block.required ?? []), key])];
}

/** The block under a key, which has parts. */
function partOf(block: Block, key: string): Block {
  const part = block.properties[key];
  if (part?.properties === undefined) throw new Error(`values.yaml: ${key} has no parts`);
  return part as Block;
}

/** `isNeededToo`: what else the user may not take out with null. */
function blockOf(
  values: readonly Value[],
  tuning: Tuning,
  isNeededToo: (value: unknown) => boolean = () => false,
): Block {
  const top = closed({});
  for (const leaf of values) {
    const { path, value, text: description } = leaf;
    let block = top;
    for (const key of path.slice(0, -1)) {
      block.properties[key] ??= closed({});
      need(block, key);
      block = partOf(block, key);
    }
    const key = path.at(-1) ?? '';
    const shape = shapeOf(leaf, tuning);
    block.properties[key] = description ? { description, ...shape } : shape;
    // Null leaves a setting of the tuning to its profile.
    const mayBeNull = leaf.isUnset || path[0] === 'tuning';
    if (!mayBeNull && (isNeeded(value, shape) || isNeededToo(value))) need(block, key);
  }
  return top;
}

const titled = (chart: string, top: Block): Shape => ({
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: `Values of the chart ${chart}`,
  ...top,
  // For YAML anchors.
  patternProperties: { '^x-': any },
});

export function schemaOfLoad(values: readonly Value[]): Shape {
  const top = blockOf(values, {}, (value) => typeof value === 'object' && value !== null);
  // Helm hands a parent chart's globals down, so these may hold more.
  partOf(top, 'global')['additionalProperties'] = true;
  return titled('n8n-load', top);
}

export function schemaOf(
  values: readonly Value[],
  presets: readonly string[],
  tuning: Tuning,
): Shape {
  const top = blockOf(values, tuning);
  const root = top.properties;
  const preset = oneOf(...presets);
  root['preset'] = {
    description: root['preset']?.['description'],
    anyOf: [preset, list(preset), { type: 'null' }],
  };
  // A parent chart leaves this one out where its condition is false: it can only be read as true.
  root['enabled'] = { ...root['enabled'], enum: [true] };
  top.required = (top.required ?? []).filter((key) => key !== 'enabled');
  // Helm hands a parent chart's globals down, so these may hold more.
  partOf(top, 'global')['additionalProperties'] = true;
  // Every role takes the keys of `pod`, described only there; a pool takes those of `worker`.
  const ofPod = optional(partOf(top, 'pod'));
  for (const [role, unused] of Object.entries(UNUSED)) {
    const { properties, required = [] } = partOf(top, role);
    const taken = (withoutText(unused.reduce(without, ofPod)) as Block).properties;
    const own = required.filter((key) => !(key in taken));
    root[role] = closed(deepMerge(taken, properties), { required: own });
  }
  const worker = partOf(top, 'worker');
  const { pools, ...ofWorker } = optional(worker).properties ?? {};
  const poolName = { type: 'string', pattern: '^[a-z0-9]([-a-z0-9]{0,13}[a-z0-9])?$' };
  worker.properties['pools'] = {
    ...pools,
    items: closed(
      // What a pool leaves out comes from `worker`, so null takes nothing out of it.
      { name: poolName, ...(withoutText(ofWorker) as Record<string, Shape>), resources },
      { required: ['name'] },
    ),
  };
  return titled('n8n-tuned', top);
}

/** A block without one of its parts, or of theirs. */
function without(block: Shape, [key = '', ...rest]: readonly string[]): Shape {
  const parts = Object.entries(block.properties ?? {}).flatMap<[string, Shape]>(([name, part]) => {
    if (name !== key) return [[name, part]];
    return rest.length === 0 ? [] : [[name, without(part, rest)]];
  });
  return { ...block, properties: Object.fromEntries(parts) };
}

/** A block of which every part may be left out. */
function optional(shape: Shape): Shape {
  const open = { ...shape, required: undefined };
  if (shape.properties === undefined) return open;
  const parts = Object.entries(shape.properties).map(([key, part]) => [key, optional(part)]);
  return { ...open, properties: Object.fromEntries(parts) as Record<string, Shape> };
}

function withoutText(shape: unknown): unknown {
  if (Array.isArray(shape)) return shape.map(withoutText);
  if (shape === null || typeof shape !== 'object') return shape;
  return Object.fromEntries(
    Object.entries(shape)
      .filter(([key, value]) => !(key === 'description' && typeof value === 'string'))
      .map(([key, value]) => [key, withoutText(value)]),
  );
}

const LINE = 300;

/** A value per line: Helm keeps the whole schema in the Secret of every release. */
export const schemaText = (schema: Shape): string => `${written(schema, '')}\n`;

function written(part: unknown, indent: string): string {
  const line = JSON.stringify(part);
  if (line.length <= LINE || !line.includes('"properties":')) return line;
  if (part === null || typeof part !== 'object' || Array.isArray(part)) return line;
  const inner = `${indent}  `;
  const lines = Object.entries(part)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${inner}${JSON.stringify(key)}: ${written(value, inner)}`);
  return `{\n${lines.join(',\n')}\n${indent}}`;
}
