import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { openCompressedTable } from '../../../cli/src/record/table-file';

const folder = mkdtempSync(join(tmpdir(), 'table-'));

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

test('whoever appends faster than is compressed is asked to wait, and nothing is lost', async () => {
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
