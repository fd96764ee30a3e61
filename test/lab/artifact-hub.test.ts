// What Artifact Hub reads about the repository of the chart, as RELEASING.md has it pushed.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

const root = join(__dirname, '../..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const FILE = 'charts/artifacthub-repo.yml';

/** The commented fields as somebody fills them in. */
const filledIn = read(FILE)
  .replace(/^# (?=repositoryID:|owners:| {2})/gm, '')
  .replace(/^( *(?:- )?(?:repositoryID|name|email):)$/gm, '$1 something');

test('the file for Artifact Hub has only fields that Artifact Hub knows, and no ID but one that it gave', () => {
  const { repositoryID, ...others } = (parse(read(FILE)) ?? {}) as Record<string, unknown>;
  expect(String(repositoryID ?? '')).toMatch(/^([0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12})?$/);
  expect(Object.keys(others).filter((key) => !['owners', 'ignore'].includes(key))).toEqual([]);
});

test('the file for Artifact Hub is valid once its fields are filled in', () => {
  expect(parse(filledIn)).toEqual({
    repositoryID: 'something',
    owners: [{ name: 'something', email: 'something' }],
  });
});

test('the file for Artifact Hub is pushed from where it lies, beside the chart and not in it', () => {
  const releasing = read('RELEASING.md');
  expect(releasing).toContain(`](${FILE})`);
  expect(releasing).toMatch(/cd charts && oras push \S+\/charts\/n8n-tuned:artifacthub\.io/);
});
