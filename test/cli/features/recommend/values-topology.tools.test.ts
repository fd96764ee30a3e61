// What `--prove` deploys here is what the chart deploys in a cluster: both are asked, and compared.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { stringify } from 'yaml';
import { keptForMs } from '../../../../cli/src/plan/kept-executions';
import { heapMiBOf } from '../../../../cli/src/plan/chart-values';
import {
  hasSetting,
  isOfKit,
  isOfPlace,
  isWithin,
  table,
} from '../../../../cli/src/plan/environment';
import { merged } from '../../../../cli/src/plan/presets';
import { TUNING_NAMES, type Topology } from '../../../../cli/src/plan/topology';
import { readDeployed } from '../../../../cli/src/targets/chart/deployed';
import { recommend } from '../../../../cli/src/features/recommend/analysis/recommend';
import { valuesYaml } from '../../../../cli/src/features/recommend/values';
import { n8nEnv, type ProcessSeat } from '../../../../cli/src/targets/process/layout';
import { chart, paths, render, type Manifest } from '../../../chart/support/helm';
import { runs } from '../../../support/properties';
import { N8N_LEGACY_VERSION, N8N_VERSION } from '../../../support/versions';
import { queue, regular } from './evidence';

const folder = mkdtempSync(join(tmpdir(), 'recommend-values-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const LAYOUT = new Set(
  table().variables.flatMap(({ name, part }) => (part === 'layout' ? [name] : [])),
);
const PATCHES_OF_PLACE = table().patches.flatMap((row) => (isOfKit(row) ? [] : [row.name]));

interface Container {
  name: string;
  args?: string[];
  env: { name: string; value?: string }[];
  resources?: { limits?: { memory?: string; cpu?: string } };
}
type Decisive = Record<string, string | undefined>;
interface Deployment {
  /** Null where an autoscaler owns it. */
  replicas: number | null;
  env: Decisive;
  concurrency: string | null;
}

const ROLES = ['main', 'worker', 'webhook'] as const;
type RoleName = (typeof ROLES)[number];

/** What the chart makes of the values. */
async function charted(file: string): Promise<Partial<Record<RoleName, Deployment>>> {
  const { manifests } = await render(paths.helm3, ['-f', file]);
  const found: Partial<Record<RoleName, Deployment>> = {};
  for (const manifest of manifests.filter(({ kind }) => kind === 'Deployment')) {
    const name = ROLES.find((role) => roleOf(manifest) === role);
    if (name === undefined) continue;
    const { spec } = manifest as unknown as {
      spec: { replicas?: number; template: { spec: { containers: Container[] } } };
    };
    const n8n = spec.template.spec.containers.find(({ env }) =>
      env.some((one) => one.name === 'EXECUTIONS_MODE'),
    );
    if (n8n === undefined) continue;
    found[name] = {
      replicas: spec.replicas ?? null,
      env: inAnyPlace(Object.fromEntries(n8n.env.map((one) => [one.name, one.value]))),
      concurrency: /--concurrency=(\d+)/.exec((n8n.args ?? []).join(' '))?.[1] ?? null,
    };
  }
  return found;
}

/** Without what each place sets for itself. */
const inAnyPlace = (env: Record<string, string | undefined>): Decisive =>
  Object.fromEntries(
    Object.entries(env)
      .filter(([name, value]) => value !== undefined && (!isOfPlace(name) || LAYOUT.has(name)))
      .map(([name, value]) => [
        name,
        value
          ?.replace(/ ?--require=\/etc\/n8n-tuned\/preload\/(\S+)/g, (option, file: string) =>
            PATCHES_OF_PLACE.includes(file) ? '' : option,
          )
          .trim(),
      ])
      .filter(([, value]) => value !== ''),
  );

const roleOf = ({ metadata }: Manifest): string | undefined =>
  metadata.labels?.['app.kubernetes.io/component'];

/** What the process target makes of the topology. */
function laidOut(topology: Topology): Partial<Record<RoleName, Deployment>> {
  const isQueue = topology.mode === 'queue';
  const counts = {
    main: 1,
    worker: isQueue ? topology.workers.count : 0,
    webhook: topology.webhooks.count,
  };
  return Object.fromEntries(
    ROLES.filter((name) => counts[name] > 0).map((name): [RoleName, Deployment] => [
      name,
      {
        replicas: counts[name],
        env: inAnyPlace(n8nEnv(topology, seat(topology, name))),
        concurrency: name === 'worker' ? String(topology.workers.concurrency) : null,
      },
    ]),
  );
}

function seat(
  { mode, database }: Pick<Topology, 'mode' | 'database'>,
  role: RoleName,
): ProcessSeat {
  const isPostgresql = mode === 'queue' || database === 'postgresql';
  return {
    role,
    folder: '/n8n',
    port: 5678,
    brokerPort: 5679,
    webhookUrl: 'http://127.0.0.1:5678',
    database: isPostgresql ? { kind: 'postgresql', port: 5432 } : { kind: 'sqlite' },
    redisPort: mode === 'queue' ? 6379 : null,
    filesFolder: '/files',
    patchFolder: '/etc/n8n-tuned/preload',
  };
}

/** By what the chart renders, and by the values alone. */
const WAYS = { helm: paths.helm3, values: null };

async function expectTheSame(text: string): Promise<void> {
  const file = join(folder, 'values.yaml');
  writeFileSync(file, text);
  const expected = await charted(file);
  for (const [way, helm] of Object.entries(WAYS)) {
    const { topology, leftOut } = readDeployed(text, helm);
    const found = laidOut(topology);
    // What a topology cannot say is named: a variable that n8n gets here alone.
    for (const sentence of leftOut) {
      const [, variable = '', name] = /^(\w+) of (\w+): the proof used/.exec(sentence) ?? [];
      if (name === undefined) continue;
      expect(expected[name as RoleName]?.env).not.toHaveProperty(variable);
      Reflect.deleteProperty(found[name as RoleName]?.env ?? {}, variable);
    }
    for (const name of ROLES) {
      const deployment = found[name];
      if (deployment !== undefined && expected[name]?.replicas === null) deployment.replicas = null;
    }
    expect({ way, ...found }).toEqual({ way, ...expected });
  }
}

describe('a topology made of values is what the chart deploys', () => {
  test.each(['small', 'medium', 'laptop', 'cpu-bound', 'io-bound'])('preset %s', async (preset) => {
    await expectTheSame(readFileSync(join(chart, 'presets', `${preset}.yaml`), 'utf8'));
  });

  test('presets by name, and values over them', async () => {
    await expectTheSame('preset: medium\n');
    await expectTheSame(`
preset: [medium, openshift]
worker: { replicas: 3, resources: { limits: { memory: null, cpu: 1500m } } }
`);
  });

  test('no values at all', async () => {
    await expectTheSame('{}\n');
  });

  test.each([
    ['regular mode', regular(60)],
    ['queue mode', queue(2, 90)],
  ])('recommended for %s', async (_, evidence) => {
    const found = recommend([evidence], 40);
    if (found === null) throw new Error('nothing is recommended');
    await expectTheSame(valuesYaml(found));
  });

  test('throughput over SQLite', async () => {
    await expectTheSame('tuning: { profile: throughput }\n');
  });

  test('single settings over the profile, heaps of their own, variables for one role', async () => {
    await expectTheSame(`
executions: { mode: queue, peakRatePerSecond: 300 }
database: { type: postgresql, poolSize: 7 }
tuning: { profile: io-bound, saveProgress: true, logLevel: debug }
heap: { oldSpace: 700Mi }
worker:
  replicas: 3
  concurrency: 25
  env: { N8N_RUNNERS_MAX_CONCURRENCY: 12 }
  resources: { limits: { memory: 2Gi, cpu: 500m } }
`);
  });
});

/** What recommend writes, and what people set beside it. */
const sometimes = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined });
const limits = fc.record({
  memory: fc.oneof(
    fc.integer({ min: 1536, max: 8192 }).map((mebibytes) => `${String(mebibytes)}Mi`),
    fc.constantFrom('2Gi', '1.5Gi', '3G', 2 ** 31, null),
  ),
  cpu: sometimes(fc.constantFrom('250m', '1', 2, '1.5')),
});
/** Null takes a variable out, also one of the chart. */
const env = sometimes(
  fc.dictionary(
    fc.constantFrom('MINE', 'N8N_LOG_LEVEL', 'UV_THREADPOOL_SIZE', 'DB_PING_TIMEOUT_MS'),
    fc.constantFrom('8', 'debug', null),
    { maxKeys: 3 },
  ),
);
const role = { resources: sometimes(fc.record({ limits })), env };

