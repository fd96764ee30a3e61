// A preset by name renders what its file renders, and what the user gives wins over it: the chart's default for a value,
// too, which is why values.yaml leaves unset what presets set.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import fc from 'fast-check';
import { isMap, isScalar, parse, parseDocument } from 'yaml';
import { argumentsFor, attempt, chart, KUBERNETES, paths, render } from './support/helm.ts';
import { runs } from '../support/properties.ts';
import { SEED } from './support/seed.ts';
import { anyValues } from './support/values.ts';

type Values = Record<string, unknown>;

/** RENDERINGS and SEED repeat a failure or look further. */
const RENDERINGS = Number(process.env['RENDERINGS'] ?? runs(20));
/** Every so many-th is also rendered by Helm 4. */
const HELM_4_EVERY = 5;
/** Maps in which values.yaml leaves a key out, so that null can take it out. */
const FREE = ['resources', 'podSecurityContext'];

const read = (...path: string[]): Values =>
  parse(readFileSync(join(chart, ...path), 'utf8')) as Values;
const presets = readdirSync(join(chart, 'presets')).map((file) => basename(file, '.yaml'));
const values = read('values.yaml');
const defaults = read('files/defaults.yaml');

const isBlock = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const leaves = (of: Values, path: string[] = []): string[][] =>
  Object.entries(of).flatMap(([key, value]) =>
    isBlock(value) ? leaves(value, [...path, key]) : [[...path, key]],
  );
const at = (of: unknown, path: string[]): unknown =>
  path.reduce<unknown>((inner, key) => (isBlock(inner) ? inner[key] : undefined), of);
const nested = (path: string[], value: unknown): Values =>
  path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value) as Values;

function merged(a: Values, b: Values): Values {
  const all = { ...a };
  for (const [key, value] of Object.entries(b)) {
    const below = all[key];
    all[key] = isBlock(below) && isBlock(value) ? merged(below, value) : value;
  }
  return all;
}

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-presets-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

let files = 0;
function file(content: Values): string {
  const name = join(folder, `${files++}.json`);
  writeFileSync(name, JSON.stringify(content));
  return name;
}

test('values.yaml leaves unset whatever a preset or files/defaults.yaml sets', () => {
  const set = [defaults, ...presets.map((name) => read(`presets/${name}.yaml`))].flatMap((layer) =>
    leaves(layer),
  );
  expect(set.length).toBeGreaterThan(100);
  expect(set.filter((path) => (at(values, path) ?? null) !== null)).toEqual([]);
  const free = set.filter((path) => path.some((key) => FREE.includes(key)));
  expect(free.filter((path) => at(values, path) !== undefined)).toEqual([]);
});

/** The words of a comment for where another value applies: `; 10 in profiles cpu-bound, low-memory`. */
function elsewhere(what: string, others: [name: string, value: unknown][]): string {
  const values = new Set(others.map(([, value]) => String(value)));
  const parts = [...values].map((value) => {
    const names = others.filter(([, one]) => String(one) === value).map(([name]) => name);
    return `; ${value} in ${what}${names.length === 1 ? '' : 's'} ${names.join(', ')}`;
  });
  return parts.join('');
}

test('the comment beside an unset value says its default, and the presets in which it is another', () => {
  const wrong: string[] = [];
  const visit = (map: unknown, layer: Values, path: string[]): void => {
    if (!isMap(map)) throw new Error(`${path.join('.')} is no map`);
    for (const [key, value] of Object.entries(layer)) {
      const node = map.get(key, true) as { comment?: string | null } | undefined;
      const name = [...path, key];
      if (isBlock(value) && !FREE.includes(key)) visit(node, value, name);
      else if (FREE.includes(key)) {
        const line = new RegExp(`^\\s*${key}: .*# (?:and by )?default: (.*)$`, 'gm');
        const said = [...text.matchAll(line)].map((match) => parse(match[1] ?? '') as unknown);
        if (!said.some((one) => JSON.stringify(one) === JSON.stringify(at(defaults, name))))
          wrong.push(name.join('.'));
      } else if (isScalar(node)) {
        const others = presets.flatMap((preset): [string, unknown][] => {
          const other = at(read(`presets/${preset}.yaml`), name);
          return other === undefined || other === at(defaults, name) ? [] : [[preset, other]];
        });
        const fallback = at(defaults, name);
        const expected = `${fallback === undefined ? '' : `default: ${String(fallback)}`}${elsewhere('preset', others)}`;
        if (node.comment?.trim().endsWith(expected) !== true)
          wrong.push(`${name.join('.')}: ${expected}`);
      }
    }
  };
  const text = readFileSync(join(chart, 'values.yaml'), 'utf8');
  const all = [defaults, ...presets.map((name) => read(`presets/${name}.yaml`))].reduce(merged);
  // Blocks of a role that values.yaml has under `pod` alone.
  for (const role of ['main', 'worker', 'webhook'])
    delete (all[role] as Values | undefined)?.['autoscaling'];
  visit(parseDocument(text).contents, all, []);
  expect(wrong).toEqual([]);
});

