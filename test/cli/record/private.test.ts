// What is recorded is for its owner alone, also in a folder that others may write to.
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeBeside } from '../../../cli/src/record/write-beside';
import { makeFolder, RunFolder, writeWhole } from '../../../cli/src/record/folder';
import { openTable } from '../../../cli/src/record/table-file';
import { writeUserFile } from '../../../cli/src/record/user-file';
import { sampleRun } from '../../support/sample-run';

let root = '';
let umask = 0;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'private-'));
  umask = process.umask(0o022);
});

afterEach(() => {
  process.umask(umask);
  rmSync(root, { recursive: true });
});

const modeOf = (file: string): string => (lstatSync(file).mode & 0o777).toString(8);

const modesBeneath = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true })
      .map(String)
      .map((name) => [name, modeOf(join(folder, name))]),
  );

test('nobody else can read the folder of a run, its files or the logs that are copied into it', async () => {
  const log = join(root, 'main-1.log');
  writeFileSync(log, 'n8n says', { mode: 0o644 });
  const out = join(root, 'results', 'mine');
  const { record } = sampleRun();
  const folder = new RunFolder(out, record);
  const during = modesBeneath(folder.path);
  await folder.keepLogs([log]);
  await folder.closeTables([]);
  folder.complete(record);
  writeBeside(folder.path, [{ name: 'plots/rate.svg', content: '<svg/>' }]);

  expect(Object.keys(during)).toContain('incomplete.json');
  const after = modesBeneath(root);
  const folders = Object.entries(after).filter(([name]) =>
    lstatSync(join(root, name)).isDirectory(),
  );
  expect(folders.map(([, mode]) => mode)).toEqual(folders.map(() => '700'));
  const files = Object.entries({ ...during, ...modesBeneath(folder.path) }).filter(
    ([name]) => !/^(logs|plots)$/.test(name),
  );
  expect(Object.fromEntries(files)).toEqual(
    Object.fromEntries(files.map(([name]) => [name, '600'])),
  );
  expect(files.map(([name]) => name)).toEqual(
    expect.arrayContaining([
      'run.json',
      'requests.csv.gz',
      'samples.csv',
      'logs/main-1.log',
      'plots/rate.svg',
    ]),
  );
});

test('a run never goes into a folder that is there already', () => {
  const { record } = sampleRun();
  mkdirSync(join(root, 'elsewhere'));
  symlinkSync(join(root, 'elsewhere'), join(root, record.id));
  expect(() => new RunFolder(root, record)).toThrow('choose another folder with --out');
  expect(readdirSync(join(root, 'elsewhere'))).toEqual([]);
});

test('a file is not written through a link that lies in its place, nor through one in the place of its draft', () => {
  const theirs = join(root, 'theirs');
  writeFileSync(theirs, 'theirs');
  const file = join(root, 'run.json');
  symlinkSync(theirs, file);
  symlinkSync(theirs, `${file}.draft`);
  writeWhole(file, 'ours');
  expect(readFileSync(theirs, 'utf8')).toBe('theirs');
  expect(lstatSync(file).isFile()).toBe(true);
  expect(readFileSync(file, 'utf8')).toBe('ours');

  symlinkSync(theirs, join(root, 'samples.csv'));
  expect(() => openTable(join(root, 'samples.csv'), 'head\n')).toThrow('EEXIST');
  expect(readFileSync(theirs, 'utf8')).toBe('theirs');
});

test('of a file that cannot take its place, no draft stays', () => {
  makeFolder(join(root, 'taken', 'full'));
  expect(() => {
    writeWhole(join(root, 'taken'), 'x');
  }).toThrow();
  expect(readdirSync(root)).toEqual(['taken']);
});

test('a file that the user names is as open as their umask says', () => {
  const path = join(root, 'values.yaml');
  writeUserFile({ path, option: '--write', begins: '#', force: false }, '# x');
  expect(modeOf(path)).toBe('644');
});
