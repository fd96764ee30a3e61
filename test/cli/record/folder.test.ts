import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import {
  parseSamples,
  requestReader,
  REQUESTS_HEAD,
  requestRow,
  row,
  RowReader,
  SAMPLES_HEAD,
  sampleRow,
} from '../../../cli/src/record/csv';
import { findRecords } from '../../../cli/src/record/find-records';
import { RunFolder, runId } from '../../../cli/src/record/folder';
import { forgetAll, know } from '../../../cli/src/ui/known-secrets';
import { isComplete, readRun } from '../../../cli/src/record/read-run';
import type { MetricSample, RequestSample, RunRecord } from '../../../cli/src/record/run-record';
import { allRequests, readWholeRun } from '../../support/read-run';
import { sampleRequests, sampleRun } from '../../support/sample-run';
import { jsonOf } from '../../../cli/src/record/folder';
import { gunzipSync } from 'node:zlib';
import { openCompressedTable } from '../../../cli/src/record/table-file';

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'runs-'));
});

afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

/** What a table has signs for, and any text beside it. */
const text = fc.oneof(
  fc.string({ unit: fc.constantFrom('"', ',', '\n', '\r', ' ', 'a', 'ü') }),
  fc.string({ unit: 'grapheme' }),
);
const requestSample = fc.record<RequestSample>({
  tMs: fc.nat(),
  durationMs: fc.nat(),
  status: fc.nat(599),
  ok: fc.boolean(),
  errorKind: text,
  id: text,
  workload: text,
  ranBy: text,
});
const metricSample = fc.record<MetricSample>({
  tMs: fc.integer(),
  role: text,
  instance: text,
  metric: text,
  value: fc.integer(),
});

describe('the tables of a run', () => {
  it('are read as they were written, whatever the texts hold', () => {
    fc.assert(
      fc.property(fc.array(requestSample), (rows) => {
        const reader = new RowReader();
        const [head = [], ...lines] = reader.read(REQUESTS_HEAD + rows.map(requestRow).join(''));
        expect(lines.map(requestReader(head))).toEqual(rows);
      }),
    );
    fc.assert(
      fc.property(fc.array(metricSample), (rows) => {
        expect(parseSamples(SAMPLES_HEAD + rows.map(sampleRow).join(''))).toEqual(rows);
      }),
    );
  });

  it('are read alike, wherever the pieces end in which a file comes', () => {
    const cells = fc.array(fc.array(text, { minLength: 2, maxLength: 4 }));
    fc.assert(
      fc.property(cells, fc.array(fc.nat(200)), (rows, lengths) => {
        const reader = new RowReader();
        const whole = rows.map(row).join('');
        const read: string[][] = [];
        let at = 0;
        for (const length of [...lengths, whole.length]) {
          read.push(...reader.read(whole.slice(at, at + length)));
          at += length;
        }
        expect(read).toEqual(rows);
      }),
    );
  });

  it('are read alike where lines end with CR LF, as another program may have saved them', () => {
    fc.assert(
      fc.property(fc.array(fc.array(text, { minLength: 2, maxLength: 4 })), (rows) => {
        const whole = rows.map((cells) => `${row(cells).slice(0, -1)}\r\n`).join('');
        expect(new RowReader().read(whole)).toEqual(rows);
      }),
    );
  });

  it('have an empty cell for what is not there, and take every kind of value', () => {
    const line = row(['', null, undefined, 0, -1.5, true, 'a,b', 'say "x"', 'two\r\nlines']);
    expect(line).toBe(',,,0,-1.5,true,"a,b","say ""x""","two\r\nlines"\n');
    expect(new RowReader().read(line)).toEqual([
      ['', '', '', '0', '-1.5', 'true', 'a,b', 'say "x"', 'two\r\nlines'],
    ]);
  });

  it('lose only the last line when it was cut short', () => {
    const { samples } = sampleRun();
    const whole = SAMPLES_HEAD + samples.map(sampleRow).join('');
    expect(parseSamples(whole.slice(0, -3))).toEqual(samples.slice(0, -1));
    expect(parseSamples('')).toEqual([]);
  });
});

