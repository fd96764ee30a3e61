import { randomBytes, randomInt } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  constants,
  createReadStream,
  createWriteStream,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import { gzipSync } from 'node:zlib';
import { knowsAny, withoutKnown } from '../ui/known-secrets';
import { z } from 'zod';
import { processNameSchema, thisProcess } from '../linux/proc';
import { Mistake } from '../ui/exit';
import { REQUESTS_HEAD, requestRow, SAMPLES_HEAD, sampleRow } from './csv';
import {
  runRecordSchema,
  type MetricSample,
  type RequestSample,
  type RunRecord,
} from './run-record';
import { requestsIn } from './request-file';
import { failureText, openCompressedTable, openTable, type TableFile } from './table-file';

/** A record as text for a file: two spaces a level, and each list of numbers on one line. */
export const jsonOf = (record: unknown): string =>
  `${JSON.stringify(record, null, 2).replace(NUMBERS, (list) => list.replace(/\s+/g, ' ').replace(/^\[ | \]$/g, (end) => end.trim()))}\n`;

/** A text in JSON holds no line break, so that only a list begins like this. */
const NUMBERS = /\[\n\s+(?:-?\d[\d.eE+-]*|null)(?:,\n\s+(?:-?\d[\d.eE+-]*|null))*\n\s*\]/g;

export const RECORD_FILE = 'run.json';
/** There until run.json is: what is known of a run from its start. */
export const HEAD_FILE = 'incomplete.json';
export const REQUESTS_FILE = 'requests.csv.gz';
export const SAMPLES_FILE = 'samples.csv';
/** Given back when run.json is written, so that a full disk can still take the verdict. */
const RESERVE_FILE = '.reserve';
const RESERVE_BYTES = 512 * 1024;

/** Number of requests kept in memory during a run, about 75 MB. Those of a longer run are on disk only. */
const KEPT_REQUESTS = 250_000;

/** All of a record that is known before the load begins. */
export const runHeadSchema = runRecordSchema.omit({
  endedAt: true,
  loadBeganAt: true,
  summary: true,
  verdict: true,
  events: true,
  files: true,
});
export type RunHead = z.infer<typeof runHeadSchema>;

/** While it goes on, or if its command is killed: who makes it. */
export const runningHeadSchema = z.object({
  maker: processNameSchema,
  head: runHeadSchema,
});
export type RunningHead = z.infer<typeof runningHeadSchema>;

/** The folder of one run while it is made. */
export class RunFolder {
  readonly path: string;
  private readonly requests;
  private readonly samples;
  private readonly failures: string[] = [];
  private kept: RequestSample[] | null = [];

  constructor(
    root: string,
    head: RunHead,
    private readonly keptRequests = KEPT_REQUESTS,
  ) {
    this.path = join(root, head.id);
    try {
      makeFolder(root);
      // Not one that is there: its name is random, and what somebody else has made under it is none of ours.
      mkdirSync(this.path, { mode: PRIVATE_FOLDER });
      const running: RunningHead = { maker: thisProcess(), head };
      writeWhole(join(this.path, HEAD_FILE), json(running));
      writeWhole(join(this.path, RESERVE_FILE), Buffer.alloc(RESERVE_BYTES, 'reserve '));
    } catch (error) {
      throw new Mistake(`${failureText(this.path, error)}; choose another folder with --out.`);
    }
    this.requests = openCompressedTable(join(this.path, REQUESTS_FILE), REQUESTS_HEAD);
    this.samples = openTable(join(this.path, SAMPLES_FILE), SAMPLES_HEAD);
  }

  request(sample: RequestSample): void {
    this.requests.append(shownRow(sample));
    if (this.kept !== null && this.kept.length >= this.keptRequests) this.kept = null;
    this.kept?.push(sample);
  }

  /** Null while what it was given is written as fast as it comes; else resolves when it is. */
  behind(): Promise<void> | null {
    return this.requests.behind();
  }

  /** All requests so far, in the order of their ends; null where they are too many to be kept. */
  requestsKept(): readonly RequestSample[] | null {
    return this.kept;
  }

  /** The same once the tables are closed, from the disk where it must be; null where that was full. */
  requestsAgain(): Iterable<RequestSample> | AsyncIterable<RequestSample> | null {
    if (this.kept !== null) return this.kept;
    return this.requests.failure() === '' ? requestsIn(join(this.path, REQUESTS_FILE)) : null;
  }

