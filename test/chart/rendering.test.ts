// Every real configuration and preset: valid Kubernetes, free of broken rules; a share of them also under Helm 4 and linted.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { drawn } from '../support/properties.ts';
import {
  argumentsFor,
  attempt,
  chart,
  KUBERNETES,
  loadChart,
  paths,
  render,
  renderOf,
  type Manifest,
} from './support/helm.ts';
import { violations } from './support/invariants.ts';
import { FOREIGN_KINDS, kubernetesSchemas, type Schemas } from './support/kubernetes-schemas.ts';

const files = ['ci', 'presets'].flatMap((folder) =>
  readdirSync(join(chart, folder)).map((file) => `${folder}/${file}`),
);

/** What the examples expect the user to have made. */
const GIVEN = [
  'n8n-encryption-key',
  'n8n-postgresql',
  'n8n-postgresql-tls',
  'n8n-db-app',
  'n8n-db-ca',
  'n8n-redis',
  'n8n-sentinel',
  // Those of eks-values.yaml come by External Secrets; the others by hand, as the files say.
  'n8n',
  'rds-certificates',
  'memorystore',
  'trusted-ca',
  'n8n-api-key',
  'company-ca',
  'some',
];

let schemas: Schemas;
beforeAll(async () => {
  schemas = await kubernetesSchemas();
}, 120_000);
afterAll(() => schemas.remove());

/** What each renders, by its file: once for all tests. */
const renderings = new Map<string, Promise<Manifest[]>>();
const manifestsOf = (file: string): Promise<Manifest[]> => {
  const known =
    renderings.get(file) ??
    render(paths.helm3, argumentsFor(file)).then(({ manifests }) => manifests);
  renderings.set(file, known);
  return known;
};

test.each(files)('%s breaks no rule', async (file) => {
  const manifests = await manifestsOf(file);
  expect(manifests.length).toBeGreaterThan(5);
  const sidecars = violations(manifests, GIVEN).filter(
    (sentence) => !/container (wait|side) is not restricted/.test(sentence),
  );
  expect(sidecars).toEqual([]);
});

test('all of them are what Kubernetes understands', async () => {
  const manifests: Manifest[] = [];
  for (const file of files) manifests.push(...(await manifestsOf(file)));
  const { code, output } = await attempt(
    paths.kubeconform,
    schemas.kubeconformArguments(manifests, FOREIGN_KINDS),
  );
  expect(output).toMatch(/Invalid: 0, Errors: 0/);
  expect(code).toBe(0);
});

describe.each(drawn(files.length).map((index) => files[index] ?? ''))('%s', (file) => {
  test('renders the same under Helm 3 and Helm 4', async () => {
    const four = await render(paths.helm4, argumentsFor(file));
    expect(four.manifests).toEqual(await manifestsOf(file));
  });

  test('lints strictly', async () => {
    const { code, output } = await attempt(paths.helm3, [
      'lint',
      '--strict',
      '--kube-version',
      KUBERNETES,
      chart,
      '-f',
      join(chart, file),
    ]);
    expect({ code, output }).toMatchObject({ code: 0 });
  });
});

describe.each([
  ['a Job', 'loadTest.enabled=true,target=http://n8n'],
  ['a TestRun', 'loadTest.enabled=true,target=http://n8n,loadTest.parallelism=3'],
])('n8n-load with %s', (_, set) => {
  const args = ['--set', set];

  test('is what Kubernetes understands, the same under Helm 3 and Helm 4, and breaks no rule', async () => {
    const { manifests } = await renderOf(loadChart, paths.helm3, args);
    expect(manifests).toHaveLength(3);
    expect((await renderOf(loadChart, paths.helm4, args)).manifests).toEqual(manifests);
    expect(violations(manifests, GIVEN)).toEqual([]);
    const { code, output } = await attempt(
      paths.kubeconform,
      schemas.kubeconformArguments(manifests, FOREIGN_KINDS),
    );
    expect(output).toMatch(/Invalid: 0, Errors: 0/);
    expect(code).toBe(0);
    const words = ['lint', '--strict', '--kube-version', KUBERNETES, loadChart, ...args];
    expect(await attempt(paths.helm3, words)).toMatchObject({ code: 0 });
  });
});

test.each([
  ['v1', 'Service', { prots: [] }],
  ['gateway.networking.k8s.io/v1', 'HTTPRoute', { hostNames: [] }],
  ['keda.sh/v1alpha1', 'ScaledObject', { scaleTargetRef: { name: 'x' }, triggers: [], max: 1 }],
])('kubeconform would find a wrong field of %s %s', async (apiVersion, kind, spec) => {
  const wrong = { apiVersion, kind, metadata: { name: 'x' }, spec };
  const { output } = await attempt(paths.kubeconform, schemas.kubeconformArguments([wrong], []));
  expect(output).toMatch(/Invalid: 1, Errors: 0/);
});
