/**
 * What the chart's files/environment.yaml says of a process of n8n, where its expressions are described. The chart's
 * templates/env/_table.tpl reads the same file; the cases of test/support/environment-cases.yaml hold for both.
 */
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { Mistake } from '../ui/errors';
import { findBundled } from '../lab/kit';
import { readPlainFile } from '../linux/plain-file';
import { compareVersions } from '../ui/versions';
import { ROLES, type Role } from './roles';
import { parseMemory } from './quantities';

export type NamedSettings = Record<string, unknown>;

export const chartFolder = (): string => findBundled(join('charts', 'n8n-tuned'), 'Chart.yaml');
/** The chart of what is loaded. */
export const loadChartFolder = (): string => findBundled(join('charts', 'n8n-load'), 'Chart.yaml');

const read = new Map<string, unknown>();

/** A file of the chart, which nobody may change. */
export function chartFile(...path: string[]): unknown {
  const file = join(chartFolder(), ...path);
  // JSON is YAML too, and YAML's parser takes its time.
  const parsed = (text: string): unknown =>
    file.endsWith('.json') ? JSON.parse(text) : parse(text);
  if (!read.has(file)) read.set(file, parsed(readPlainFile(file)));
  return read.get(file);
}

/** The n8n that the chart deploys, and everything else that is not told another. */
export const chartVersion = (): string =>
  (chartFile('Chart.yaml') as { appVersion: string }).appVersion;

type Expression = string | number | boolean | { [operator: string]: Expression | Expression[] };
const expression = z.custom<Expression>((value) => value !== null && value !== undefined);

const rowSchema = z.strictObject({
  name: z.string(),
  value: expression.optional(),
  secret: z.unknown().optional(),
  roles: z.array(z.enum(ROLES)).optional(),
  when: expression.optional(),
  n8n: z.string().optional(),
  setting: z.string().optional(),
  default: z.number().optional(),
  code: z.union([z.literal('sandbox'), z.array(z.string())]).optional(),
  part: z.enum(['layout', 'place', 'outside']).optional(),
  unit: z.string().optional(),
  why: z.string().optional(),
  study: z.string().optional(),
});
type Row = z.infer<typeof rowSchema>;

const rows = z.array(rowSchema);
const setting = z.union([z.string(), z.number(), z.boolean()]);
export type Setting = z.infer<typeof setting>;
const tableSchema = z.strictObject({
  tuning: z.record(z.string(), z.looseObject({ default: setting, why: z.string() })),
  names: rows,
  options: rows,
  patches: rows,
  runners: z.strictObject({
    oldSpace: z.string(),
    handedDown: z.array(z.string()),
    variables: rows,
  }),
  variables: rows,
  withoutRow: z.strictObject({ place: z.array(z.string()), outside: z.array(z.string()) }),
});

let known: z.infer<typeof tableSchema> | undefined;
export function table(): z.infer<typeof tableSchema> {
  if (known !== undefined) return known;
  const read = tableSchema.parse(chartFile('files', 'environment.yaml'));
  const { variables } = versions();
  for (const row of read.variables) if (row.n8n === 'config') row.n8n = variables[row.name] ?? NONE;
  return (known = read);
}

/** Whether a row holds wherever n8n runs. */
export const isOfKit = ({ part }: Pick<Row, 'part'>): boolean =>
  part === undefined || part === 'layout';

/** Null: a setting, the same wherever n8n runs. `X_FILE` holds what X would, in a file of the place. */
function partOf(variable: string): NonNullable<Row['part']> | null {
  const { variables, withoutRow } = table();
  const name = variable.replace(/_FILE$/, '');
  const row = variables.find((each) => each.name === variable || each.name === name);
  const isListed = (part: keyof typeof withoutRow): boolean =>
    withoutRow[part].some((each) => new RegExp(`^${each.replace('*', '.*')}$`).test(name));
  if (row?.part !== undefined) return row.part;
  if (row === undefined && isListed('place')) return 'place';
  if (row === undefined && isListed('outside')) return 'outside';
  return name === variable ? null : 'place';
}

/** Tells n8n where it is and what it is called: what a cluster or a Compose file says of it means nothing elsewhere. */
export const isOfPlace = (variable: string): boolean => partOf(variable) !== null;

