import { z } from 'zod';
import { studySchema } from './plan';
import { machineSchema } from '../../record/run-record';

export const STUDY_FILE = 'study.json';

export const studyStepSchema = z.object({
  command: z.string(),
  seconds: z.number(),
  /** Exit code of n8n-tuned: 1 an SLO was missed, 3 a measurement is inconclusive or invalid. */
  exitCode: z.number(),
});
export type StudyStep = z.infer<typeof studyStepSchema>;

/** The shape of study.json: what was run; the records that the commands wrote lie beside it. */
export const studyRecordSchema = z.object({
  schemaVersion: z.literal(1),
  kind: z.literal('study'),
  name: z.string(),
  length: z.enum(['full', 'quick']),
  question: z.string(),
  published: studySchema.shape.published.unwrap(),
  startedAt: z.string(),
  seconds: z.number(),
  machine: machineSchema,
  /** Load average of the minute before the first command; a high one means that others used the machine. */
  loadAverageAtStart: z.number(),
  /** Whether all commands ended, however they ended. */
  isWhole: z.boolean(),
  steps: z.array(studyStepSchema),
});
export type StudyRecord = z.infer<typeof studyRecordSchema>;
