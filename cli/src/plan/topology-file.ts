/** A file that lays out n8n: values of the chart, as far as a topology can say them. */
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { readPlainFile } from '../linux/plain-file';
import { messageOf, Mistake } from '../ui/exit';
import { checkedYaml, type Kind } from '../ui/yaml-file';
import { completed } from './chart-values';
import { at, chartFile, isOfKit, isUntuned, table, type NamedSettings } from './environment';
import { ROLES } from './roles';

export function readTopologyFile(file: string): NamedSettings {
  kind ??= { name: 'topology', schema: topologyFileSchema() };
  return checkedYaml(textOf(file), file, kind).parsed;
}

let kind: Kind<NamedSettings> | undefined;

function textOf(file: string): string {
  try {
    return readPlainFile(file);
  } catch (error) {
    throw new Mistake(`the topology ${file} cannot be read: ${messageOf(error)}`);
  }
}

/** The chart's own schema, in which a user need not give anything, and n8n may come without a tuning. */
function topologyFileSchema(): z.ZodType<NamedSettings> {
  const chart = withoutRequired(chartFile('values.schema.json')) as z.core.JSONSchema.JSONSchema;
  const profile = at(chart, ['properties', 'tuning', 'properties', 'profile']);
  (profile as { enum: unknown[] }).enum.unshift('none');
  const values = z.fromJSONSchema(chart) as z.ZodType<NamedSettings>;
  return z.unknown().superRefine(refuseFormerNames).pipe(values.superRefine(refuseElsewhere));
}

function withoutRequired(shape: unknown): unknown {
  if (Array.isArray(shape)) return shape.map(withoutRequired);
  if (shape === null || typeof shape !== 'object') return shape;
  return Object.fromEntries(
    Object.entries(shape)
      .filter(([key, value]) => !(key === 'required' && Array.isArray(value)))
      .map(([key, value]) => [key, withoutRequired(value)]),
  );
}

type Issues = z.core.$RefinementCtx;

/** What n8n-tuned itself calls parts of a topology, and the chart has under other names. */
const NAMES: readonly [path: string, inChart: string][] = [
  ['n8n', 'image.tag'],
  ['mode', 'executions.mode'],
  ['process', 'executions.process'],
  ['database', 'database.type'],
  ['tuning', 'tuning.profile'],
  ['settings', 'tuning'],
  ['workers.count', 'worker.replicas'],
  ['workers', 'worker'],
  ['webhooks.count', 'webhook.replicas with webhook.enabled: true'],
  ['webhooks', 'webhook'],
  ...['main', 'worker', 'webhook'].flatMap((role): [string, string][] => [
    [`${role}.cpuMillicores`, `${role}.resources.limits.cpu, such as 500m`],
    [`${role}.memoryMiB`, `${role}.resources.limits.memory, such as 512Mi`],
    [`${role}.heapMiB`, `${role}.heap.oldSpace, such as 300Mi`],
  ]),
];

function refuseFormerNames(written: unknown, issues: Issues): void {
  const isMap = (value: unknown): boolean => typeof value === 'object' && value !== null;
  for (const [name, inChart] of NAMES) {
    const path = name.split('.');
    const value = at(written, path);
    const isOfChart = inChart.startsWith(`${name}.`) && (isMap(value) || value === null);
    if (value === undefined || isOfChart) continue;
    issues.addIssue({
      code: 'custom',
      path,
      message: `expected ${inChart}, as in the chart's values`,
    });
    return;
  }
}

/** What lays n8n out, or says how it is limited. */
const LAYOUT = [
  ...['preset', 'image.tag', 'image.version', 'executions.mode', 'executions.process'],
  ...['database.type', 'tuning', 'heap', 'env', 'worker.replicas', 'worker.concurrency'],
  ...['webhook.enabled', 'webhook.replicas'],
  ...['pod', ...ROLES].flatMap((role) =>
    ['env', 'heap', 'resources.requests', 'resources.limits.cpu', 'resources.limits.memory'].map(
      (key) => `${role}.${key}`,
    ),
  ),
];

/** Values that the rows of files/environment.yaml read for a process, wherever it runs. */
function readByRows(untuned: boolean): string[] {
  const { names, options, patches, variables } = table();
  const rows = [...options, ...patches, ...variables].filter(
    (row) => isOfKit(row) && (!untuned || row.part === 'layout'),
  );
  // Only the names that these rows use count: what only a row for pods uses changes no process.
  let read = JSON.stringify(rows);
  for (const { name, value } of names.toReversed()) {
    if (!untuned && new RegExp(`"${name}"`).test(read)) read += JSON.stringify(value);
  }
  const named = read.match(/"\w+(\.\w+)+"/g) ?? [];
  return named.flatMap((text) => {
    const path = text.slice(1, -1);
    if (!path.startsWith('own.')) return [path];
    return ['pod', ...ROLES].map((role) => path.replace('own', role));
  });
}

/** Only a cluster has something for the rest: n8n would be measured without it. */
function refuseElsewhere(values: NamedSettings, issues: Issues): void {
  const known = [...LAYOUT, ...readByRows(isUntuned(values))];
  const isKnown = (path: string): boolean =>
    path.startsWith('x-') || known.some((one) => path === one || path.startsWith(`${one}.`));
  const chart = completed({});
  const unknown = issues.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => [...(issue.path ?? []), key].join('.'))
      : [],
  );
  for (const [path, value] of leavesOf(values)) {
    const place = path.join('.');
    if (isKnown(place) || isDeepStrictEqual(value, at(chart, path))) continue;
    if (unknown.some((key) => place === key || place.startsWith(`${key}.`))) continue;
    issues.addIssue({
      ...{ code: 'custom', path },
      message: isUntuned(values)
        ? 'tuning.profile none allows no other tuning values; remove this value, or use another profile'
        : 'this value works only in a cluster; remove it, or deploy the file with --target kubernetes and --values',
    });
  }
}

function leavesOf(values: NamedSettings, above: string[] = []): [string[], unknown][] {
  return Object.entries(values).flatMap(([key, value]): [string[], unknown][] => {
    const path = [...above, key];
    const isMap = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isMap ? leavesOf(value as NamedSettings, path) : [[path, value]];
  });
}