/** Gives an n8n that is started here another layout, or leads it to what is the user's. */
export const leadsOutside = (variable: string, value: string): boolean =>
  value !== 'false' && ['layout', 'outside'].includes(partOf(variable) ?? '');

/** No version is within it. */
const NONE = '<0.0.0';

const profiles = new Map<string, Readonly<Record<string, Setting>>>();

/** What a profile sets; without a name, every setting of the default one. */
export function profileOf(name = 'default'): Readonly<Record<string, Setting>> {
  const settings =
    profiles.get(name) ??
    Object.fromEntries(
      Object.entries(table().tuning).map(([key, values]) => [
        key,
        setting.parse(values[name] ?? values.default),
      ]),
    );
  profiles.set(name, settings);
  return settings;
}

/** One role as it is deployed. */
export interface Component {
  role: Role;
  n8n: string;
  /** The chart's values, complete. */
  values: NamedSettings;
  /** Those of the role. */
  own: NamedSettings;
  /** The user's. */
  variables: NamedSettings;
  /** MiB; what is not there V8 decides. */
  heap: Partial<Record<string, number>>;
  named: NamedSettings;
}

const isMap = (value: unknown): value is NamedSettings =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Tells what Helm takes as true. */
function isTrue(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return isMap(value) ? Object.keys(value).length > 0 : Boolean(value);
}

const whole = (value: unknown): number => Math.trunc(Number(value ?? 0)) || 0;
const asText = (value: unknown): string =>
  value === null || value === undefined || isMap(value) ? '' : String(value as Setting);

/** Those whose names say something by themselves. */
const OF_NAMES: Record<string, (name: string, component: Component) => unknown> = {
  text: (name) => name,
  variable: (name, { variables }) => asText(variables[name]),
  number: (name, { variables }) => {
    const text = asText(variables[name]);
    return /^[1-9][0-9]*$/.test(text) ? Number(text) : '';
  },
  sets: (name, { variables }) => name in variables,
  supports: (name, { n8n }) => supports(n8n, name),
  heap: (name, { heap }) => heap[name],
};

const OF_VALUES: Record<string, (values: unknown[]) => unknown> = {
  not: ([value]) => !isTrue(value),
  all: (values) => values.every(isTrue),
  any: (values) => values.some(isTrue),
  if: ([condition, yes, no]) => (isTrue(condition) ? yes : no),
  default: (values) => values.find(isTrue) ?? '',
  join: ([list]) => (Array.isArray(list) ? list.join(',') : ''),
  over: ([above, below]) => Math.ceil(Number(above) / Number(below)),
  min: (values) => Math.min(...values.map(whole)),
  max: (values) => Math.max(...values.map(whole)),
  times: (values) => values.map(whole).reduce((product, value) => product * value),
};

export function evaluate(of: Expression, component: Component): unknown {
  if (typeof of === 'string') return lookUp(of, component);
  if (typeof of !== 'object') return of;
  const [operator = '', given = ''] = Object.entries(of)[0] ?? [];
  const all = Array.isArray(given) ? given : [given];
  if (operator === 'is') {
    const [value = '', ...texts] = all;
    return texts.includes(asText(evaluate(value, component)));
  }
  const byName = OF_NAMES[operator];
  if (byName !== undefined) return byName(String(given as string), component);
  const byValues = OF_VALUES[operator];
  if (byValues === undefined) throw new Error(`nobody knows the operator ${operator}`);
  return byValues(all.map((each) => evaluate(each, component)));
}

function lookUp(name: string, component: Component): unknown {
  if (name in component.named) return component.named[name];
  if (name === 'role') return component.role;
  // The target that starts the process adds the patches: it knows their paths.
  if (name === 'nodeOptions') return '';
  const [first = '', ...rest] = name.split('.');
  const tuning = isMap(component.values['tuning']) ? component.values['tuning'] : {};
  if (first === 'tuning') {
    const [key = ''] = rest;
    return tuning[key] ?? profileOf(asText(tuning['profile']))[key];
  }
  return at(
    first === 'own' ? component.own : component.values,
    first === 'own' ? rest : [first, ...rest],
  );
}

export const at = (values: unknown, path: readonly string[]): unknown =>
  path.reduce((inner, key) => (isMap(inner) ? inner[key] : undefined), values);

