// The sizes of tables and files of a real SQLite that grows beside the samplers.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { labPaths } from '../../../cli/src/lab/paths';
import { sqliteSampler } from '../../../cli/src/samplers/tables';
import { tablesSampler } from '../../../cli/src/samplers/tables';
import type { Running } from '../../../cli/src/targets/target';
import { Collected } from '../../process/stage';
import { until } from '../../support/wait';

const node = labPaths().node24;
// The sampler looks the more rarely the longer a look takes, as on a busy machine.
jest.setTimeout(120_000);

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tables-'));
  file = join(folder, 'database.sqlite');
  sql('PRAGMA journal_mode = WAL; CREATE TABLE kept (text); CREATE INDEX by_text ON kept (text)');
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function sql(text: string): void {
  const script = `new (require('node:sqlite').DatabaseSync)(process.argv[1]).exec(process.argv[2])`;
  execFileSync(node, ['--no-warnings', '-e', script, file, text]);
}

/** Rows of 800 bytes each, written twice: in the table and in its index. */
const grow = (rows: number): void => {
  sql(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${String(rows)})
     INSERT INTO kept SELECT hex(randomblob(400)) FROM n`,
  );
};

const running = (): Running =>
  ({ sqlite: { file, reader: [node] }, postgresql: null }) as unknown as Running;

const childrenOfThis = (): string[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(file);
      } catch {
        return false;
      }
    });

test('a table is as large as its pages and those of its indexes, and grows', async () => {
  grow(1_000);
  const seen = new Collected();
  const [tables, files] = [tablesSampler(60), sqliteSampler()];
  await tables.start(running(), seen, 100);
  await files.start(running(), seen, 100);
  const sizes = (): number[] => seen.values('tableSizeMiB', 'sqlite');
  expect(seen.samples[0]).toMatchObject({ role: 'sqlite', instance: 'sqlite/kept' });
  grow(3_000);
  await until(
    'it is seen to have grown',
    () => (sizes().at(-1) ?? 0) > 2 * (sizes()[0] ?? 0),
    60_000,
  );
  await files.stop();
  await tables.stop();
  expect(sizes()[0]).toBeGreaterThan(1.5);
  expect(sizes()[0]).toBeLessThan(2.6);
  expect(sizes().at(-1)).toBeGreaterThan(6);
  expect(seen.values('dbSizeMiB', 'sqlite').at(-1)).toBeGreaterThan(0);
  expect(seen.values('dbWalMiB', 'sqlite').at(-1)).toBeGreaterThanOrEqual(0);
  expect(seen.events).toEqual([]);
  await until('its helper has ended', () => childrenOfThis().length === 0, 30_000);
});

test('a database that cannot be read is told, and ends nothing', async () => {
  writeFileSync(file, 'no database at all, and much too long to be one'.repeat(100));
  const seen = new Collected();
  const sampler = tablesSampler(60);
  await sampler.start(running(), seen, 100);
  await sampler.stop();
  expect(seen.events[0]).toMatch(/^sampler tables: SQLite: .*not a database/);
  await until('its helper has ended', () => childrenOfThis().length === 0, 30_000);
});