test('every null says on its line what then applies', () => {
  const lines = readFileSync(join(chart, 'values.yaml'), 'utf8').split('\n');
  const nulls = lines.filter((line) => /^\s*[^#\s][^#]*: null\b/.test(line));
  expect(nulls.length).toBeGreaterThan(20);
  expect(nulls.length).toBeLessThan(40);
  expect(nulls.filter((line) => !/: null # ./.test(line))).toEqual([]);
});

test('values.yaml has the default of each setting of the tuning, but of those on which more than the user decides', () => {
  const text = readFileSync(join(chart, 'values.yaml'), 'utf8');
  const { tuning } = read('files/environment.yaml') as { tuning: Record<string, Values> };
  const PROFILES = ['throughput', 'low-memory', 'io-bound', 'cpu-bound'];
  for (const [name, setting] of Object.entries(tuning)) {
    const others = PROFILES.flatMap((profile): [string, unknown][] =>
      setting[profile] === undefined ? [] : [[profile, setting[profile]]],
    );
    // Behind a pooler the chart turns it off, and refuses a user's own.
    const pooled = name === 'sessionOnce' ? '; false if a pooler may be in transaction mode' : '';
    if (others.length === 0 && pooled === '')
      expect([name, at(values, ['tuning', name])]).toEqual([name, setting['default']]);
    else
      expect(text).toContain(
        `\n  ${name}: null # default: ${String(setting['default'])}${elsewhere('profile', others)}${pooled}\n`,
      );
  }
});

test.each(presets)('preset %s keeps the record of successful executions', async (name) => {
  const file = `presets/${name}.yaml`;
  const { text } = await render(paths.helm3, argumentsFor(file));
  expect(text).not.toMatch(/EXECUTIONS_DATA_SAVE_ON_SUCCESS\n\s+value: "?none/);
  expect(text).not.toContain('example.com');
});

/** By name, a preset is told what it requires; by file, nobody knows that it is one. */
const OF_A_STORE =
  /preset: \S+ requires your own (?:PostgreSQL|Redis):.*|(?:database|redis)\.external \(.*tls\.enabled.*\): these settings are for your own.*/g;

/** What is rendered, or the sentence that refuses it. */
async function outcome(helm: string, args: string[]): Promise<unknown> {
  return render(helm, ['--skip-tests', ...args]).then(
    ({ manifests }) => manifests,
    async () =>
      (
        await attempt(helm, ['template', 'n8n', chart, '--kube-version', KUBERNETES, ...args])
      ).output.replace(OF_A_STORE, 'a store of the user'),
  );
}

const givenDefaults = fc
  .subarray(leaves(defaults))
  .map((paths) => paths.map((path) => nested(path, at(defaults, path))).reduce<Values>(merged, {}));
const given = fc.oneof(
  fc.tuple(anyValues, givenDefaults).map(([random, chosen]) => merged(random, chosen)),
  givenDefaults,
);
const named = fc.oneof(
  fc.constantFrom(...presets).map((name) => [name]),
  fc.uniqueArray(fc.constantFrom(...presets), { minLength: 2, maxLength: 3 }),
);

test(`${RENDERINGS} random values of seed ${SEED} over presets render as over their files`, async () => {
  // The chart may refuse each of a few values. The test then draws more, until one renders.
  const samples = fc.sample(fc.tuple(named, given), { numRuns: 10 * RENDERINGS, seed: SEED });
  const failures: string[] = [];
  let rendered = 0;
  for (const [index, [names, user]] of samples.entries()) {
    if (index >= RENDERINGS && rendered > RENDERINGS / 10) break;
    const byFile = names.flatMap((name) => ['-f', join(chart, 'presets', `${name}.yaml`)]);
    const [preset = ''] = names;
    const byName = { ...user, preset: names.length === 1 ? preset : names };
    for (const helm of index % HELM_4_EVERY === 0 ? [paths.helm3, paths.helm4] : [paths.helm3]) {
      const expected = await outcome(helm, [...byFile, '-f', file(user)]);
      const found = await outcome(helm, ['-f', file(byName)]);
      if (Array.isArray(expected)) rendered++;
      if (JSON.stringify(found) !== JSON.stringify(expected))
        failures.push(`${names.join(', ')} under ${JSON.stringify(user)}`);
    }
  }
  expect(failures).toEqual([]);
  expect(rendered).toBeGreaterThan(RENDERINGS / 10);
}, 1_800_000);

test('null takes a limit or a user out of a preset, by name as by file', async () => {
  const user = {
    main: { resources: { limits: { cpu: null, memory: null } } },
    pod: { podSecurityContext: { runAsUser: null } },
  };
  for (const helm of [paths.helm3, paths.helm4]) {
    const byFile = ['-f', join(chart, 'presets/small.yaml'), '-f', file(user)];
    const expected = await outcome(helm, byFile);
    expect(expected).toBeInstanceOf(Array);
    expect(await outcome(helm, ['-f', file({ ...user, preset: 'small' })])).toEqual(expected);
    const found = JSON.stringify(expected);
    expect(found).toContain('"limits":{}');
    expect(found).not.toContain('"runAsUser":1000');
    expect(found).toContain('"fsGroup":1000');
  }
  for (const helm of [paths.helm3, paths.helm4]) {
    const whole = { main: { resources: null }, pod: { podSecurityContext: null } };
    const found = await outcome(helm, ['-f', file({ ...whole, preset: 'small' })]);
    expect(found).toEqual(
      await outcome(helm, ['-f', join(chart, 'presets/small.yaml'), '-f', file(whole)]),
    );
    expect(JSON.stringify(found)).not.toMatch(/"runAsUser":1000|"memory":"2Gi"/);
  }
});

test('a name that is none is refused by its value', async () => {
  const { code, output } = await attempt(paths.helm3, [
    ...['template', 'n8n', chart, '--kube-version', KUBERNETES, '--set', 'preset=huge'],
  ]);
  expect(code).not.toBe(0);
  expect(output).toMatch(/preset/);
});
