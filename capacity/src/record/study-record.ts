import type { Published } from '../plan/study-file';
import type { Machine } from './record';

export const STUDY_FILE = 'study.json';

/** The shape of study.json: what was run; the records that the commands wrote lie beside it. */
export interface StudyRecord {
  schemaVersion: 1;
  kind: 'study';
  name: string;
  length: 'full' | 'quick';
  question: string;
  published: Published[];
  startedAt: string;
  seconds: number;
  machine: Machine;
  /** Of the minute before the first command: above what is used, others worked on the machine too. */
  loadAverageAtStart: number;
  /** Whether all commands ended, however they ended. */
  isWhole: boolean;
  steps: StudyStep[];
}

export interface StudyStep {
  command: string;
  seconds: number;
  /** As of n8n-tuned: 1 an SLO was missed, 3 a measurement is inconclusive or invalid. */
  exitCode: number;
}
