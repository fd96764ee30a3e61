// The archive of a study: what is kept comes back, and the same records are the same bytes.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import {
  archiveOf,
  filesOf,
  namedArchive,
  readArchive,
  readRecordFolders,
  unpack,
  writeArchive,
} from '../../../cli/src/record/archive';

const folder = mkdtempSync(join(tmpdir(), 'archive-'));
const file = join(folder, 'results.jsonl.gz');
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const FILES = new Map([
  ['sweep.json', '{"kind":"sweep"}'],
  ['cells/001/cell.json', '{"run":"a"}'],
  ['cells/001/a/run.json', '{"kind":"run"}'],
  ['cells/001/a/memory.csv', 'tMs,value\n1,2\n'],
  ['cells/001/a/plots/cpu.svg', '<svg/>'],
]);

const line = (text: string): void => {
  writeFileSync(file, gzipSync(text));
};

test('records come back as they were written, whatever is in them', () => {
  const records = fc.dictionary(
    fc.stringMatching(/^[a-z0-9]{1,5}(\/[a-z0-9]{1,5}){0,2}$/),
    fc.json(),
  );
  fc.assert(
    fc.property(records, (texts) => {
      const archive = new Map(
        Object.entries(texts).map(([id, text]) => [id, { record: JSON.parse(text) as unknown }]),
      );
      writeArchive(file, archive);
      expect(readArchive(file)).toEqual(archive);
    }),
    { numRuns: 50 },
  );
});

test('the same records are the same bytes, in whatever order they were added', () => {
  const archive = archiveOf(FILES);
  writeArchive(file, archive);
  const bytes = readFileSync(file);
  writeArchive(file, archiveOf(new Map([...FILES].reverse())));
  expect(readFileSync(file).equals(bytes)).toBe(true);
});

test('a table or a plot is kept with the record that it lies beside', () => {
  const archive = archiveOf(FILES);
  expect([...archive.keys()].sort()).toEqual(['cells/001/a/run', 'cells/001/cell', 'sweep']);
  const names = Object.keys(archive.get('cells/001/a/run')?.files ?? {});
  expect(names).toEqual(['memory.csv', 'plots/cpu.svg']);
  const compact = [...filesOf(archive)].map(([path, text]) => [
    path,
    path.endsWith('.json') ? JSON.stringify(JSON.parse(text)) : text,
  ]);
  expect(new Map(compact as [string, string][])).toEqual(FILES);
});

test('a named record is a folder with all that belongs to it while it is read, and no longer', () => {
  writeArchive(file, archiveOf(FILES));
  const named = [`${file}#cells/001/a/run`, file, folder];
  const read = readRecordFolders(named, (folders) => {
    const [run = '', whole = ''] = folders;
    expect(readFileSync(join(run, 'memory.csv'), 'utf8')).toContain('1,2');
    expect(readFileSync(join(whole, 'cells/001/cell.json'), 'utf8')).toContain('"a"');
    return folders;
  });
  expect(read[2]).toBe(folder);
  expect(read.map((one) => existsSync(one))).toEqual([false, false, true]);
});

test('a record that cannot be read leaves no folder', () => {
  writeArchive(file, archiveOf(FILES));
  const seen: string[] = [];
  const failing = (folders: string[]): never => {
    seen.push(...folders);
    throw new Error('unreadable');
  };
  expect(() => readRecordFolders([file], failing)).toThrow('unreadable');
  expect(seen.map((one) => existsSync(one))).toEqual([false]);
});

test('a study without measurements has an empty archive, and one that is named must be there', () => {
  expect(readArchive(join(folder, 'none.jsonl.gz')).size).toBe(0);
  expect(() => namedArchive(join(folder, 'none.jsonl.gz'))).toThrow(/none\.jsonl\.gz/);
});

test.each([
  [
    'what is not compressed',
    () => {
      writeFileSync(file, '{}');
    },
  ],
  [
    'a line that is not JSON',
    () => {
      line('{"id":');
    },
  ],
  [
    'a line without an id',
    () => {
      line('{"record":1}\n');
    },
  ],
  [
    'an id that leads out of the folder',
    () => {
      line('{"id":"../a","record":1}\n');
    },
  ],
  [
    'a file that leads out of the folder',
    () => {
      line('{"id":"a","record":1,"files":{"/etc/x":""}}\n');
    },
  ],
])('%s is refused in one sentence', (_, write) => {
  write();
  expect(() => readArchive(file)).toThrow(
    /^.+results\.jsonl\.gz cannot be read as an archive of records: .+\.$/,
  );
});

test('a record that is not in an archive is refused, with the command that lists them', () => {
  writeArchive(file, archiveOf(FILES));
  expect(() => namedArchive(`${file}#none`)).toThrow('has no record none: n8n-tuned report');
});

test('records are unpacked for their owner alone, and again over the same records', () => {
  const to = mkdtempSync(join(folder, 'unpacked-'));
  unpack(archiveOf(FILES), '', to);
  writeFileSync(join(to, 'cells/001/a/plots/cpu.svg'), '<svg>drawn again</svg>');
  unpack(archiveOf(FILES), '', to);
  expect(statSync(join(to, 'sweep.json')).mode & 0o777).toBe(0o600);
  expect(statSync(join(to, 'cells')).mode & 0o777).toBe(0o700);
});

test.each([
  [
    'a file of the same name',
    (path: string) => {
      writeFileSync(path, 'mine');
    },
    /sweep\.json already exists and belongs to another record: move it\.$/,
  ],
  [
    'a link to a file',
    (path: string, other: string) => {
      symlinkSync(other, path);
    },
    /sweep\.json/,
  ],
  [
    'a folder of the same name',
    (path: string) => {
      mkdirSync(path);
    },
    /sweep\.json/,
  ],
])('%s is left as it is, and nothing is unpacked beside it', (_, make, sentence) => {
  const to = mkdtempSync(join(folder, 'foreign-'));
  const other = join(folder, 'other');
  writeFileSync(other, 'mine');
  make(join(to, 'sweep.json'), other);
  expect(() => {
    unpack(archiveOf(FILES), '', to);
  }).toThrow(sentence);
  expect(readFileSync(other, 'utf8')).toBe('mine');
  expect(existsSync(join(to, 'cells'))).toBe(false);
});
