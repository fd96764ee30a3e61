import { loadavg } from 'node:os';
import { join, resolve } from 'node:path';
import { wordsOf, type NamedStudy, type StudyLength } from './plan';
import { makeFolder, writeWhole } from '../../record/folder';
import { STUDY_FILE, type StudyRecord } from './record';
import { thisMachine } from '../../targets/machine';
import { EXIT, messageOf, Mistake } from '../../ui/exit';

export interface StudyOrder {
  study: NamedStudy;
  length: 'full' | 'quick';
  out: string;
  /** What runs one command and gives its exit code. */
  runStep(words: readonly string[], signal: AbortSignal): Promise<number>;
  /** Before each command. */
  onStep(index: number, commands: readonly string[]): void;
}

/** `quick` where it is there, for those who ask for it. */
export function lengthOf(study: NamedStudy, length: StudyOrder['length']): StudyLength {
  const asked = study[length];
  if (asked !== undefined) return asked;
  throw new Mistake(
    `study ${study.name} has no quick form: leave --quick out, and allow ${String(study.full.minutes)} minutes.`,
  );
}

/** Beside the folder of a sweep that has the study's name. */
export const folderOf = ({ study, length, out }: Pick<StudyOrder, 'study' | 'length' | 'out'>) =>
  join(out, `study-${study.name}${length === 'quick' ? '-quick' : ''}`);

/** One command after the other; one that measured badly is a result, one that was asked wrongly ends it. */
export async function runStudy(order: StudyOrder, signal: AbortSignal): Promise<StudyRecord> {
  const { study, length } = order;
  const { commands } = lengthOf(study, length);
  const folder = resolve(folderOf(order));
  const startedAt = new Date();
  const startedMs = performance.now();
  const record: StudyRecord = {
    schemaVersion: 1,
    kind: 'study',
    name: study.name,
    length,
    question: study.question,
    published: study.published,
    startedAt: startedAt.toISOString(),
    seconds: 0,
    machine: thisMachine(),
    loadAverageAtStart: loadavg()[0] ?? 0,
    isWhole: false,
    steps: [],
  };
  makeOut(folder);
  for (const [index, command] of commands.entries()) {
    order.onStep(index, commands);
    const began = performance.now();
    const exitCode = await order.runStep(wordsOf(command, folder), signal);
    const seconds = Math.round(performance.now() - began) / 1000;
    if (exitCode === EXIT.mistake) {
      throw new Mistake(`study ${study.name} cannot go on: ${command} ended with exit code 2.`);
    }
    record.steps.push({ command, seconds, exitCode });
    record.seconds = Math.round(performance.now() - startedMs) / 1000;
    record.isWhole = record.steps.length === commands.length && !signal.aborted;
    writeWhole(join(folder, STUDY_FILE), `${JSON.stringify(record, null, 2)}\n`);
    if (signal.aborted) break;
  }
  return record;
}

function makeOut(folder: string): void {
  try {
    makeFolder(folder);
  } catch (error) {
    throw new Mistake(
      `${folder} cannot be written: ${messageOf(error)}; choose another folder with --out.`,
    );
  }
}
