/** What a study is to the command. A study that needs code has a measure.ts, whose default export is one of these. */
import type { Part } from './record';

export type { Part };

/** The records of a study by their ids. */
export interface Records {
  /** Undefined where there is none. */
  read(id: string): unknown;
  /** Whether there is a record beneath a folder of them. */
  has(folder: string): boolean;
  write(id: string, record: unknown): void;
  /** Puts files, by their paths, in the place of all records beneath a folder. */
  replace(folder: string, files: ReadonlyMap<string, string>): void;
  /** Keeps what commands wrote into a folder `from`, which has the name of that folder of records. */
  take(from: string): void;
}

export interface Called<Printed> {
  code: number;
  /** What the command printed, which is JSON. */
  record: Printed;
  /** The exit code and the last line that it said, for a sentence about what went wrong. */
  ending: string;
}

export interface CallOptions {
  /** Programs and options before the command, like taskset -c 1. */
  through?: readonly string[];
  env?: Record<string, string>;
  /** Ends the command in order, as an interruption does. */
  signal?: AbortSignal;
  /** Called with what the command says of its progress; without it that is shown. */
  hears?: ((text: string) => void) | undefined;
}

/** What a part has while it is measured. */
export interface Measuring {
  /** Calls n8n-tuned with --json; an interruption reaches it once, and it takes down what it made before it ends. */
  call<Printed>(words: readonly string[], options?: CallOptions): Promise<Called<Printed>>;
  /** The same for what shall only be seen; gives its exit code. */
  show(words: readonly string[], options?: CallOptions): Promise<number>;
  /** A folder of this part, gone after it. */
  scratch: string;
  /** The folder of the study, in which a sweep that was stopped goes on. */
  folder: string;
  /** The part is tried, with as little load as shows that it runs. */
  isShort: boolean;
  records: Records;
  signal: AbortSignal;
  tell(sentence: string): void;
}

export interface PartMeasured {
  /** What came of it. */
  sentence: string;
  /** The record, with the name of the part as its id, unless there is another. */
  record?: object;
  id?: string;
  /** Several records, by their ids. */
  records?: ReadonlyMap<string, object>;
  /** Several records and what belongs to them, beneath the name of the part. */
  files?: ReadonlyMap<string, string>;
}

export interface Study<Own extends Part = Part> {
  parts: readonly Own[];
  /** Those of the quick form; without them it has all parts, each shortened. */
  quickParts?: readonly Own[];
  /** What ids of records begin with. */
  inside?: string;
  /** Throws NotMeasured where nothing is to be kept. */
  measured(part: Own, measuring: Measuring): Promise<PartMeasured>;
  /** Why a part cannot be measured here and now; null where it can. */
  whyNot?(part: Own, records: Records): string | null;
  /** Whether the record of a part still counts; without it, any does. */
  isDone?(part: Own, records: Records): boolean;
  /** Whether a part that nobody named has to be measured, asked again before each choice. */
  isNeeded?(part: Own, records: Records): boolean;
  /** How many parts may share the machine without another result; without it, one. */
  maxAtOnce?: number;
  isAlone?(part: Own, records: Records): boolean;
  /** Only parts of one kind are measured together. */
  kindOf?(part: Own): string;
}

/** Nothing is kept of a part; the message says why. */
export class NotMeasured extends Error {
  /** The class exists twice: in the command and in what measure.ts imports. */
  override readonly name = 'NotMeasured';
}

export const isNotMeasured = (error: unknown): error is Error =>
  error instanceof Error && error.name === 'NotMeasured';
