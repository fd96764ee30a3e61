// The values that the guides show for this chart are valid, and every link in the documents leads somewhere.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import { chart, paths, render, type Manifest } from './support/helm.ts';
import { parseCpu } from '../../cli/src/plan/quantities.ts';
import { podTemplates, type PodTemplate } from './support/pods.ts';

const docs = join(chart, '../../docs/chart');
const pages = readdirSync(docs).map((file) => join(docs, file));

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-guides-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const guides = [
  ...readFileSync(join(docs, 'migrate.md'), 'utf8').matchAll(
    /In this chart:\n\n```yaml\n([^]*?)```/g,
  ),
].map(([, values = '']) => values);

test('the guide has values for each of the three charts that it is from', () => {
  expect(guides).toHaveLength(3);
});

test.each([0, 1, 2])('guide %d of migrate.md shows values that render', async (index) => {
  const file = join(folder, `migrate-${index}.yaml`);
  writeFileSync(file, guides[index] ?? 'missing: true');
  const { manifests } = await render(paths.helm3, ['-f', file]);
  expect(
    manifests
      .filter(({ kind }) => kind === 'Deployment')
      .map(({ metadata }) => metadata.name)
      .sort(),
  ).toEqual(['n8n-n8n-tuned-main', 'n8n-n8n-tuned-webhook', 'n8n-n8n-tuned-worker']);
});

test('the README of the chart begins with a complete example, which renders as it is', async () => {
  const text = readFileSync(join(chart, 'README.md'), 'utf8');
  const example = text.indexOf('```yaml\n');
  expect(example).toBeGreaterThan(0);
  expect(example).toBeLessThan(text.indexOf('\n| '));
  const file = join(folder, 'readme.yaml');
  writeFileSync(file, /```yaml\n([^]*?)```/.exec(text)?.[1] ?? 'missing: true');
  const monitoringApi = ['--api-versions', 'monitoring.coreos.com/v1'];
  const { manifests } = await render(paths.helm3, ['-f', file, ...monitoringApi]);
  const kinds = manifests.map(({ kind }) => kind);
  expect(kinds).toEqual(expect.arrayContaining(['Deployment', 'HTTPRoute', 'PodMonitor']));
  expect(kinds).not.toContain('StatefulSet');
});

test('the tables of the README have at most 200 rows together', () => {
  const lines = readFileSync(join(chart, 'README.md'), 'utf8').split('\n');
  const rules = lines.filter((line) => /^\|[ |:-]+$/.test(line)).length;
  const rows = lines.filter((line) => line.startsWith('|')).length - 2 * rules;
  expect(rows).toBeGreaterThan(100);
  expect(rows).toBeLessThanOrEqual(200);
});

test('the first page says how many CPU cores its preset requests', async () => {
  const text = readFileSync(join(chart, '../../README.md'), 'utf8');
  const [, preset = '', said] =
    /`--set preset=(\w+)`, which requests ([\d.]+) CPU cores/.exec(text) ?? [];
  const { manifests } = await render(paths.helm3, ['--set', `preset=${preset}`]);
  const millicores = podTemplates(manifests).flatMap(({ owner, spec }) => {
    const { replicas = 0 } = owner.spec as { replicas?: number };
    return spec.containers.map(
      ({ resources }) => replicas * parseCpu(resources?.requests?.cpu ?? ''),
    );
  });
  expect(millicores.reduce((all, one) => all + one, 0) / 1000).toBe(Number(said));
});

test('each object that the README of the chart shows alone is one that the chart renders', async () => {
  const text = readFileSync(join(chart, 'README.md'), 'utf8');
  const shown = [...text.matchAll(/--show-only (\S+)/g)].map(([, file = '']) => file);
  expect(shown.length).toBeGreaterThan(0);
  const file = join(folder, 'shown.yaml');
  const httpRoute = { enabled: true, parentRefs: [{ name: 'gateway' }] };
  writeFileSync(file, JSON.stringify({ publicUrl: 'https://n8n.test', httpRoute }));
  for (const template of shown) {
    const { manifests } = await render(paths.helm3, ['-f', file, '--show-only', template]);
    expect(manifests.length).toBeGreaterThan(0);
  }
});

