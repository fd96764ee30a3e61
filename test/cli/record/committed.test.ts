/** Every record that the repository keeps is read as its kind, with nothing missing and nothing of another version. */
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { readArchive } from '../../../cli/src/record/archive';
import { compareRecordSchema } from '../../../cli/src/features/compare/record';
import { drillRecordSchema } from '../../../cli/src/features/drill/record';
import { findRecordSchema } from '../../../cli/src/features/find/record';
import { runRecordSchema } from '../../../cli/src/record/run-record';
import { studyRecordSchema } from '../../../cli/src/features/study/record';
import { cellRecordSchema, sweepRecordSchema } from '../../../cli/src/features/sweep/record';

const STUDIES = join(__dirname, '../../../studies');

interface Schema {
  safeParse(record: unknown): {
    error?: { issues: readonly { path: readonly PropertyKey[]; message: string }[] } | undefined;
  };
}

const SCHEMAS: Record<string, Schema> = {
  run: runRecordSchema,
  compare: compareRecordSchema,
  drill: drillRecordSchema,
  find: findRecordSchema,
  sweep: sweepRecordSchema,
  cell: cellRecordSchema,
  study: studyRecordSchema,
};

interface Known {
  kind?: string;
  schemaVersion?: number;
}

const isKnown = (content: unknown): content is Known =>
  typeof content === 'object' && content !== null && 'schemaVersion' in content;

/** A drill is kept within the part of its study. */
const within = (content: unknown): unknown[] => [content, (content as { drill?: unknown })?.drill];

const committed = (): { name: string; kind: string; record: Known }[] =>
  readdirSync(STUDIES).flatMap((study) =>
    [...readArchive(join(STUDIES, study, 'results.jsonl.gz'))].flatMap(([id, entry]) =>
      within(entry.record)
        .filter(isKnown)
        .map((record) => ({
          ...{ name: `${study}#${id}`, record },
          kind: record.kind ?? (basename(id) === 'run' ? 'run' : ''),
        }))
        .filter(({ kind }) => kind in SCHEMAS),
    ),
  );

test('all records in studies/ are read without a problem', () => {
  const records = committed();
  expect(new Set(records.map(({ kind }) => kind))).toEqual(new Set(Object.keys(SCHEMAS)));
  expect(records.length).toBeGreaterThan(1000);
  const problems = records.flatMap(({ name, kind, record }) =>
    (SCHEMAS[kind]?.safeParse(record).error?.issues ?? []).map(
      ({ path, message }) => `${name}: ${path.map(String).join('.')}: ${message}`,
    ),
  );
  expect(problems).toEqual([]);
});

test('no record keeps a percentage with a space, which a report would show beside others without one', () => {
  const spaced = readdirSync(STUDIES).flatMap((study) =>
    [...readArchive(join(STUDIES, study, 'results.jsonl.gz'))]
      .filter(([, entry]) => /\d\s%/.test(JSON.stringify(entry)))
      .map(([id]) => `${study}#${id}`),
  );
  expect(spaced).toEqual([]);
});
