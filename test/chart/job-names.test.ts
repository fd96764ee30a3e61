// The pod of a Job cannot be changed: under tools that apply every render, another pod needs another name.
import { chart, loadChart, paths, renderOf } from './support/helm.ts';

const jobNames = async (
  source: string,
  always: string[],
  args: string[],
): Promise<Record<string, string>> => {
  const { manifests } = await renderOf(source, paths.helm3, [...always, ...args]);
  const names = manifests.filter(({ kind }) => kind === 'Job').map(({ metadata }) => metadata.name);
  return Object.fromEntries(names.map((name) => [name.replace(/-[0-9a-f]{8}$/, ''), name]));
};

const SECRETS = 'n8n-n8n-tuned-make-secrets';
const LOAD = 'n8n-n8n-load-load-test';

test.each([
  ['nothing', '', []],
  ['what only main has', 'main.podLabels.a=b', []],
  ['labels of everything', 'commonLabels.team=a', [SECRETS]],
  ['the pull policy', 'image.pullPolicy=Always', [SECRETS]],
  ['pull secrets', 'imagePullSecrets[0].name=x', [SECRETS]],
  ['where pods may run', 'pod.nodeSelector.a=b', [SECRETS]],
  ['resources of small jobs', 'initResources.limits.memory=2Gi', [SECRETS]],
])('%s: another pod that makes Secrets has another name', async (_, set, changed) => {
  await expectChanged(chart, [], set, SECRETS, changed);
});

test.each([
  ['nothing', '', []],
  ['where it is told of', 'commonAnnotations.a=b', []],
  ['labels of everything', 'commonLabels.team=a', [LOAD]],
  ['the pull policy', 'loadTest.pullPolicy=Always', [LOAD]],
  ['pull secrets', 'imagePullSecrets[0].name=x', [LOAD]],
  ['where pods may run', 'loadTest.nodeSelector.a=b', [LOAD]],
  ['what is loaded', 'target=http://n8n.example.com', [LOAD]],
])('%s: another load test has another name', async (_, set, changed) => {
  const always = ['--set=loadTest.enabled=true,target=http://n8n'];
  await expectChanged(loadChart, always, set, LOAD, changed);
});

/** What each chart renders with nothing set. */
const unchanged: Record<string, Promise<Record<string, string>>> = {};

async function expectChanged(
  source: string,
  always: string[],
  set: string,
  name: string,
  changed: readonly string[],
): Promise<void> {
  const before = await (unchanged[source] ??= jobNames(source, always, []));
  const after = await jobNames(source, always, ['--set', set]);
  expect(Object.keys(before)).toEqual([name]);
  expect(Object.keys(before).filter((each) => before[each] !== after[each])).toEqual(changed);
}