describe('the folder of a run', () => {
  function write(kept?: number): { folder: RunFolder; record: RunRecord } {
    const { record, samples } = sampleRun();
    const folder = new RunFolder(root, record, kept);
    sampleRequests().forEach((sample) => {
      folder.request(sample);
    });
    samples.forEach((sample) => {
      folder.sample(sample);
    });
    return { folder, record };
  }

  it('is complete only once run.json is there, and then holds everything', async () => {
    const { folder, record } = write();
    const requests = sampleRequests();
    const { samples } = sampleRun();
    expect(isComplete(folder.path)).toBe(false);
    expect(findRecords(root)).toEqual([{ kind: 'run', folder: folder.path, isTop: true }]);
    await folder.closeTables(samples);
    folder.complete(record);
    expect(isComplete(folder.path)).toBe(true);
    expect(await readWholeRun(folder.path)).toEqual({ record, requests, samples });
    expect(folder.problems()).toEqual([]);
    expect(readdirSync(folder.path).sort()).toEqual(['requests.csv.gz', 'run.json', 'samples.csv']);
  });

  it('can be read when the compressed table has no end', async () => {
    const { folder } = write();
    await folder.closeTables(sampleRun().samples);
    const file = join(folder.path, 'requests.csv.gz');
    truncateSync(file, readFileSync(file).length - 200);
    const requests = await allRequests(folder.path);
    expect(requests.length).toBeGreaterThan(100);
    expect(requests).toEqual(sampleRequests().slice(0, requests.length));
  });

  it('gives its requests again, from the disk where they are too many to be kept', async () => {
    for (const kept of [100, 10_000]) {
      const { folder } = write(kept);
      await folder.closeTables([]);
      expect(folder.requestsKept()?.length ?? 0).toBe(kept < 2800 ? 0 : 2800);
      const again: RequestSample[] = [];
      for await (const request of folder.requestsAgain() ?? []) again.push(request);
      expect(again).toEqual(sampleRequests());
      rmSync(folder.path, { recursive: true });
    }
  });

  it('masks what is secret also in the table that is written again after a full disk', async () => {
    know('a-secret-token');
    try {
      const { folder } = write();
      const [first] = sampleRequests();
      if (first === undefined) throw new Error('no request');
      folder.request({
        ...first,
        ok: false,
        errorKind: 'no route to http://x/?key=a-secret-token',
      });
      Object.assign(folder['requests'], { failure: () => 'the disk was full' });
      await folder.closeTables([]);
      const table = gunzipSync(readFileSync(join(folder.path, 'requests.csv.gz'))).toString();
      expect(table).toContain('no route to http://x/?key=***');
      expect(folder.problems()).toEqual([]);
    } finally {
      forgetAll();
    }
  });

  it('says which logs could not be kept', async () => {
    const { folder } = write();
    writeFileSync(join(root, 'main.log'), 'a line\n');
    const kept = await folder.keepLogs([join(root, 'main.log'), join(root, 'gone.log')]);
    expect(kept).toEqual(['logs/main.log']);
    expect(readFileSync(join(folder.path, 'logs/main.log'), 'utf8')).toBe('a line\n');
    expect(folder.problems()).toHaveLength(1);
    await folder.closeTables(sampleRun().samples);
  });

  it('of a version that is not known is refused in a sentence', async () => {
    const { folder, record } = write();
    await folder.closeTables(sampleRun().samples);
    writeFileSync(join(folder.path, 'run.json'), JSON.stringify({ ...record, schemaVersion: 99 }));
    expect(() => readRun(folder.path)).toThrow('has schemaVersion 99, which this version');
  });

  it('cannot be made where nothing may be written: a sentence', () => {
    const file = join(root, 'a-file');
    writeFileSync(file, '');
    expect(() => new RunFolder(file, sampleRun().record)).toThrow(
      'choose another folder with --out',
    );
    expect(existsSync(join(file, 'x'))).toBe(false);
  });

  it('has a name of its own that sorts by time', () => {
    const early = runId(new Date('2026-05-01T10:00:00Z'), 'cpu', 'load');
    const late = runId(new Date('2026-05-01T10:00:01Z'), 'cpu', 'load');
    expect(early).toMatch(/^20260501-100000-cpu-load-[a-z]{4}$/);
    expect([late, early].sort()).toEqual([early, late]);
  });
});

describe('a record as text', () => {
  const record = {
    ...{ name: '[\n 1,\n 2 ]', empty: [], words: ['a', 'b'], nested: [[1, -2.5e-7], [null]] },
    columns: { due: [1, 2, 3], p95Ms: [null, 12.5, null] },
  };

  it('is the same record', () => {
    expect(JSON.parse(jsonOf(record))).toEqual(record);
  });

  it('has each list of numbers on one line', () => {
    const text = jsonOf(record);
    expect(text).toContain('"due": [1, 2, 3],');
    expect(text).toContain('"p95Ms": [null, 12.5, null]');
    expect(text).toContain('    "a",\n');
    expect(text.endsWith('}\n')).toBe(true);
  });
});

const folder = mkdtempSync(join(tmpdir(), 'table-'));

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

test('a writer that is faster than the compression has to wait, and no line is lost', async () => {
  const file = join(folder, 'rows.csv.gz');
  const table = openCompressedTable(file, 'head\n');
  const row = `${'0123456789'.repeat(100)}\n`;
  expect(table.behind()).toBeNull();
  let rows = 0;
  // Never beyond what may wait, and one piece.
  for (; table.behind() === null; rows += 1) table.append(row);
  expect(rows * row.length).toBeGreaterThan(15e6);
  expect(rows * row.length).toBeLessThan(18e6);
  await table.behind();
  expect(table.behind()).toBeNull();
  await table.close();
  expect(gunzipSync(readFileSync(file)).length).toBe('head\n'.length + rows * row.length);
});