/** Versions that docs/compatibility.md has, and the one before them all. */
const VERSIONS = [
  ...[N8N_VERSION, '2.40.7', '2.39.10', '2.36.8', '2.33.7', '2.23.4', '2.4.8', '1.123.81'],
  N8N_LEGACY_VERSION,
];

/** A value that the chart refuses where this n8n has not what it asks for. */
const ifKnownTo = <T>(n8n: string, asked: string, values: fc.Arbitrary<T>) =>
  hasSetting(n8n, asked) ? sometimes(values) : fc.constant(undefined);

const tuningOf = (n8n: string) => {
  const settings: Record<string, fc.Arbitrary<unknown>> = {
    saveProgress: fc.boolean(),
    logLevel: fc.constantFrom('info', 'debug', 'error'),
    saveSuccessfulExecutions: fc.constantFrom('all', 'none'),
    readySandboxes: fc.integer({ min: 1, max: 9 }),
    workerConcurrency: fc.integer({ min: 1, max: 60 }),
    runnerConcurrency: fc.integer({ min: 1, max: 60 }),
    semiSpaceMiB: fc.constantFrom(0, 16),
    ...Object.fromEntries(
      Object.entries(table().tuning).flatMap(([name, { default: value }]) =>
        typeof value === 'boolean' ? [[name, fc.boolean()]] : [],
      ),
    ),
  };
  const known = Object.entries(settings).filter(([name]) => hasSetting(n8n, `tuning.${name}`));
  return fc.record(
    { profile: fc.constantFrom(...TUNING_NAMES), ...Object.fromEntries(known) },
    { requiredKeys: ['profile'] },
  );
};
const executionsOf = (n8n: string) => ({
  pruning: sometimes(
    fc.record(
      {
        enabled: fc.boolean(),
        maxAgeHours: fc.integer({ min: 1, max: 99 }),
        maxCount: fc.integer({ min: 0, max: 9999 }),
        ...(hasSetting(n8n, 'executions.pruning.bufferHours')
          ? { bufferHours: fc.integer({ min: 1, max: 9 }) }
          : {}),
      },
      { requiredKeys: [] },
    ),
  ),
  durableSchedules: isWithin(n8n, '>=2.39.0-0') ? sometimes(fc.boolean()) : fc.constant(undefined),
});
const commonOf = (n8n: string) => ({
  image: fc.constant({ tag: n8n }),
  tuning: tuningOf(n8n),
  env,
  heap: sometimes(fc.constantFrom({ enabled: false }, { oldSpace: '600Mi' })),
});
const valuesFor = (n8n: string) =>
  fc.oneof(
    fc.record({
      ...commonOf(n8n),
      executions: fc.record(executionsOf(n8n)),
      main: fc.record({
        ...role,
        concurrency: ifKnownTo(n8n, 'main.concurrency', fc.integer({ min: 1, max: 60 })),
      }),
      database: fc.constantFrom({ type: 'sqlite' }, { type: 'postgresql' }),
    }),
    fc.record({
      ...commonOf(n8n),
      publicUrl: fc.constant('https://n8n.example.com'),
      executions: fc.record({
        ...executionsOf(n8n),
        mode: fc.constant('queue'),
        peakRatePerSecond: ifKnownTo(
          n8n,
          'executions.peakRatePerSecond',
          fc.integer({ min: 1, max: 400 }),
        ),
      }),
      database: fc.record({
        type: fc.constant('postgresql'),
        poolSize: ifKnownTo(n8n, 'database.poolSize', fc.integer({ min: 2, max: 20 })),
      }),
      main: fc.record(role),
      worker: fc.record({
        ...role,
        replicas: fc.integer({ min: 1, max: 6 }),
        concurrency: sometimes(fc.integer({ min: 1, max: 80 })),
        pools: sometimes(fc.constant([{ name: 'heavy', replicas: 1, concurrency: 2 }])),
      }),
      webhook: fc.oneof(
        fc.record({ ...role, enabled: fc.constant(false) }),
        fc.record({
          ...role,
          enabled: fc.constant(true),
          exclusive: fc.boolean(),
          replicas: fc.integer({ min: 1, max: 3 }),
        }),
      ),
    }),
  );
