import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import {
  examinationLines,
  type Examination,
} from '../../../../../cli/src/targets/kubernetes/api/examine';
import {
  checksOf,
  questionsOf,
  RIGHTS,
  type Right,
} from '../../../../../cli/src/targets/kubernetes/api/rights';

interface Role {
  kind: string;
  metadata: { name: string };
  rules: { apiGroups: string[]; resources: string[]; verbs: string[] }[];
}

test('docs/kubernetes.md gives exactly the rights that are used', () => {
  const page = readFileSync(join(__dirname, '../../../../../docs/kubernetes.md'), 'utf8');
  const roles = [...page.matchAll(/```yaml\n(.*?)```/gs)]
    .map(([, text = '']) => parse(text) as Role)
    .filter(({ kind }) => ['Role', 'ClusterRole'].includes(kind));
  expect(roles.length).toBeGreaterThan(0);
  const written = roles.flatMap(({ metadata, rules }) =>
    rules.flatMap(({ apiGroups, resources, verbs }) =>
      apiGroups.flatMap((group) =>
        resources.map((resource) => ({
          ...{ part: metadata.name.replace('n8n-tuned-', ''), group, resource, verbs },
        })),
      ),
    ),
  );
  const used = RIGHTS.map(({ part, group, resource, verbs }) => ({ part, group, resource, verbs }));
  const inOrder = (rights: typeof used) =>
    rights.map((right) => JSON.stringify(right)).toSorted((one, other) => one.localeCompare(other));
  expect(inOrder(written as typeof used)).toEqual(inOrder(used));
});

const parts = (how: 'deploy' | 'existing', namespace: string | null): Right['part'][] => [
  ...new Set(questionsOf(how, namespace).map(({ right }) => right.part)),
];

test('only what is needed is asked for', () => {
  expect(parts('existing', 'load')).toEqual(['load']);
  expect(parts('deploy', 'load')).toEqual(['load', 'deploy', 'drill']);
  expect(parts('deploy', null)).toEqual(['load', 'deploy', 'drill', 'space']);
  // Namespaces are made in no namespace.
  expect(questionsOf('deploy', 'load').every(({ namespace }) => namespace === 'load')).toBe(true);
});

test('a right that only a drill needs keeps nobody from loading', () => {
  const answers = questionsOf('deploy', 'load').map((question) => ({
    ...question,
    isAllowed: question.right.resource !== 'pods/eviction',
  }));
  const found: Examination = {
    ...{
      context: 'work',
      server: 'https://10.0.0.1',
      kubernetes: 'v1.36.3',
      helm: '/usr/bin/helm',
    },
    ...{ rights: checksOf(answers), metricsApi: true, isReady: true },
  };
  const lines = examinationLines(found, 'deploy');
  expect(lines.filter((line) => line.startsWith('  missing'))).toEqual([
    '  missing  permission  create pods/eviction: create is missing (for the drain-node drill)',
  ]);
  expect(lines.at(-1)).toBe(
    'n8n can be deployed and load-tested in this cluster; only the drills named above cannot run.',
  );
});

test('the doctor names the verb that is missing, and what it is for', () => {
  const answers = questionsOf('existing', 'load').map((question) => ({
    ...question,
    isAllowed: question.right.resource !== 'pods/exec' || question.verb === 'get',
  }));
  const found: Examination = {
    context: 'work',
    server: 'https://10.0.0.1',
    kubernetes: 'v1.36.3',
    helm: '/usr/bin/helm',
    rights: checksOf(answers),
    metricsApi: false,
    isReady: false,
  };
  const lines = examinationLines(found, 'existing');
  expect(lines.filter((line) => line.startsWith('  missing'))).toEqual([
    '  missing  permission  get, create pods/exec: create is missing (to run k6, to read the resource usage of its pod and the n8n pods, and to query the database)',
  ]);
  expect(lines.at(-1)).toBe(
    'n8n cannot be load-tested in this cluster yet: docs/kubernetes.md shows the Role that you need.',
  );
  expect(examinationLines({ ...found, kubernetes: 'v1.27.1', isReady: true }, 'deploy')).toEqual(
    expect.arrayContaining([
      '  missing  cluster     v1.27.1: 1.29 or newer is tested',
      'n8n can be deployed and load-tested in this cluster.',
    ]),
  );
});
