import { isUtf8 } from 'node:buffer';
import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from 'node:fs';

/** No file that a person writes, and no record, is as large; Node.js holds no text of 512 MiB. */
const MAX_BYTES = 256 * 1024 * 1024;

/**
 * The text of a file that the user has named. What is no plain file is refused before anything is read of it: opening a
 * named pipe that nobody writes to would wait for ever. The error's message ends the sentence "FILE cannot be read: ...".
 */
export function readPlainFile(file: string): string {
  const bytes = readPlainBytes(file);
  if (bytes.includes(0) || !isUtf8(bytes)) throw new Error('it is not text in UTF-8');
  return bytes.toString('utf8');
}

export function readPlainBytes(file: string, maxBytes = MAX_BYTES): Buffer {
  return openedPlain(file, (descriptor, { size }) => {
    if (size > maxBytes) {
      throw new Error(`it is larger than ${String(maxBytes / 1024 / 1024)} MiB`);
    }
    return readFileSync(descriptor);
  });
}

/** Throws, in words, where the file cannot be opened or is no plain file. */
export const checkPlainFile = (file: string): void => {
  openedPlain(file, () => undefined);
};

function openedPlain<Result>(
  file: string,
  work: (descriptor: number, stats: Stats) => Result,
): Result {
  let descriptor: number;
  try {
    // Without waiting for the other end of a pipe.
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    throw new Error(whyNot(error), { cause: error });
  }
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) throw new Error(`it is ${kindOf(stats)}, not a file`);
    return work(descriptor, stats);
  } finally {
    closeSync(descriptor);
  }
}

export const kindOf = (stats: Stats): string =>
  stats.isDirectory()
    ? 'a folder'
    : stats.isFIFO()
      ? 'a named pipe'
      : stats.isSocket()
        ? 'a socket'
        : stats.isFile()
          ? 'a file'
          : 'a device';

const WORDS: Record<string, string> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'a part of its path is a file, not a folder',
  EISDIR: 'it is a folder, not a file',
  EACCES: 'you may not read or write it',
  EPERM: 'you may not read or write it',
  EROFS: 'its file system is read-only',
  ELOOP: 'its links form a loop',
  ENAMETOOLONG: 'its name is too long',
  ENXIO: 'it is a socket or a pipe, not a file',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota is used up',
};

/** Why a file cannot be read or written, as the end of a sentence. */
export function whyNot(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return WORDS[code ?? ''] ?? message;
}
