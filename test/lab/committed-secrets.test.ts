// Every file of a record that is committed: what was measured with a secret must not hold it.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { filesOf, readArchive } from '../../cli/src/record/archive';
import { isMasked } from '../../cli/src/plan/secrets/mask';
import { withoutSecretParts } from '../../cli/src/plan/secrets/address';
import { isHarmlessVariable } from '../../cli/src/plan/secrets/variables';
import {
  foreignWithoutSecrets,
  valuesWithoutSecrets,
  type ValuesSchema,
} from '../../cli/src/plan/secrets/values';

const root = join(__dirname, '../..');
const listed = (...folders: string[]): string[] =>
  execFileSync('git', ['ls-files', '-z', ...folders], { cwd: root, maxBuffer: 2 ** 26 })
    .toString()
    .split('\0')
    .filter((file) => file !== '');
/** By path, those in the archives of the studies too. */
const archived = new Map(
  listed('studies')
    .filter((file) => file.endsWith('.jsonl.gz'))
    .flatMap((file) =>
      [...filesOf(readArchive(join(root, file)))].map(([path, text]) => [`${file}/${path}`, text]),
    ),
);
const textOf = (file: string): string =>
  archived.get(file) ?? readFileSync(join(root, file), 'utf8');

const records = [
  ...archived.keys(),
  // Pages and plots of studies are made of their records.
  ...listed('docs/records', 'test/golden', 'studies').filter((file) =>
    /\.(json|csv|md|html|svg|txt)$/.test(file),
  ),
];
const schema = JSON.parse(textOf('charts/n8n-tuned/values.schema.json')) as ValuesSchema;

interface Leaf {
  /** Keys from the outermost on. */
  path: string[];
  value: unknown;
}

function* leavesOf(value: unknown, path: string[] = []): Generator<Leaf> {
  if (typeof value !== 'object' || value === null) yield { path, value };
  else {
    for (const [key, part] of Object.entries(value)) {
      yield* leavesOf(part, [...path, key]);
    }
  }
}

const inJson = records
  .filter((file) => file.endsWith('.json'))
  .map((file) => ({ file, leaves: [...leavesOf(JSON.parse(textOf(file)))] }));

const isOpen = (value: unknown): boolean =>
  typeof value === 'number' || (typeof value === 'string' && value !== '' && !isMasked(value));

const SECRET =
  /password|passphrase|secret|token|credential|encryptionkey|api-?key|private|license|dsn/i;

/** What the studies give to charts and to stores as a secret. */
function planted(): string[] {
  const files = listed('studies').filter((file) => /\.ya?ml$/.test(file));
  const values = files.flatMap((file) =>
    parseAllDocuments(textOf(file)).flatMap((document) =>
      [...leavesOf(document.toJS())].filter(
        ({ path, value }) =>
          typeof value === 'string' &&
          value.length >= 8 &&
          path.some((key) => /password|encryption_?key/i.test(key)) &&
          !/^existing|^(name|key)$/i.test(path.at(-1) ?? ''),
      ),
    ),
  );
  return [...new Set(values.map(({ value }) => String(value)))];
}

test('the studies have given a secret to a chart, which no record of theirs holds', () => {
  const secrets = planted();
  expect(secrets).toContain('a-key-for-a-study');
  const found = records.filter((file) => secrets.some((secret) => textOf(file).includes(secret)));
  expect(found).toEqual([]);
});

/** What looks like the name of a secret and is none. */
const NO_SECRET = [
  // Whether n8n had a credential of that name after the Job that removes it.
  /^credential$/,
  // Files of the node package, which say where a rule is broken.
  /\.(js|ts)$/,
];

test('no value of a record stands open under a name that is the name of a secret', () => {
  const found = inJson.flatMap(({ file, leaves }) =>
    leaves
      .filter(({ path, value }) => {
        const name = [...path].reverse().find((key) => !/^\d+$/.test(key)) ?? '';
        return SECRET.test(name) && isOpen(value) && !NO_SECRET.some((form) => form.test(name));
      })
      .map(({ path }) => `${file}: ${path.join('.')}`),
  );
  expect(found).toEqual([]);
});

const valueAt = (file: string, key: string): unknown[] => {
  const found: unknown[] = [];
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [name, part] of Object.entries(value)) {
      if (name === key && part !== null) found.push(part);
      visit(part);
    }
  };
  visit(JSON.parse(textOf(file)));
  return found;
};

/** Both give a mask for what they do not know, and leave what is masked open to neither. */
function openIn(values: unknown, masked: unknown): string[] {
  const after = new Map([...leavesOf(masked)].map(({ path, value }) => [path.join('.'), value]));
  return [...leavesOf(values)]
    .filter(({ path, value }) => isOpen(value) && after.get(path.join('.')) !== value)
    .map(({ path }) => path.join('.'));
}

