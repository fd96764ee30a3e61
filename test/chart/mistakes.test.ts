// Whatever somebody puts into a value, outside its range and of another shape too: the chart renders Kubernetes objects,
// or refuses the values in a sentence, of the schema or of its own. It never ends in the words of Go or of YAML.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { parseAllDocuments } from 'yaml';
import { readValues } from '../../charts/n8n-tuned/tools/values.ts';
import { attempt, chart, KUBERNETES, paths, type Manifest } from './support/helm.ts';
import { FOREIGN_KINDS, kubernetesSchemas, type Schemas } from './support/kubernetes-schemas.ts';
import { runs } from '../support/properties.ts';
import { SEED } from './support/seed.ts';
import { anyValues } from './support/values.ts';

type Values = Record<string, unknown>;

/** RENDERINGS and SEED repeat a failure or look further; a thousand with LONG=1. */
const RENDERINGS = Number(
  process.env['RENDERINGS'] ?? (process.env['LONG'] === '1' ? 1000 : runs(40)),
);
const SIDE_BY_SIDE = 2;

/** Texts that YAML, shells and names trip over. Braces are not among them: they are a template, whose words are Go's. */
const TEXTS = [
  ...[
    '',
    ' ',
    '-',
    '--',
    '.',
    '*',
    '&a',
    '!a',
    '@a',
    '%a',
    '`a`',
    '#a',
    'a #b',
    '|',
    '>',
    '?',
    ':',
    'a: b',
    '- a',
  ],
  ...[
    "'",
    '"',
    'a"b',
    "a'b",
    'a\\b',
    'a\nb',
    'a\n',
    '\t',
    'ä',
    'a,b',
    '[a',
    '{a',
    'null',
    '~',
    'true',
    'no',
    'A_b',
  ],
  ...[
    '0',
    '-1',
    '007',
    '1e3',
    '0x10',
    '1.5',
    '1Gi',
    '1 GiB',
    '50%',
    '1/2',
    '1/0',
    '5m',
    '1:30',
    '2026-01-01',
  ],
  ...[
    'a/b',
    '/',
    '../a',
    'https://a.test/b?c=d#e',
    'https://',
    '://',
    'a:b',
    'a:99999',
    'a@1',
    '[::1]:80',
    '$(A)',
    '$A',
  ],
  'a'.repeat(300),
];
const NUMBERS = [0, -1, 1, 3, 0.5, -0.5, 1e3, 65_536, 2 ** 31, 1e9, 2 ** 53, 1e21];
const text = fc.constantFrom(...TEXTS);
const scalar = fc.oneof(
  text,
  fc.constantFrom(...NUMBERS),
  fc.constantFrom<unknown>(true, false, null),
);
const key = fc.constantFrom('a', 'name', 'enabled', 'A_B', 'cpu', 'memory', 'limits', 'spec', '');
const map = fc.dictionary(key, fc.oneof({ arbitrary: text, weight: 4 }, scalar), { maxKeys: 2 });
const list = fc.oneof(fc.array(text, { maxLength: 2 }), fc.array(map, { maxLength: 2 }));
const anything = fc.oneof(scalar, list, map);

interface Place {
  path: string[];
  value: unknown;
}

/** Mostly of the shape that the value has: what the schema lets through gets further. */
function mistakeAt({ path, value }: Place): fc.Arbitrary<Mistake> {
  const alike = Array.isArray(value)
    ? list
    : { string: text, number: fc.constantFrom(...NUMBERS), object: value === null ? scalar : map }[
        typeof value as string
      ];
  const odd = fc.oneof(
    { arbitrary: alike ?? anything, weight: 5 },
    { arbitrary: anything, weight: 1 },
  );
  return odd.map((given) => ({ path, given }));
}
interface Mistake {
  path: string[];
  given: unknown;
}

/** What Go, its templates and its YAML say of themselves, and no user understands. */
const GO =
  /nil pointer|interface \{\}|error calling|wrong type|can't evaluate|map\[|%!|YAML parse error|error converting YAML|unmarshal|runtime error|panic|reflect\.|strconv|invalid value; expected|incompatible types|index out of range|parse error/;

function put(values: Values, path: string[], value: unknown): Values {
  const [first = '', ...rest] = path;
  const inner = values[first];
  const isBlock = typeof inner === 'object' && inner !== null && !Array.isArray(inner);
  const below = isBlock ? (inner as Values) : {};
  return { ...values, [first]: rest.length === 0 ? value : put(below, rest, value) };
}

let folder: string;
let places: Place[];
let schemas: Schemas;
beforeAll(async () => {
  schemas = await kubernetesSchemas();
  folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-mistakes-'));
  places = readValues(join(chart, 'values.yaml')) as Place[];
}, 120_000);
afterAll(() => {
  schemas.remove();
  rmSync(folder, { recursive: true, force: true });
});

/** What the user writes in words of Kubernetes' own goes to it as it is. */
const isOfKubernetes = ({ path }: Mistake): boolean => {
  const value = places.find((place) => place.path.join('.') === path.join('.'))?.value;
  return typeof value === 'object' && value !== null;
};

/** How the chart answers values: nothing where that is fine, else what is wrong with it. */
async function wrong(file: string, mistakes: readonly Mistake[]): Promise<string> {
  const { code, output } = await attempt(paths.helm3, [
    ...['template', 'n8n', chart, '--kube-version', KUBERNETES, '--skip-tests', '-f', file],
  ]);
  if (code !== 0) {
    // Helm's own words: that a value has another shape, and what the schema says of it.
    const said = output.replaceAll(/^coalesce\.go.*$/gm, '').trim();
    return said.startsWith("Error: values don't meet the specifications") || !GO.test(said)
      ? ''
      : said;
  }
  const documents = parseAllDocuments(output);
  const broken = documents.flatMap((document) => document.errors.map(String));
  if (broken.length > 0 || mistakes.some(isOfKubernetes)) return broken.join('; ');
  const manifests = documents.map((document) => document.toJS() as Manifest).filter(Boolean);
  const { output: said } = await attempt(
    paths.kubeconform,
    schemas.kubeconformArguments(manifests, FOREIGN_KINDS),
  );
  return said.includes('Invalid: 0, Errors: 0') ? '' : said;
}

test(`${RENDERINGS} random mistakes of seed ${SEED} end in Kubernetes objects or in a sentence`, async () => {
  expect(places.length).toBeGreaterThan(300);
  const mistake = fc.constantFrom(...places).chain(mistakeAt);
  const mistaken = fc
    .tuple(anyValues, fc.array(mistake, { minLength: 1, maxLength: 3 }))
    .map(([values, mistakes]) => ({
      mistakes,
      values: mistakes.reduce((all, { path, given }) => put(all, path, given), values as Values),
    }));
  const samples = fc.sample(mistaken, { numRuns: RENDERINGS, seed: SEED });
  const failures: string[] = [];
  const next = samples.entries();
  const worker = async (): Promise<void> => {
    for (const [index, { mistakes, values }] of next) {
      const file = join(folder, `${index}.json`);
      writeFileSync(file, JSON.stringify(values));
      const found = await wrong(file, mistakes);
      const made = mistakes.map(({ path, given }) => `${path.join('.')}=${JSON.stringify(given)}`);
      if (found) failures.push(`${made.join(' ')} -> ${found} <- ${JSON.stringify(values)}`);
    }
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, worker));
  expect(failures).toEqual([]);
}, 3_600_000);
