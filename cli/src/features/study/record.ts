import { z } from 'zod';
import { studySchema } from './plan';
import { machineSchema } from '../../record/run-record';

export const STUDY_FILE = 'study.json';

/** The shape of study.json: which commands ran. The records that they wrote lie beside it; other parts have their own. */
export const studyRecordSchema = z.object({
  schemaVersion: z.literal(1),
  kind: z.literal('study'),
  name: z.string(),
  length: z.enum(['full', 'quick']),
  question: z.string(),
  published: studySchema.shape.published.unwrap(),
  startedAt: z.string(),
  /** All commands together. */
  seconds: z.number(),
  machine: machineSchema,
  /** Load average of the minute before the first command; a high one means that others used the machine. */
  loadAverageAtStart: z.number(),
  /** Whether all commands ended, however they ended. */
  isWhole: z.boolean(),
  steps: z.array(
    z.object({
      part: z.string(),
      command: z.string(),
      seconds: z.number(),
      /** Exit code of n8n-tuned: 1 an SLO was missed, 3 a measurement is inconclusive or invalid. */
      exitCode: z.number(),
    }),
  ),
});
export type StudyRecord = z.infer<typeof studyRecordSchema>;

/** What a study is measured in. */
export interface Part {
  name: string;
  /** About how long a part takes, the start and the end of what it loads included. */
  seconds: number;
  /** How long its loads take, after which the next round may begin; without it, the next round waits for its end. */
  loadSeconds?: number;
}

/** Says whether a part has a record. */
export type State = 'done' | 'missing' | 'not needed';

/** What came of a part. */
export interface PartResult {
  name: string;
  isMeasured: boolean;
  seconds: number;
  sentence: string;
}
