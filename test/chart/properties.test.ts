// Hundreds of random valid values: whatever is combined, no rendering breaks a rule of support/invariants.ts.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { paths, render } from './support/helm.ts';
import { violations } from './support/invariants.ts';
import { runs } from '../support/properties.ts';
import { SEED } from './support/seed.ts';
import { anyValues, GIVEN_BY_USER } from './support/values.ts';

/** RENDERINGS and SEED repeat a failure or look further. */
const RENDERINGS = Number(process.env['RENDERINGS'] ?? runs(200));
/** Every so many-th is also rendered by Helm 4. */
const HELM_4_EVERY = 4;
/** A rendering and its look take about 0.3 s of one core. */
const SIDE_BY_SIDE = 2;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-values-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Broken rules of one rendering, and whether the Helms differ. */
async function broken(file: string, bothHelms: boolean): Promise<string[]> {
  const args = ['--skip-tests', '-f', file];
  const { manifests } = await render(paths.helm3, args);
  const found = violations(manifests, GIVEN_BY_USER);
  if (!bothHelms) return found;
  const four = await render(paths.helm4, args);
  const isSame = isDeepStrictEqual(four.manifests, manifests);
  return isSame ? found : [...found, 'Helm 3 and Helm 4 render it differently'];
}

test(`${RENDERINGS} random valid values of seed ${SEED} render without a broken rule`, async () => {
  // Samples instead of fc.assert: many at once, and a failing one is printed whole.
  const samples = fc.sample(anyValues, { numRuns: RENDERINGS, seed: SEED });
  const failures: string[] = [];
  const next = samples.entries();
  const worker = async (): Promise<void> => {
    for (const [index, values] of next) {
      const file = join(folder, `${index}.json`);
      writeFileSync(file, JSON.stringify(values));
      const found = await broken(file, index % HELM_4_EVERY === 0).catch((error: unknown) => [
        String((error as { stderr?: string }).stderr ?? error),
      ]);
      if (found.length > 0) failures.push(`${found.join('; ')} <- ${JSON.stringify(values)}`);
    }
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, worker));
  expect(failures).toEqual([]);
}, 1_800_000);

test('the rules themselves can fail', async () => {
  const { manifests } = await render(paths.helm3);
  const deployment = manifests.find(({ kind }) => kind === 'Deployment');
  const spec = deployment?.['spec'] as {
    template: { spec: { containers: { env: unknown[] }[] } };
    selector: { matchLabels: Record<string, string> };
  };
  const env = spec.template.spec.containers[0]?.env ?? [];
  env.push(env[0], { name: 'X', valueFrom: { secretKeyRef: { name: 'nobody', key: 'k' } } });
  manifests.push(
    {
      ...{ apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name: 'strict' } },
      spec: { maxUnavailable: 0, selector: { matchLabels: {} } },
    },
    {
      ...{ apiVersion: 'keda.sh/v1alpha1', kind: 'ScaledObject', metadata: { name: 'scaler' } },
      spec: {
        scaleTargetRef: { name: deployment?.metadata.name },
        triggers: [
          { metadata: { listName: 'mine:jobs:wait' }, authenticationRef: { name: 'nobody' } },
        ],
      },
    },
  );
  env.push({ name: 'QUEUE_BULL_PREFIX', value: 'bull' });
  spec.selector.matchLabels['other'] = 'label';
  expect(violations(manifests)).toEqual(
    expect.arrayContaining([
      expect.stringContaining('is set twice'),
      'Secret nobody/k is referenced and not there',
      expect.stringContaining('selects no pod'),
      'PodDisruptionBudget strict can block a drain',
      'ScaledObject scaler counts mine:jobs:wait, n8n uses bull',
      'TriggerAuthentication nobody is referenced and not there',
    ]),
  );
});