const anyValues = fc.constantFrom(...VERSIONS).chain(valuesFor);

test('both ways agree with the chart on whatever values', async () => {
  await fc.assert(
    fc.asyncProperty(anyValues, (values) => expectTheSame(stringify(values))),
    { numRuns: runs(20) },
  );
});

describe.each(Object.entries(WAYS))(
  'the command knows for how long n8n keeps executions, by %s',
  (_, helm) => {
    const HOUR_MS = 3_600_000;
    test.each([
      ['tuning: { profile: default }', HOUR_MS],
      [
        '{ tuning: { profile: default }, executions: { pruning: { bufferHours: 3 } } }',
        3 * HOUR_MS,
      ],
      ['{ tuning: { profile: default }, executions: { pruning: { enabled: false } } }', Infinity],
      // The chart tells it to prune.
      ["{ tuning: { profile: default }, image: { tag: '0.221.2' } }", 0],
      ['tuning: { profile: throughput }', 0],
    ])('%s', (text, ms) => {
      expect(keptForMs(readDeployed(text, helm).topology)).toBe(ms);
    });
  },
);

test.each(Object.entries(WAYS))('settings over the profile are loaded, by %s', (_, helm) => {
  const { topology, leftOut } = readDeployed(
    `
executions: { mode: queue }
database: { type: postgresql }
tuning:
  { profile: throughput, workerConcurrency: 33, headlessWorkers: false, semiSpaceMiB: 48, requeueLost: false, keepStalled: false, finishJobs: false }
`,
    helm,
  );
  expect(topology.workers.concurrency).toBe(33);
  expect(leftOut.filter((sentence) => !sentence.includes('Helm'))).toEqual([]);
  const worker = laidOut(topology).worker?.env ?? {};
  expect(worker['NODE_OPTIONS']).toContain('--max-semi-space-size=48');
  expect(worker['NODE_OPTIONS']).not.toMatch(/requeue-lost|keep-stalled|finish-jobs/);
  expect(worker).not.toHaveProperty('N8N_DISABLE_UI');
});

