// How long the lab and the tests take: what docs/records/times/README.md says is what docs/records/times says.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '../..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const page = read('docs/records/times/README.md').replace(/\s+/g, ' ');
const records = ['cold', 'warm'].map((name) => read(`docs/records/times/${name}.tsv`));

const factOf = (record: string, name: string): string =>
  new RegExp(`^# ${name}: (.*)$`, 'm').exec(record)?.[1] ?? '';

test('each table has its whole title', () => {
  for (const record of records) expect(page).toContain(`## ${factOf(record, 'title')} `);
});

test('the time from nothing is that of what is installed and that of the tests', () => {
  const [installing = 0, testing = 0] = records.map((record) =>
    factOf(record, 'total')
      .split(' + ')
      .map((stage) => Number(new RegExp(`^${stage}\t(\\d+)`, 'm').exec(record)?.[1]))
      .reduce((sum, seconds) => sum + seconds, 0),
  );
  const [all, install, tests] = [installing + testing, installing, testing].map(
    (seconds) => `${String(Math.floor(seconds / 60))} min ${String(seconds % 60)} s`,
  );
  expect(page).toContain(
    `takes ${install} to install what it needs, and ${tests} for its tests: ${all}.`,
  );
});
