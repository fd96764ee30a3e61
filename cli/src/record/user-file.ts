/** A file whose name the user has chosen, or that lies in a folder of theirs. */
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
import { kindOf, whyNot } from '../linux/plain-file';
import { Mistake } from '../ui/exit';
import { writeWhole } from './folder';

export interface UserFile {
  path: string;
  /** Such as `--write`. */
  option: string;
  /** How such a file begins if n8n-tuned wrote it; what begins otherwise is the user's own. ASCII. */
  begins: string;
  /** Replace it also if n8n-tuned did not write it. */
  force: boolean;
}

/**
 * Refuses what would be lost: a file that is there and that n8n-tuned did not write. Called before anything is measured,
 * since hours may lie between the command and its file.
 */
export function refuseForeign({ path, option, begins, force }: UserFile): void {
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
  if (force || stats.size === 0 || beginningOf(path, option, begins.length) === begins) return;
  throw new Mistake(
    `${path} already exists, and n8n-tuned did not write it: ${elsewhere(option)}, or replace this file with --force.`,
  );
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
    writeWhole(file.path, content, mode);
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