test('every recorded value of a chart is one that the allow-list shows', () => {
  let charts = 0;
  const found = records
    .filter((file) => file.endsWith('.json'))
    .flatMap((file) => {
      const own = valueAt(file, 'deployed').map((part) => (part as { values?: unknown }).values);
      const all = [...own, ...valueAt(file, 'deployedValues')].filter((part) => part != null);
      charts += all.length;
      return all
        .map((values) => [
          openIn(values, valuesWithoutSecrets(values, schema)),
          openIn(values, foreignWithoutSecrets(values)),
        ])
        .filter((both) => both.every((paths) => paths.length > 0))
        .map(([ours]) => `${file}: ${(ours ?? []).join(', ')}`);
    });
  expect(charts).toBeGreaterThan(200);
  expect(found).toEqual([]);
});

test('every recorded variable of the environment is one that the allow-list shows', () => {
  const found = inJson.flatMap(({ file, leaves }) =>
    leaves
      .filter(
        ({ path, value }) =>
          path.at(-2) === 'env' &&
          // A plan of a sweep says itself what may be shown of it.
          !/\/(sweep|cell)\.json$/.test(file) &&
          isOpen(value) &&
          !isHarmlessVariable(path.at(-1) ?? '', String(value)),
      )
      .map(({ path }) => `${file}: ${path.join('.')}`),
  );
  expect(found).toEqual([]);
});

const FORMS = {
  'a user in an address': /\b[a-z][a-z0-9+.-]*:\/\/(?!\*{3}@)[^\s/"'@<>]+@/i,
  'a private key': /-----BEGIN [A-Z ]*PRIVATE KEY/,
  'a token of GitHub, npm, Slack, OpenAI or Stripe':
    /\b(gh[pousr]_|npm_|xox[abp]-|sk-|sk_live_)\w{16,}/,
  'an access key of AWS': /\b(AKIA|ASIA)[A-Z0-9]{16}\b/,
  'a JSON Web Token': /\beyJ[\w-]{10,}\.[\w-]{10,}\./,
  'an authorization header': /\b(Bearer|Basic) [A-Za-z0-9+/=._-]{8,}/,
};

test.each(Object.entries(FORMS))('no file of a record holds %s', (_, form) => {
  expect(records.filter((file) => form.test(textOf(file)))).toEqual([]);
});

/** Bits of a character. */
function entropyOf(word: string): number {
  const counts = new Map<string, number>();
  for (const letter of word) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  return [...counts.values()].reduce(
    (sum, count) => sum - (count / word.length) * Math.log2(count / word.length),
    0,
  );
}

/** Digests and the like: drawn by no one, or of nothing secret. */
const RANDOM_KEYS = /^(manifestHash|sha256|digest|hash|commit|integrity|.*Sha256)$/;
/** Times of the requests of a search are packed numbers. */
const isPacked = (path: readonly string[]): boolean =>
  /\.requests\.(dueMs|latencyMs)$/.test(path.join('.'));

test('no text of a record is as random as a generated secret', () => {
  const words = inJson.flatMap(({ file, leaves }) =>
    leaves
      .filter(
        ({ path, value }) =>
          typeof value === 'string' && !RANDOM_KEYS.test(path.at(-1) ?? '') && !isPacked(path),
      )
      .flatMap(({ path, value }) =>
        (
          String(value)
            .replaceAll(/n8n|sha256:[0-9a-f]+/gi, '')
            .match(/[A-Za-z0-9+]{20,}/g) ?? []
        ).map((word) => ({ file, path, word })),
      ),
  );
  const random = words.filter(
    ({ word }) =>
      /^[0-9a-f]{32,}$/.test(word) ||
      (/[a-z]/.test(word) && /[A-Z]/.test(word) && /\d/.test(word) && entropyOf(word) > 3.8),
  );
  expect(random.map(({ file, path }) => `${file}: ${path.join('.')}`)).toEqual([]);
});

test('every recorded address is one of which the secret parts are masked', () => {
  const found = inJson.flatMap(({ file, leaves }) =>
    leaves
      .filter(
        ({ path, value }) =>
          ['path', 'url'].includes(path.at(-1) ?? '') &&
          ['workload', 'target', 'server'].includes(path.at(-2) ?? '') &&
          withoutSecretParts(String(value)) !== value,
      )
      .map(({ path, value }) => `${file}: ${path.join('.')} ${String(value)}`),
  );
  expect(found).toEqual([]);
});
