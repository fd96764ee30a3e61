// README.md and values.schema.json follow from values.yaml, and the schema lets no unknown key through.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv from 'ajv';
import { parse } from 'yaml';
import { readVersions } from '../../cli/src/lab/paths.ts';
import { chart, loadChart } from './support/helm.ts';

interface Shape {
  type?: string | string[];
  properties?: Record<string, Shape>;
  additionalProperties?: unknown;
}

const schema = JSON.parse(readFileSync(join(chart, 'values.schema.json'), 'utf8')) as Shape;
const defaults = parse(readFileSync(join(chart, 'values.yaml'), 'utf8')) as Record<string, unknown>;
const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

test('a text goes on over lines, and an example after it is for values.yaml alone', () => {
  const readme = readFileSync(join(chart, 'README.md'), 'utf8');
  const row = (name: string): string =>
    readme.split('\n').find((line) => line.startsWith(`| \`${name}\` `)) ?? '';
  expect(row('ingress.tls')).toBe(
    '| `ingress.tls` | `[]` | TLS, in the format of networking.k8s.io/v1. If you set this value, links begin with https. |',
  );
  expect(row('pod.terminationGracePeriodSeconds')).toMatch(
    /closes connections after its own limit\. \|$/,
  );
});

test('the defaults fit the schema', () => {
  const check = new Ajv({ strict: false }).compile(schema);
  check(defaults);
  expect(check.errors).toBeNull();
});

/** Maps whose keys are Kubernetes' own or the user's: the schema lists them, values.yaml shows a few. */
const FREE = ['resources', 'initResources', 'heap', 'startup', 'readiness', 'liveness'];

test('schema and values have the same keys, and every closed map refuses others', () => {
  const ofPod = schema.properties?.['pod'];
  const differences: string[] = [];
  const compare = (
    values: Record<string, unknown>,
    shape: Shape,
    path: string[],
    inherited?: Shape,
  ): void => {
    const at = (key: string): string => [...path, key].join('.');
    const known = Object.keys(shape.properties ?? {});
    const missing = known.filter(
      (key) => !(key in values) && !(key in (inherited?.properties ?? {})),
    );
    differences.push(
      ...Object.keys(values)
        .filter((key) => !known.includes(key))
        .map((key) => `${at(key)} is not in the schema`),
    );
    differences.push(...missing.map((key) => `${at(key)} is not in values.yaml`));
    if (shape.additionalProperties !== false && path[0] !== 'global')
      differences.push(`${at('*')} is open`);
    for (const [key, value] of Object.entries(values)) {
      const inner = shape.properties?.[key];
      const isClosed = inner?.properties !== undefined && inner.additionalProperties === false;
      if (
        !isMap(value) ||
        !isClosed ||
        (FREE.includes(key) && path.length > 0) ||
        key === 'initResources'
      )
        continue;
      // A role also takes the keys of `pod`, which values.yaml spells out once.
      const isRole = path.length === 0 && ['main', 'worker', 'webhook'].includes(key);
      compare(value, inner, [...path, key], isRole ? ofPod : inherited?.properties?.[key]);
    }
  };
  compare(defaults, schema, []);
  expect(differences).toEqual([]);
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
    redis: tagAt('redis', 'own', 'image', 'tag'),
    postgres: tagAt('database', 'own', 'image', 'tag'),
  };
  expect(tags).toEqual({
    'n8nio/n8n': versions['N8N_VERSION'],
    redis: versions['REDIS_IMAGE_TAG'],
    postgres: versions['POSTGRES_IMAGE_TAG'],
  });
  const others = { python: tagAt('pythonPackages', 'image', 'tag') };
  // A digest beside the tag, so that a user's own tag replaces both.
  expect(others.python).toMatch(/@sha256:[0-9a-f]{64}$/);
  for (const [image, tag] of Object.entries({ ...tags, ...others })) {
    expect(annotations['artifacthub.io/images']).toContain(`${image}:${String(tag)}`);
  }
});

test('n8n-load has the version of n8n-tuned, and images that the lab tests with', () => {
  const versions = readVersions();
  const of = (folder: string, file: string): Record<string, unknown> =>
    parse(readFileSync(join(folder, file), 'utf8')) as Record<string, unknown>;
  const [own, load] = [of(chart, 'Chart.yaml'), of(loadChart, 'Chart.yaml')];
  expect([load['version'], load['appVersion']]).toEqual([own['version'], own['appVersion']]);
  const { loadTest } = of(loadChart, 'values.yaml') as {
    loadTest: Record<'image' | 'starterImage', { tag: string }>;
  };
  const tags = [loadTest.image.tag, loadTest.starterImage.tag];
  const starter = `starter-${String(versions['K6_OPERATOR_VERSION'])}`;
  expect(tags).toEqual([versions['K6_VERSION']?.replace(/^v/, ''), starter]);
  const { 'artifacthub.io/images': images } = load['annotations'] as Record<string, string>;
  for (const tag of tags) expect(images).toContain(`:${tag}`);
});

test("Artifact Hub's metadata has the fields that it reads, and what it shows is in this repository", () => {
  const { annotations, icon } = parse(readFileSync(join(chart, 'Chart.yaml'), 'utf8')) as {
    annotations: Record<string, string>;
    icon: string;
  };
  const listOf = (name: string): Record<string, string>[] =>
    parse(annotations[`artifacthub.io/${name}`] ?? '[]') as Record<string, string>[];
  const shapes = Object.entries({
    images: ['name', 'image'],
    links: ['name', 'url'],
    screenshots: ['title', 'url'],
    changes: ['kind', 'description'],
  });
  for (const [name, fields] of shapes) {
    expect([name, listOf(name).length > 0]).toEqual([name, true]);
    for (const one of listOf(name)) expect(Object.keys(one)).toEqual(fields);
  }
  const kinds = ['added', 'changed', 'deprecated', 'removed', 'fixed', 'security'];
  for (const { kind } of listOf('changes')) expect(kinds).toContain(kind);
  // Raw files, and pages of files or folders.
  const urls = [icon, ...[...listOf('screenshots'), ...listOf('links')].map(({ url }) => url)];
  for (const url of urls) {
    const [, path = ''] =
      /n8n-tuned\/n8n-tuned\/(?:(?:blob|tree)\/)?main\/(.+)$/.exec(url ?? '') ?? [];
    expect([url, path !== '' && existsSync(join(chart, '../..', path))]).toEqual([url, true]);
  }
});
