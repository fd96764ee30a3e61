/** What the log of n8n and looks at PostgreSQL tell of an upgrade, and what the report says of it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import {
  locksIn,
  migrationsIn,
  predictedAt,
  sizesOf,
  verdictOf,
  withWalAndLocks,
} from '../../../../cli/src/features/migrate/analysis/migrations';
import {
  migrateRecordSchema,
  type MigrateRecord,
  type MigrateRound,
} from '../../../../cli/src/features/migrate/record';
import { turnOff } from '../../../../cli/src/features/migrate/migrate';
import { migrateDocument } from '../../../../cli/src/features/migrate/report/document';
import { renderMarkdown } from '../../../../cli/src/report/text/markdown';
import { dumpIn } from '../../../../cli/src/targets/process/postgresql';
import { thisMachine } from '../../../../cli/src/targets/machine';

const said = (message: string, time: string): string =>
  JSON.stringify({ level: 'info', message, metadata: { timestamp: `2026-11-28T10:00:${time}Z` } });

const LOG = [
  said('Acquiring database migration lock...', '00.000'),
  'a line that is no JSON',
  said('Starting migration AddOne1', '01.000'),
  said('Finished migration AddOne1', '01.250'),
  said('Starting migration AddTwo2', '01.250'),
  said('Finished migration AddTwo2', '04.000'),
  said('Starting migration HalfDone3', '04.000'),
].join('\n');

const second = (text: string): number => Date.parse(`2026-11-28T10:00:${text}Z`);
const LOOKS = [
  { atMs: second('00.500'), walMiB: 100, locked: [] },
  { atMs: second('01.500'), walMiB: 110, locked: ['user'] },
  { atMs: second('02.500'), walMiB: 310, locked: ['execution_entity', 'user'] },
  { atMs: second('04.500'), walMiB: 330, locked: [] },
];

test('each migration has its time by the log, and one that did not end has none', () => {
  expect(migrationsIn(LOG).map(({ name, fromMs, toMs }) => [name, toMs - fromMs])).toEqual([
    ['AddOne1', 250],
    ['AddTwo2', 2750],
  ]);
});

test('what PostgreSQL wrote is shared out evenly between two looks', () => {
  const [one, two] = withWalAndLocks(migrationsIn(LOG), LOOKS);
  expect(one?.walMiB).toBeCloseTo(2.5);
  expect(two?.walMiB).toBeCloseTo(325 - 107.5);
});

test('a lock is that of the migration that ran for most of the time between the two looks that tell of it', () => {
  const locksOf = (looks: typeof LOOKS): string[][] =>
    withWalAndLocks(migrationsIn(LOG), looks).map(({ locks }) => locks);
  // From 0.5 s to 1.5 s each ran for 0.25 s; the first has it. Later only the second ran.
  expect(locksOf(LOOKS)).toEqual([['user'], ['execution_entity']]);
  const late = LOOKS.map((look, at) => ({ ...look, atMs: second('02.000') + 100 * at }));
  expect(locksOf(late)).toEqual([[], ['execution_entity', 'user']]);
  const before = LOOKS.map((look, at) => ({ ...look, atMs: second('00.000') + 100 * at }));
  expect(locksOf(before)).toEqual([[], []]);
});

test('a table is locked from the look that shows it to the one that does not', () => {
  expect(locksIn(LOOKS)).toEqual([
    { table: 'user', ms: 3000 },
    { table: 'execution_entity', ms: 2000 },
  ]);
});

describe('at another size', () => {
  test('a straight line goes on as it is', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1000 }), fc.integer({ min: 0, max: 9 }), (a, b) => {
        const points = [1, 3, 10].map((x) => ({ x, y: a + b * x }));
        const found = predictedAt(points, 100);
        expect(found?.value).toBeCloseTo(a + 100 * b, 3);
        expect((found?.high ?? NaN) - (found?.low ?? NaN)).toBeLessThan(0.01);
      }),
    );
  });

  test('the interval is that of the textbook, and nothing is below 0', () => {
    // Residuals 1, -2, 1 about 10 + x; one degree of freedom: t = 12.706, s = 2.449.
    const points = [
      { x: 0, y: 11 },
      { x: 1, y: 9 },
      { x: 2, y: 13 },
    ];
    const found = predictedAt(points, 3);
    expect(found?.value).toBeCloseTo(13);
    expect(found?.high).toBeCloseTo(13 + 12.706 * 2.4495 * Math.sqrt(1 + 1 / 3 + 2), 1);
    expect(found?.low).toBe(0);
  });

  test('one size alone, or two rounds, tell nothing', () => {
    expect(
      predictedAt(
        [2, 2, 2].map((x) => ({ x, y: x })),
        20,
      ),
    ).toBeNull();
    expect(
      predictedAt(
        [1, 2].map((x) => ({ x, y: x })),
        20,
      ),
    ).toBeNull();
  });
});

test('a size is rehearsed with a tenth and about a third of it', () => {
  expect(sizesOf(100_000)).toEqual([10_000, 31_623, 100_000]);
});

const round = (executions: number, migrationMs: number): MigrateRound => ({
  ...{ executions, migrationMs, blockedMs: migrationMs + 4_000, walMiB: 20 },
  ...{ beforeMiB: 50, peakMiB: 80, afterMiB: 60, backupMs: 300, restoreMs: 200 },
  migrations: [
    { name: 'AddOne1', ms: 250, walMiB: 1, locks: [] },
    { name: 'AddTwo2', ms: 2750, walMiB: 19, locks: ['execution_entity', 'user'] },
  ],
  locks: [{ table: 'execution_entity', ms: 2000 }],
});

const RECORD: Omit<MigrateRecord, 'verdict' | 'sentence'> = {
  ...{ schemaVersion: 1, kind: 'migrate', id: 'one', command: ['migrate', '--from', '2.30.8'] },
  ...{ startedAt: '2026-11-28T10:00:00.000Z', endedAt: '2026-11-28T10:05:00.000Z' },
  ...{ from: '2.30.8', to: '2.41.1', executions: 1000, executionKiB: 3.5 },
  ...{ versions: { postgresql: '17.10' }, machine: thisMachine(), plainStartMs: 4_000 },
  rounds: [round(100, 1_000), round(1000, 3_000), round(1000, 3_500)],
  revert: {
    reverted: [{ name: 'AddTwo2', ms: 5_000 }],
    irreversible: ['AddOne1'],
    failure: 'n8n db:revert ended, but reverted nothing.',
  },
  restored: { answers: true, executions: 1000 },
  extrapolated: { executions: 10_000, migrationMs: null, walMiB: null, peakMiB: null },
};

test('the verdict rests on the way back, and names the slowest round of the largest size', () => {
  expect(verdictOf(RECORD)).toEqual({
    verdict: 'PASS',
    sentence:
      'n8n 2.41.1 migrated 1,000 executions of n8n 2.30.8 in 3.5 s, and webhooks were blocked for 7.5 s; n8n 2.30.8 works again on the restored backup.',
  });
  const silent = verdictOf({ ...RECORD, restored: { answers: false, executions: 1000 } });
  expect([silent.verdict, silent.sentence]).toEqual([
    'FAIL',
    expect.stringContaining('a webhook did not respond as expected'),
  ]);
  const few = verdictOf({ ...RECORD, restored: { answers: true, executions: 999 } });
  expect([few.verdict, few.sentence]).toEqual([
    'FAIL',
    expect.stringContaining('only 999 executions are left'),
  ]);
});

test('the report shows each round, the slowest migrations and the way back', () => {
  const record = migrateRecordSchema.parse({ ...RECORD, ...verdictOf(RECORD) });
  const text = renderMarkdown(migrateDocument(record)).replaceAll(/ +/g, ' ');
  expect(text.indexOf('| AddTwo2 | 2.75 s | 19 MiB | execution_entity, user |')).toBeGreaterThan(0);
  expect(text.indexOf('| AddTwo2 | 2.75 s | 19 MiB | execution_entity, user |')).toBeLessThan(
    text.indexOf('| AddOne1 | 250 ms | 1 MiB | none |'),
  );
  expect(text).toContain('| execution_entity | 2 s |');
  expect(text).toContain('n8n db:revert reverted 1 migration: AddTwo2 (5 s).');
  expect(text).toContain(
    'because these migrations cannot be reverted: AddOne1. Restore a backup instead.',
  );
  expect(text).toContain('Migrations at 10,000');
});

test('the report begins with what the time went to, and says that n8n had none of our settings', () => {
  const record = migrateRecordSchema.parse({ ...RECORD, ...verdictOf(RECORD) });
  const { pictures, ranOn } = migrateDocument(record);
  expect(pictures).toEqual([
    expect.objectContaining({
      ...{ kind: 'bar', id: 'migrations' },
      bars: [
        { label: 'AddTwo2', value: 2750, note: '2 tables locked' },
        { label: 'AddOne1', value: 250 },
      ],
    }),
  ]);
  expect(ranOn).toMatch(/^n8n 2\.30\.8, then n8n 2\.41\.1, n8n's default settings, no patches; /);
  const rounds = record.rounds.map((round) => ({ ...round, migrations: [] }));
  expect(migrateDocument({ ...record, rounds }).pictures).toEqual([]);
});

describe('a dump of the user', () => {
  const folder = mkdtempSync(join(tmpdir(), 'dump-'));
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });
  const written = (content: string | Buffer): string => {
    const file = join(folder, 'given');
    writeFileSync(file, content);
    return file;
  };
  const PLAIN = '--\n-- PostgreSQL database dump\n--\n\nSET statement_timeout = 0;\n';
  const { PATH } = process.env;
  afterEach(() => {
    process.env['PATH'] = PATH;
  });

  test('is plain SQL, also where a character of it is cut in two', () => {
    const file = written(PLAIN);
    expect(dumpIn(file)).toEqual({ file, isArchive: false });
    // The first 4,096 bytes end within a character of three bytes.
    for (const cut of [0, 1, 2]) {
      expect(dumpIn(written(`${PLAIN}${' '.repeat(cut)}${'\u2028'.repeat(3000)}`)).isArchive).toBe(
        false,
      );
    }
  });

  test.each([
    [
      'a picture',
      Buffer.from([0x89, 0x50, 0, 1, 2]),
      /is not a database dump: use a file that pg_dump/,
    ],
    ['a text', 'Dear all,\nplease create a dump.\n', /is not a database dump/],
    ['nothing', '', /is not a database dump/],
    ['a compressed one', gzipSync(PLAIN), /is compressed: unpack it first\.$/],
  ])('is refused in one sentence where it is %s', (_, content, why) => {
    expect(() => dumpIn(written(content))).toThrow(why);
  });

  test('is refused where it is no file', () => {
    expect(() => dumpIn(join(folder, 'nowhere'))).toThrow(
      /^--database .*nowhere cannot be read: .*\.$/,
    );
    expect(() => dumpIn(folder)).toThrow(/cannot be read/);
  });

  test('in the custom format needs pg_restore', () => {
    process.env['PATH'] = folder;
    const file = written('PGDMP\u0001\u000e');
    expect(() => dumpIn(file)).toThrow(
      /requires pg_restore in PATH: install it, or use pg_dump --format=plain\.$/,
    );
    writeFileSync(join(folder, 'pg_restore'), '#!/bin/sh\n', { mode: 0o755 });
    expect(dumpIn(file)).toEqual({ file, isArchive: true });
  });
});

describe('before n8n starts on a dump', () => {
  const statementsFor = async (columns: string[], but: string[] = []): Promise<string[]> => {
    const asked: string[] = [];
    await turnOff((sql) => {
      asked.push(sql.replaceAll(/\s+/g, ' '));
      const rows = columns.map((column) => {
        const [table, name] = column.split('.');
        return { table, name };
      });
      return Promise.resolve(asked.length === 1 ? rows : []);
    }, but);
    return asked.slice(1);
  };

  test('its license is removed, so that n8n does not contact the license server as the instance of the user', async () => {
    const asked = await statementsFor(['settings.key', 'workflow_entity.active']);
    expect(asked).toContain("DELETE FROM settings WHERE key = 'license.cert'");
  });

  test('its workflows and agents are turned off, but not the workflow of the rehearsal', async () => {
    const published = ['workflow_entity.activeVersionId', 'agents.activeVersionId'];
    const asked = await statementsFor(['workflow_entity.active', ...published], ["o'ne"]);
    expect(asked).toContain(
      `UPDATE workflow_entity SET active = FALSE, "activeVersionId" = NULL WHERE id::text NOT IN ('','o''ne')`,
    );
    expect(asked).toContain('UPDATE agents SET "activeVersionId" = NULL');
  });

  test('what an old n8n does not have is left alone', async () => {
    const asked = await statementsFor(['workflow_entity.active']);
    expect(asked.filter((sql) => /agents|settings|activeVersionId/.test(sql))).toEqual([]);
    expect(asked.some((sql) => sql.startsWith('UPDATE execution_entity'))).toBe(true);
  });
});

test('the report of a dump says what was turned off, and tells nothing of ten times the size', () => {
  const told = {
    ...RECORD,
    database: '/backups/n8n.dump',
    rounds: [round(1000, 3_000), round(1000, 3_500)],
  };
  const record = migrateRecordSchema.parse({ ...told, ...verdictOf(told) });
  const text = renderMarkdown(migrateDocument(record)).replaceAll(/ +/g, ' ');
  expect(text).toContain('All workflows in the dump were turned off');
  expect(text).toContain('One size does not show how long other sizes take.');
  expect(text).not.toContain('10,000');
});

test.each([
  [
    { folder: 'results/x/y', answer: 'same', sentence: 'n8n 2.41.1 is as good as n8n 2.30.8.' },
    'n8n 2.41.1 is as good as n8n 2.30.8. The record is in results/x/y.',
  ],
  [{ failure: 'k6 is not there.' }, 'could not be compared under load: k6 is not there.'],
])('the report ends with both versions under load: %#', (compared, said) => {
  const record = migrateRecordSchema.parse({ ...RECORD, compared, ...verdictOf(RECORD) });
  expect(renderMarkdown(migrateDocument(record))).toContain(said);
});
