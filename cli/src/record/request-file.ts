import { createReadStream, existsSync } from 'node:fs';
import { createGunzip, constants } from 'node:zlib';
import { checkPlainFile } from '../linux/plain-file';
import { messageOf } from '../ui/exit';
import { requestReader, RowReader } from './csv';
import { unreadable } from './parse';
import type { RequestSample } from './run-record';

/** Every request of requests.csv.gz, one at a time; also of a file without its end, as a killed run leaves it. */
export async function* requestsIn(file: string): AsyncGenerator<RequestSample> {
  if (!existsSync(file)) return;
  try {
    checkPlainFile(file);
    yield* rowsIn(file);
  } catch (error) {
    throw unreadable(file, 'the requests of a run', whyOf(error));
  }
}

async function* rowsIn(file: string): AsyncGenerator<RequestSample> {
  const stored = createReadStream(file);
  const text = createGunzip({ finishFlush: constants.Z_SYNC_FLUSH }).setEncoding('utf8');
  stored.on('error', (error) => text.destroy(error)).pipe(text);
  const rows = new RowReader();
  let read: ReturnType<typeof requestReader> | null = null;
  try {
    for await (const piece of text as AsyncIterable<string>) {
      for (const cells of rows.read(piece)) {
        if (read === null) read = requestReader(cells);
        else yield read(cells);
      }
    }
  } finally {
    stored.destroy();
  }
}

/** The reason in zlib's words: "incorrect header check", "incorrect data check". */
function whyOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  return code?.startsWith('Z_') === true
    ? `it is not a complete gzip file (${messageOf(error)})`
    : messageOf(error);
}
