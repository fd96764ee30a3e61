import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { completed, kitEnvironment } from '../../../cli/src/plan/chart-values';
import {
  componentOf,
  environmentOf,
  evaluate,
  isOfPlace,
  isWithin,
  table,
} from '../../../cli/src/plan/environment';
import { ROLES, type Role } from '../../../cli/src/plan/roles';
import { n8nEnv } from '../../../cli/src/targets/process/layout';
import { TUNING_NAMES, topologySchema, TUNINGS } from '../../../cli/src/plan/topology';
import { repositoryRoot } from '../../../cli/src/lab/paths';
import { N8N_VERSION, N8N_LEGACY_VERSION } from '../../support/versions';
import { keptForMs } from '../../../cli/src/plan/kept-executions';

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
  expect(within('<1.70.0-0 || >=2.0.0-0')).toEqual(['1.68.0', '2.0.0-rc.1', '2.0.0']);
});

test('what the kit decides says why, and a study that it names exists', () => {
  const { options, patches, variables, runners } = table();
  const isDecided = ({ name, value, when, part }: (typeof variables)[number]): boolean =>
    name.endsWith('.cjs') ||
    (part === undefined &&
      typeof value !== 'string' &&
      !(value === true && typeof when === 'string'));
  const rows = [...options, ...patches, ...variables, ...runners.variables];
  expect(rows.filter((row) => isDecided(row) && !row.why).map(({ name }) => name)).toEqual([]);
  const settings = Object.values(table().tuning).map(({ study }) => study as string | undefined);
  const studies = [...settings, ...rows.map(({ study }) => study)].filter((name) => name != null);
  expect(studies.filter((name) => !existsSync(join(root, 'studies', name)))).toEqual([]);
});

test('a variable is of a place if its row says so, or if it has no row and is listed', () => {
  const { variables, withoutRow } = table();
  const judged = variables.map(({ name, part }) => [name, part ?? null, isOfPlace(name)]);
  expect(judged).toEqual(
    variables.map(({ name, part }) => [name, part ?? null, part !== undefined]),
  );
  const names = [...withoutRow.place, ...withoutRow.outside];
  expect(names.filter((name) => variables.some((row) => row.name === name))).toEqual([]);
  expect(names.filter((name) => !isOfPlace(name.replace('*', 'X')))).toEqual([]);
  for (const name of ['MINE', 'N8N_LOG_LEVEL', 'N8N_RUNNERS_ENABLED', 'DB_POSTGRESDB_POOL_SIZE']) {
    expect([name, isOfPlace(name), isOfPlace(`${name}_FILE`)]).toEqual([name, false, true]);
  }
});

test('a process on one machine gets nothing beyond the settings that is not of its place', () => {
  const seat = {
    ...{ folder: '/n8n', port: 1, brokerPort: 2, webhookUrl: 'http://127.0.0.1:1' },
    ...{ database: { kind: 'postgresql', port: 3 } as const, redisPort: 4 },
    ...{ filesFolder: '/files', patchFolder: '/kit' },
  };
  for (const role of ROLES) {
    const topology = topologySchema.parse({ mode: 'queue', webhooks: { count: 1 } });
    const own = { ...n8nEnv(topology, { ...seat, role }) };
    for (const name of Object.keys(kitEnvironment(topology, role).variables)) {
      Reflect.deleteProperty(own, name);
    }
    const names = Object.keys(own).filter((name) => name !== 'NODE_OPTIONS');
    expect(names.filter((name) => !isOfPlace(name))).toEqual([]);
  }
});

test('no variable is withheld from an n8n whose own configuration reads it', () => {
  const file = join(root, 'lab/n8n/variables.json');
  const { read, variables } = JSON.parse(readFileSync(file, 'utf8')) as {
    read: string[];
    variables: Record<string, string>;
  };
  const withheld = table().variables.flatMap(({ name, n8n }) =>
    read
      .filter((version) => isWithin(version, variables[name] ?? '<0.0.0'))
      .filter((version) => n8n !== undefined && !isWithin(version, n8n))
      .map((version) => `${name}: ${version}`),
  );
  expect(read.length).toBeGreaterThan(150);
  expect(withheld.filter((one) => !WITHHELD.some((name) => one.startsWith(name)))).toEqual([]);
});

/** The variables that n8n's configuration has before the feature behind them, and those that it no longer needs. */
const WITHHELD = [
  'N8N_SCHEDULER_ENABLED',
  'N8N_USE_WORKFLOW_PUBLICATION_SERVICE',
  'QUEUE_WORKER_TIMEOUT',
  'N8N_RUNNERS_MAX_OLD_SPACE_SIZE',
  'N8N_RUNNERS_MAX_PAYLOAD',
];

