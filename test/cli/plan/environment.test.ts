import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { completed, kitEnvironment } from '../../../cli/src/plan/chart-values';
import { componentOf, evaluate, isWithin, table } from '../../../cli/src/plan/environment';
import type { Role } from '../../../cli/src/plan/roles';
import { TUNING_NAMES, topologySchema } from '../../../cli/src/plan/topology';
import { repositoryRoot } from '../../../cli/src/lab/paths';
import { N8N_VERSION } from '../../support/versions';

interface Case {
  of: Parameters<typeof evaluate>[0];
  values?: { image?: { tag?: string } };
  role?: Role;
  is: string;
}
const root = repositoryRoot();
const cases = parse(
  readFileSync(join(root, 'test/support/environment-cases.yaml'), 'utf8'),
) as Case[];

test.each(cases.map((each) => [JSON.stringify(each), each] as const))(
  'the command reads the expression of the case %s',
  (_, { of, values = {}, role = 'main', is }) => {
    const component = componentOf(completed(values), role, values.image?.tag ?? N8N_VERSION);
    expect(String(evaluate(of, component) ?? '')).toBe(is);
  },
);

test('an operator that nobody knows is an error, not an empty value', () => {
  const component = componentOf(completed({}), 'main', N8N_VERSION);
  expect(() => evaluate({ minus: [1, 2] }, component)).toThrow('nobody knows the operator minus');
});

test('a range of versions counts the release candidates of a bound to its side', () => {
  const within = (range: string): string[] =>
    ['1.68.0', '1.99.9', '2.0.0-rc.1', '2.0.0'].filter((version) => isWithin(version, range));
  expect(within('>=1.68.0-0 <2.0.0-0')).toEqual(['1.68.0', '1.99.9']);
  expect(within('>=2.0.0-0')).toEqual(['2.0.0-rc.1', '2.0.0']);
});

test('every profile of the table is a tuning of the command, and every patch of it is a file', () => {
  const { tuning, patches } = table();
  const named = Object.values(tuning).flatMap((setting) => Object.keys(setting));
  const profiles = new Set(
    named.filter((name) => !['why', 'unit', 'study', 'min', 'choices'].includes(name)),
  );
  expect([...profiles].sort()).toEqual([...TUNING_NAMES].sort());
  for (const { name } of patches) {
    const file = join(root, 'charts/n8n-tuned/files/preload', name);
    expect(readFileSync(file, 'utf8')).toContain(name.replace('.cjs', ''));
  }
});

test.each([
  ['a variable', 'saveProgress', true],
  ['a patch', 'readOnce', false],
  ['an option of Node.js', 'semiSpaceMiB', 16],
  ['the interface', 'headlessWorkers', false],
])('a setting over the profile changes %s: %s', (_, name, value) => {
  const given = { mode: 'queue', main: { memoryMiB: 1536 } };
  const usual = kitEnvironment(topologySchema.parse(given), 'worker');
  const settings = { [name]: value };
  expect(kitEnvironment(topologySchema.parse({ ...given, settings }), 'worker')).not.toEqual(usual);
});

test('the worker runs as many executions at once as a setting says', () => {
  const topology = topologySchema.parse({ mode: 'queue', settings: { workerConcurrency: 33 } });
  expect(topology.workers.concurrency).toBe(33);
  expect(kitEnvironment(topology, 'worker').variables['N8N_RUNNERS_MAX_CONCURRENCY']).toBe('33');
});
