/** The shape of migrate.json: an upgrade of n8n, rehearsed on databases of several sizes. */
import { join } from 'node:path';
import { z } from 'zod';
import { MIGRATE_FILE } from '../../record/find-records';
import { readRecordFile } from '../../record/parse';
import { machineSchema } from '../../record/run-record';

const migrationSchema = z.object({
  name: z.string(),
  ms: z.number(),
  walMiB: z.number(),
  /** Tables that it locked against everybody else. A record from before they were told apart has none. */
  locks: z.array(z.string()).default([]),
});

const roundSchema = z.object({
  executions: z.number(),
  /** From the start of the new version until a webhook got its expected response. */
  blockedMs: z.number(),
  /** From the begin of the first migration to the end of the last one. */
  migrationMs: z.number(),
  walMiB: z.number(),
  /** Size of the database. */
  beforeMiB: z.number(),
  peakMiB: z.number(),
  afterMiB: z.number(),
  migrations: z.array(migrationSchema),
  /** Tables that nobody else could even read (ACCESS EXCLUSIVE), and for how long: the longest first. */
  locks: z.array(z.object({ table: z.string(), ms: z.number() })),
  /** Copying the database before, and putting the copy back. */
  backupMs: z.number(),
  restoreMs: z.number(),
});
export type MigrateRound = z.infer<typeof roundSchema>;

const predictedSchema = z.object({ value: z.number(), low: z.number(), high: z.number() });
export type Predicted = z.infer<typeof predictedSchema>;

export const migrateRecordSchema = z.object({
  schemaVersion: z.literal(1),
  kind: z.literal('migrate'),
  id: z.string(),
  startedAt: z.string(),
  endedAt: z.string(),
  command: z.array(z.string()),
  from: z.string(),
  to: z.string(),
  executions: z.number(),
  /** A dump of the user's, which the database was restored from; left out where n8n's own was filled. */
  database: z.string().optional(),
  /** How much n8n keeps for one execution. */
  executionKiB: z.number(),
  versions: z.record(z.string(), z.string()),
  machine: machineSchema,
  rounds: z.array(roundSchema),
  /** A start of the new version when nothing is left to migrate, until a webhook got its expected response. */
  plainStartMs: z.number(),
  revert: z.object({
    /** What `n8n db:revert` took back, the newest first, each with its time. */
    reverted: z.array(z.object({ name: z.string(), ms: z.number() })),
    /** Those that no db:revert takes back, by their code; null: it could not be read. */
    irreversible: z.array(z.string()).nullable(),
    /** Why it ended; null: it took back as many as were asked for. */
    failure: z.string().nullable(),
  }),
  /** The old version on the backup: whether a webhook got its response, and how many executions are there. */
  restored: z.object({ answers: z.boolean(), executions: z.number() }),
  /** At ten times the executions; null where too few rounds tell. */
  extrapolated: z.object({
    executions: z.number(),
    migrationMs: predictedSchema.nullable(),
    walMiB: predictedSchema.nullable(),
    peakMiB: predictedSchema.nullable(),
  }),
  /** The two versions under the same load; left out where they were not compared. */
  compared: z
    .object({ folder: z.string(), answer: z.string(), sentence: z.string() })
    .or(z.object({ failure: z.string() }))
    .optional(),
  verdict: z.enum(['PASS', 'FAIL']),
  sentence: z.string(),
});
export type MigrateRecord = z.infer<typeof migrateRecordSchema>;

export const readMigration = (folder: string): MigrateRecord =>
  readRecordFile(join(folder, MIGRATE_FILE), {
    ...{ what: 'a migration', kind: 'migrate', version: 1 },
    schema: migrateRecordSchema,
  });