test('upgrade.md moves SQLite to PostgreSQL before n8n starts, with the volume of the pod that has ended', async () => {
  const text = readFileSync(join(docs, 'upgrade.md'), 'utf8');
  const [, values = 'missing: true'] = /```yaml\n(database:[^]*?)```/.exec(text) ?? [];
  const file = join(folder, 'move.yaml');
  writeFileSync(file, values);
  const mainOf = async (args: string[]): Promise<PodTemplate | undefined> =>
    podTemplates((await render(paths.helm3, args)).manifests).find(
      ({ labels }) => labels['app.kubernetes.io/component'] === 'main',
    );
  const [before, after] = [await mainOf([]), await mainOf(['-f', file])];
  expect(after?.owner['spec']).toMatchObject({ strategy: { type: 'Recreate' } });
  const dataOf = (main?: PodTemplate): unknown =>
    main?.spec.volumes?.find(({ name }) => name === 'data');
  expect(dataOf(after)).toBeDefined();
  expect(dataOf(after)).toEqual(dataOf(before));
  const move = after?.spec.initContainers?.find(({ name }) => name === 'before-start-move');
  expect(move?.volumeMounts).toContainEqual({ name: 'data', mountPath: '/home/node/.n8n' });
  expect(move?.env).toContainEqual({ name: 'DB_TYPE', value: 'postgresdb' });
});

test.each<[string, boolean, string[]]>([
  ['a lone main in queue mode', true, ['executions.mode=queue', 'database.type=postgresql']],
  ['a lone main in regular mode', true, ['database.type=postgresql', 'persistence.enabled=false']],
  ['main with SQLite', true, []],
  [
    'main with durable schedules in queue mode',
    false,
    ['executions.mode=queue', 'database.type=postgresql', 'executions.durableSchedules=true'],
  ],
  [
    'main with durable schedules, a database and no volume',
    false,
    [
      ...['database.type=postgresql', 'persistence.enabled=false', 'binaryData.mode=database'],
      'executions.durableSchedules=true',
    ],
  ],
  [
    'one of several mains',
    false,
    ['executions.mode=queue', 'database.type=postgresql', 'multiMain.enabled=true'],
  ],
])(
  'an upgrade ends %s before the new one starts: %s, as upgrade.md says',
  async (_, first, set) => {
    const text = readFileSync(join(docs, 'upgrade.md'), 'utf8');
    const bullets = text
      .split(/^- /m)
      .filter((bullet) => /\b(old\s+pod|main) ends first/.test(bullet));
    expect(bullets).toHaveLength(2);
    expect(bullets[0]).toContain('exceptions are a lone main');
    for (const name of ['executions.durableSchedules', 'persistence.enabled=false', 'multiMain'])
      expect(bullets[1]).toContain(name);
    const args = set.flatMap((value) => ['--set', value]);
    for (const pod of podTemplates((await render(paths.helm3, args)).manifests)) {
      const component = pod.labels['app.kubernetes.io/component'] ?? '';
      if (!['main', 'worker'].includes(component)) continue;
      const type = component === 'main' && first ? 'Recreate' : 'RollingUpdate';
      expect(pod.owner['spec']).toMatchObject({ strategy: { type } });
    }
  },
);

