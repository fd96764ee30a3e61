// The chart is whole in itself, under every way to carry it, and small enough for Kubernetes.
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { parse } from 'yaml';
import { attempt, chart, KUBERNETES, loadChart, paths, render, renderOf } from './support/helm.ts';

const MEBIBYTE = 1 << 20;
const WITH_ALL = ['--set', 'loadTest.enabled=true,target=http://n8n'];
const EVERYTHING = ['-f', join(chart, 'ci/everything-on-values.yaml')];
/** What Helm stores apart from the files of a chart. */
const APART = ['Chart.yaml', 'values.yaml', 'values.schema.json'];
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-package-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

test.each([
  ['n8n-tuned', '3', chart, paths.helm3, []],
  ['n8n-tuned', '4', chart, paths.helm4, []],
  ['n8n-load', '3', loadChart, paths.helm3, WITH_ALL],
  ['n8n-load', '4', loadChart, paths.helm4, WITH_ALL],
])(
  '%s, packaged by Helm %s, renders what its folder renders',
  async (name, _, source, helm, values) => {
    const args = ['package', source, '--destination', folder];
    expect(await attempt(helm, args)).toMatchObject({ code: 0 });
    const archive = readdirSync(folder).find((file) => file.startsWith(name)) ?? '';
    const packaged = await renderOf(join(folder, archive), helm, values);
    const own = await renderOf(source, helm, values);
    expect(packaged.text).toBe(own.text);
  },
  60_000,
);

