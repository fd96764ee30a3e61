// README.md and values.schema.json follow from values.yaml, and the schema lets no unknown key through.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv from 'ajv';
import { parse } from 'yaml';
import { readVersions } from '../../capacity/src/lab/paths.ts';
import { attempt, chart } from './support/helm.ts';

interface Shape {
  type?: string | string[];
  properties?: Record<string, Shape>;
  additionalProperties?: unknown;
}

const schema = JSON.parse(readFileSync(join(chart, 'values.schema.json'), 'utf8')) as Shape;
const defaults = parse(readFileSync(join(chart, 'values.yaml'), 'utf8')) as Record<string, unknown>;
const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

test('both are what the generator makes', async () => {
  expect(await attempt(process.execPath, [join(chart, 'tools/generate.mjs'), '--check'])).toEqual({
    code: 0,
    output: '',
  });
});

test('the defaults fit the schema', () => {
  const check = new Ajv({ strict: false }).compile(schema);
  check(defaults);
  expect(check.errors).toBeNull();
});

test('schema and values have the same keys, and every closed map refuses others', () => {
  const differences: string[] = [];
  const compare = (values: Record<string, unknown>, shape: Shape, path: string): void => {
    // A role also takes the keys of `pod`, which values.yaml spells out once.
    const inherited = /^(main|worker|webhook)/.test(path)
      ? Object.keys(schema.properties?.['pod']?.properties ?? {})
      : [];
    const known = Object.keys(shape.properties ?? {});
    for (const key of Object.keys(values))
      if (!known.includes(key)) differences.push(`${path}${key} is not in the schema`);
    for (const key of known) {
      if (!(key in values) && !inherited.includes(key))
        differences.push(`${path}${key} is not in values.yaml`);
    }
    if (shape.additionalProperties !== false && path !== 'global.')
      differences.push(`${path}* is open`);
    for (const [key, value] of Object.entries(values)) {
      const inner = shape.properties?.[key];
      if (isMap(value) && inner?.properties && inner.additionalProperties === false) {
        // Free-form maps of Kubernetes' own shape (resources, probes) are compared by Kubernetes.
        if (!['resources', 'initResources', 'heap'].includes(key) || path === '')
          compare(value, inner, `${path}${key}.`);
      }
    }
  };
  compare(defaults, schema, '');
  expect(
    differences.filter(
      (text) =>
        !/^(initResources|.*(Resources|resources)|main\.shutdown|worker\.shutdown)\./.test(text),
    ),
  ).toEqual([]);
});

test('the default images are the versions that the lab tests with', () => {
  const versions = readVersions();
  const { appVersion, annotations } = parse(readFileSync(join(chart, 'Chart.yaml'), 'utf8')) as {
    appVersion: string;
    annotations: Record<string, string>;
  };
  const tagAt = (...path: string[]): unknown =>
    path.reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], defaults);
  const tags = {
    'n8nio/n8n': appVersion,
    'grafana/k6': tagAt('loadTest', 'image', 'tag'),
    redis: tagAt('redis', 'own', 'image', 'tag'),
    postgres: tagAt('database', 'own', 'image', 'tag'),
  };
  expect(tags).toEqual({
    'n8nio/n8n': versions['N8N_VERSION'],
    'grafana/k6': versions['K6_VERSION']?.replace(/^v/, ''),
    redis: versions['REDIS_IMAGE_TAG'],
    postgres: versions['POSTGRES_IMAGE_TAG'],
  });
  for (const [image, tag] of Object.entries(tags)) {
    expect(annotations['artifacthub.io/images']).toContain(`${image}:${String(tag)}`);
  }
});