const ranges = z.record(z.string(), z.string());
const versionsSchema = z.looseObject({
  features: ranges,
  variables: ranges,
  removed: z.record(
    z.string(),
    z.strictObject({ n8n: z.string(), instead: z.string().optional() }),
  ),
});
let knownVersions: z.infer<typeof versionsSchema> | undefined;
const versions = (): z.infer<typeof versionsSchema> =>
  (knownVersions ??= versionsSchema.parse(chartFile('files', 'versions.yaml')));

/** What exists in which n8n, by its name in files/versions.yaml. */
export function supports(n8n: string, feature: string): boolean {
  const range = versions().features[feature];
  if (range === undefined)
    throw new Error(`files/versions.yaml does not know the feature ${feature}`);
  return isWithin(n8n, range);
}

/** Whether an n8n reads a variable of its own, as files/versions.yaml has it. */
export const readsVariable = (n8n: string, name: string): boolean =>
  isWithin(n8n, versions().variables[name] ?? NONE);

/** `>=1.68.0-0 <2.0.0-0 || >=2.4.0-0`: the release candidates of a bound are of its side. */
export function isWithin(n8n: string, range: string): boolean {
  return range.split('||').some((part) =>
    [...part.matchAll(/(>=|<)([\d.]+)/g)].every(([, sign, bound = '']) => {
      const side = compareVersions(n8n, bound);
      return sign === '<' ? side < 0 : side >= 0;
    }),
  );
}

/** The values of a role over those of all, where null means "not set"; a variable of null is taken out. */
function layered(under: NamedSettings, over: NamedSettings): NamedSettings {
  const result = { ...under };
  for (const [key, value] of Object.entries(over)) {
    const below = under[key];
    if (key === 'env')
      result[key] = { ...(isMap(below) ? below : {}), ...(value as NamedSettings | null) };
    else if (isMap(value) && isMap(below)) result[key] = layered(below, value);
    else if (value !== null) result[key] = value;
  }
  return result;
}

/** Reads a role out of values that are complete. */
export function componentOf(values: NamedSettings, role: Role, n8n: string): Component {
  const settingsOf = (key: string): NamedSettings => (values[key] ?? {}) as NamedSettings;
  const own = layered(settingsOf('pod'), settingsOf(role));
  const variables = { ...settingsOf('env'), ...(own['env'] as NamedSettings | undefined) };
  const component: Component = {
    ...{ role, n8n, values, own, variables, heap: {}, named: {} },
  };
  for (const { name, value = '' } of table().names) {
    component.named[name] = evaluate(value, component);
  }
  component.heap = heapsOf(component);
  return component;
}

/** The user's, under those of the role. */
export const heapSettings = ({ values, own }: Component): NamedSettings => ({
  ...(values['heap'] as NamedSettings),
  ...(own['heap'] as NamedSettings | undefined),
});

/** n8n as it comes, which the chart does not deploy, and n8n-tuned does on one machine. */
export const isUntuned = (values: NamedSettings): boolean =>
  at(values, ['tuning', 'profile']) === 'none';

/** MiB of V8's heaps by their shares of the memory limit: docs/chart/tuning.md#memory. */
function heapsOf(component: Component): Component['heap'] {
  const { values, own, named } = component;
  const heap = heapSettings(component);
  const limit = at(own, ['resources', 'limits', 'memory']);
  if (limit === undefined || limit === null || heap['enabled'] !== true) return {};
  if (isUntuned(values)) return {};
  const shares = {
    oldSpace: heap['oldSpace'],
    ...(named['runnerMode'] === 'off' ? {} : { runnerPayload: heap['runnerPayload'] }),
    ...(named['runnerMode'] === 'internal' ? { runnerOldSpace: heap['runnerOldSpace'] } : {}),
  };
  const limitMiB = mebibytes(limit);
  return Object.fromEntries(
    Object.entries(shares).map(([name, share]) => [name, shareOf(asText(share), limitMiB)]),
  );
}

function shareOf(share: string, limitMiB: number): number {
  const [, above, below] = /^(\d+)\/(\d+)$/.exec(share) ?? [];
  if (above === undefined) return mebibytes(share);
  return Math.floor((limitMiB * Number(above)) / Number(below));
}

/** A bare number is bytes to Kubernetes. */
export const mebibytes = (amount: unknown): number =>
  /^\d+$/.test(asText(amount)) ? Math.floor(Number(amount) / 2 ** 20) : parseMemory(asText(amount));