test('n8n-load carries each workflow as it is in the repository, and no other', () => {
  const workflowsIn = (home: string): [string, string][] =>
    readdirSync(home, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.json'))
      .sort()
      .map((file) => [file, readFileSync(join(home, file), 'utf8')]);
  const own = workflowsIn(join(chart, '../../workflows'));
  expect(own.length).toBeGreaterThan(40);
  expect(workflowsIn(join(loadChart, 'files/workflows'))).toEqual(own);
});

describe('in a checkout that was not built', () => {
  const BUILT = /\/files\/(load-target|loadtests|workflows|recover\.cjs)$/;
  const SENTENCE = 'This checkout has not been built: run make build in it';
  let charts: string;
  beforeAll(() => {
    charts = mkdtempSync(join(tmpdir(), 'n8n-tuned-not-built-'));
    cpSync(join(chart, '..'), charts, { recursive: true, filter: (path) => !BUILT.test(path) });
  });
  afterAll(() => {
    rmSync(charts, { recursive: true, force: true });
  });

  test.each([
    ['n8n-tuned', '3', paths.helm3],
    ['n8n-tuned', '4', paths.helm4],
    ['n8n-load', '3', paths.helm3],
  ])('%s under Helm %s ends with one sentence that says what to run', async (name, _, helm) => {
    const { code, output } = await attempt(helm, ['template', 'n8n', join(charts, name)]);
    expect(code).toBe(1);
    expect(output.split(SENTENCE)).toHaveLength(2);
  });

  test('nothing is published', async () => {
    const publish = [join(charts, 'publish.sh'), 'oci://127.0.0.1:1/charts', '--plain-http'];
    const { code, output } = await attempt('env', [`HELM=${paths.helm3}`, ...publish]);
    expect(code).toBe(1);
    expect(output).toContain(SENTENCE);
    expect(output).not.toContain('packaged');
  });
});

test("no file of it is a link, which Flux's Git source drops and Helm warns of", async () => {
  const links = readdirSync(chart, { recursive: true, encoding: 'utf8' }).filter((file) =>
    lstatSync(join(chart, file)).isSymbolicLink(),
  );
  expect(links).toEqual([]);
  const { output } = await attempt(paths.helm3, ['template', chart, '--kube-version', KUBERNETES]);
  expect(output).not.toMatch(/symlink|symbolic|walk/i);
});

test('a default rendering is short enough to be read, without and with the patches in it', async () => {
  const { text, manifests } = await render(paths.helm3);
  const patches = manifests.flatMap(({ data }) =>
    Object.entries((data ?? {}) as Record<string, string>)
      .filter(([name]) => existsSync(join(chart, 'files/preload', name)))
      .map(([, script]) => script.split('\n').length),
  );
  const lines = text.split('\n').length;
  expect(patches.length).toBeGreaterThan(3);
  expect(lines - patches.reduce((sum, each) => sum + each, 0)).toBeLessThan(720);
  expect(lines).toBeLessThan(2000);
});

/** Packed by Go, and with the time of each file, which Helm 4 keeps, a release was 3% larger on a cluster. */
const LIKE_GO = 1.03;

/** The letters that Helm stores: a release with its chart, whose values are parsed, and what it rendered. */
async function releaseSize(source: string, values: string[]): Promise<number> {
  const unpacked = mkdtempSync(join(folder, 'release-'));
  expect(await attempt(paths.helm3, ['package', source, '-d', unpacked])).toMatchObject({
    code: 0,
  });
  const [archive = ''] = readdirSync(unpacked);
  await attempt('tar', ['-xzf', join(unpacked, archive), '-C', unpacked]);
  const home = join(unpacked, basename(source));
  const read = (name: string): Buffer => readFileSync(join(home, name));
  const packed = (names: string[]): { name: string; data: string }[] =>
    names.map((name) => ({ name, data: read(name).toString('base64') }));
  const names = readdirSync(home, { recursive: true, encoding: 'utf8' }).filter((name) =>
    lstatSync(join(home, name)).isFile(),
  );
  const isTemplate = (name: string): boolean => name.startsWith('templates/');
  const isOther = (name: string): boolean => !isTemplate(name) && !APART.includes(name);
  const { text } = await renderOf(source, paths.helm3, values);
  const release = JSON.stringify({
    info: { notes: read('templates/NOTES.txt').toString() },
    chart: {
      metadata: parse(read('Chart.yaml').toString()) as unknown,
      templates: packed(names.filter(isTemplate)),
      values: parse(read('values.yaml').toString()) as unknown,
      schema: read('values.schema.json').toString('base64'),
      files: packed(names.filter(isOther)),
    },
    manifest: text,
  });
  return LIKE_GO * gzipSync(release, { level: 9 }).toString('base64').length;
}

test.each([
  ['n8n-tuned', chart, EVERYTHING],
  ['n8n-load', loadChart, WITH_ALL],
])(
  'the Secret of a release of %s is below half of its limit, with everything on',
  async (_, source, values) => {
    expect(await releaseSize(source, values)).toBeLessThan(MEBIBYTE / 2);
  },
);

test('with everything on, every template renders something, except those that exclude another one', async () => {
  const { text } = await renderOf(chart, paths.helm3, EVERYTHING);
  const rendered = new Set(
    [...text.matchAll(/^# Source: n8n-tuned\/(\S+)$/gm)].map(([, template]) => template),
  );
  const home = join(chart, 'templates');
  const silent = readdirSync(home, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.yaml') && !rendered.has(`templates/${name}`),
  );
  expect(silent.sort()).toEqual([
    'extra-manifests.yaml',
    'monitoring/servicemonitor.yaml',
    'roles/hpa.yaml',
    'secrets/given.yaml',
    'traffic/backendconfig.yaml',
    'validations.yaml',
  ]);
});

test('no ConfigMap comes near the limit of 1 MiB', async () => {
  const both = [await render(paths.helm3), await renderOf(loadChart, paths.helm3, WITH_ALL)];
  const sizes = both
    .flatMap(({ manifests }) => manifests)
    .filter(({ kind }) => kind === 'ConfigMap')
    .map((map) => JSON.stringify(map['data']).length);
  expect(sizes.length).toBeGreaterThanOrEqual(3);
  for (const size of sizes) expect(size).toBeLessThan(MEBIBYTE / 2);
});