test('without Helm it is said that nobody asked the chart', () => {
  expect(readDeployed('{}\n', null).leftOut.join()).toContain('Helm');
  expect(readDeployed('{}\n', paths.helm3).leftOut).toEqual([]);
});

test('options of Node.js that the user gives go in place of those of the chart, which is told', () => {
  const { topology, leftOut } = readDeployed('main: { env: { NODE_OPTIONS: --trace-gc } }\n');
  expect(topology.main).toMatchObject({ heapMiB: 'none', env: { NODE_OPTIONS: '--trace-gc' } });
  expect(leftOut.join()).toContain(
    'the patch lazy-character-map.cjs of main: the proof used the setting of the tuning profile',
  );
});

test.each(['--trace-gc', null])(
  'a heap that the chart does not set, because the options of the user are %j, is not set here',
  (options) => {
    const text = stringify({ env: { NODE_OPTIONS: options }, heap: { oldSpace: '600Mi' } });
    const { topology } = readDeployed(text);
    expect(topology.main.heapMiB).toBe('none');
  },
);

test('a variable of all roles that one of them takes out is a variable of the others', () => {
  const { topology } = readDeployed('env: { MINE: a }\nmain: { env: { MINE: null } }\n');
  expect(topology.env).toEqual({});
  expect(topology.main.env).not.toHaveProperty('MINE');
  expect(topology.workers.env).toMatchObject({ MINE: 'a' });
});

