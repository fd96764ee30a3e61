import { mkdir, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { Mistake } from '../../shared/mistake';

/** Left free on the disk, whatever is asked. */
const RESERVE_BYTES = 256 * 1024 * 1024;

/** The folder for documents, made if need be, with room for `bytes` more. */
export async function folderWithRoom(parameter: unknown, bytes: number): Promise<string> {
  const folder =
    parameter === undefined || parameter === '' ? join(tmpdir(), 'n8n-load-target') : parameter;
  if (typeof folder !== 'string' || !isAbsolute(folder)) {
    throw new Mistake("'Folder' must be an absolute path on the machine that runs n8n, or empty");
  }
  try {
    await mkdir(folder, { recursive: true });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Mistake(`'Folder' cannot be used: ${why}`);
  }
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize - bytes < RESERVE_BYTES) {
    const free = Math.floor((bavail * bsize) / 1024 / 1024);
    throw new Mistake(
      `${Math.ceil(bytes / 1024 / 1024)} MiB do not fit in ${folder}: ${free} MiB are free, of which 256 are left alone`,
    );
  }
  return folder;
}