test('gitops.md shows the HelmRepository that its HelmRelease names', () => {
  const text = readFileSync(join(docs, 'gitops.md'), 'utf8');
  const shown = [...text.matchAll(/```yaml\n([^]*?)```/g)].map(
    ([, yaml = '']) => parse(yaml) as Manifest,
  );
  const of = (wanted: string): Manifest | undefined => shown.find(({ kind }) => kind === wanted);
  const { name, namespace } = of('HelmRepository')?.metadata ?? {};
  expect(of('HelmRelease')?.metadata.namespace).toBe(namespace);
  expect(of('HelmRelease')?.['spec']).toMatchObject({
    chart: { spec: { sourceRef: { kind: 'HelmRepository', name } } },
  });
});

test('traffic.md shows values that render', async () => {
  const text = readFileSync(join(docs, 'traffic.md'), 'utf8');
  const shown = [...text.matchAll(/```yaml\n([^]*?)```/g)].map(([, values]) => values ?? '');
  const ingresses: string[][] = [];
  for (const [index, values] of shown.entries()) {
    const file = join(folder, `traffic-${index}.yaml`);
    writeFileSync(file, values);
    const { manifests } = await render(paths.helm3, ['-f', file]);
    const own = manifests.filter(({ kind }) => kind === 'Ingress');
    ingresses.push(own.map(({ metadata }) => metadata.name));
  }
  expect(ingresses).toEqual([[], ['n8n-n8n-tuned', 'n8n-n8n-tuned-webhook']]);
});

test('clouds.md shows a proxy for the database that every pod with a way to it gets', async () => {
  const text = readFileSync(join(docs, 'clouds.md'), 'utf8');
  const [, values = 'missing: true'] = /```yaml\n(database:[^]*?)```/.exec(text) ?? [];
  const file = join(folder, 'proxy.yaml');
  writeFileSync(file, `${values}monitoring: { enabled: true, exporter: { enabled: true } }\n`);
  const args = ['-f', join(chart, 'ci/eks-values.yaml'), '-f', file];
  const { manifests } = await render(paths.helm3, args);
  const without = podTemplates(manifests).filter(
    ({ spec }) => !spec.initContainers?.some(({ name }) => name === 'database-proxy'),
  );
  expect(without.map(({ labels }) => labels['app.kubernetes.io/component'])).toEqual(['smoke']);
});

