/** A file whose name the user has chosen, or that lies in a folder of theirs. */
import { createHash } from 'node:crypto';
import {
  accessSync,
  closeSync,
  constants,
  openSync,
  readSync,
  statSync,
  type Stats,
} from 'node:fs';
import { dirname } from 'node:path';
import { kindOf, readPlainFile, whyNot } from '../linux/plain-file';
import { Mistake } from '../ui/exit';
import { withoutKnown } from '../ui/known-secrets';
import { writeWhole } from './folder';

export interface UserFile {
  path: string;
  /** Such as `--write`. */
  option: string;
  /** How such a file begins if n8n-tuned wrote it; what begins otherwise is the user's own. ASCII. */
  begins: string;
  /**
   * What of ours is replaced only by force too: a file that was edited since, whose text has SEAL in it when it is
   * written, or a table with rows. Left out: nothing.
   */
  keeps?: 'edits' | 'rows';
  /** Replace it also if n8n-tuned did not write it. */
  force: boolean;
}

/**
 * Refuses what would be lost: a file that is there and that n8n-tuned did not write. Called before anything is measured,
 * since hours may lie between the command and its file.
 */
export function refuseForeign(file: UserFile): void {
  const { path, option, begins, force } = file;
  const folder = dirname(path);
  if (!isFolder(folder)) throw new Mistake(`${option} is ${path}: there is no folder ${folder}.`);
  const stats = statOf(path, option);
  if (stats === null) {
    tried({ path, option }, () => {
      accessSync(folder, constants.W_OK | constants.X_OK);
    });
    return;
  }
  if (!stats.isFile()) {
    throw new Mistake(`${option} is ${path}, which is ${kindOf(stats)}: specify a file.`);
  }
  if (force || stats.size === 0) return;
  const why =
    beginningOf(path, option, begins.length) === begins
      ? whyKept(file, stats.size)
      : 'and n8n-tuned did not write it';
  if (why === null) return;
  throw new Mistake(
    `${path} already exists, ${why}: ${elsewhere(option)}, or replace this file with --force.`,
  );
}

function whyKept({ path, option, begins, keeps }: UserFile, bytes: number): string | null {
  if (keeps === 'rows') return bytes > begins.length ? 'and contains measurements' : null;
  if (keeps !== 'edits') return null;
  const isEdited = !isAsSealed(tried({ path, option }, () => readPlainFile(path)));
  return isEdited ? 'and was edited after n8n-tuned wrote it' : null;
}

const DIGITS = 32;
/** Stands in a text for the digest of that text. */
export const SEAL = `sha256:${'0'.repeat(DIGITS)}`;

const sealOf = (text: string): string =>
  `sha256:${createHash('sha256').update(text).digest('hex').slice(0, DIGITS)}`;

function isAsSealed(text: string): boolean {
  const [seal] = /sha256:[0-9a-f]{32}/.exec(text) ?? [];
  return seal !== undefined && sealOf(text.replaceAll(seal, SEAL)) === seal;
}

/** What `writeWhole` leaves out of a text goes before the digest is made. */
function sealed(content: string | Uint8Array): string | Uint8Array {
  const isText = typeof content === 'string';
  const text = isText ? withoutKnown(content) : Buffer.from(content).toString();
  const whole = text.replaceAll(SEAL, sealOf(text));
  return isText ? whole : Buffer.from(whole);
}

/** Who may read a file of the user's is for their umask to say. */
const OPEN_TO_ALL = 0o666;

export function writeUserFile(
  file: UserFile,
  content: string | Uint8Array,
  mode = OPEN_TO_ALL,
): void {
  refuseForeign(file);
  tried(file, () => {
    writeWhole(file.path, file.keeps === 'edits' ? sealed(content) : content, mode);
  });
}

/** What is no option has no other place. */
const elsewhere = (option: string): string =>
  option.startsWith('-') ? `name another file with ${option}` : 'move it away';

/** For a table that grows: what is there of ours is begun again. */
export function openUserFile(file: UserFile): number {
  refuseForeign(file);
  return tried(file, () => openSync(file.path, 'w'));
}

function statOf(path: string, option: string): Stats | null {
  return tried({ path, option }, () => statSync(path, { throwIfNoEntry: false }) ?? null);
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

function beginningOf(path: string, option: string, length: number): string {
  return tried({ path, option }, () => {
    const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const bytes = Buffer.alloc(length);
      return bytes.toString('utf8', 0, readSync(descriptor, bytes, 0, length, 0));
    } finally {
      closeSync(descriptor);
    }
  });
}

function tried<Result>(
  { path, option }: Pick<UserFile, 'path' | 'option'>,
  work: () => Result,
): Result {
  try {
    return work();
  } catch (error) {
    throw new Mistake(`${option} is ${path}, which cannot be written: ${whyNot(error)}.`);
  }
}
