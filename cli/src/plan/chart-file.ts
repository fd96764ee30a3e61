/** A chart that is not ours, with what must be known of it to deploy and load it. */
import { dirname, isAbsolute, resolve } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { messageOf, Mistake } from '../ui/exit';
import { parseYamlFile } from '../ui/yaml-file';
import { readPlainFile } from '../linux/plain-file';

/** Roles of pods that a chart may have. */
const CHART_ROLES = ['main', 'worker', 'webhook', 'redis', 'postgresql'] as const;
export type ChartRole = (typeof CHART_ROLES)[number];

/** The rule of Helm for the name of a release. */
export const isReleaseName = (name: string): boolean =>
  name.length <= 53 &&
  /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(name);

const labels = z.record(z.string(), z.string());
const files = z.array(z.string()).default([]);

/** Helm would take it for an option. */
const word = z.string().regex(/^[^-]/, 'expected a value that does not begin with a dash');

export const chartFileSchema = z.strictObject({
  chart: word,
  repository: word.optional(),
  version: word.optional(),
  /** The name of the release, where what follows depends on it; left out: a name of the call's own. */
  release: z
    .string()
    .refine(isReleaseName, 'expected lower-case letters, digits and dashes')
    .optional(),
  values: files,
  /** Put into the namespace before the chart, such as its stores. */
  manifests: files,
  /** That takes the webhooks; left out: found by labels. */
  service: z.strictObject({ name: z.string(), port: z.int().positive().optional() }).optional(),
  /** Labels of the pods of each role; left out: by app.kubernetes.io/component. */
  roles: z.partialRecord(z.enum(CHART_ROLES), labels).default({}),
});

type ChartFile = z.infer<typeof chartFileSchema>;

export interface ForeignChart extends Omit<ChartFile, 'values' | 'manifests'> {
  values: { name: string; text: string }[];
  manifests: { name: string; text: string }[];
}

/** Paths in it are relative to where it lies. */
export function readChartFile(file: string): ForeignChart {
  const parsed = parseYamlFile(textOf(file), file, {
    name: 'chart file',
    schema: chartFileSchema,
  });
  const beside = (path: string): string => (isAbsolute(path) ? path : resolve(dirname(file), path));
  const read = (name: string): { name: string; text: string } => ({
    name,
    text: textOf(beside(name)),
  });
  return {
    ...parsed,
    chart: /^\.{0,2}\//.test(parsed.chart) ? beside(parsed.chart) : parsed.chart,
    values: parsed.values.map(read),
    manifests: parsed.manifests.map(read),
  };
}

/** Whether the file describes a chart: no topology, no server and no values file begins so. */
export function isChartFile(file: string): boolean {
  try {
    const content = parse(readPlainFile(file)) as { chart?: unknown } | null;
    return typeof content?.chart === 'string';
  } catch {
    return false;
  }
}

function textOf(file: string): string {
  try {
    return readPlainFile(file);
  } catch (error) {
    throw new Mistake(`${file} cannot be read: ${messageOf(error)}.`);
  }
}