export interface RoleEnvironment {
  /** Without NODE_OPTIONS. */
  variables: Record<string, string>;
  /** Options of Node.js, but for the patches. */
  options: string[];
  /** Names of scripts that Node.js loads before n8n. */
  patches: string[];
}

/** What a task runner in a container of its own gets beside an n8n with this environment. */
export function runnerEnvironment(
  n8n: string,
  ofN8n: Readonly<Record<string, string>>,
  limitMiB: number | undefined,
): Record<string, string> {
  const { oldSpace, handedDown, variables } = table().runners;
  const options =
    limitMiB === undefined
      ? {}
      : { NODE_OPTIONS: `--max-old-space-size=${String(shareOf(oldSpace, limitMiB))}` };
  const bare = { values: {}, own: {}, variables: {}, heap: {}, named: {} };
  const component: Component = { role: 'worker', n8n, ...bare };
  const own = variables.map(({ name, value = '' }) => [name, asText(evaluate(value, component))]);
  const passedOn = Object.entries(ofN8n).filter(([name]) => handedDown.includes(name));
  const set = Object.fromEntries([...own, ...passedOn]) as Record<string, string>;
  return { ...options, ...set };
}

/** A value that the user gives is never dropped: the chart refuses it with the same sentence. */
function refuseUnknown({ n8n, values, variables }: Component, rows: readonly Row[]): void {
  for (const [name, { n8n: range, instead }] of Object.entries(versions().removed)) {
    if ((variables[name] ?? null) === null || !isWithin(n8n, range)) continue;
    const advice = instead === undefined ? 'remove it' : `use ${instead}`;
    throw new Mistake(`env.${name}: n8n ${n8n} no longer reads it: ${advice}.`);
  }
  const defaults = profileOf();
  const given = (asked: string, ofChart: unknown): unknown => {
    const value = at(values, asked.split('.'));
    return value === (ofChart ?? defaults[asked.replace('tuning.', '')]) ? null : value;
  };
  refuseUnread(n8n, rows, given);
}

/** Settings of the tuning that the user asks for by name, their defaults too. */
export const refuseUnreadSettings = (n8n: string, settings: NamedSettings): void => {
  const rows = [...table().patches, ...table().variables];
  refuseUnread(n8n, rows, (asked) => at({ tuning: settings }, asked.split('.')));
};

function refuseUnread(
  n8n: string,
  rows: readonly Row[],
  given: (asked: string, ofChart: unknown) => unknown,
): void {
  for (const { name, setting: asked, default: ofChart, n8n: range } of rows) {
    if (asked === undefined || range === undefined || isWithin(n8n, range)) continue;
    if (!isTrue(given(asked, ofChart))) continue;
    throw new Mistake(
      `${asked}: this setting has no effect in n8n ${n8n} (${name}: n8n ${range.replaceAll('-0', '')}): remove the setting, or use another n8n version.`,
    );
  }
}

/** Whether this n8n has what a value of the chart asks for. */
export function hasSetting(n8n: string, asked: string): boolean {
  const { patches, variables } = table();
  return [...patches, ...variables].every(
    ({ setting, n8n: range }) => setting !== asked || range === undefined || isWithin(n8n, range),
  );
}

/** What the kit sets in a process, apart from its place; untuned, only what any n8n needs. */
export function environmentOf(component: Component): RoleEnvironment {
  const { options, patches, variables } = table();
  const untuned = isUntuned(component.values);
  refuseUnknown(component, [...patches, ...variables]);
  const chosen = (all: readonly Row[]): [string, string][] =>
    all.flatMap((row) => {
      const isIn =
        isOfKit(row) &&
        (!untuned || row.part === 'layout') &&
        (row.roles ?? ROLES).includes(component.role) &&
        (row.n8n === undefined || isWithin(component.n8n, row.n8n)) &&
        (row.when === undefined || isTrue(evaluate(row.when, component)));
      const text = isIn && row.value !== undefined ? asText(evaluate(row.value, component)) : '';
      return isIn && (text !== '' || row.value === undefined) ? [[row.name, text]] : [];
    });
  return {
    variables: Object.fromEntries(chosen(variables)),
    options: chosen(options).map(([name, value]) => `--${name}=${value}`),
    patches: chosen(patches).map(([name]) => name),
  };
}