test('a value that the user gives and this n8n does not know is refused, and one that is left out is not', () => {
  const given = { tuning: { readySandboxes: 7 }, executions: { pruning: { bufferHours: 2 } } };
  const refusal = (values: object, n8n: string): string => {
    try {
      environmentOf(componentOf(completed(values), 'main', n8n));
      return 'accepted';
    } catch (error) {
      return String(error);
    }
  };
  expect(refusal(given, '2.40.7')).toBe('accepted');
  expect(refusal(given, '2.4.8')).toContain(
    'tuning.readySandboxes: this setting has no effect in n8n 2.4.8 (N8N_EXPRESSION_ENGINE_POOL_SIZE: n8n >=1.123.66',
  );
  expect(refusal(given, '1.0.0')).toContain(
    'executions.pruning.bufferHours: this setting has no effect in n8n 1.0.0 (',
  );
  expect(refusal({}, '1.0.0')).toBe('accepted');
  expect(refusal({ tuning: { readOnce: false } }, '1.0.0')).toBe('accepted');
  const late = { database: { type: 'postgresql', pingTimeoutSeconds: 21 } };
  expect(refusal(late, '2.27.3')).toBe('accepted');
  expect(refusal(late, '2.27.2')).toContain('database.pingTimeoutSeconds: this setting has no');
  expect(refusal({ database: { pingTimeoutSeconds: 20 } }, '2.27.2')).toBe('accepted');
});

test('a setting that a topology names is refused where n8n does not read it, the default too', () => {
  const environment = (n8n: string): object =>
    kitEnvironment(topologySchema.parse({ n8n, settings: { lazyExpressions: true } }), 'main');
  expect(() => environment('2.39.10')).toThrow(
    'tuning.lazyExpressions: this setting has no effect in n8n 2.39.10 (N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: n8n >=2.40.0)',
  );
  expect(() => environment('2.40.7')).not.toThrow();
});

test('what the chart itself has is no value of the user', () => {
  const rows = table().variables.filter((row) => row.default !== undefined);
  expect(rows.length).toBeGreaterThan(0);
  for (const { setting = '', default: ofChart } of rows) {
    const value = setting
      .split('.')
      .reduce<unknown>((at, key) => (at as never)[key], completed({}));
    expect([setting, value]).toEqual([setting, ofChart]);
  }
});

test('a variable that this n8n no longer reads is refused, with the one that it reads', () => {
  const refusal = (env: object, n8n: string): string => {
    try {
      environmentOf(componentOf(completed({ env }), 'main', n8n));
      return 'accepted';
    } catch (error) {
      return String(error);
    }
  };
  const late = { N8N_DB_PING_TIMEOUT: '9000' };
  expect(refusal(late, '2.48.5')).toBe('accepted');
  expect(refusal(late, '3.0.0')).toContain(
    'env.N8N_DB_PING_TIMEOUT: n8n 3.0.0 no longer reads it: use DB_PING_TIMEOUT_MS.',
  );
  expect(refusal({ N8N_DB_PING_TIMEOUT: null }, '3.0.0')).toBe('accepted');
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
  const plain = kitEnvironment(topologySchema.parse(given), 'worker');
  const settings = { [name]: value };
  expect(kitEnvironment(topologySchema.parse({ ...given, settings }), 'worker')).not.toEqual(plain);
});

test('the worker runs as many executions at once as a setting says', () => {
  const topology = topologySchema.parse({ mode: 'queue', settings: { workerConcurrency: 33 } });
  expect(topology.workers.concurrency).toBe(33);
  expect(kitEnvironment(topology, 'worker').variables['N8N_RUNNERS_MAX_CONCURRENCY']).toBe('33');
});

/** For how long n8n surely keeps what it has executed. */

const HOUR_MS = 3_600_000;
const kept = (given: object): number => keptForMs(topologySchema.parse(given));

test.each(TUNINGS)(
  'n8n keeps executions for an hour, with throughput for no time: with the tuning %s',
  (tuning) => {
    const savesAll = tuning !== 'throughput';
    expect(kept({ tuning })).toBe(savesAll ? HOUR_MS : 0);
  },
);

test.each<[string, object, number]>([
  ['failures that are not saved', { EXECUTIONS_DATA_SAVE_ON_ERROR: 'none' }, 0],
  ['successes that are not saved', { EXECUTIONS_DATA_SAVE_ON_SUCCESS: 'none' }, 0],
  ['no pruning', { EXECUTIONS_DATA_PRUNE: 'false' }, Infinity],
  ['what is pruned kept for longer', { EXECUTIONS_DATA_HARD_DELETE_BUFFER: '3' }, 3 * HOUR_MS],
])('variables decide for how long n8n keeps executions: %s', (_, env, ms) => {
  expect(kept({ env })).toBe(ms);
  // In queue mode the process that took the request deletes.
  expect(kept({ mode: 'queue', webhooks: { count: 1, env } })).toBe(Math.min(ms, HOUR_MS));
  // If nothing is deployed, nothing is deleted.
  expect(kept({ mode: 'queue', webhooks: { count: 0, env } })).toBe(HOUR_MS);
  expect(kept({ main: { env }, workers: { count: 1 } })).toBe(ms);
});

test('n8n below 1.0 prunes only where it is told to', () => {
  expect(kept({ n8n: N8N_LEGACY_VERSION })).toBe(Infinity);
  expect(kept({ n8n: N8N_LEGACY_VERSION, env: { EXECUTIONS_DATA_PRUNE: 'true' } })).toBe(0);
});
