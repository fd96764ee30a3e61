import { createReadStream, existsSync, statSync } from 'node:fs';
import { createGunzip, constants } from 'node:zlib';
import { requestReader, RowReader } from './csv';
import type { RequestSample } from './record';

/** Every request of requests.csv.gz, one at a time; also of a file without its end, as a killed run leaves it. */
export async function* requestsIn(file: string): AsyncGenerator<RequestSample> {
  if (!existsSync(file) || statSync(file).size === 0) return;
  const stored = createReadStream(file);
  const text = createGunzip({ finishFlush: constants.Z_SYNC_FLUSH }).setEncoding('utf8');
  stored.on('error', (error) => text.destroy(error)).pipe(text);
  const rows = new RowReader();
  let columns = 0;
  let read: ReturnType<typeof requestReader> | null = null;
  try {
    for await (const piece of text as AsyncIterable<string>) {
      for (const cells of rows.read(piece)) {
        if (read === null) {
          columns = cells.length;
          read = requestReader(cells);
        } else if (cells.length === columns) yield read(cells);
      }
    }
  } finally {
    stored.destroy();
  }
}
