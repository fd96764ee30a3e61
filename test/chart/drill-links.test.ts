// The values with which a drill puts links between n8n and its stores, rendered by the chart as it is deployed then.
import { stringify } from 'yaml';
import { chartFolder } from '../../cli/src/plan/environment.ts';
import { renderChart } from '../../cli/src/targets/chart/render.ts';
import {
  LINKS_CONTAINER,
  linkedValues,
} from '../../cli/src/targets/kubernetes/drill/links-in-values.ts';
import { merged } from '../../cli/src/plan/presets.ts';
import { paths } from './support/helm.ts';
import { podTemplates } from './support/pods.ts';

const PROGRAM = 'console.log("{{ no template }}")';
const QUEUE = {
  executions: { mode: 'queue' },
  database: { type: 'postgresql' },
  webhook: { enabled: true },
  pod: { beforeStart: { first: { command: ['true'] } } },
  worker: { initContainers: [{ name: 'mine', image: 'busybox' }] },
};

const rendered = (values: object): unknown[] =>
  renderChart(paths.helm3, chartFolder(), stringify(values), 'drilled');
const linked = (values: object): unknown[] =>
  rendered(merged(values, linkedValues(values, rendered(values), PROGRAM)) as object);

const n8nPods = (manifests: unknown[]): ReturnType<typeof podTemplates> =>
  podTemplates(manifests as Parameters<typeof podTemplates>[0]).filter(({ spec }) =>
    spec.containers.some(({ name }) => name === 'n8n'),
  );

test('n8n reaches its stores through links that start before everything else in its pod', () => {
  const pods = n8nPods(linked(QUEUE));
  expect(pods).toHaveLength(3);
  for (const { spec } of pods) {
    const [first, ...others] = spec.initContainers ?? [];
    expect([first?.name, first?.restartPolicy]).toEqual([LINKS_CONTAINER, 'Always']);
    const n8n = spec.containers.find(({ name }) => name === 'n8n');
    expect(first?.image).toBe(n8n?.image);
    expect(first?.args?.slice(0, 2)).toEqual(['-e', PROGRAM]);
    expect(JSON.parse(first?.args?.[2] ?? '')).toEqual({
      controlPort: 16_380,
      stores: {
        redis: { port: 16_379, to: { host: 'drilled-n8n-tuned-redis', port: 6379 } },
        postgresql: { port: 15_432, to: { host: 'drilled-n8n-tuned-postgresql', port: 5432 } },
      },
    });
    const valueOf = (wanted: string): unknown =>
      n8n?.env?.filter(({ name }) => name === wanted).map(({ value }) => value);
    expect(valueOf('QUEUE_BULL_REDIS_HOST')).toEqual(['127.0.0.1']);
    expect(valueOf('QUEUE_BULL_REDIS_PORT')).toEqual(['16379']);
    expect(valueOf('DB_POSTGRESDB_HOST')).toEqual(['127.0.0.1']);
    expect(valueOf('DB_POSTGRESDB_PORT')).toEqual(['15432']);
    expect(others.map(({ name }) => name)).not.toContain(LINKS_CONTAINER);
  }
  // The user's own are still there.
  expect(pods.flatMap(({ spec }) => spec.initContainers ?? []).map(({ name }) => name)).toContain(
    'mine',
  );
});

test('in regular mode only the database has a link, and SQLite none', () => {
  const values = { database: { type: 'postgresql' } };
  const [pod] = n8nPods(linked(values));
  expect(Object.keys(storesIn(pod))).toEqual(['postgresql']);
  expect(storesIn(n8nPods(linked({}))[0])).toEqual({});
});

const storesIn = (pod: ReturnType<typeof podTemplates>[number] | undefined): object =>
  (JSON.parse(pod?.spec.initContainers?.[0]?.args?.[2] ?? '') as { stores: object }).stores;

test('a store whose certificate n8n checks is refused in one sentence', () => {
  const values = {
    ...QUEUE,
    redis: { external: { host: 'redis.example.com', tls: { enabled: true } } },
  };
  expect(() => linkedValues(values, rendered(values), PROGRAM)).toThrow(
    /^the fault puts a proxy .* the certificate of redis.example.com is not valid for the proxy/,
  );
});
