// The pod of a Job cannot be changed: under tools that apply every render, another pod needs another name.
import { paths, render } from './support/helm.ts';

const jobNames = async (args: string[]): Promise<Record<string, string>> => {
  const { manifests } = await render(paths.helm3, [
    '--set=loadTargets.enabled=true,loadTest.enabled=true',
    ...args,
  ]);
  const names = manifests.filter(({ kind }) => kind === 'Job').map(({ metadata }) => metadata.name);
  return Object.fromEntries(names.map((name) => [name.replace(/-[0-9a-f]{8}$/, ''), name]));
};

const SECRETS = 'n8n-n8n-tuned-make-secrets';
const LOAD = 'n8n-n8n-tuned-load-test';

test.each([
  ['nothing', '', []],
  ['what only main has', 'main.podLabels.a=b', []],
  ['labels of everything', 'commonLabels.team=a', [LOAD, SECRETS]],
  ['the pull policy', 'image.pullPolicy=Always', [LOAD, SECRETS]],
  ['pull secrets', 'imagePullSecrets[0].name=x', [LOAD, SECRETS]],
  ['where pods may run', 'pod.nodeSelector.a=b', [LOAD, SECRETS]],
  ['resources of small jobs', 'initResources.limits.memory=2Gi', [SECRETS]],
  ['what is loaded', 'loadTest.target=http://n8n.example.com', [LOAD]],
])('%s: another pod has another name', async (_, set, changed) => {
  const before = await jobNames([]);
  const after = await jobNames(['--set', set]);
  expect(Object.keys(before).sort()).toEqual([LOAD, SECRETS]);
  const differing = Object.keys(before).filter((name) => before[name] !== after[name]);
  expect(differing.sort()).toEqual(changed);
});
