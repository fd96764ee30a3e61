import { closeSync, constants as files, openSync, writeSync } from 'node:fs';
import { createGzip, constants, type Gzip } from 'node:zlib';

/**
 * A table that grows while a run goes on. What was appended is on disk within `FLUSH_MS`, also when
 * this process is then killed. A disk that is full stops the table, never the run: `failure` says so.
 */
export interface TableFile {
  append(row: string): void;
  /** Null while it keeps up; else resolves once it does, until when nobody should append more. */
  behind(): Promise<void> | null;
  /** Empty while all is well. */
  failure(): string;
  close(): Promise<void>;
}

const FLUSH_MS = 1000;
/** Rows are handed on in pieces of this size: each piece costs a turn of a thread. */
const PIECE_LENGTH = 64 * 1024;
/** Maximum of text that waits to be compressed, some 100,000 rows. Beyond it, the disk is slower than the load. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024;

export function openTable(file: string, head: string): TableFile {
  const sink = new FileSink(file);
  let waiting = head;
  const flush = (): void => {
    sink.write(Buffer.from(waiting));
    waiting = '';
  };
  flush();
  const timer = setInterval(flush, FLUSH_MS);
  timer.unref();
  return {
    append: (row) => {
      waiting += row;
      if (waiting.length >= PIECE_LENGTH) flush();
    },
    // What is written is written at once.
    behind: () => null,
    failure: () => sink.failure,
    close: () => {
      clearInterval(timer);
      flush();
      sink.close();
      return Promise.resolve();
    },
  };
}

export function openCompressedTable(file: string, head: string): TableFile {
  const sink = new FileSink(file);
  const gzip: Gzip = createGzip({ level: 6 });
  gzip.on('data', (chunk: Buffer) => {
    sink.write(chunk);
  });
  let waiting = head;
  const handOn = (): void => {
    if (waiting !== '') gzip.write(waiting);
    waiting = '';
  };
  handOn();
  const timer = setInterval(() => {
    handOn();
    // Ends a block, so that what is on disk can be read without its end.
    gzip.flush(constants.Z_SYNC_FLUSH);
  }, FLUSH_MS);
  timer.unref();
  return {
    append: (row) => {
      waiting += row;
      if (waiting.length >= PIECE_LENGTH) handOn();
    },
    behind: () =>
      gzip.writableLength < MAX_WAITING_BYTES
        ? null
        : new Promise((resolve) => gzip.once('drain', resolve)),
    failure: () => sink.failure,
    close: () => {
      clearInterval(timer);
      handOn();
      return new Promise((resolve) => {
        gzip.once('end', () => {
          sink.close();
          resolve();
        });
        gzip.end();
      });
    },
  };
}

/** Keeps the first failure and writes no more after it: a gap in the middle would be worse than an end. */
class FileSink {
  failure = '';
  private readonly descriptor: number;

  constructor(private readonly file: string) {
    const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = files;
    this.descriptor = openSync(file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  }

  write(data: Buffer): void {
    let at = 0;
    while (this.failure === '' && at < data.length) {
      try {
        at += writeSync(this.descriptor, data, at);
      } catch (error) {
        this.failure = failureText(this.file, error);
      }
    }
  }

  close(): void {
    closeSync(this.descriptor);
  }
}

export function failureText(file: string, error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  const why =
    code === 'ENOSPC' ? 'the disk is full' : code === 'EDQUOT' ? 'the quota is used up' : message;
  return `${file} could not be completed: ${why}`;
}