  sample(sample: MetricSample): void {
    this.samples.append(sampleRow(sample));
  }

  /** Their names within the folder. */
  async keepLogs(files: readonly string[]): Promise<string[]> {
    makeFolder(join(this.path, 'logs'));
    const kept: string[] = [];
    for (const file of files) {
      const name = join('logs', basename(file));
      try {
        await copyLog(file, join(this.path, name));
        kept.push(name);
      } catch (error) {
        this.failures.push(failureText(name, error));
      }
    }
    return kept;
  }

  /** What could not be written so far, a sentence each. */
  problems(): string[] {
    return this.failures;
  }

  /** A table that could not be written to its end is written once more as a whole: space may be free by now. */
  async closeTables(samples: readonly MetricSample[]): Promise<void> {
    await this.requests.close();
    await this.samples.close();
    const { kept } = this;
    this.again(
      this.requests,
      REQUESTS_FILE,
      kept && (() => gzipSync(REQUESTS_HEAD + kept.map(shownRow).join(''))),
    );
    this.again(this.samples, SAMPLES_FILE, () => SAMPLES_HEAD + samples.map(sampleRow).join(''));
  }

  private again(table: TableFile, name: string, content: (() => string | Uint8Array) | null): void {
    if (table.failure() === '') return;
    try {
      if (content === null) throw new Error('too many rows to be kept');
      writeWhole(join(this.path, name), content());
    } catch {
      this.failures.push(table.failure());
    }
  }

  /** From here on the run is complete: run.json appears as a whole or not at all. */
  complete(record: RunRecord): void {
    completeFolder(this.path, record);
  }
}

/** Only the words of an error can have a secret in them. */
function shownRow(sample: RequestSample): string {
  const row = requestRow(sample);
  return sample.ok ? row : withoutKnown(row);
}

/** Line by line: logs of a soak are large. */
async function copyLog(from: string, to: string): Promise<void> {
  if (!knowsAny()) {
    await copyFile(from, to, constants.COPYFILE_EXCL);
    chmodSync(to, PRIVATE_FILE);
    return;
  }
  const lines = createInterface({ input: createReadStream(from), crlfDelay: Infinity });
  const written = createWriteStream(to, { flags: 'wx', mode: PRIVATE_FILE });
  await pipeline(async function* () {
    for await (const line of lines) yield `${withoutKnown(line)}\n`;
  }, written);
}

export function completeFolder(folder: string, record: RunRecord): void {
  rmSync(join(folder, RESERVE_FILE), { force: true });
  writeWhole(join(folder, RECORD_FILE), json(record));
  rmSync(join(folder, HEAD_FILE), { force: true });
}

export function runId(startedAt: Date, workload: string, profile: string): string {
  const time = startedAt.toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
  const letters = Array.from({ length: 4 }, () => String.fromCharCode(97 + randomInt(26))).join('');
  return `${time}-${workload}-${profile}-${letters}`;
}

/** What is recorded is its owner's alone: n8n's logs and the user's names are in it. */
const PRIVATE_FOLDER = 0o700;
export const PRIVATE_FILE = 0o600;

/** With those above it that are not there; what is there stays as it is. */
export function makeFolder(folder: string): void {
  const first = mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER });
  if (first !== undefined) made.push(first);
}

/** The topmost folders that this process has made. */
const made: string[] = [];

/** A command that fails before it has anything to keep leaves none of the folders that it made for it. */
export async function leavingNoEmptyFolder<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    for (const folder of made.splice(0)) removeEmpty(folder);
    throw error;
  }
}

/** Only what is empty, or holds nothing but what is. */
function removeEmpty(folder: string): void {
  try {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (entry.isDirectory()) removeEmpty(join(folder, entry.name));
    }
    rmdirSync(folder);
  } catch {
    // It holds something, or is gone.
  }
}

/**
 * The file appears as a whole or not at all. In a folder that others may write to, its draft has a name that nobody
 * knows, and is never a link that somebody has put there.
 */
export function writeWhole(
  file: string,
  content: string | Uint8Array,
  mode: number = PRIVATE_FILE,
): void {
  const draft = `${file}.${randomBytes(6).toString('hex')}.draft`;
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const descriptor = openSync(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
  try {
    writeFileSync(descriptor, typeof content === 'string' ? withoutKnown(content) : content);
    fsyncSync(descriptor);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  } finally {
    closeSync(descriptor);
  }
  try {
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