test('values that the chart refuses are refused in its words', () => {
  expect(() => readDeployed('worker: { replicas: 2, keda: { enabled: true } }\n')).toThrow(
    /^the chart rejects the values: /,
  );
});

test('places of a cluster mean nothing here', () => {
  const text = 'env: { N8N_WEBHOOK_URL: https://n8n.example.com/, MINE: own }\n';
  for (const helm of Object.values(WAYS)) {
    const { topology } = readDeployed(text, helm);
    const all = { ...topology.env, ...topology.main.env };
    expect(all).toMatchObject({ MINE: 'own' });
    expect(all).not.toHaveProperty('N8N_WEBHOOK_URL');
  }
});

test('limits of CPU and memory are those of the process groups', () => {
  const { topology } = readDeployed(
    'main: { resources: { limits: { cpu: 300m, memory: 2Gi } } }\n',
  );
  expect(topology.main).toMatchObject({ cpuMillicores: 300, memoryMiB: 2048 });
  expect(heapMiBOf(topology, 'main')).toBe(1024);
});

test('execution data on disk is loaded on disk, and a store that only the cluster has is named', () => {
  const { topology, leftOut } = readDeployed('executions: { dataStorage: filesystem }\n', null);
  expect(laidOut(topology).main?.env).toHaveProperty(
    'N8N_EXECUTION_DATA_STORAGE_MODE',
    'filesystem',
  );
  expect(leftOut.join()).not.toContain('dataStorage');
  const inS3 = readDeployed(
    'executions: { dataStorage: s3 }\nbinaryData: { mode: s3, s3: { host: s3.acme.io, bucket: n8n } }\n',
    null,
  );
  const env = laidOut(inS3.topology).main?.env ?? {};
  expect(env).not.toHaveProperty('N8N_EXECUTION_DATA_STORAGE_MODE');
  expect(env['N8N_DEFAULT_BINARY_DATA_MODE']).toBe('filesystem');
  expect(inS3.leftOut).toEqual(
    expect.arrayContaining([
      'executions.dataStorage=s3: the proof used the database',
      "binaryData.mode=s3: the proof used the chart's default",
    ]),
  );
});

test('what cannot be loaded here is named', () => {
  const { leftOut } = readDeployed(`
executions: { mode: queue }
database: { type: postgresql }
multiMain: { enabled: true }
main: { replicas: 2, env: { KEY: { valueFrom: { secretKeyRef: { name: a, key: b } } } } }
worker: { pools: [{ name: heavy }] }
taskRunners: { mode: external }
webhook: { enabled: true, autoscaling: { enabled: true } }
`);
  expect(leftOut).toEqual([
    expect.stringContaining('several mains'),
    expect.stringContaining('worker.pools'),
    expect.stringContaining('external'),
    'autoscaling of webhook: the proof used a fixed number of replicas',
    expect.stringContaining('KEY'),
    // Its runners have containers of their own there.
    'N8N_RUNNERS_MAX_OLD_SPACE_SIZE of worker: the proof used 256',
  ]);
});

test('a preset that is none is named', () => {
  expect(() => readDeployed('preset: huge\n')).toThrow("the chart has no preset named 'huge'");
});

test('values go over the defaults as Helm lays them', () => {
  expect(merged({ a: { b: 1, c: 2 }, d: [1, 2] }, { a: { b: null, e: 3 }, d: [4] })).toEqual({
    a: { c: 2, e: 3 },
    d: [4],
  });
});