test.each(['eks', 'gke', 'openshift'])(
  '%s-values.yaml says how each object that it refers to comes into the namespace',
  (cloud) => {
    const text = readFileSync(join(chart, `ci/${cloud}-values.yaml`), 'utf8');
    const names = [...text.matchAll(/existing(?:Secret|ConfigMap): (\S+)/g)].map(
      ([, name]) => name,
    );
    const made = [
      ...text.matchAll(/# (?:kubectl|oc) create (?:secret generic|configmap) (\S+) -n n8n/g),
      ...text.matchAll(/target: { name: (\S+) }/g),
      ...text.matchAll(/# The operator creates (\S+) and (\S+)\./g),
    ].flatMap(([, ...found]) => found);
    expect(names.length).toBeGreaterThan(1);
    expect(names.filter((name) => !made.includes(name ?? ''))).toEqual([]);
  },
);

test('postgresql.md shows a backup to S3 that renders', async () => {
  const text = readFileSync(join(docs, 'postgresql.md'), 'utf8');
  const [, values = 'missing: true'] = /```yaml\n(database:\n {2}own:[^]*?)```/.exec(text) ?? [];
  const file = join(folder, 'backup.yaml');
  writeFileSync(file, values);
  const { text: rendered } = await render(paths.helm3, [
    ...['-f', file, '--set', 'database.type=postgresql'],
  ]);
  expect(rendered).toContain('postgresql-backup-s3.cjs, store');
});

describe('the steps of postgresql.md', () => {
  const text = readFileSync(join(docs, 'postgresql.md'), 'utf8');
  const sections = text
    .split(/^## /m)
    .map((section) =>
      [...section.matchAll(/```sh\n([^]*?)```/g)].map(([, block = '']) =>
        block.split('\n').filter((line) => /^(kubectl|helm|tail) /.test(line)),
      ),
    )
    .filter((blocks) => blocks.flat().some((line) => /^helm upgrade/.test(line)));
  const everything = async (): Promise<Manifest[]> => {
    const file = join(folder, 'everything.json');
    const values = {
      ...{ preset: 'medium', publicUrl: 'https://n8n.test' },
      executions: { mode: 'queue' },
      database: { type: 'postgresql', own: { backup: { enabled: true } } },
      webhook: { enabled: true, exclusive: true, mcp: { sse: true } },
      worker: { autoscaling: { enabled: true }, pools: [{ name: 'big' }] },
      monitoring: { enabled: true, exporter: { enabled: true } },
    };
    writeFileSync(file, JSON.stringify(values));
    return (await render(paths.helm3, ['-f', file])).manifests;
  };

  test('name objects of a release that is installed as the README says', async () => {
    const manifests = await everything();
    const of = (wanted: string): string[] =>
      manifests.filter(({ kind }) => kind === wanted).map(({ metadata }) => metadata.name);
    const sets = of('StatefulSet');
    const there = [
      ...sets,
      ...sets.flatMap((name) => [`${name}-0`, `data-${name}-0`]),
      ...of('CronJob'),
    ];
    const names =
      sections
        .flat(2)
        .join('\n')
        .match(/[\w-]*n8n-[\w-]*postgresql[\w-]*/g) ?? [];
    expect(names.length).toBeGreaterThan(4);
    expect(names.filter((name) => !there.includes(name))).toEqual([]);
  });

  test('delete the old volume only after a complete dump, and in a block of their own', () => {
    const [, move = []] = sections;
    const [ends = ''] = move.find(([line = '']) => line.includes('persistentvolumeclaim')) ?? [];
    expect(move.map((block) => block.some((line) => line.includes('delete statefulset')))).toEqual([
      ...[false, true, false, false],
    ]);
    const place = mkdtempSync(join(folder, 'move-'));
    writeFileSync(join(place, 'kubectl'), '#!/bin/sh\necho "$@"\n', { mode: 0o755 });
    const env = { PATH: `${place}:/usr/bin:/bin` };
    const run = (dump: string): string => {
      writeFileSync(join(place, 'n8n.sql'), dump);
      return execFileSync('sh', ['-c', `${ends} || echo nothing`], {
        ...{ cwd: place, env, encoding: 'utf8' },
      });
    };
    for (const dump of ['', 'create table a ();\n']) expect(run(dump)).toBe('nothing\n');
    expect(run('--\n-- PostgreSQL database dump complete\n--\n\n').split('\n')).toEqual([
      '-- PostgreSQL database dump complete',
      'delete statefulset n8n-n8n-tuned-postgresql --cascade=foreground',
      'delete persistentvolumeclaim data-n8n-n8n-tuned-postgresql-0',
      '',
    ]);
  });

  test('end every Deployment of a release before anything is dumped or put back, and wait for their pods', async () => {
    const manifests = await everything();
    const deployments = manifests.filter(({ kind }) => kind === 'Deployment');
    const names = deployments.map(({ metadata }) => metadata.name.replace('n8n-n8n-tuned-', ''));
    expect(names.sort()).toEqual([
      ...['exporter', 'main', 'mcp', 'webhook', 'worker', 'worker-big'],
    ]);
    expect(sections).toHaveLength(2);
    for (const [[first = ''] = []] of sections) {
      // A Deployment that is gone waits for its pods, and no autoscaler has anything to scale.
      const [, selector = ''] =
        /^kubectl delete deployment --cascade=foreground --selector (\S+)$/.exec(first) ?? [];
      const wanted = Object.fromEntries(
        selector.split(',').map((pair) => pair.split('=') as [string, string]),
      );
      for (const { metadata } of deployments) expect(metadata.labels).toMatchObject(wanted);
    }
  });

  test('start the new server alone, with what Helm has of it', async () => {
    const [line = ''] = sections.flat(2).filter((one) => one.startsWith('helm template'));
    const [, template = ''] = /--show-only (\S+)/.exec(line) ?? [];
    const own = ['--set', 'database.type=postgresql', '--show-only', template];
    const { manifests } = await render(paths.helm3, own);
    expect(manifests.map(({ kind }) => kind).sort()).toEqual([
      ...['ConfigMap', 'Service', 'StatefulSet'],
    ]);
  });
});

test.each(['postgresql.md', 'redis.md'])('%s shows values that are rendered elsewhere', (page) => {
  // ci/ is what rendering.test.ts gives to both Helms and holds against Kubernetes' schemas.
  const text = readFileSync(join(docs, page), 'utf8');
  const shown = [...text.matchAll(/<!-- (ci\/\S+) -->\n\n```yaml\n([^]*?)```/g)];
  expect(shown.length).toBeGreaterThanOrEqual(2);
  for (const [, file = '', values] of shown)
    expect(values).toBe(readFileSync(join(chart, file), 'utf8'));
});

test('the values for CloudNativePG name what its Cluster object makes', () => {
  const text = readFileSync(join(docs, 'postgresql.md'), 'utf8');
  const [, object = ''] = /```yaml\n(apiVersion: postgresql\.cnpg\.io[^]*?)```/.exec(text) ?? [];
  const cluster = parse(object) as {
    metadata: { name: string };
    spec: {
      bootstrap: { initdb: { database: string; owner: string } };
      postgresql: { parameters: { max_connections: string } };
    };
  };
  const file = readFileSync(join(chart, 'ci/cloudnativepg-values.yaml'), 'utf8');
  const { external } = (parse(file) as { database: { external: object } }).database;
  const { name } = cluster.metadata;
  expect(external).toMatchObject({
    host: `${name}-rw`,
    database: cluster.spec.bootstrap.initdb.database,
    user: cluster.spec.bootstrap.initdb.owner,
    existingSecret: `${name}-app`,
    maxConnections: Number(cluster.spec.postgresql.parameters.max_connections),
    tls: { existingSecret: `${name}-ca` },
  });
});

test('gitops.md lets Argo CD keep the number of a Deployment that has no number beside an autoscaler', async () => {
  const text = readFileSync(join(docs, 'gitops.md'), 'utf8');
  const [, added = '{}'] = /```yaml\n(spec:\n {2}ignoreDifferences:[^]*?)```/.exec(text) ?? [];
  const { spec } = parse(added) as {
    spec?: { ignoreDifferences: object[]; syncPolicy: { syncOptions: string[] } };
  };
  const scaled = ['--set', 'preset=medium', '--set', 'worker.autoscaling.enabled=true'];
  const { manifests } = await render(paths.helm3, scaled);
  const left = manifests.filter(
    ({ kind, spec: of }) => kind === 'Deployment' && !('replicas' in (of as object)),
  );
  expect(left).toHaveLength(1);
  expect(spec?.ignoreDifferences).toEqual([
    {
      ...{ group: 'apps', kind: 'Deployment', name: left[0]?.metadata.name },
      jsonPointers: ['/spec/replicas'],
    },
  ]);
  const [, shown = ''] = /```yaml\n(apiVersion: argoproj\.io[^]*?)```/.exec(text) ?? [];
  const application = parse(shown) as { spec: { syncPolicy: { syncOptions: string[] } } };
  expect(spec?.syncPolicy.syncOptions).toEqual([
    ...application.spec.syncPolicy.syncOptions,
    'RespectIgnoreDifferences=true',
  ]);
});

test.each([...pages, join(chart, 'README.md')])('%s links to what is there', (page) => {
  const links = [...readFileSync(page, 'utf8').matchAll(/\]\(([^)#:]+)\)/g)].map(
    ([, link]) => link ?? '',
  );
  expect(links.filter((link) => !existsSync(join(dirname(page), link)))).toEqual([]);
});
